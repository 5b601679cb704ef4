"""A gradebook of ours as lists of grades, and lists of learners for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tapelab.grading.formats.csv_tables import Grade, Learner
from tapelab.grading.formats.grade_lists import CANVAS, MOODLE
from tapelab.grading.formats.gradescope import results_text
from tapelab.grading.result import Result
from tapelab.recording.atomic_write import write

if TYPE_CHECKING:
    from tapelab.grading.gradebook import Gradebook
    from tapelab.grading.gradebook.entities import Student

_NUMBERS: Final = {name.lower().replace(" ", "_"): name for name in (*CANVAS[1:], *MOODLE[2:4])}
"""What platforms call learners, by the names that the gradebook keeps for that."""
_UNSAFE_CHARACTERS: Final = re.compile(r"[^\w.@+-]+")


def grades_in(book: Gradebook, assignments: Sequence[str] = ()) -> Iterator[Grade]:
    """The grades of all assignments or of some, also of those who handed nothing in."""
    learners = {each.login: learner_of(each) for each in book.students()}
    for name in assignments or [each.name for each in book.assignments()]:
        listed = book.assignment(name)
        for grade in book.grades(name):
            has_points = grade.attempts > grade.ungraded or grade.by_hand
            yield Grade(
                learners[grade.student], listed.title or name,
                grade.points + grade.extra if has_points else None, grade.of, grade.penalty,
                listed.due, grade.received,
            )  # fmt: skip


def learner_of(student: Student) -> Learner:
    """A student as lists of grades have them; the last word of a name is taken for the last one."""
    first, _, last = student.name.strip().rpartition(" ")
    numbers = tuple((_NUMBERS[key], value) for key, value in student.ids.items()
                    if key in _NUMBERS)  # fmt: skip
    return Learner(student.login, first, last, student.email, numbers)


def student_of(learner: Learner) -> Student:
    """A learner of a list as the gradebook has them."""
    from tapelab.grading.gradebook.entities import Student

    name = " ".join(filter(None, (learner.first_name, learner.last_name)))
    ids = {key.lower().replace(" ", "_"): value for key, value in learner.numbers}
    return Student(learner.id, name, learner.email, ids)


def json_parts(book: Gradebook, assignments: Sequence[str] = ()) -> Iterator[str]:
    """Parts of a JSON text: all results with all that they hold, and what they come to.

    Each result is as the gradebook keeps it; parsing those of a large class takes minutes.
    """
    start = "["
    for name in assignments or [each.name for each in book.assignments()]:
        for grade, kept in book.counted_json(name):
            values = {
                "student": grade.student, "name": grade.name, "assignment": grade.assignment,
                "points": grade.points, "penalty": grade.penalty, "extra": grade.extra,
                "final": grade.final, "of": grade.of, "attempts": grade.attempts,
                "received": grade.received.isoformat() if grade.received else None,
            }  # fmt: skip
            result = _under_name(kept, grade.student)
            yield f'{start}\n{json.dumps(values, ensure_ascii=False)[:-1]}, "result": {result}}}'
            start = ","
    yield "[]\n" if start == "[" else "\n]\n"


def _under_name(kept: str, student: str) -> str:
    """A result as JSON with the name of this student: several may hand in the same files."""
    # In a text of the result its quotes would be escaped.
    if f'"student": {json.dumps(student, ensure_ascii=False)}' in kept:
        return kept
    return replace(Result.from_json(kept), student=student).to_json()


def write_gradescope(book: Gradebook, folder: Path, assignments: Sequence[str] = ()) -> int:
    """Write ASSIGNMENT/STUDENT.json, each as Gradescope's results.json; how many there are."""
    written = 0
    for assignment in assignments or [each.name for each in book.assignments()]:
        place = folder / _UNSAFE_CHARACTERS.sub("-", assignment)
        for grade, result in book.counted_results(assignment):
            place.mkdir(parents=True, exist_ok=True)
            name = _UNSAFE_CHARACTERS.sub("-", grade.student).strip(".") or "student"
            write(place / f"{name}.json", results_text(result).encode("utf-8"))
            written += 1
    return written
