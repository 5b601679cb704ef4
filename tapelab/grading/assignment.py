"""What is graded: the exercises of a lesson with all their checks, and the limits of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapelab.exercises.exercise import Exercise


@dataclass(frozen=True)
class Limits:
    """How much a learner's code may use; seconds of the clock, bytes, and processes."""

    seconds: float = 60.0
    memory: int = 2 << 30
    """RLIMIT_AS: less than 2 GiB kills what Numba compiles."""
    output: int = 16 << 20
    disk: int = 64 << 20
    processes: int = 64


@dataclass(frozen=True)
class Assignment:
    """Exercises to be graded together; `version` changes with any check or limit of them."""

    name: str
    title: str
    version: str
    exercises: tuple[Exercise, ...]
    limits: Limits = field(default_factory=Limits)
    files: tuple[Path, ...] = ()
    """What the learner's code may read beside itself, such as data."""
