"""Keep the graders that we exchange assignments with in an environment of their own.

Their notebooks import tapelab, so this checkout is installed beside them.
"""

import hashlib
import subprocess
import sys
import time
import venv
from typing import Final

from tools import environment

PLACE: Final = environment.CHECKOUT / ".venv-graders"
WANTED: Final = ("nbgrader==0.9.6", "otter-grader==7.0.0")
"""The releases that our formats were tried against."""


def python() -> str:
    """The interpreter of that environment, whether it is there or not."""
    return environment.python_of(PLACE)


def ensure() -> str:
    """Set the environment up, once; its interpreter."""
    stamp = PLACE / "graders.stamp"
    wanted = hashlib.sha256("\0".join([sys.version, *WANTED]).encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return python()
    started = time.monotonic()
    print(f"Installing {' and '.join(WANTED)} beside tapelab ...", flush=True)
    venv.create(PLACE, clear=True, symlinks=sys.platform != "win32", with_pip=True)
    install = [python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    editable = ["--editable", str(environment.CHECKOUT)]
    subprocess.run([*install, "--no-compile", *WANTED, *editable], check=True)
    stamp.write_text(wanted)
    print(f"They are ready, after {time.monotonic() - started:.0f} s.", flush=True)
    return python()


if __name__ == "__main__":
    ensure()
