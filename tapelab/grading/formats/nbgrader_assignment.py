"""Assignments of nbgrader, imported as exercises, and exercises exported as an nbgrader assignment.

Import: the test cells below an answer become its checks; a region of hidden tests makes a check
private, because students never had it. Export: source/ASSIGNMENT gets the notebook, `exercises.py`
as students have it, and the files; private and hidden checks travel in a region of hidden tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tapelab.authoring.percent_script import BEGIN, END, INSTEAD, parts
from tapelab.authoring.release import beside, write_all
from tapelab.authoring.work import Work
from tapelab.exercises.check import Check, Visibility
from tapelab.exercises.exercise import Exercise
from tapelab.grading.formats.csv_tables import UnreadableFormat, as_number
from tapelab.grading.formats.external_tests import definitions
from tapelab.grading.formats.imported_assignment import (
    Imported,
    ImportedExercise,
    Manual,
    Tested,
    answer_cell,
    unique,
)
from tapelab.grading.formats.nbgrader_cells import (
    HIDDEN_TESTS,
    MARK_SCHEME,
    SOLUTION,
    STUB,
    TEXT_STUB,
    Role,
    has_region,
    in_region,
    roles_of,
    with_role,
    without_markers,
    without_region,
)
from tapelab.grading.formats.notebook_format import (
    CODE,
    MARKDOWN,
    Cell,
    Place,
    code,
    load,
    places,
    save,
)
from tapelab.grading.formats.step_runner import CELL

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
    exercises = tuple(
        ImportedExercise(f"{name}.{each.name}", each.name, each.prompt, tuple(each.tests()))
        for each in _groups(pairs)
    )
    manual = tuple(
        Manual(role.grade_id, _manual_title(cell, role), role.points)
        for cell, role in pairs
        if role and role.is_manual
    )
    cells = _notebook_cells(pairs, name)
    return Imported(name, _title(pairs, name), "nbgrader", exercises, cells, manual)


@dataclass
class _Group:
    """An answer and the tests of it."""

    name: str
    prompt: str
    cells: list[tuple[Cell, Role]] = field(default_factory=list)

    def tests(self) -> Iterator[Tested]:
        """A check for each test cell; one with a hidden region is the teacher's alone."""
        titles = unique(_docstring_title(cell.source) or role.grade_id for cell, role in self.cells)
        earlier = ""
        for title, (cell, role) in zip(titles, self.cells, strict=True):
            source = _assertions(cell.source, role.grade_id)
            hidden = has_region(cell.source, HIDDEN_TESTS)
            seen = Visibility.PRIVATE if hidden else Visibility.PUBLIC
            yield Tested("asserted", title, role.points, earlier + source, seen,
                         (("partial", True),))  # fmt: skip
            earlier = "\n".join(filter(None, (earlier.strip(), definitions(source), "")))


def _groups(pairs: Pairs) -> Iterator[_Group]:
    """The tests below each answer; a test with no answer above it stands for itself."""
    group: _Group | None = None
    answer = prompt = ""
    for cell, role in pairs:
        if role and role.is_test:
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


def _notebook_cells(pairs: Pairs, name: str) -> tuple[Cell, ...]:
    """The teacher's notebook as ours: solutions marked, answers checked below their last test.

    What learners saw of a test, they see still.
    """
    last = last_tests(pairs)
    notebook_cells: list[Cell] = []
    for cell, role in pairs:
        shown = Cell(cell.kind, _without_secrets(cell.source))
        if role and role.solution:
            shown = shown.with_source(_marked(cell) if cell.kind == CODE else TEXT_STUB)
        notebook_cells += [shown] if shown.source.strip() else []
        if role and role.grade_id in last:
            notebook_cells.append(answer_cell(f"{name}.{last[role.grade_id]}"))
    return tuple(notebook_cells)


def _marked(cell: Cell) -> str:
    """A solution between the lines that we mark one with, and what learners find instead."""
    source = cell.source if has_region(cell.source, SOLUTION) else in_region(SOLUTION, cell.source)
    lines: list[str] = []
    for line in source.split("\n"):
        space = line[: len(line) - len(line.lstrip())]
        if f"BEGIN {SOLUTION}" in line:
            lines.append(f"{space}{BEGIN}")
        elif f"END {SOLUTION}" in line:
            lines += [f"{space}{each}" for each in (INSTEAD, *STUB.split("\n"), END)]
        else:
            lines.append(line)
    return "\n".join(lines)


def last_tests(pairs: Pairs) -> dict[str, str]:
    """The exercises by the last test of each."""
    return {group.cells[-1][1].grade_id: group.name for group in _groups(pairs)}


def in_place_of_test(cell: Cell, role: Role, last: Mapping[str, str], name: str) -> list[Cell]:
    """What a test defines, and the answer as it stands below the last test of an exercise."""
    defined = definitions(cell.source)
    replacement = [code(defined)] if defined else []
    answered = last.get(role.grade_id)
    return (
        [*replacement, code(CELL.format(number=f"{name}.{answered}"))] if answered else replacement
    )


def _without_secrets(source: str) -> str:
    return without_region(without_region(source, HIDDEN_TESTS), MARK_SCHEME)


def without_solution(cell: Cell, role: Role | None) -> Cell:
    """A cell as students get it, with stubs in the place of what is not theirs to see."""
    source = _without_secrets(cell.source)
    stub = STUB if cell.kind == CODE else TEXT_STUB
    if has_region(source, SOLUTION):
        return cell.with_source(without_region(source, SOLUTION, stub))
    return cell.with_source(stub if role and role.solution else source)


def _assertions(source: str, name: str) -> str:
    if _AUTOTEST.search(source):
        raise UnreadableFormat(
            f"The cell {name!r} has an AUTOTEST, which nbgrader turns into assertions. Run "
            "nbgrader generate_assignment --source_with_tests, and read what that writes."
        )
    return without_markers(source, HIDDEN_TESTS)


def _docstring_title(source: str) -> str:
    """The docstring of a test, which says what it looks at; empty for hidden tests."""
    if has_region(source, HIDDEN_TESTS):
        return ""
    match = _DOCSTRING.match(without_markers(source, HIDDEN_TESTS))
    return " ".join(match[1].split()) if match else ""


def _title(pairs: Pairs, name: str) -> str:
    for cell, _ in pairs:
        if cell.kind == MARKDOWN and cell.source.startswith("# "):
            return _first_line(cell.source)
    return name


def _manual_title(cell: Cell, role: Role) -> str:
    """What a person will read: what a task asks for; an answer has the teacher's in its cell."""
    task = _first_line(without_region(cell.source, MARK_SCHEME)) if role.task else ""
    return task or role.grade_id


def _first_line(source: str) -> str:
    lines: Iterable[str] = (line.lstrip("# ").strip() for line in source.split("\n"))
    return next((line for line in lines if line and line != "---"), "")


_PLAIN: Final = re.compile(r"[^a-zA-Z0-9_-]+")
_EARNED: Final = "from tapelab.grading.formats.embedded_checks import earned\n\n"
_PLACEHOLDER: Final = "# What the teacher checks beside is put here."


def export(work: Work, course: Path, *, assignment: str = "") -> tuple[Path, ...]:
    """Write the source of an assignment into a course; the files that were written."""
    place = course / "source" / (assignment or work.name)
    place.mkdir(parents=True, exist_ok=True)
    files = beside(work)
    return save(place / f"{work.name}.ipynb", cells(work)), *write_all(files, place)


def cells(work: Work) -> tuple[Cell, ...]:
    """The cells of nbgrader's source notebook."""
    by_id = {each.id: each for each in work.exercises}
    source_cells = [_teachers_cell(work)] if _has_more(work) else []
    for place in places(work):
        source_cells += _of_place(place, by_id)
    return tuple(source_cells)


def _of_place(place: Place, by_id: dict[str, Exercise]) -> Iterator[Cell]:
    if place.checks in by_id:
        exercise = by_id[place.checks]
        for number, check in enumerate(exercise.checks, 1):
            yield _test(exercise, number, check)
    elif place.answers in by_id:
        role = Role(_grade_id(place.answers, "answer"), solution=True)
        yield with_role(place.cell.with_source(_with_region(place.cell.source)), role)
    else:
        yield place.cell if place.cell.kind != CODE else code(_with_region(place.cell.source))


def _test(exercise: Exercise, number: int, check: Check) -> Cell:
    """A test cell; the last line of it is what the answer earned, which nbgrader reads."""
    call = f"{_EARNED}earned({exercise.id!r}, {check.title!r})"
    text = call if check.visibility is Visibility.PUBLIC else (
        f"{_PLACEHOLDER}\n{in_region(HIDDEN_TESTS, call)}"
    )  # fmt: skip
    role = Role(_grade_id(exercise.id, str(number)), grade=True, locked=True, points=check.points)
    return with_role(code(text), role)


def _has_more(work: Work) -> bool:
    every = (check for each in work.exercises for check in each.checks)
    return bool(work.script) and any(one.visibility is not Visibility.PUBLIC for one in every)


def _teachers_cell(work: Work) -> Cell:
    """A test worth nothing that brings the checks which learners do not have."""
    script = "\n".join(f"    {line!r}" for line in work.script.splitlines(keepends=True))
    text = f"from tapelab.grading.formats.embedded_checks import use\n\nuse(\n{script}\n)"
    role = Role("teachers-checks", grade=True, locked=True, points=as_number(0))
    return with_role(code(f"{_PLACEHOLDER}\n{in_region(HIDDEN_TESTS, text)}"), role)


def _with_region(source: str) -> str:
    """A cell with its solution as nbgrader marks one; what stands instead is nbgrader's stub."""
    lines: list[str] = []
    before = ""
    for part, line in parts(source, strict=False):
        if part == INSTEAD:
            continue
        if part != before:
            space = line[: len(line) - len(line.lstrip())] if part else ""
            lines.append(f"{space}### {'BEGIN' if part else 'END'} {SOLUTION}")
        lines.append(line)
        before = part
    return "\n".join([*lines, f"### END {SOLUTION}"] if before else lines)


def _grade_id(number: str, what: str) -> str:
    return f"{_PLAIN.sub('-', number)}-{what}"
