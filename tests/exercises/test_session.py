"""A session remembers the latest answer, the hints that were opened, and the points so far."""

from __future__ import annotations

import pytest

from tapelab.exercises.registry import LESSONS, find
from tapelab.exercises.session import Session


@pytest.fixture
def session():
    return Session()


def test_the_latest_answer_is_the_one_that_counts(session):
    session.answer("02.3")(lambda: {"a": 3, "b": 0, "c": 0})
    assert session.check("02.3").points == 3
    session.answer("02.3")(lambda: {"a": 3, "b": 1, "c": 5})
    assert session.check("02.3").passed


def test_the_decorator_returns_the_function_itself(session):
    def answer(): ...

    assert session.answer("02.1")(answer) is answer


def test_only_a_function_can_be_an_answer(session):
    with pytest.raises(TypeError, match=r"marks a function, not 6\.0"):
        session.answer("02.1")(6.0)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("99.1", "There is no lesson '99' with exercises. Try '00', '01',"),
        ("02.9", "There is no exercise '02.9'. Try '02.1', '02.2', '02.3', '02.4'."),
    ],
)
def test_an_unknown_exercise_is_reported_with_those_there_are(session, number, message):
    for ask in (session.check, session.next_hint, session.answer):
        with pytest.raises(LookupError) as caught:
            ask(number)
        assert str(caught.value).startswith(message)


def test_an_id_that_is_a_number_is_reported(session):
    with pytest.raises(TypeError, match=r"in quotes, as in '03\.1', not 3\.1"):
        session.check(3.1)


def test_the_first_hint_comes_with_the_verdict_and_the_next_on_request(session):
    exercise = find("02.1")
    session.check("02.1")
    assert len(session.hints(exercise).opened) == 1
    assert [len(session.next_hint("02.1").opened) for _ in range(3)] == [2, 3, 3]
    assert session.hints(exercise).left == 0


def test_without_a_verdict_the_first_request_opens_the_first_hint(session):
    assert session.next_hint("02.1").opened == find("02.1").hints[:1]


def test_progress_adds_up_what_was_checked(session):
    session.answer("02.3")(lambda: {"a": 3, "b": 1, "c": 0})
    session.check("02.3")
    progress = session.progress()
    assert (progress.lesson, progress.points, progress.of) == ("02", 7, 40)
    assert [verdict is None for _, verdict in progress.verdicts] == [True, True, False, True]


@pytest.mark.parametrize("number", LESSONS)
def test_every_exercise_has_checks_hints_and_an_id_of_its_lesson(number):
    exercises = LESSONS[number]
    assert len(exercises) >= 3
    assert [each.id for each in exercises] == [f"{number}.{at + 1}" for at in range(len(exercises))]
    for each in exercises:
        assert each.lesson == number
        assert each.points in (5, 10)
        assert len(each.checks) >= 1
        assert len(each.hints) >= 2
