"""What is graded: the exercises of a lesson with all their checks, and the limits of a run.

The version of an assignment is a hash of everything that its checks consist of: their code, the
constants and closures of it, limits and data files. A result is kept under this version.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from hashlib import sha256
from os import PathLike
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from tapelab.errors import Complaint
from tapelab.exercises.exercise import cost_of
from tapelab.version import __version__

if TYPE_CHECKING:
    from tapelab.exercises.exercise import Exercise


def fingerprint(*parts: Any) -> str:
    """The same text for the same parts in any process, another when a constant changes."""
    digest = sha256(__version__.encode())
    for each in _pieces(parts, frozenset()):
        digest.update(len(each).to_bytes(8, "big"))
        digest.update(each)
    return digest.hexdigest()[:32]


def _pieces(part: Any, above: frozenset[int]) -> Iterator[bytes]:
    """The bytes of everything in a part, in order; a part within itself counts once."""
    yield type(part).__qualname__.encode()
    if id(part) in above:
        return
    inside = above | {id(part)}
    for each in _inside(part):
        yield from [each] if isinstance(each, bytes) else _pieces(each, inside)


def _inside(part: Any) -> Iterator[Any]:
    match part:
        case FunctionType():
            yield from (part.__code__, part.__defaults__, part.__kwdefaults__)
            yield from (_content(cell) for cell in part.__closure__ or ())
        case CodeType():
            yield part.co_code
            yield from (part.co_consts, part.co_names, part.co_varnames)
        case MethodType():
            yield from (part.__func__, part.__self__)
        case functools.partial():
            yield from (part.func, part.args, part.keywords)
        case np.ndarray():
            yield from (str(part.dtype), part.shape, part.tobytes())
        case Mapping():
            yield from (each for pair in part.items() for each in pair)
        case list() | tuple():
            yield from part
        case set() | frozenset():
            yield from sorted(map(repr, part))
        case type() | ModuleType():
            yield part.__name__.encode()
        case _ if is_dataclass(part):
            yield from (getattr(part, field.name) for field in fields(part))
        case _ if hasattr(part, "__dict__"):
            yield vars(part)
        case bytes():
            yield part + b"."
        case _:
            yield repr(part).encode("utf-8", "backslashreplace")


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


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
        version = fingerprint(name, [unversioned.keys(each) for each in exercises], *priced)
        return cls(name, unversioned.title, version, exercises, unversioned.limits, files)

    def seconds(self, exercise: Exercise) -> float:
        """How long the learner's code may take for one question of an exercise."""
        return exercise.seconds or self.limits.seconds

    def memory(self, exercise: Exercise) -> int:
        """How many bytes the learner's code may have while it answers for an exercise."""
        return exercise.memory or self.limits.memory

    def keys(self, exercise: Exercise) -> tuple[tuple[str, str], ...]:
        """For each check of an exercise its name in the assignment, and a hash of what it is."""
        seen: Counter[str] = Counter()
        keys, own = [], (exercise.seconds, exercise.memory)
        for check in exercise.checks:
            seen[check.title] += 1
            again = f" ({seen[check.title]})" if seen[check.title] > 1 else ""
            key = f"{exercise.id} {check.title}{again}"
            keys.append((key, fingerprint(key, check, self.limits, own, self._data)))
        return tuple(keys)

    @cached_property
    def _data(self) -> tuple[Any, ...]:
        return tuple((path.name, path.read_bytes()) for path in self.files)


SCRIPT: Final = "exercises.py"
