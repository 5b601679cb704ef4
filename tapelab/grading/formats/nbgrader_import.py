"""An assignment of nbgrader as exercises of ours: its test cells are checks of the answer above.

A region of hidden tests makes a check private, for learners never had it; what of the cell they did
have stays with them as a check without points.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tapelab.exercises.check import Visibility
from tapelab.grading.formats.grades import UnreadableFormat
from tapelab.grading.formats.imported import (
    Imported,
    ImportedExercise,
    Manual,
    Tested,
    answer_cell,
)
from tapelab.grading.formats.notebooks import CODE, MARKDOWN, Cell, code, load
from tapelab.grading.formats.regions import (
    HIDDEN_TESTS,
    MARK_SCHEME,
    SOLUTION,
    STUB,
    TEXT_STUB,
    bare,
    has,
    without,
)
from tapelab.grading.formats.roles import Role, roles_of
from tapelab.grading.formats.steps import definitions

_AUTOTEST: Final = re.compile(r"^\s*### (HASHED )?AUTOTEST\b", re.MULTILINE)
_DOCSTRING: Final = re.compile(r'^\s*(?:"""|\'\'\'|")(.*?)(?:"""|\'\'\'|"|$)', re.MULTILINE)
Pairs = Sequence[tuple[Cell, Role | None]]


def read_notebook(path: Path, *, name: str = "") -> Imported:
    """The assignment in a source notebook of nbgrader; UnreadableFormat says what is wrong."""
    pairs = roles_of(load(path))
    if not any(role for _, role in pairs):
        raise UnreadableFormat(
            f"{path.name} has no cells of nbgrader. Read the notebook under source/, as the "
            "teacher has it."
        )
    return imported(pairs, name or path.stem)


def imported(pairs: Pairs, name: str) -> Imported:
    """The assignment in cells with their roles."""
    groups = tuple(_groups(pairs))
    exercises = tuple(
        ImportedExercise(f"{name}.{each.name}", each.name, each.prompt, tuple(each.tests()))
        for each in groups
    )
    manual = tuple(
        Manual(role.grade_id, _first_line(cell.source), role.points)
        for cell, role in pairs
        if role and role.manual
    )
    released = tuple(without_solution(cell, role) for cell, role in pairs)
    return Imported(
        name, _title(pairs, name), exercises,
        with_answers(pairs, released, name), tuple(cell for cell, _ in pairs), manual,
    )  # fmt: skip


@dataclass
class _Group:
    """An answer and the tests of it."""

    name: str
    prompt: str
    cells: list[tuple[Cell, Role]] = field(default_factory=list)

    def tests(self) -> Iterator[Tested]:
        """A check for each test cell, and one without points for what learners see of it."""
        earlier = ""
        for cell, role in self.cells:
            source = _assertions(cell.source, role.grade_id)
            title = _said(cell.source) or role.grade_id
            if has(cell.source, HIDDEN_TESTS):
                yield Tested("asserted", title, role.points, earlier + source, partial=True)
                seen = without(cell.source, HIDDEN_TESTS)
                if seen.strip():
                    yield Tested("asserted", f"{title} (what you can run)", 0, earlier + seen,
                                 Visibility.PUBLIC)  # fmt: skip
            else:
                yield Tested("asserted", title, role.points, earlier + source,
                             Visibility.PUBLIC, partial=True)  # fmt: skip
            earlier = "\n".join(filter(None, (earlier.strip(), definitions(source), "")))


def _groups(pairs: Pairs) -> Iterator[_Group]:
    """The tests below each answer; a test with no answer above it stands for itself."""
    group: _Group | None = None
    answer = prompt = ""
    for cell, role in pairs:
        if role and role.tests:
            if group is None:
                group = _Group(answer or role.grade_id, prompt)
            group.cells.append((cell, role))
        elif role and role.solution:
            if group:
                yield group
            group, answer = None, role.grade_id
        elif cell.kind == MARKDOWN:
            prompt = cell.source
    if group:
        yield group


def with_answers(pairs: Pairs, cells: Sequence[Cell], name: str) -> tuple[Cell, ...]:
    """Cells in which an answer is taken where the last test of it stood.

    Test cells themselves leave what they define, for later cells may use it.
    """
    last = last_tests(pairs)
    found: list[Cell] = []
    for (_, role), cell in zip(pairs, cells, strict=True):
        found += in_place_of_test(cell, role, last, name) if role and role.tests else [cell]
    return tuple(found)


def last_tests(pairs: Pairs) -> dict[str, str]:
    """The exercises by the last test of each."""
    return {group.cells[-1][1].grade_id: group.name for group in _groups(pairs)}


def in_place_of_test(cell: Cell, role: Role, last: Mapping[str, str], name: str) -> list[Cell]:
    """What a test defines, and the answer as it stands below the last test of an exercise."""
    defined = definitions(cell.source)
    found = [code(defined)] if defined else []
    answered = last.get(role.grade_id)
    return [*found, answer_cell(f"{name}.{answered}")] if answered else found


def without_solution(cell: Cell, role: Role | None) -> Cell:
    """A cell as students get it, with stubs in the place of what is not theirs to see."""
    source = without(without(cell.source, HIDDEN_TESTS), MARK_SCHEME)
    stub = STUB if cell.kind == CODE else TEXT_STUB
    if has(source, SOLUTION):
        return cell.saying(without(source, SOLUTION, stub))
    return cell.saying(stub if role and role.solution else source)


def _assertions(source: str, name: str) -> str:
    if _AUTOTEST.search(source):
        raise UnreadableFormat(
            f"The cell {name!r} has an AUTOTEST, which nbgrader turns into assertions. Run "
            "nbgrader generate_assignment --source_with_tests, and read what that writes."
        )
    return bare(source, HIDDEN_TESTS)


def _said(source: str) -> str:
    """The docstring that many tests begin with, which says what they look at."""
    found = _DOCSTRING.match(bare(source, HIDDEN_TESTS))
    return " ".join(found[1].split()) if found else ""


def _title(pairs: Pairs, name: str) -> str:
    for cell, _ in pairs:
        if cell.kind == MARKDOWN and cell.source.startswith("# "):
            return _first_line(cell.source)
    return name


def _first_line(source: str) -> str:
    lines: Iterable[str] = (line.lstrip("# ").strip() for line in source.split("\n"))
    return next((line for line in lines if line and line != "---"), "")
