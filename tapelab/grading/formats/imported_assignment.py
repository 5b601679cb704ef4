"""An assignment that comes from another grader: its exercises as data, and a teacher's notebook.

It is written as a work of ours, a folder with `exercises.py` and `notebook.py`, which can be read,
changed, proved and released like one that was written here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tapelab.authoring.work import TEXT
from tapelab.exercises.check import Check, Visibility, by_hand
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.exercise_file import SCRIPT
from tapelab.grading.formats.csv_tables import as_number
from tapelab.grading.formats.external_tests import asserted, doctested
from tapelab.grading.formats.notebook_format import KERNEL, Cell, code, text_of
from tapelab.recording.atomic_write import write

_MAKERS: Final[Mapping[str, Callable[..., Check]]] = {"asserted": asserted, "doctested": doctested}
_HINT: Final = "Run the first test by hand: what does your answer give there, and what should it?"
_READ: Final = "A person reads your answer: write it so that they can follow."
_HEAD: Final = """# Exercises that came from {grader}, with their tests as checks.

from tapelab.exercises import Exercise
{imports}
TITLE = {title!r}
"""
_ANSWER: Final = (
    "import tapelab as tf\n"
    "from tapelab.grading.formats.step_runner import Steps\n\n"
    "tf.exercise({number!r})(Steps(globals()))\n"
    "tf.check({number!r})"
)


@dataclass(frozen=True)
class Tested:
    """A test: how it is run (`asserted` or `doctested`), and what it is worth."""

    how: str
    title: str
    points: float
    source: str
    visibility: Visibility = Visibility.PRIVATE
    more: tuple[tuple[str, Any], ...] = ()
    """Further arguments for the maker of the check, as in ("partial", True)."""

    def check(self) -> Check:
        """The check that it becomes."""
        make = _MAKERS[self.how]
        check = make(self.title, as_number(self.points), self.source, **dict(self.more))
        return check.private() if self.visibility is Visibility.PRIVATE else check

    def text(self) -> str:
        """The call that makes the check, as Python."""
        more = "".join(f"                {name}={value!r},\n" for name, value in self.more)
        mark = ".private()" if self.visibility is Visibility.PRIVATE else ""
        points = as_number(self.points)
        return (
            f"            {self.how}(\n                {self.title!r},\n"
            f"                {points!r},\n                {_quoted(self.source)},\n"
            f"{more}            ){mark},\n"
        )


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
        return Exercise(self.id, self.title, self.prompt, checks, (_HINT,))

    def text(self) -> str:
        """The exercise as Python."""
        tests = "".join(each.text() for each in self.tests)
        return (
            f"    Exercise(\n        id={self.id!r},\n        title={self.title!r},\n"
            f"        prompt={_quoted(self.prompt)},\n        checks=(\n{tests}        ),\n"
            f"        hints=({_HINT!r},),\n    ),\n"
        )


@dataclass(frozen=True)
class Manual:
    """What a person has to grade, which no check can: an exercise that waits for points by hand."""

    name: str
    title: str
    points: float

    def exercise(self, assignment: str) -> Exercise:
        """The exercise of ours."""
        title = self.title or self.name
        checks = (by_hand(title, as_number(self.points)),)
        return Exercise(f"{assignment}.{self.name}", title, title, checks, (_READ,))

    def text(self, assignment: str) -> str:
        """The exercise as Python."""
        exercise = self.exercise(assignment)
        check = f"by_hand({exercise.title!r}, {as_number(self.points)!r})"
        return (
            f"    Exercise(\n        id={exercise.id!r},\n        title={exercise.title!r},\n"
            f"        prompt={exercise.prompt!r},\n        checks=({check},),\n"
            f"        hints=({_READ!r},),\n    ),\n"
        )


@dataclass(frozen=True)
class Imported:
    """An assignment as it came; `cells` are the teacher's, with solutions marked as ours are."""

    name: str
    title: str
    grader: str
    exercises: tuple[ImportedExercise, ...]
    cells: tuple[Cell, ...]
    manual: tuple[Manual, ...] = ()

    def script(self) -> str:
        """The text of `exercises.py`."""
        makers = ", ".join(sorted({test.how for each in self.exercises for test in each.tests}))
        imports = "from tapelab.exercises.check import by_hand\n" * bool(self.manual)
        if makers:
            imports += f"from tapelab.grading.formats.external_tests import {makers}\n"
        head = _HEAD.format(title=self.title, grader=self.grader, imports=imports)
        body = "".join(each.text() for each in self.exercises)
        body += "".join(each.text(self.name) for each in self.manual)
        return f"{head}\nEXERCISES = (\n{body})\n"

    def text(self) -> str:
        """The text of `notebook.py`: a percent script."""
        import jupytext  # type: ignore[import-untyped]  # it publishes no types
        import nbformat

        answer_cells = (answer_cell(f"{self.name}.{each.name}") for each in self.manual)
        cells = text_of((*self.cells, *answer_cells))
        read = nbformat.reads(cells, as_version=4)
        read.metadata = nbformat.from_dict(
            {
                "jupytext": {"notebook_metadata_filter": "kernelspec,tapelab,-all",
                             "cell_metadata_filter": "-all"},
                "kernelspec": KERNEL["kernelspec"],
                "tapelab": {"lesson": self.name},
            }
        )  # fmt: skip
        return str(jupytext.writes(read, fmt="py:percent"))

    def write(self, folder: Path) -> tuple[Path, ...]:
        """Write the work into a folder; files that are there already are kept, with an error."""
        files = {SCRIPT: self.script(), TEXT: self.text()}
        for name in files:
            if (folder / name).exists():
                raise FileExistsError(
                    f"There is a {name} in {folder} already. Choose another folder."
                )
        folder.mkdir(parents=True, exist_ok=True)
        return tuple(write(folder / name, text.encode("utf-8")) for name, text in files.items())


def answer_cell(number: str) -> Cell:
    """The cell in which learners have an answer of theirs checked."""
    return code(_ANSWER.format(number=number))


def unique(titles: Iterable[str]) -> tuple[str, ...]:
    """Titles with a number where two tests have the same."""
    titles_seen: list[str] = []
    for title in titles:
        times = sum(each == title or each.startswith(f"{title} (") for each in titles_seen)
        titles_seen.append(f"{title} ({times + 1})" if title in titles_seen else title)
    return tuple(titles_seen)


def _quoted(text: str) -> str:
    """A literal of a text, over several lines where it has some."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return repr(text)
    inside = "".join(f"                    {line!r}\n" for line in lines)
    return f"(\n{inside}                )"
