"""The folders of a course of nbgrader: what teachers wrote, what students get, sent and got back.

source/ASSIGNMENT, release/ASSIGNMENT, and for each student submitted/, autograded/ and feedback/
STUDENT/ASSIGNMENT. Nothing of it is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import starmap
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tapelab.grading.files import LARGEST, UnreadableSubmission, is_inside
from tapelab.grading.formats.grades import UnreadableFormat
from tapelab.grading.formats.imported import Imported
from tapelab.grading.formats.nbgrader_import import (
    Pairs,
    in_place_of_test,
    last_tests,
    read_notebook,
    without_solution,
)
from tapelab.grading.formats.notebooks import CODE, Cell, load, save
from tapelab.grading.formats.roles import Role, role_of, roles_of, with_role
from tapelab.grading.notebook import Cell as CodeCell
from tapelab.grading.submission import Submission
from tapelab.recording.atomic_write import write

_TIMESTAMP: Final = re.compile(r"(\d{4}-\d\d-\d\d[ T][\d:.]+)\s*(\S*)")


@dataclass(frozen=True)
class HandedIn:
    """A notebook that a student sent, and when, if that is known."""

    student: str
    path: Path
    when: datetime | None


@dataclass(frozen=True)
class Course:
    """A folder with the layout of nbgrader."""

    root: Path

    def assignments(self) -> tuple[str, ...]:
        """The names of the assignments under source/."""
        return tuple(_folders(self.root / "source"))

    def notebooks(self, assignment: str) -> tuple[str, ...]:
        """The names of an assignment's notebooks; UnreadableFormat where it has none."""
        found = sorted(each.stem for each in self._source(assignment).glob("*.ipynb"))
        if not found:
            there = ", ".join(self.assignments()) or "none"
            raise UnreadableFormat(
                f"{self._source(assignment)} has no notebooks. Assignments there are: {there}."
            )
        return tuple(found)

    def read(self, assignment: str, notebook: str = "") -> Imported:
        """A notebook of an assignment as exercises; it may go unnamed where it is the only one."""
        name = self._notebook(assignment, notebook)
        return read_notebook(self._source(assignment) / f"{name}.ipynb",
                             name=self.name_of(assignment, name))  # fmt: skip

    def name_of(self, assignment: str, notebook: str) -> str:
        """What we call a notebook: as the assignment, with its own name where it has siblings."""
        alone = len(self.notebooks(assignment)) == 1
        return _plain(assignment if alone else f"{assignment}-{notebook}")

    def release(self, assignment: str) -> tuple[Path, ...]:
        """Write what students get under release/, as nbgrader's generate_assignment does."""
        place = self.root / "release" / assignment
        return tuple(
            save(place / f"{name}.ipynb", starmap(_released, self._pairs(assignment, name)))
            for name in self.notebooks(assignment)
        )

    def handed_in(self, assignment: str, notebook: str = "") -> Iterator[HandedIn]:
        """The notebooks under submitted/, by student; links are not followed."""
        name = self._notebook(assignment, notebook)
        for student in _folders(self.root / "submitted"):
            place = self.root / "submitted" / student / assignment
            path = place / f"{name}.ipynb"
            if path.is_file() and not path.is_symlink() and not place.is_symlink():
                yield HandedIn(student, path, _when(place / "timestamp.txt"))

    def submission(self, sent: HandedIn, assignment: str) -> Submission:
        """What a student sent, ready to be graded: locked cells as they were, tests by us."""
        pairs = self._pairs(assignment, sent.path.stem)
        name = self.name_of(assignment, sent.path.stem)
        read = Submission.read(sent.path, sent.student)
        cells = [cell for cell in adapted(load_sent(sent.path), pairs, name) if cell.kind == CODE]
        taken = tuple(CodeCell(f"cell-{at}", cell.source, cell.metadata)
                      for at, cell in enumerate(cells))  # fmt: skip
        return replace(read, cells=taken)

    def collect(self, sent: HandedIn, assignment: str, folder: Path) -> Path:
        """Write what a student sent as a notebook that can be graded: STUDENT.ipynb."""
        pairs = self._pairs(assignment, sent.path.stem)
        name = self.name_of(assignment, sent.path.stem)
        cells = (Cell(each.kind, each.source) for each in
                 adapted(load_sent(sent.path), pairs, name))  # fmt: skip
        return save(folder / f"{sent.student}.ipynb", cells)

    def write_autograded(self, sent: HandedIn, assignment: str) -> Path:
        """Write the notebook as it was graded, with locked cells and tests put right."""
        pairs = self._pairs(assignment, sent.path.stem)
        place = self.root / "autograded" / sent.student / assignment
        return save(place / sent.path.name, restored(load_sent(sent.path), pairs))

    def write_feedback(self, sent: HandedIn, assignment: str, page: str) -> Path:
        """Write the page for a student where nbgrader looks for it."""
        place = self.root / "feedback" / sent.student / assignment
        place.mkdir(parents=True, exist_ok=True)
        return write(place / f"{sent.path.stem}.html", page.encode("utf-8"))

    def _source(self, assignment: str) -> Path:
        if not is_inside(assignment):
            raise UnreadableFormat(f"{assignment!r} is no name of an assignment.")
        return self.root / "source" / assignment

    def _notebook(self, assignment: str, notebook: str) -> str:
        there = self.notebooks(assignment)
        if notebook in there or (not notebook and len(there) == 1):
            return notebook or there[0]
        what = f"no notebook {notebook!r}" if notebook else f"{len(there)} notebooks"
        raise UnreadableFormat(f"{assignment} has {what}. Name one of: {', '.join(there)}.")

    def _pairs(self, assignment: str, notebook: str) -> Pairs:
        return roles_of(load(self._source(assignment) / f"{notebook}.ipynb"))


def load_sent(path: Path) -> tuple[Cell, ...]:
    """The cells of what a student sent; UnreadableSubmission where it is damaged or too large."""
    if path.is_symlink() or path.stat().st_size > LARGEST:
        raise UnreadableSubmission(f"{path.name} is a link, or too large. Hand in the notebook.")
    try:
        return load(path)
    except UnreadableFormat as error:
        raise UnreadableSubmission(str(error)) from None


def restored(sent: Sequence[Cell], pairs: Pairs) -> tuple[Cell, ...]:
    """A student's cells with everything put right that was not theirs to change.

    A test that the student deleted comes back at the end; a cell with a role that no cell of the
    teacher's has is the student's own.
    """
    theirs = {role.grade_id: (cell, role) for cell, role in pairs if role}
    found: dict[str, Cell] = {}
    cells: list[Cell] = []
    for cell in sent:
        name = _grade_id(cell)
        if name not in theirs or name in found:
            cells.append(Cell(cell.kind, cell.source))
            continue
        original, role = theirs[name]
        kept = original if role.overwritten else Cell(original.kind, cell.source)
        found[name] = with_role(kept, role)
        cells.append(found[name])
    lost = (with_role(cell, role) for name, (cell, role) in theirs.items()
            if role.tests and name not in found)  # fmt: skip
    return (*cells, *lost)


def adapted(sent: Sequence[Cell], pairs: Pairs, name: str) -> tuple[Cell, ...]:
    """A student's cells, with an answer taken where the tests of it stand."""
    last = last_tests(pairs)
    cells: list[Cell] = []
    for cell in restored(sent, pairs):
        role = role_of(cell)
        cells += in_place_of_test(cell, role, last, name) if role and role.tests else [cell]
    return tuple(cells)


def _grade_id(cell: Cell) -> str:
    """What a student's cell says it is; nothing where that is damaged."""
    try:
        role = role_of(cell)
    except UnreadableFormat:
        return ""
    return role.grade_id if role else ""


def _released(cell: Cell, role: Role | None) -> Cell:
    """A cell as nbgrader releases it: without what is the teacher's, locked, with a checksum."""
    shown = without_solution(cell, role)
    if role is None:
        return shown
    locks: dict[str, Any] = {"deletable": False} if role.solution or role.overwritten else {}
    locks |= {"editable": False} if role.overwritten else {}
    return with_role(shown.about(**locks), role, released=True)


def _folders(place: Path) -> Iterator[str]:
    if place.is_dir():
        for each in sorted(place.iterdir()):
            if each.is_dir() and not each.is_symlink() and not each.name.startswith("."):
                yield each.name


def _plain(name: str) -> str:
    """A name as exercises have them: a dot would part it from their numbers."""
    return re.sub(r"[^\w-]+", "-", name)


def _when(file: Path) -> datetime | None:
    """When something was sent, as nbgrader notes it: a time, and a zone that may go unnamed."""
    try:
        found = _TIMESTAMP.match(file.read_text("utf-8").strip())
        return found and _zoned(datetime.fromisoformat(found[1]), found[2])
    except (OSError, ValueError):
        return None


def _zoned(when: datetime, zone: str) -> datetime:
    if re.fullmatch(r"[+-]\d{4}", zone):
        return datetime.strptime(f"{when.isoformat()} {zone}", "%Y-%m-%dT%H:%M:%S.%f %z")
    try:
        return when.replace(tzinfo=ZoneInfo(zone) if zone else UTC)
    except (ZoneInfoNotFoundError, ValueError):
        return when.replace(tzinfo=UTC)
