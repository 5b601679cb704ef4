"""A gradebook keeps what was graded and what people gave; the same on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tapelab.grading.gradebook import Counts, Gradebook, Policy
from tapelab.grading.gradebook.entities import Kind, Listed, Part, Student
from tapelab.grading.gradebook.gradebook_errors import (
    DuplicateError,
    GradebookError,
    UnfitError,
    UnknownNameError,
)
from tests.fixtures.cheap_grading import result

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
SUMS = Listed("sums", "Sums", "v1", (Part("sums.1", "One", 2), Part("sums.2", "Two", 3)))


@pytest.fixture
def course(book):
    book.add_students([Student("ada", "Ada Lovelace"), Student("bob")])
    book.put_assignment(SUMS)
    return book


def grade(book, student="ada"):
    return next(each for each in book.grades("sums") if each.student == student)


def hand_in(book, digest, points, *, student="ada", hours=0.0, version="v1"):
    book.hand_in(student, "sums", digest, DUE + timedelta(hours=hours))
    book.record(result(digest, student, points, version=version))


def test_what_was_recorded_is_there_after_closing(course, place):
    hand_in(course, "d1", 1.5)
    course.close()
    with Gradebook.open(place, create=False) as again:
        (kept,) = again.results("sums")
        assert kept.result == result("d1", "ada", 1.5)
        assert kept.handed.received == DUE


def test_the_same_result_twice_is_one_result_and_one_line_of_history(course):
    hand_in(course, "d1", 1.5)
    assert not course.record(result("d1", "ada", 1.5))
    assert len(course.results("sums")) == 1
    assert [event.what for event in course.history("sums/ada")] == ["submission", "result"]


def test_another_result_under_the_same_key_replaces_it_and_the_history_has_both(course):
    hand_in(course, "d1", 1.5)
    assert course.record(result("d1", "ada", 2.0))
    assert grade(course).points == 2.0
    last = course.history("sums/ada")[-1]
    assert '"points": 1.5' in last.before
    assert '"points": 2.0' in last.after


def test_the_same_files_of_two_students_share_a_result(course):
    hand_in(course, "d1", 1.5)
    course.hand_in("bob", "sums", "d1", DUE)
    assert [each.result.student for each in course.results("sums")] == ["ada", "bob"]


def test_the_result_of_the_present_version_counts_even_when_it_is_the_older_one(course):
    hand_in(course, "d1", 1.5)
    hand_in(course, "d1", 0.5, version="v2")
    assert grade(course).points == 1.5


def test_text_that_no_database_takes_is_kept_as_it_was(course):
    odd = result("d1", "ada", 1.0, code="half a pair \ud800, a zero \0, a smile 🙂")
    course.hand_in("ada", "sums", "d1", DUE, "odd \udcff\0name.py")
    course.record(odd)
    assert course.results("sums")[0].result == odd


def test_grades_list_those_who_handed_in_nothing(course):
    hand_in(course, "d1", 1.5)
    assert [(g.student, g.name, g.final, g.of) for g in course.grades("sums")] == [
        ("ada", "Ada Lovelace", 1.5, 2.0),
        ("bob", "", 0, 5),
    ]


@pytest.mark.parametrize(("counts", "final"), [(Counts.BEST, 2.0), (Counts.LAST, 1.0)])
def test_the_policy_says_which_attempt_counts(course, counts, final):
    course.set_rules("sums", policy=Policy(counts=counts))
    hand_in(course, "d1", 2.0, hours=-2)
    hand_in(course, "d2", 1.0, hours=-1)
    assert (grade(course).final, grade(course).attempts) == (final, 2)


def test_a_late_better_attempt_does_not_take_from_an_early_one(course):
    course.set_rules("sums", due=DUE, policy=Policy(per_day=60))
    hand_in(course, "d1", 1.0, hours=-1)
    hand_in(course, "d2", 2.0, hours=1)
    assert grade(course).final == 1.0


def test_extra_credit_is_added_and_lateness_does_not_touch_it(course):
    course.set_rules("sums", due=DUE, policy=Policy(per_day=50))
    hand_in(course, "d1", 2.0, hours=30)
    course.mark("ada", "sums", 0.5, kind=Kind.EXTRA)
    assert (grade(course).penalty, grade(course).final) == (2.0, 0.5)


def test_points_by_hand_stand_in_the_place_of_their_exercise_and_outlive_a_regrade(course):
    hand_in(course, "d1", 0.5)
    course.mark("ada", "sums", 1.75, exercise="sums.1", comment="right in spirit")
    hand_in(course, "d1", 0.0, version="v2")
    assert grade(course).points == 1.75
    course.mark("ada", "sums", 4)
    assert grade(course).points == 4
    assert course.unmark("ada", "sums")
    assert course.unmark("ada", "sums", exercise="sums.1")
    assert grade(course).points == 0.5


def test_work_on_paper_counts_without_a_submission(course):
    course.mark("bob", "sums", 3, exercise="sums.2")
    assert (grade(course, "bob").final, grade(course, "bob").attempts) == (3, 0)


def test_the_history_says_who_changed_what_from_what_to_what(course):
    course.mark("ada", "sums", 1, exercise="sums.1")
    course.mark("ada", "sums", 2, exercise="sums.1", comment="again")
    last = course.history("sums/ada/sums.1")[-1]
    assert (last.who, last.what) == ("grace", "mark: points")
    assert last.before == '{"comment": "", "points": 1.0}'
    assert last.after == '{"comment": "again", "points": 2}'


@pytest.mark.parametrize("verb", ["UPDATE history SET who = 'me'", "DELETE FROM history"])
def test_the_database_itself_keeps_the_history_as_it_was(course, verb):
    from sqlalchemy import text
    from sqlalchemy.exc import DBAPIError

    with course._engine.begin() as connection, pytest.raises(DBAPIError, match="only be added"):
        connection.execute(text(verb))
    assert course.history()[0].who == "grace"


def test_regrading_leaves_a_list_of_what_changed(course):
    hand_in(course, "d1", 0.5)
    hand_in(course, "d1", 2.0, version="v2")
    course.put_assignment(Listed("sums", "Sums", "v2", SUMS.parts))
    (change,) = course.changes("sums")
    assert (change.student, change.check, change.before, change.after, change.by) == (
        "ada", "The value", 0.5, 2.0, 1.5,
    )  # fmt: skip


def test_comments_are_kept_in_their_order(course):
    course.comment("ada", "sums", "Well done.")
    course.comment("ada", "sums", "See me.", exercise="sums.1")
    assert [(c.text, c.by) for c in course.comments("sums")] == [
        ("Well done.", "grace"), ("See me.", "grace"),
    ]  # fmt: skip


def test_a_submission_without_a_result_is_reported_apart_and_a_result_ends_that(course):
    course.hand_in("ada", "sums", "d1", DUE)
    course.fail("sums", "d1", "v1", "no notebook")
    assert [(f.handed.student, f.why) for f in course.failures("sums")] == [("ada", "no notebook")]
    assert (grade(course).attempts, grade(course).ungraded) == (1, 1)
    course.record(result("d1", "ada", 1.0))
    assert course.failures("sums") == ()


def test_the_weakest_assignments_can_be_dropped_but_never_all(course):
    course.put_assignment(Listed("loops", "Loops", "v1", (Part("loops.1", "One", 10),)))
    hand_in(course, "d1", 2.0)
    first = course.totals(drop=1)[0]
    assert (first.student, first.dropped, first.share) == ("ada", ("loops",), 1.0)
    assert course.totals(drop=7)[0].final == 2.0


def test_a_duplicate_student_is_refused_and_nobody_of_the_list_is_added(course):
    with pytest.raises(DuplicateError, match="has a student ada already"):
        course.add_students([Student("eve"), Student("ada")])
    with pytest.raises(DuplicateError, match="listed twice"):
        course.add_students([Student("eve"), Student(" eve ")])
    assert [student.login for student in course.students()] == ["ada", "bob"]


def test_an_update_changes_what_is_given_and_keeps_the_rest(course):
    changed = [Student("ada", email="ada@x.org", ids={"canvas": "7"}), Student("eve")]
    assert course.add_students(changed, update=True) == 1
    assert course.student("ada") == Student("ada", "Ada Lovelace", "ada@x.org", {"canvas": "7"})


@pytest.mark.parametrize("login", ["", "  ", "a\nb", "a\0b", "\udcff", "x" * 201])
def test_a_name_that_cannot_be_shown_is_no_name(course, login):
    with pytest.raises(UnfitError, match="is no name of a student"):
        course.add_student(Student(login))


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda book: book.student("adda"), "no student 'adda'. Did you mean ada?"),
        (lambda book: book.grades("summs"), "no assignment 'summs'. Did you mean sums?"),
        (lambda book: book.submissions("?"), "no assignment '?'. Did you mean sums?"),
        (lambda book: book.mark("ada", "sums", 1, exercise="sums.9"), "no exercise 'sums.9'"),
        (lambda book: book.comment("eve", "sums", "hello"), "no student 'eve'"),
        (lambda book: book.hand_in("eve", "sums", "d", DUE), "no student 'eve'"),
    ],
)
def test_an_unknown_name_says_which_there_are(course, ask, words):
    with pytest.raises(UnknownNameError) as refused:
        ask(course)
    assert words in str(refused.value)
    assert isinstance(refused.value, (GradebookError, LookupError))


@pytest.mark.parametrize("points", [float("nan"), float("inf")])
def test_what_is_no_number_is_no_mark(course, points):
    with pytest.raises(UnfitError, match="Give a number"):
        course.mark("ada", "sums", points)


def test_a_due_date_says_in_which_zone(course):
    with pytest.raises(UnfitError, match="time zone"):
        course.set_rules("sums", due=DUE.replace(tzinfo=None))
