"""Grades, and tables of text in CSV files: quoted, in UTF-8, and harmless in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from tapelab.errors import Complaint
from tapelab.recording.atomic_write import write


class UnreadableFormat(Complaint, ValueError):  # noqa: N818 - it says what is wrong with a file
    """A file is not of the format that it was given as; the message says where, and what to try."""


@dataclass(frozen=True)
class Learner:
    """A learner as a platform knows them; `id` is the name that a submission carries."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    numbers: tuple[tuple[str, str], ...] = ()
    """What else a platform calls them by, as in ("SIS User ID", "4711")."""

    @property
    def sortable_name(self) -> str:
        """The name as lists are sorted by it, "Noether, Emmy"; the id where there is no name."""
        return ", ".join(filter(None, (self.last_name, self.first_name))) or self.id


@dataclass(frozen=True)
class Grade:
    """What a learner earned in an assignment; `points` is None where nothing was handed in."""

    learner: Learner
    assignment: str
    points: float | None
    of: float
    penalty: float = 0.0
    due: datetime | None = None
    handed_in: datetime | None = None
    feedback: str = field(default="", compare=False)

    @property
    def score(self) -> float | None:
        """The points that count: less the penalty for being late, never below zero."""
        return None if self.points is None else max(0.0, self.points - self.penalty)


def format_points(points: float | None, *, places: int = 5) -> str:
    """Points as platforms read them: a dot, no group marks, no zeros at the end."""
    return "" if points is None else f"{points:.{places}f}".rstrip("0").rstrip(".")


def as_number(points: float) -> float:
    """Points as an int if they are integral, else as they are."""
    return int(points) if points == int(points) else points


BOM: Final = "\ufeff"
_FORMULA: Final = re.compile(r"^[=+\-@\uff1d\uff0b\uff0d\uff20]")
"""What makes a spreadsheet take a text for a formula, also in full width."""
_HARMLESS: Final = re.compile(r"^[+\-@]?[\w.@+-]*$")
"""Numbers, and names such as @emmy or -x1: they call nothing, and have to stay what they are."""
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d{1,2})?")
_DELIMITERS: Final = ",;\t"

Row = Mapping[str, str]


@lru_cache(maxsize=1 << 14)
def harmless(text: str) -> str:
    """One line of text that no spreadsheet evaluates: a formula gets a quote in front."""
    line = " ".join(text.replace("\0", "").split())
    danger = _FORMULA.match(line) and not _HARMLESS.match(line)
    return f"'{line}" if danger else line


def as_written(cell: str) -> str:
    """A cell without the quote that `harmless` put before it."""
    return cell[1:] if cell[:1] == "'" and _FORMULA.match(cell[1:]) else cell


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str]], *, bom: bool = False) -> str:
    """A table as CSV; with a byte-order mark, Excel takes it for UTF-8."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for row in (header, *rows):
        writer.writerow([harmless(cell) for cell in row])
    return (BOM if bom else "") + out.getvalue()


def write_csv(text: str, path: Path) -> None:
    """Write a table, whole or not at all."""
    write(path, text.encode("utf-8"))


def read_csv(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file by the names in its first row, whatever its mark and its delimiter.

    UnreadableFormat where the bytes are no UTF-8, a name comes twice or a row is longer than it.
    """
    return parse_csv(read_text(path), name=path.name)


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, without its mark."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableFormat(
            f"{path.name} is not in UTF-8 (byte {error.start}). Save it as CSV in UTF-8."
        ) from None


def parse_csv(text: str, *, name: str = "The table") -> list[dict[str, str]]:
    """As `read_csv`, from the text of a table."""
    first = text.lstrip(BOM).split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text.lstrip(BOM)), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise UnreadableFormat(f"{name} is no CSV: {error}.") from None
    filled = [(at, row) for at, row in enumerate(rows, 1) if any(cell.strip() for cell in row)]
    if not filled:
        raise UnreadableFormat(f"{name} is empty; its first row has to name the columns.")
    header = [as_written(cell.strip()) for cell in filled[0][1]]
    return [_named(header, row, at, name) for at, row in filled[1:]]


def _named(header: Sequence[str], row: Sequence[str], at: int, name: str) -> dict[str, str]:
    twice = {column for column in header if column and header.count(column) > 1}
    if twice:
        raise UnreadableFormat(f"{name} has two columns called {min(twice)!r}; rename one.")
    if len(row) > len(header):
        raise UnreadableFormat(
            f"Row {at} of {name} has {len(row)} cells, its first row {len(header)}. "
            "A comma in a name has to be inside quotes."
        )
    cells = [as_written(cell.strip()) for cell in row]
    return dict(zip(header, cells + [""] * (len(header) - len(cells)), strict=True))


def points_in(row: Row, column: str, name: str) -> float | None:
    """The number in a column, None where it is empty or a dash; UnreadableFormat for a word."""
    cell = row[column].strip().rstrip("%")
    if cell in {"", "-", "N/A", "EX"}:
        return None
    text = cell.replace(",", ".") if "." not in cell else cell
    if not _NUMBER.fullmatch(text):
        raise UnreadableFormat(f"{name} says {cell!r} where {column!r} has a number.")
    return float(text)
