"""Find Graphviz' `dot`, which the layout is compared with, or install Debian's where allowed."""

import shutil
import subprocess

from tools import chromium


def ensure() -> None:
    """Install Debian's graphviz as root if there is none; else the comparisons say they skip."""
    if shutil.which("dot") or not chromium.may_install():
        return
    print("Installing Debian's graphviz to compare the layout with ...", flush=True)
    subprocess.run(["apt-get", "update", "-qq"], check=False)
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "graphviz"]
    subprocess.run(install, check=False)
