"""Something to time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Task:
    """Something to time: `prepare` is not timed, `run` gets what it made; `units` are per run."""

    run: Callable[[Any], Any]
    prepare: Callable[[], Any] = lambda: None
    units: int = 1
    once: bool = False
