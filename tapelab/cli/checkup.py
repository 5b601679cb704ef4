"""One check of `tapelab doctor`: what was looked at, what was found, and what mends it."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tapelab.locales import say


class State(StrEnum):
    """How a check went: what is poor is missed by somebody, what is missing by everybody."""

    GOOD = "good"
    POOR = "poor"
    MISSING = "missing"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    title: str
    state: State
    found: str
    cure: str = ""


def good_if(is_good: bool, otherwise: State = State.POOR) -> State:
    """GOOD, or the other state."""
    return State.GOOD if is_good else otherwise


_MANAGERS: Final = {
    "apt-get": "apt-get install", "dnf": "dnf install", "pacman": "pacman -S",
    "zypper": "zypper install", "apk": "apk add", "brew": "brew install",
}  # fmt: skip


def install_program(package: str) -> str:
    """The command that installs a program of the system here, as far as its manager is known."""
    for manager, command in _MANAGERS.items():
        if shutil.which(manager):
            by_root = manager == "brew" or os.geteuid() == 0
            return f"{'' if by_root else 'sudo '}{command} {package}"
    return say("Install {package}.", package=package)
