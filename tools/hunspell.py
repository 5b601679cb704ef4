"""Find the speller `hunspell` with its English, or install Debian's where that is allowed."""

import shutil
import subprocess

from tools.chromium import may_install

LANGUAGE = "en_GB"
PACKAGES = ("hunspell", "hunspell-en-gb")


def ensure() -> None:
    """Install Debian's hunspell as root if it is not there; else the spelling says it skips."""
    if is_there() or not may_install():
        return
    print("Installing Debian's hunspell to check the spelling with ...", flush=True)
    subprocess.run(["apt-get", "update", "-qq"], check=False)
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES]
    subprocess.run(install, check=False)


def is_there() -> bool:
    """Whether there is a hunspell that knows English."""
    if not shutil.which("hunspell"):
        return False
    listed = subprocess.run(
        ["hunspell", "-D"], input="", capture_output=True, text=True, check=False
    )
    return f"/{LANGUAGE}\n" in listed.stderr


def unknown(words: list[str]) -> set[str]:
    """Those of some words that the dictionary does not know."""
    command = ["hunspell", "-d", LANGUAGE, "-l", "-i", "utf-8"]
    result = subprocess.run(
        command, input="\n".join(words), capture_output=True, text=True, check=True
    )
    return set(result.stdout.split())
