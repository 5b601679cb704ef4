"""Grades that are kept are those that follow from results, marks and rules, whatever happened."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from statistics import fmean

import pytest
from sqlalchemy import delete, insert, select

from tapelab.grading.gradebook import Counts, Gradebook, Policy
from tapelab.grading.gradebook.entities import Kind, Listed, Part, Student
from tapelab.grading.gradebook.final_grades import StudentWork, grade_of
from tapelab.grading.gradebook.tables import (
    AssignmentRow,
    CheckRow,
    GradeRow,
    OutdatedRow,
    VerdictsRow,
)
from tapelab.grading.reports.statistics import statistics_of
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
LOGINS = ("ada", "bob", "cy", "Dora", "eve")
SUMS = Listed("sums", "Sums", "v1", (Part("1", "One", 2), Part("2", "Two", 3)))


@pytest.fixture
def course(book):
    book.add_students(Student(each, each.title()) for each in LOGINS)
    book.put_assignment(SUMS)
    return book


def result(digest, student, random, version):
    """A result of two exercises; later versions have another check."""
    kinds = [("1", "a", 2.0), ("2", "b", 1.0), ("2", "c", 2.0), ("2", "d", 1.0)]
    checks = [(exercise, check(key, of, random)) for exercise, key, of in kinds
              if key != "d" or version == "v2"]  # fmt: skip
    return Result(digest, student, "sums", version, 1, "none", tuple(
        ExerciseResult(each, each, tuple(own for at, own in checks if at == each))
        for each in ("1", "2")
    ))  # fmt: skip


def check(key, of, random):
    points = random.choice((0.0, of / 3, of, -0.5))
    status = Status.PASSED if points == of else random.choice((Status.FAILED, Status.TIMEOUT))
    code = random.choice(("", "INT_DTYPE", "OUTSIDE_TAPE"))
    kind = Visibility.PUBLIC
    return CheckResult(key, "h", f"The {key}", kind, points, of, status, code=code)


def computed(book):
    """The grades from all that they follow from."""
    known = book.assignment("sums")
    return tuple(
        grade_of(
            StudentWork(each, book.submissions("sums", each.login),
                        book.results("sums", each.login), book.marks("sums", each.login)),
            known,
        )
        for each in book.students()
    )  # fmt: skip


@pytest.mark.slow
def test_kept_grades_are_those_that_follow_from_everything_else(course):
    random, handed, version = Random(3), [], "v1"
    for step in range(120):
        student, action = random.choice(LOGINS), random.randrange(8)
        if action < 3 or not handed:
            received = DUE + timedelta(hours=random.randrange(-50, 90))
            handed.append((random.choice((f"d{step}", "shared")), student))
            course.hand_in(student, "sums", handed[-1][0], received)
        elif action < 5:
            course.record(result(*random.choice(handed), random, version))
        elif action == 5:
            kind, exercise = random.choice(tuple(Kind)), random.choice(("", "1", "2"))
            course.mark(student, "sums", random.choice((0, 1, 2.5)), exercise=exercise, kind=kind)
        elif action == 6 and course.marks("sums"):
            given = random.choice(course.marks("sums"))
            course.unmark(given.student, "sums", exercise=given.exercise, kind=given.kind)
        elif step % 3 == 0:
            counts, cost = random.choice(tuple(Counts)), random.choice((0, 10, 50))
            policy = Policy(per_day=cost, counts=counts, cutoff=random.choice((None, 3)))
            course.set_rules("sums", due=DUE, policy=policy)
        else:
            version = random.choice(("v1", "v2"))
            course.put_assignment(replace(SUMS, version=version))
        if step % 10 == 9:
            assert course.grades("sums") == computed(course), step
            check_statistics(course)
    assert sum(grade.digest != "" for grade in course.grades("sums")) >= 4


def check_statistics(book):
    """Compare them with those that are computed check by check."""
    results = {(each.handed.student, each.handed.digest): each for each in book.results("sums")}
    keyed = ((grade, (grade.student, grade.digest)) for grade in computed(book))
    pairs = [(grade, results[key]) for grade, key in keyed if key in results]
    data = statistics_of(book, "sums")
    assert data.points == tuple(grade.final for grade, _ in pairs)
    found = {}
    for _, graded in pairs:
        for exercise in graded.result.exercises:
            for each in exercise.checks:
                found.setdefault((exercise.exercise, each.title), []).append(each)
    assert [(each.exercise, each.check) for each in data.checks] == sorted(found)
    for each in data.checks:
        checks = found[each.exercise, each.check]
        assert each.students == len(checks)
        assert each.mean == pytest.approx(fmean(one.points for one in checks))
        assert each.statuses == Counter(one.status.value for one in checks)
        assert each.pitfalls == Counter(one.code for one in checks if one.code)
    fallen = Counter(code for _, graded in pairs for code in codes_of(graded.result))
    assert data.pitfalls == fallen


def codes_of(of):
    return {each.code for exercise in of.exercises for each in exercise.checks if each.code}


def test_the_grades_of_an_older_gradebook_are_computed_when_it_is_opened(course, place):
    random = Random(1)
    for student in LOGINS[:3]:
        course.hand_in(student, "sums", f"of {student}", DUE)
        course.record(result(f"of {student}", student, random, "v1"))
    before, statistics = course.grades("sums"), statistics_of(course, "sums")
    with course._writing() as session:
        for table in (GradeRow, VerdictsRow, CheckRow):
            session.execute(delete(table))
        number = session.scalar(select(AssignmentRow.id))
        session.execute(insert(OutdatedRow).values(assignment_id=number))
    assert course.grades("sums") != before
    with Gradebook.open(place) as again:
        assert again.grades("sums") == before
        assert statistics_of(again, "sums") == statistics


def test_two_that_write_at_once_leave_the_grade_of_both(course, place):
    """A mark and a result of the same student: neither is computed without the other."""
    random = Random(2)
    with Gradebook.open(place) as other, ThreadPoolExecutor(2) as threads:
        for number in range(10):
            course.hand_in("ada", "sums", f"d{number}", DUE)
            marking = threads.submit(
                other.mark, "ada", "sums", number, exercise="1", kind=Kind.EXTRA
            )
            course.record(result(f"d{number}", "ada", random, "v1"))
            marking.result()
            assert course.grades("sums") == computed(course)
