"""What is graded: the exercises of a lesson with all their checks, and the limits of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from tapelab.exercises.exercise import cost_of
from tapelab.grading.fingerprints import fingerprint

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


class AssignmentError(ValueError):
    """There is no such assignment, or it cannot be read; the message says why."""


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
        from tapelab.exercises.beside import ExercisesError, exercises_in, names_in

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
        made = cls(name, title or name, "", exercises, limits or Limits(), files)
        priced = [(each.id, list(map(cost_of, each.hints))) for each in exercises
                  if each.counts_hints]  # fmt: skip
        version = fingerprint(name, [made.keys(each) for each in exercises], *priced)
        return cls(name, made.title, version, exercises, made.limits, files)

    def seconds(self, exercise: Exercise) -> float:
        """How long the learner's code may take for one question of an exercise."""
        return exercise.seconds or self.limits.seconds

    def memory(self, exercise: Exercise) -> int:
        """How many bytes the learner's code may have while it answers for an exercise."""
        return exercise.memory or self.limits.memory

    def keys(self, exercise: Exercise) -> tuple[tuple[str, str], ...]:
        """For each check of an exercise its name in the assignment, and a hash of what it is."""
        seen: Counter[str] = Counter()
        found, own = [], (exercise.seconds, exercise.memory)
        for check in exercise.checks:
            seen[check.title] += 1
            again = f" ({seen[check.title]})" if seen[check.title] > 1 else ""
            key = f"{exercise.id} {check.title}{again}"
            found.append((key, fingerprint(key, check, self.limits, own, self._data)))
        return tuple(found)

    @cached_property
    def _data(self) -> tuple[Any, ...]:
        return tuple((path.name, path.read_bytes()) for path in self.files)


SCRIPT: Final = "exercises.py"
