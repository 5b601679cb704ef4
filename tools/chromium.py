"""Find the Chromium that the browser tests drive, or install Debian's where that is allowed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

_SYSTEM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


def find() -> str | None:
    """Look where CHROMIUM points, then for the system's browser, then for playwright's."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    candidates = [*map(shutil.which, _SYSTEM), str(_MAC), _playwright()]
    return next((path for path in candidates if path and Path(path).exists()), None)


def ensure() -> str:
    """Find a browser, if need be after installing Debian's as root; else say what to do."""
    found = find()
    if found is None and "CHROMIUM" not in os.environ and may_install():
        print("Installing Debian's chromium for the browser tests ...", flush=True)
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run([*install, "chromium", "fonts-dejavu-core"], check=False)
        found = find()
    if found is None:
        sys.exit(
            f"The browser tests found no Chromium (CHROMIUM={os.environ.get('CHROMIUM', '')!r}). "
            "Install chromium or Google Chrome, or run: CHROMIUM=/path/to/chrome make test"
        )
    return found


def _playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def may_install() -> bool:
    """Whether this is a Debian on which packages may be installed."""
    return bool(shutil.which("apt-get")) and hasattr(os, "geteuid") and os.geteuid() == 0
