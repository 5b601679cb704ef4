"""A work of ours as an assignment of nbgrader: its autograde runs our checks, gives our points.

source/ASSIGNMENT gets the notebook, `exercises.py` as learners have it, and the files. Private and
hidden checks travel in a region of hidden tests, which nbgrader keeps to itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tapelab.authoring.releasing import beside, write_all
from tapelab.authoring.work import Work
from tapelab.exercises.check import Check, Visibility
from tapelab.exercises.exercise import Exercise
from tapelab.grading.formats.grades import whole
from tapelab.grading.formats.notebooks import CODE, Cell, code, save
from tapelab.grading.formats.regions import HIDDEN_TESTS, SOLUTION, between
from tapelab.grading.formats.roles import Role, with_role
from tapelab.grading.formats.works import Place, parts, places

_PLAIN: Final = re.compile(r"[^a-zA-Z0-9_-]+")
_EARNED: Final = "from tapelab.grading.formats.inside import earned\n\n"
_OURS: Final = "# What the teacher checks beside is put here."


def export(work: Work, course: Path, *, assignment: str = "") -> tuple[Path, ...]:
    """Write the source of an assignment into a course; the files that were written."""
    place = course / "source" / (assignment or work.name)
    place.mkdir(parents=True, exist_ok=True)
    files = beside(work)
    return save(place / f"{work.name}.ipynb", cells(work)), *write_all(files, place)


def cells(work: Work) -> tuple[Cell, ...]:
    """The cells of nbgrader's source notebook."""
    by_id = {each.id: each for each in work.exercises}
    found = [_teachers(work)] if _has_more(work) else []
    for place in places(work):
        found += _of_place(place, by_id)
    return tuple(found)


def _of_place(place: Place, by_id: dict[str, Exercise]) -> Iterator[Cell]:
    if place.checks in by_id:
        exercise = by_id[place.checks]
        for number, check in enumerate(exercise.checks, 1):
            yield _test(exercise, number, check)
    elif place.answers in by_id:
        role = Role(_name(place.answers, "answer"), solution=True)
        yield with_role(place.cell.saying(_with_region(place.cell.source)), role)
    else:
        yield place.cell if place.cell.kind != CODE else code(_with_region(place.cell.source))


def _test(exercise: Exercise, number: int, check: Check) -> Cell:
    """A test cell; the last line of it is what the answer earned, which nbgrader reads."""
    call = f"{_EARNED}earned({exercise.id!r}, {check.title!r})"
    text = call if check.visibility is Visibility.PUBLIC else (
        f"{_OURS}\n{between(HIDDEN_TESTS, call)}"
    )  # fmt: skip
    role = Role(_name(exercise.id, str(number)), grade=True, locked=True, points=check.points)
    return with_role(code(text), role)


def _has_more(work: Work) -> bool:
    every = (check for each in work.exercises for check in each.checks)
    return bool(work.script) and any(one.visibility is not Visibility.PUBLIC for one in every)


def _teachers(work: Work) -> Cell:
    """A test worth nothing that brings the checks which learners do not have."""
    script = "\n".join(f"    {line!r}" for line in work.script.splitlines(keepends=True))
    text = f"from tapelab.grading.formats.inside import use\n\nuse(\n{script}\n)"
    role = Role("teachers-checks", grade=True, locked=True, points=whole(0))
    return with_role(code(f"{_OURS}\n{between(HIDDEN_TESTS, text)}"), role)


def _with_region(source: str) -> str:
    """A cell with its solution as nbgrader marks one; what stands instead is nbgrader's stub."""
    lines: list[str] = []
    before = ""
    for part, line in parts(source):
        if part == "instead":
            continue
        if part != before:
            space = line[: len(line) - len(line.lstrip())] if part else ""
            lines.append(f"{space}### {'BEGIN' if part else 'END'} {SOLUTION}")
        lines.append(line)
        before = part
    return "\n".join([*lines, f"### END {SOLUTION}"] if before else lines)


def _name(number: str, what: str) -> str:
    return f"{_PLAIN.sub('-', number)}-{what}"
