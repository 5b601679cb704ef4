"""Lists of grades as CSV, to be written: tapelab's own, nbgrader's, Canvas's and Moodle's.

Canvas and Moodle are told apart from the others by one row a learner, with a column an assignment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from tapelab.grading.formats.grades import Grade, Learner, number
from tapelab.grading.formats.tables import text_of

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
         number(g.points), number(g.penalty), number(g.score), number(g.of), _iso(g.due),
         _iso(g.handed_in))
        for g in grades
    )  # fmt: skip
    return text_of(OWN, rows, bom=True)


def nbgrader_text(grades: Iterable[Grade]) -> str:
    """The columns of `nbgrader export`; like there, nothing handed in is 0 points."""
    rows = (
        (g.assignment, _plain_time(g.due), _plain_time(g.handed_in), g.learner.id,
         g.learner.last_name, g.learner.first_name, g.learner.email, str(float(g.points or 0)),
         str(float(g.penalty)), str(float(g.score or 0)), str(float(g.of)))
        for g in grades
    )  # fmt: skip
    return text_of(NBGRADER, rows)


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
    possible = [_POSSIBLE, "", "", "", "", *(number(of) for of in book.titles.values())]
    rows = ([one.sortable_name, *_numbers(one), *(number(each.score) if each else ""
             for each in book.of(one))] for one in book.learners)  # fmt: skip
    # No byte-order mark: Canvas reads it as a part of the first column's name.
    return text_of([*CANVAS, *book.titles], [possible, *rows])


def moodle_text(grades: Iterable[Grade]) -> str:
    """A table for Moodle's import of grades, in which the teacher says which column is what.

    A dash is no grade. Moodle takes 100 for the most of a new grade item; map to one of yours.
    """
    book = _Book(grades)
    header = [*MOODLE, *(name for title in book.titles for name in (title, title + FEEDBACK))]
    return text_of(header, (list(_moodle_row(one, book.of(one))) for one in book.learners))


def _moodle_row(one: Learner, grades: Iterable[Grade | None]) -> Iterator[str]:
    numbers = dict(one.numbers)
    yield from (one.first_name, one.last_name, numbers.get("ID number", ""))
    yield from (numbers.get("Username", one.id), one.email)
    for each in grades:
        yield (number(each.score) if each else "") or "-"
        yield each.feedback if each else ""


def _numbers(one: Learner) -> list[str]:
    numbers = {"SIS Login ID": one.id, **dict(one.numbers)}
    return [numbers.get(column, "") for column in CANVAS[1:]]


class _Book:
    """Grades by learner and assignment; ValueError where there are two of the same."""

    def __init__(self, grades: Iterable[Grade]) -> None:
        self._found: dict[tuple[str, str], Grade] = {}
        self.titles: dict[str, float] = {}
        learners: dict[str, Learner] = {}
        for each in grades:
            key = each.learner.id, each.assignment
            if key in self._found:
                raise ValueError(f"{key[0]} has two grades in {key[1]!r}; only one can count.")
            self._found[key] = each
            self.titles.setdefault(each.assignment, each.of)
            learners.setdefault(each.learner.id, each.learner)
        self.learners = tuple(learners.values())

    def of(self, one: Learner) -> Iterator[Grade | None]:
        """The grades of a learner, in the order of the titles."""
        return (self._found.get((one.id, title)) for title in self.titles)


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
