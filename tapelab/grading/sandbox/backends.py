"""The ways to hold a worker, the strongest first; `unsafe` holds nothing and is never chosen."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from tapelab.grading.assignment import Limits
from tapelab.grading.sandbox.paths import PACKAGE

AUTO: Final = "auto"
UNSAFE: Final = "unsafe"


class NoSandboxError(RuntimeError):
    """This host has nothing that could hold a learner's code."""


@dataclass(frozen=True)
class Backend:
    """A way to hold a worker; `why_not` is empty where this host has it."""

    name: str
    why_not: Callable[[], str]
    command: Callable[[Limits, Path], list[str]]


def python(settings: dict[str, Any]) -> list[str]:
    """The Python that confines itself and then works; nothing of the user's own takes part."""
    start = f"import sys; sys.path.append({str(PACKAGE.parent)!r})"
    work = "from tapelab.grading.sandbox.inside import main; main()"
    return [sys.executable, "-s", "-P", "-c", f"{start}; {work}", json.dumps(settings)]


def _unsafe(limits: Limits, scratch: Path) -> list[str]:
    return python({"confine": "", "limits": asdict(limits), "scratch": str(scratch)})


BACKENDS: Final[tuple[Backend, ...]] = (Backend(UNSAFE, lambda: "", _unsafe),)
NAMES: Final = (AUTO, *(each.name for each in BACKENDS))


@cache
def choose(name: str = AUTO) -> Backend:
    """The backend of a name, by default the strongest that holds; NoSandboxError if none does."""
    if name not in NAMES:
        raise ValueError(f"There is no sandbox {name!r}. Try one of {', '.join(NAMES)}.")
    reasons = []
    for each in BACKENDS:
        if name == each.name or (name == AUTO and each.name != UNSAFE):
            why_not = each.why_not()
            if not why_not:
                return each
            reasons.append(f"{each.name}: {why_not}")
    raise NoSandboxError(
        f"Nothing here can hold a learner's code ({'; '.join(reasons)}). Try: apt-get install "
        "bubblewrap, or grade in a virtual machine of its own with sandbox='unsafe'."
    )
