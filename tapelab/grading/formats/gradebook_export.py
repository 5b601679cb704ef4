"""A gradebook of ours as lists of grades, and lists of learners for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tapelab.grading.formats.csv_tables import Grade, Learner
from tapelab.grading.formats.grade_lists import CANVAS, MOODLE
from tapelab.grading.formats.gradescope import results_text
from tapelab.grading.gradebook.final_grades import counting
from tapelab.recording.atomic_write import write

if TYPE_CHECKING:
    from tapelab.grading.gradebook import Gradebook
    from tapelab.grading.gradebook.entities import Grade as BookGrade
    from tapelab.grading.gradebook.entities import Graded, Student

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


def results_in(
    book: Gradebook, assignments: Sequence[str] = ()
) -> Iterator[tuple[BookGrade, Graded]]:  # fmt: skip
    """The result that counts for each student, with the grade that it comes to."""
    for name in assignments or [each.name for each in book.assignments()]:
        yield from counting(book.grades(name), book.results(name))


def json_text(pairs: Iterable[tuple[BookGrade, Graded]]) -> str:
    """All results with all that they hold, and what they come to."""
    results: list[dict[str, Any]] = [
        {
            "student": grade.student, "name": grade.name, "assignment": grade.assignment,
            "points": grade.points, "penalty": grade.penalty, "extra": grade.extra,
            "final": grade.final, "of": grade.of, "attempts": grade.attempts,
            "received": graded.handed.received.isoformat(),
            "result": json.loads(graded.result.to_json()),
        }
        for grade, graded in pairs
    ]  # fmt: skip
    return json.dumps(results, ensure_ascii=False, indent=1) + "\n"


def write_gradescope(pairs: Iterable[tuple[BookGrade, Graded]], folder: Path) -> int:
    """Write ASSIGNMENT/STUDENT.json, each as Gradescope's results.json; how many there are."""
    written = 0
    for grade, graded in pairs:
        place = folder / _UNSAFE_CHARACTERS.sub("-", grade.assignment)
        place.mkdir(parents=True, exist_ok=True)
        name = _UNSAFE_CHARACTERS.sub("-", grade.student).strip(".") or "student"
        write(place / f"{name}.json", results_text(graded.result).encode("utf-8"))
        written += 1
    return written
