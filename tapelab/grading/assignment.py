"""What is graded: the exercises of a lesson with all their checks, and the limits of a run.

The version of an assignment is a hash of the versions of its checks, which cover all that a check
reaches, its limits and the data files. A result is kept under this version.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from tapelab.errors import Complaint
from tapelab.exercises.exercise import cost_of
from tapelab.grading.check_versions import UNKNOWN_REACH, fingerprint, has_unknown_reach

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


class AssignmentError(Complaint, ValueError):
    """An assignment does not exist or cannot be read; the message says why."""


@dataclass(frozen=True)
class Assignment:
    """Exercises to be graded together; `version` changes with any check or limit of them."""

    name: str
    title: str
    version: str
    exercises: tuple[Exercise, ...]
    limits: Limits = field(default_factory=Limits)
    files: tuple[Path, ...] = ()
    """Files that the student's code may read, such as data."""

    @classmethod
    def load(cls, source: str | PathLike[str]) -> Self:
        """The assignment of a shipped lesson by its number, as in "03", or of a teacher's folder.

        A folder has `exercises.py`, which ends with EXERCISES and may have TITLE, LIMITS and FILES.
        """
        from tapelab.exercises.registry import LESSONS  # all lessons, where one is asked for

        if str(source) in LESSONS:
            number = str(source)
            return cls.of(number, LESSONS[number], title=f"Lesson {number}")
        folder = Path(source)
        script = folder if folder.suffix == ".py" else folder / SCRIPT
        if not script.is_file():
            raise AssignmentError(
                f"There is no assignment {str(source)!r}: it is no folder with {SCRIPT}, and no "
                f"lesson. Try one of {', '.join(LESSONS)}."
            )
        return cls._written(script)

    @classmethod
    def _written(cls, script: Path) -> Self:
        from tapelab.exercises.exercise_file import ExercisesError, exercises_in, names_in

        try:
            names = names_in(script)
        except ExercisesError as error:
            raise AssignmentError(str(error)) from error
        exercises = exercises_in(names)
        return cls.of(
            script.parent.resolve().name, exercises, title=str(names.get("TITLE", "")),
            limits=names.get("LIMITS") or Limits(),
            files=tuple(script.parent / each for each in names.get("FILES", ())),
        )  # fmt: skip

    @classmethod
    def of(
        cls, name: str, exercises: tuple[Exercise, ...], *, title: str = "",
        limits: Limits | None = None, files: tuple[Path, ...] = (),
    ) -> Self:  # fmt: skip
        """An assignment of these exercises; its version follows from all that it is."""
        unversioned = cls(name, title or name, "", exercises, limits or Limits(), files)
        priced = [(each.id, list(map(cost_of, each.hints))) for each in exercises
                  if each.counts_hints]  # fmt: skip
        keys = [unversioned.keys(each) for each in exercises]
        version = fingerprint(name, keys, *priced)
        if any(has_unknown_reach(each) for pairs in keys for _, each in pairs):
            version = UNKNOWN_REACH + version[1:]
        return cls(name, unversioned.title, version, exercises, unversioned.limits, files)

    def seconds(self, exercise: Exercise) -> float:
        """How long the learner's code may take for one question of an exercise."""
        return exercise.seconds or self.limits.seconds

    def memory(self, exercise: Exercise) -> int:
        """How many bytes the learner's code may have while it answers for an exercise."""
        return exercise.memory or self.limits.memory

    def keys(self, exercise: Exercise) -> tuple[tuple[str, str], ...]:
        """For each check of an exercise its name in the assignment, and a hash of what it is.

        They are those of the first call: a check may change what it reaches while it runs.
        """
        if id(exercise) not in self._keys:
            self._keys[id(exercise)] = self._keys_now(exercise)
        return self._keys[id(exercise)]

    def _keys_now(self, exercise: Exercise) -> tuple[tuple[str, str], ...]:
        seen: Counter[str] = Counter()
        keys, own = [], (exercise.seconds, exercise.memory)
        for check in exercise.checks:
            seen[check.title] += 1
            again = f" ({seen[check.title]})" if seen[check.title] > 1 else ""
            key = f"{exercise.id} {check.title}{again}"
            keys.append((key, fingerprint(key, check, self.limits, own, self._data)))
        return tuple(keys)

    @cached_property
    def _keys(self) -> dict[int, tuple[tuple[str, str], ...]]:
        """By the id of an exercise its keys."""
        return {}

    @cached_property
    def _data(self) -> tuple[Any, ...]:
        return tuple((path.name, path.read_bytes()) for path in self.files)


SCRIPT: Final = "exercises.py"
