"""Lists of grades as CSV, written and read: tapelab's own, nbgrader's, Canvas's and Moodle's.

tapelab and nbgrader have one row per grade, Canvas and Moodle one row per student with a column per
assignment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final

from tapelab.grading.formats.csv_tables import (
    Grade,
    Learner,
    Row,
    UnreadableFormat,
    csv_text,
    format_points,
    parse_csv,
    points_in,
)

OWN: Final = (
    "student", "last name", "first name", "email", "assignment", "points", "penalty", "score",
    "of", "due", "handed in",
)  # fmt: skip
NBGRADER: Final = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip
CANVAS: Final = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE: Final = ("First name", "Last name", "ID number", "Username", "Email address")
FEEDBACK: Final = " (Feedback)"
_POSSIBLE: Final = "Points Possible"
_NOT_AN_ASSIGNMENT: Final = re.compile(
    r"(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)"
)
"""Canvas passes over columns with these words in their titles without a word."""


def own_text(grades: Iterable[Grade]) -> str:
    """One row a grade, with all that is known; opens in a spreadsheet."""
    rows = (
        (g.learner.id, g.learner.last_name, g.learner.first_name, g.learner.email, g.assignment,
         *map(format_points, (g.points, g.penalty, g.score, g.of)), _iso(g.due),
         _iso(g.handed_in))
        for g in grades
    )  # fmt: skip
    return csv_text(OWN, rows, bom=True)


def nbgrader_text(grades: Iterable[Grade]) -> str:
    """The columns of `nbgrader export`; like there, nothing handed in is 0 points."""
    rows = (
        (g.assignment, _plain_time(g.due), _plain_time(g.handed_in), g.learner.id,
         g.learner.last_name, g.learner.first_name, g.learner.email, str(float(g.points or 0)),
         str(float(g.penalty)), str(float(g.score or 0)), str(float(g.of)))
        for g in grades
    )  # fmt: skip
    return csv_text(NBGRADER, rows)


def canvas_text(grades: Iterable[Grade]) -> str:
    """A gradebook as Canvas imports it: a row with the points possible, then one a learner.

    Canvas finds a learner by ID, else by SIS User ID, else by SIS Login ID, else by name.
    """
    book = _Book(grades)
    for title in book.titles:
        if _NOT_AN_ASSIGNMENT.search(title):
            raise ValueError(
                f"Canvas would leave out the assignment {title!r}: it takes columns with such "
                "words for sums of its own. Give it another title."
            )
    possible = [_POSSIBLE, "", "", "", "", *(format_points(of) for of in book.titles.values())]
    rows = ([one.sortable_name, *_numbers(one), *(format_points(each.score) if each else ""
             for each in book.of(one))] for one in book.learners)  # fmt: skip
    # No byte-order mark: Canvas reads it as a part of the first column's name.
    return csv_text([*CANVAS, *book.titles], [possible, *rows])


def moodle_text(grades: Iterable[Grade]) -> str:
    """A table for Moodle's import of grades, in which the teacher says which column is what.

    A dash is no grade. Moodle takes 100 for the most of a new grade item; map to one of yours.
    """
    book = _Book(grades)
    header = [*MOODLE, *(name for title in book.titles for name in (title, title + FEEDBACK))]
    return csv_text(header, (list(_moodle_row(one, book.of(one))) for one in book.learners))


def _moodle_row(one: Learner, grades: Iterable[Grade | None]) -> Iterator[str]:
    numbers = dict(one.numbers)
    yield from (one.first_name, one.last_name, numbers.get("ID number", ""))
    yield from (numbers.get("Username", one.id), one.email)
    for each in grades:
        yield (format_points(each.score) if each else "") or "-"
        yield each.feedback if each else ""


def _numbers(one: Learner) -> list[str]:
    numbers = {"SIS Login ID": one.id, **dict(one.numbers)}
    return [numbers.get(column, "") for column in CANVAS[1:]]


class _Book:
    """Grades by learner and assignment; ValueError where there are two of the same."""

    def __init__(self, grades: Iterable[Grade]) -> None:
        self._grades: dict[tuple[str, str], Grade] = {}
        self.titles: dict[str, float] = {}
        learners: dict[str, Learner] = {}
        for each in grades:
            key = each.learner.id, each.assignment
            if key in self._grades:
                raise ValueError(f"{key[0]} has two grades in {key[1]!r}; only one can count.")
            self._grades[key] = each
            self.titles.setdefault(each.assignment, each.of)
            learners.setdefault(each.learner.id, each.learner)
        self.learners = tuple(learners.values())

    def of(self, one: Learner) -> Iterator[Grade | None]:
        """The grades of a learner, in the order of the titles."""
        return (self._grades.get((one.id, title)) for title in self.titles)


def _iso(when: datetime | None) -> str:
    return when.isoformat(timespec="seconds") if when else ""


def _plain_time(when: datetime | None) -> str:
    """As nbgrader writes it: in UTC, without saying so."""
    if when is None:
        return ""
    return str((when.astimezone(UTC) if when.tzinfo else when).replace(tzinfo=None))


WRITERS: Final[Mapping[str, Callable[[Iterable[Grade]], str]]] = {
    "csv": own_text,
    "nbgrader": nbgrader_text,
    "canvas": canvas_text,
    "moodle": moodle_text,
}


_CANVAS_NUMBER: Final = re.compile(r" \(\d+\)$")
_CANVAS_SUMS: Final = re.compile(
    r"(Current|Final) (Score|Points|Grade)|Override|Integration ID|Root Account"
)
_MOODLE_SHOWN: Final = re.compile(r" \((Real|Percentage)\)$")
_MOODLE_KIND: Final = re.compile(rf"^(Assignment|Quiz|External tool): |{_MOODLE_SHOWN.pattern}")
_MOODLE_OTHER: Final = re.compile(
    r"^(Surname|Institution|Department|Last downloaded from this course|Suspended)$|total"
)


def own_grades(text: str) -> tuple[Grade, ...]:
    """What `own_text` wrote."""
    rows = _with_columns(parse_csv(text), OWN, "tapelab's list of grades")
    return tuple(
        Grade(
            Learner(row["student"], row["first name"], row["last name"], row["email"]),
            row["assignment"], points_in(row, "points", row["student"]),
            points_in(row, "of", row["student"]) or 0.0,
            points_in(row, "penalty", row["student"]) or 0.0,
            _time(row["due"]), _time(row["handed in"]),
        )
        for row in rows
    )  # fmt: skip


def nbgrader_grades(text: str) -> tuple[Grade, ...]:
    """What `nbgrader export` wrote; where nothing was handed in, it has no timestamp."""
    rows = _with_columns(parse_csv(text), NBGRADER, "nbgrader's list of grades")
    return tuple(_of_nbgrader(row) for row in rows)


def _of_nbgrader(row: Row) -> Grade:
    whose = row["student_id"]
    points = points_in(row, "raw_score", whose)
    handed_in = _time(row["timestamp"], UTC)
    nothing = not handed_in and not points
    learner = Learner(whose, row["first_name"], row["last_name"], row["email"])
    return Grade(
        learner, row["assignment"], None if nothing else points,
        points_in(row, "max_score", whose) or 0.0,
        points_in(row, "late_submission_penalty", whose) or 0.0,
        _time(row["duedate"], UTC), handed_in,
    )  # fmt: skip


def canvas_grades(text: str) -> tuple[Grade, ...]:
    """The grades in an exported gradebook of Canvas, with all the numbers of its learners."""
    rows = _with_columns(parse_csv(text), ("Student", "ID", "Section"), "Canvas's gradebook")
    titles = [name for name in rows[0] if name not in CANVAS and not _CANVAS_SUMS.search(name)]
    possible = next((row for row in rows if "Points Possible" in row["Student"]), None)
    if possible is None:
        raise UnreadableFormat("Canvas's gradebook has a row Points Possible; this one has none.")
    of = {title: points_in(possible, title, "Points Possible") or 0.0 for title in titles}
    return tuple(
        Grade(_of_canvas(row), _CANVAS_NUMBER.sub("", title),
              points_in(row, title, row["Student"]), of[title])
        for row in rows if row is not possible and not _only_marks(row)
        for title in titles
    )  # fmt: skip


def _of_canvas(row: Row) -> Learner:
    last, _, first = row["Student"].partition(", ")
    numbers = tuple((name, row[name]) for name in CANVAS[1:] if row.get(name))
    known = dict(numbers)
    whose = known.get("SIS Login ID") or known.get("SIS User ID") or known.get("ID", "")
    return Learner(whose or row["Student"], first, last, numbers=numbers)


def _only_marks(row: Row) -> bool:
    """A row that says which assignments are posted by hand is no learner's."""
    return not row["Student"] and not row["ID"]


def moodle_grades(text: str) -> tuple[Grade, ...]:
    """The grades in an exported gradebook of Moodle; it does not say how many points there are."""
    rows = _with_columns(parse_csv(text), ("First name", "Email address"), "Moodle's gradebook")
    titles = [name for name in rows[0] if name not in MOODLE and not _MOODLE_OTHER.search(name)]
    return tuple(
        Grade(_of_moodle(row), _MOODLE_KIND.sub("", title),
              points_in(row, title, row["Email address"]), 0.0,
              feedback=row.get(_MOODLE_SHOWN.sub("", title) + FEEDBACK, ""))
        for row in rows
        for title in titles if not title.endswith(FEEDBACK)
    )  # fmt: skip


def _of_moodle(row: Row) -> Learner:
    numbers = tuple((name, row[name]) for name in MOODLE[2:4] if row.get(name))
    last = row.get("Last name") or row.get("Surname", "")
    whose = row.get("Username") or row["Email address"]
    return Learner(whose, row["First name"], last, row["Email address"], numbers)


def _with_columns(
    rows: list[dict[str, str]], wanted: Sequence[str], what: str
) -> list[dict[str, str]]:  # fmt: skip
    if not rows:
        raise UnreadableFormat(f"This table has no rows below the names of its columns: {what}.")
    missing = [name for name in wanted if name not in rows[0]]
    if missing:
        raise UnreadableFormat(
            f"This is not {what}: the column {missing[0]!r} is missing. "
            f"There are: {', '.join(filter(None, rows[0]))}."
        )
    return rows


def _time(text: str, zone: tzinfo | None = None) -> datetime | None:
    """A time as it is written; UnreadableFormat for what is none."""
    if not text or text == "None":
        return None
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise UnreadableFormat(f"{text!r} is no time, such as 2026-11-30 12:00:00.") from None
    return when.replace(tzinfo=zone) if zone and not when.tzinfo else when


def learners_in(grades: Sequence[Grade]) -> Iterator[Learner]:
    """The learners of a list, each once, such as a roster that a platform wrote."""
    yield from {grade.learner.id: grade.learner for grade in grades}.values()


READERS: Final[Mapping[str, Callable[[str], tuple[Grade, ...]]]] = {
    "csv": own_grades,
    "nbgrader": nbgrader_grades,
    "canvas": canvas_grades,
    "moodle": moodle_grades,
}
