"""A work of ours as a master notebook of Otter Assign, whose tests run our checks.

Otter knows no part of the points of a test: a check that is passed in part earns nothing there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tapelab.authoring.releasing import beside, write_all
from tapelab.authoring.work import Work
from tapelab.exercises.beside import SCRIPT
from tapelab.exercises.check import Check, Visibility
from tapelab.exercises.exercise import Exercise
from tapelab.grading.formats.grades import number
from tapelab.grading.formats.notebooks import CODE, Cell, code, raw, save
from tapelab.grading.formats.works import Place, parts, places

TEACHERS: Final = "teachers_exercises.py"
"""What the autograder alone gets: the exercises with all of their checks."""
_TEST: Final = (
    '""" # BEGIN TEST CONFIG\npoints: {points}\nhidden: {hidden}\n""" # END TEST CONFIG\n'
    "from tapelab.grading.formats.inside import passed{more}\n"
)


def export(work: Work, folder: Path) -> tuple[Path, ...]:
    """Write a master notebook and what it needs into a folder; the files that were written."""
    folder.mkdir(parents=True, exist_ok=True)
    files = beside(work)
    if work.script:
        files[TEACHERS] = work.script.encode()
    return save(folder / f"{work.name}.ipynb", cells(work)), *write_all(files, folder)


def cells(work: Work) -> tuple[Cell, ...]:
    """The cells of the master notebook."""
    by_id = {each.id: each for each in work.exercises}
    checked = {place.checks for place in places(work)}
    found = [raw(_config(work))]
    for place in places(work):
        if place.answers in checked & by_id.keys():
            exercise = by_id[place.answers]
            found += _question(exercise, place, hidden=bool(work.script))
        elif place.checks not in by_id:
            found.append(_other(place.cell))
    return tuple(found)


def name_of(number: str) -> str:
    """What the question of an exercise is called; a dot would end the name of its file."""
    return number.replace(".", "-")


def _config(work: Work) -> str:
    files = [*work.files, *([SCRIPT] if work.script else [])]
    told = ["# ASSIGNMENT CONFIG", f"name: {work.name}", "export_cell:", "  pdf: false"]
    told += ["generate:", "  pdf: false"]
    told += ["files:", *(f"  - {each}" for each in files)] if files else []
    told += ["autograder_files:", f"  - {TEACHERS}"] if work.script else []
    return "\n".join(told)


def _question(exercise: Exercise, place: Place, *, hidden: bool) -> Iterator[Cell]:
    points = number(exercise.points)
    yield raw(f"# BEGIN QUESTION\nname: {name_of(exercise.id)}\npoints: {points}")
    yield raw("# BEGIN SOLUTION")
    yield code(_solution(place.cell.source))
    yield raw("# END SOLUTION")
    yield raw("# BEGIN TESTS")
    for check in exercise.checks:
        yield code(_test(exercise, check, teachers=hidden))
    yield raw("# END TESTS")
    yield raw("# END QUESTION")


def _test(exercise: Exercise, check: Check, *, teachers: bool) -> str:
    private = check.visibility is not Visibility.PUBLIC
    head = _TEST.format(
        points=number(check.points), hidden=str(private).lower(),
        more=", use_file" if private and teachers else "",
    )  # fmt: skip
    brought = f"use_file({TEACHERS!r})\n" if private and teachers else ""
    return f"{head}{brought}assert passed({exercise.id!r}, {check.title!r})"


def _solution(source: str) -> str:
    """A solution as Otter marks one, with what learners find instead in a text that it uncovers."""
    lines: list[str] = []
    before = ""
    for part, line in [*parts(source), ("", "")]:
        space = line[: len(line) - len(line.lstrip())]
        if part != before:
            lines += [f"{space}{mark}" for mark in (_ENDS.get(before), _BEGINS.get(part)) if mark]
        lines.append(line)
        before = part
    return "\n".join(lines).rstrip("\n")


_BEGINS: Final = {"solution": "# BEGIN SOLUTION NO PROMPT", "instead": '""" # BEGIN PROMPT'}
_ENDS: Final = {"solution": "# END SOLUTION", "instead": '"""; # END PROMPT'}


def _other(cell: Cell) -> Cell:
    if cell.kind != CODE:
        return cell
    return code("\n".join(line for part, line in parts(cell.source) if part != "solution"))
