"""What was graded here, put back into a course of nbgrader: autograded/ and feedback/."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tapelab.grading.formats.nbgrader_course import Course
from tapelab.grading.reports.feedback import feedback_page

if TYPE_CHECKING:
    from tapelab.grading.gradebook import Gradebook
    from tapelab.grading.result import Result


def give_back(book: Gradebook, course: Course, assignments: Sequence[str]) -> int:
    """Write autograded/ and feedback/ for each student who has a result; how many there are.

    Assignments are named as the course names them; without any, it is all that the gradebook knows.
    """
    known = {each.name for each in book.assignments()}
    written = 0
    for name in assignments or course.assignments():
        for notebook in course.notebooks(name):
            ours = course.name_of(name, notebook)
            if assignments or ours in known:
                written += _notebook(book, course, name, notebook)
    return written


def _notebook(book: Gradebook, course: Course, assignment: str, notebook: str) -> int:
    ours = course.name_of(assignment, notebook)
    results = _counting(book, ours)
    comments = book.comments(ours)
    grades = {each.student: each for each in book.grades(ours)}
    written = 0
    for sent in course.handed_in(assignment, notebook):
        if sent.student in results:
            result, own = results[sent.student], [c for c in comments if c.student == sent.student]
            tapes = book.tapes(ours, result.submission)
            page = feedback_page(result, tapes, own, grades[sent.student])
            course.write_autograded(sent, assignment)
            course.write_feedback(sent, assignment, page)
            written += 1
    return written


def _counting(book: Gradebook, assignment: str) -> dict[str, Result]:
    """By student, the result of the attempt that counts."""
    counts = {(each.student, each.digest) for each in book.grades(assignment)}
    found = [(each.handed, each.result) for each in book.results(assignment)]
    return {h.student: result for h, result in found if (h.student, h.digest) in counts}
