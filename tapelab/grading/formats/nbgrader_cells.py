"""Cells of nbgrader: their metadata (schema version 3), their checksum, and BEGIN/END regions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tapelab.grading.formats.csv_tables import UnreadableFormat
from tapelab.grading.formats.notebook_format import CODE, MARKDOWN, Cell

SOLUTION: Final = "SOLUTION"
HIDDEN_TESTS: Final = "HIDDEN TESTS"
MARK_SCHEME: Final = "MARK SCHEME"
STUB: Final = "# YOUR CODE HERE\nraise NotImplementedError()"
TEXT_STUB: Final = "YOUR ANSWER HERE"


def has_region(source: str, region: str) -> bool:
    """Whether there is such a region."""
    return f"BEGIN {region}" in source


def without_region(source: str, region: str, stub: str = "") -> str:
    """The text outside of such regions, with a stub, as far indented, in the place of each."""
    return "\n".join(_lines_outside(source, region, stub))


def in_region(region: str, text: str) -> str:
    """A text put into a region, by the lines that begin and end it."""
    return f"### BEGIN {region}\n{text}\n### END {region}"


def without_markers(source: str, region: str) -> str:
    """All of the text, without the lines that begin and end such regions."""
    marks = (f"BEGIN {region}", f"END {region}")
    return "\n".join(line for line in source.split("\n") if not any(m in line for m in marks))


def _lines_outside(source: str, region: str, stub: str) -> Iterator[str]:
    inside = False
    for line in source.split("\n"):
        if f"BEGIN {region}" in line:
            if inside:
                raise UnreadableFormat(f"BEGIN {region} comes twice without END {region}.")
            inside = True
            space = re.match(r"\s*", line)
            yield from (f"{space[0] if space else ''}{each}" for each in stub.split("\n") if stub)
        elif f"END {region}" in line:
            inside = False
        elif not inside:
            yield line
    if inside:
        raise UnreadableFormat(f"There is a BEGIN {region} without END {region}.")


SCHEMA: Final = 3
KEY: Final = "nbgrader"
_GRADE_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")


@dataclass(frozen=True)
class Role:
    """Whether a cell is graded, is for an answer, is locked, or sets a task to grade by hand."""

    grade_id: str
    grade: bool = False
    solution: bool = False
    locked: bool = False
    task: bool = False
    points: float = 0.0
    checksum: str = ""

    @property
    def is_test(self) -> bool:
        """Whether its code decides on points."""
        return self.grade and not self.solution and not self.task

    @property
    def is_manual(self) -> bool:
        """Whether a person decides on its points."""
        return (self.grade and self.solution) or self.task

    @property
    def is_restored(self) -> bool:
        """Whether what a student changed in it is put right before grading."""
        return not self.solution and (self.grade or self.locked)

    def metadata(self, cell: Cell, *, released: bool = False) -> dict[str, Any]:
        """The metadata for a cell; in what students get with its checksum and kind."""
        data: dict[str, Any] = {
            "schema_version": SCHEMA, "grade_id": self.grade_id, "grade": self.grade,
            "solution": self.solution, "locked": self.locked, "task": self.task,
        }  # fmt: skip
        if self.grade or self.task:
            data["points"] = self.points
        if released:
            data |= {"checksum": checksum(cell, self), "cell_type": cell.kind}
        return data


def with_role(cell: Cell, role: Role, *, released: bool = False) -> Cell:
    """A cell that says what it is to nbgrader."""
    return cell.with_metadata(**{KEY: role.metadata(cell, released=released)})


def role_of(cell: Cell) -> Role | None:
    """What a cell says of itself, in any version of the schema; UnreadableFormat if it is wrong."""
    data = cell.metadata.get(KEY)
    if data is None:
        return None
    if not isinstance(data, Mapping):
        raise UnreadableFormat(f"The metadata of nbgrader have to be a dict, not {data!r}.")
    version = data.get("schema_version", 0)
    if type(version) is not int or version > SCHEMA:
        raise UnreadableFormat(
            f"A cell has version {version!r} of nbgrader's metadata; {SCHEMA} is the newest known."
        )
    flags = {
        name: data.get(name, False) is True for name in ("grade", "solution", "locked", "task")
    }
    if not any(flags.values()):
        return None
    name = data.get("grade_id", "")
    if not isinstance(name, str) or not _GRADE_ID.fullmatch(name):
        raise UnreadableFormat(
            f"A cell of nbgrader has the grade_id {name!r}; it may have letters, digits, _ and -."
        )
    role = Role(name, **flags, points=_points(data, name), checksum=str(data.get("checksum", "")))
    _fits(role, cell)
    return role


def roles_of(cells: Iterable[Cell]) -> tuple[tuple[Cell, Role | None], ...]:
    """The cells of a notebook with their roles; UnreadableFormat where two have one name."""
    pairs = tuple((cell, role_of(cell)) for cell in cells)
    seen: set[str] = set()
    for _, role in pairs:
        if role and role.grade_id in seen:
            raise UnreadableFormat(
                f"Two cells have the grade_id {role.grade_id!r}; a cell was copied with its "
                "metadata. Give one of them another id."
            )
        seen |= {role.grade_id} if role else set()
    return pairs


def checksum(cell: Cell, role: Role) -> str:
    """What nbgrader tells by whether a cell was changed: MD5, as it computes it."""
    data = hashlib.md5(usedforsecurity=False)
    flags = (role.grade, role.solution, role.is_restored)
    for part in (cell.source, cell.kind, *map(str, flags), role.grade_id):
        data.update(part.encode("utf-8", "surrogatepass"))
    if role.grade:
        data.update(str(float(role.points)).encode())
    return data.hexdigest()


def _points(data: Mapping[str, Any], name: str) -> float:
    """Its points; the oldest versions kept them as text, and empty where there are none."""
    value = data.get("points", 0)
    try:
        points = float(value) if value not in {"", None} else 0.0
    except (TypeError, ValueError):
        points = -1.0
    if not 0 <= points < float("inf"):
        raise UnreadableFormat(f"The cell {name!r} has {value!r} for its points.")
    return points


def _fits(role: Role, cell: Cell) -> None:
    """Text is graded by hand alone, and so is a task."""
    if role.task:
        if cell.kind != MARKDOWN:
            raise UnreadableFormat(f"The task {role.grade_id!r} has to be a cell of text.")
    elif cell.kind != CODE and role.grade != role.solution:
        raise UnreadableFormat(
            f"The cell {role.grade_id!r} is text; tests and answers of their own are code."
        )
