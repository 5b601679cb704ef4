"""Environments for hosts that are not the lab's: python -m tools.hosts .venv-marimo

Each of them has what one such place has and no more, so that the tests see what tapelab does where
a part is missing. In the developers' environment nothing ever is.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

from tools import environment, node

MARIMO: Final = ".venv-marimo"
HUB: Final = ".venv-hub"
HOSTS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    # tapelab without JupyterLab: a kernel of its own, and marimo
    MARIMO: (("--editable", ".", "anywidget", "ipykernel", "marimo>=0.25"),),
    # what a hub starts for each person; of tapelab only what JupyterLab loads
    HUB: (
        ("jupyterhub>=5", "jupyterlab>=4.2,<5", "anywidget"),
        ("--editable", ".", "--no-deps"),
    ),
}
"""What pip is given, one call after the other."""
PROXY: Final = "configurable-http-proxy@4"
"""What JupyterHub stands behind; it comes from npm."""


def ensure(directory: str) -> Path:
    """Make an environment, unless it is there already; its folder."""
    place = environment.CHECKOUT / directory
    stamp, wanted = place / "tapelab.stamp", _fingerprint(directory)
    if stamp.is_file() and stamp.read_text() == wanted:
        return place
    environment.require_venv()
    print(f"Making the environment {directory} ...", flush=True)
    venv.create(place, clear=True, symlinks=sys.platform != "win32", with_pip=True)
    for arguments in HOSTS[directory]:
        _run([environment.python_of(place), "-m", "pip", "install", "--quiet", *arguments])
    environment.link_extension(place)
    if directory == HUB:
        node.ensure()
        npm = shutil.which("npm") or "npm"
        _run([npm, "install", "--no-audit", "--no-fund", "--prefix", str(place), PROXY])
    stamp.write_text(wanted)
    return place


def path_of(place: Path) -> str:
    """A PATH on which the programs of an environment come first, those of npm included."""
    folders = (place / "bin", place / "node_modules" / ".bin")
    return os.pathsep.join([*map(str, folders), os.environ["PATH"]])


def _fingerprint(directory: str) -> str:
    request = repr((HOSTS[directory], PROXY, sys.version))
    return hashlib.sha256(request.encode()).hexdigest() + environment.fingerprint(directory)


def _run(command: list[str]) -> None:
    if subprocess.run(command, cwd=environment.CHECKOUT, check=False).returncode:
        sys.exit(f"{command[0]} failed; its words stand above. Is this machine online?")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        ensure(name)
