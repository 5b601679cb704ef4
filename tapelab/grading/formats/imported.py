"""An assignment that comes from another grader: its exercises as data, and its notebook."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tapelab.exercises.check import Check, Visibility
from tapelab.exercises.exercise import Exercise
from tapelab.grading.formats.answering import CELL
from tapelab.grading.formats.foreign import asserted, doctested
from tapelab.grading.formats.grades import whole
from tapelab.grading.formats.notebooks import Cell, code


@dataclass(frozen=True)
class Tested:
    """A test: how it is run (`asserted` or `doctested`), and what it is worth."""

    how: str
    title: str
    points: float
    source: str
    visibility: Visibility = Visibility.PRIVATE
    partial: bool = False
    failure: str = ""

    def check(self) -> Check:
        """The check that it becomes."""
        if self.how == "doctested":
            return doctested(self.title, whole(self.points), self.source,
                             visibility=self.visibility, failure=self.failure)  # fmt: skip
        return asserted(self.title, whole(self.points), self.source,
                        visibility=self.visibility, partial=self.partial)  # fmt: skip

    def text(self) -> str:
        """The call that makes the check, as Python."""
        told = [repr(self.title), repr(whole(self.points)), _quoted(self.source),
                f"visibility={self.visibility.value!r}"]  # fmt: skip
        told += ["partial=True"] if self.partial else []
        told += [f"failure={self.failure!r}"] if self.failure else []
        inside = "".join(f"            {each},\n" for each in told)
        return f"        {self.how}(\n{inside}        ),\n"


@dataclass(frozen=True)
class ImportedExercise:
    """An exercise with its tests; `id` is the assignment and the other grader's name."""

    id: str
    title: str
    prompt: str
    tests: tuple[Tested, ...]

    def exercise(self) -> Exercise:
        """The exercise of ours."""
        checks = tuple(each.check() for each in self.tests)
        return Exercise(self.id, self.title, self.prompt, checks, ())

    def text(self) -> str:
        """The exercise as Python."""
        tests = "".join(each.text() for each in self.tests)
        prompt = _quoted(self.prompt)
        return (
            f"    Exercise(\n        {self.id!r},\n        {self.title!r},\n        {prompt},\n"
            f"        (\n{_indented(tests)}        ),\n        (),\n    ),\n"
        )


@dataclass(frozen=True)
class Manual:
    """What a person has to grade, which no check can."""

    name: str
    title: str
    points: float


@dataclass(frozen=True)
class Imported:
    """An assignment as it came: exercises, the learner's notebook, the solution, what is by hand.

    `places` says below which cell of a learner's the answer to an exercise is complete.
    """

    name: str
    title: str
    exercises: tuple[ImportedExercise, ...]
    released: tuple[Cell, ...]
    solution: tuple[Cell, ...]
    manual: tuple[Manual, ...] = ()

    def exercises_text(self) -> str:
        """The exercises as a Python file, which builds them when it is imported."""
        body = "".join(each.text() for each in self.exercises)
        return HEAD.format(title=self.title) + f"EXERCISES = (\n{body})\n"


HEAD: Final = '''"""{title}: exercises that came from another grader, with their tests as checks."""

from tapelab.exercises import Exercise
from tapelab.grading.formats.foreign import asserted, doctested

__all__ = ["EXERCISES", "asserted", "doctested"]

'''


def answer_cell(number: str) -> Cell:
    """The cell below which an exercise is answered."""
    return code(CELL.format(number=number), editable=False, deletable=False)


def _quoted(text: str) -> str:
    """A literal of a text, over several lines where it has some."""
    lines = text.split("\n")
    if len(lines) == 1:
        return repr(text)
    inside = "\n".join(f"                {line + end!r}" for line, end in _ended(lines))
    return f"(\n{inside}\n            )"


def _ended(lines: list[str]) -> Iterator[tuple[str, str]]:
    *first, last = lines
    yield from ((line, "\n") for line in first)
    if last:
        yield last, ""


def _indented(text: str) -> str:
    return "".join(f"    {line}" for line in text.splitlines(keepends=True))
