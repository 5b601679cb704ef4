"""An assignment that comes from another grader: its exercises as data, and a teacher's notebook.

It is written as a work of ours, a folder with `exercises.py` and `notebook.py`, which can be read,
changed, proved and released like one that was written here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tapelab.authoring.percent_script import KERNEL
from tapelab.authoring.work import TEXT
from tapelab.exercises.check import Visibility
from tapelab.exercises.exercise_file import SCRIPT
from tapelab.grading.formats.csv_tables import as_number
from tapelab.grading.formats.notebook_format import Cell, code, text_of
from tapelab.recording.atomic_write import write

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
    """A test; `how` is the function that makes its check: `asserted`, `doctested` or `by_hand`."""

    how: str
    title: str
    points: float
    source: str | None = None
    """The code of the test; None where a person grades."""
    visibility: Visibility = Visibility.PRIVATE
    more: tuple[tuple[str, Any], ...] = ()
    """Further arguments of the function, as in ("partial", True)."""

    def text(self) -> str:
        """The call that makes the check, as Python."""
        arguments = [repr(self.title), repr(as_number(self.points))]
        arguments += [] if self.source is None else [_quoted(self.source)]
        arguments += [f"{name}={value!r}" for name, value in self.more]
        lines = "".join(f"                {argument},\n" for argument in arguments)
        mark = ".private()" if self.visibility is Visibility.PRIVATE else ""
        return f"            {self.how}(\n{lines}            ){mark},\n"


@dataclass(frozen=True)
class ImportedExercise:
    """An exercise with its tests; `id` is the assignment and the other grader's name."""

    id: str
    title: str
    prompt: str
    tests: tuple[Tested, ...]
    hint: str = _HINT

    def text(self) -> str:
        """The exercise as Python."""
        tests = "".join(each.text() for each in self.tests)
        return (
            f"    Exercise(\n        id={self.id!r},\n        title={self.title!r},\n"
            f"        prompt={_quoted(self.prompt)},\n        checks=(\n{tests}        ),\n"
            f"        hints=({self.hint!r},),\n    ),\n"
        )


@dataclass(frozen=True)
class Manual:
    """What a person has to grade, which no check can: an exercise that waits for points by hand."""

    name: str
    title: str
    points: float

    def exercise(self, assignment: str) -> ImportedExercise:
        """The exercise with its one check."""
        title = self.title or self.name
        check = Tested("by_hand", title, self.points, visibility=Visibility.PUBLIC)
        return ImportedExercise(f"{assignment}.{self.name}", title, title, (check,), _READ)


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
        by_hand = (each.exercise(self.name) for each in self.manual)
        body = "".join(each.text() for each in (*self.exercises, *by_hand))
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


def plain_name(name: str) -> str:
    """A name as exercises have them: a dot would part it from their numbers."""
    return re.sub(r"[^\w-]+", "-", name)


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
