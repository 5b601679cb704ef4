"""What happened to an attempt is said in sentences, with times, lateness, points and reasons."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tapelab.grading.gradebook.entities import Graded, Handed
from tapelab.grading.reports.attempt_history import attempt_history, lateness, local_time
from tests.fixtures.cheap_grading import result

AT = datetime(2026, 11, 3, 14, 2, tzinfo=UTC)
DAY = timedelta(days=1)
HANDED = Handed("ada", "sums", "d", AT)
IN_TIME = timedelta(0)


def graded(points, days, version="v1", check="h"):
    first = result("d", "ada", points, version=version)
    (exercise,) = first.exercises
    checks = tuple(replace(each, version=check) for each in exercise.checks)
    return Graded(HANDED, replace(first, exercises=(replace(exercise, checks=checks),)),
                  AT + days * DAY)  # fmt: skip


def test_a_history_names_lateness_the_date_of_the_checks_and_why_points_changed():
    results = (graded(0.5, 1), graded(1.5, 3, "v2", "other"), graded(1.5, 4, "v3", "other"))
    versions = {"v1": AT - DAY, "v2": AT + 2 * DAY}
    day = [local_time(AT + number * DAY) for number in (-1, 0, 3, 4)]
    assert attempt_history(HANDED, timedelta(hours=2), results, versions) == (
        f"Handed in on {day[1]}, 2 h late.",
        f"Graded with the checks of {day[0]}: 0.5 of 2.",
        f"Regraded on {day[2]} after exercise sums.1 was changed: 1.5 of 2.",
        f"Regraded on {day[3]}: 1.5 of 2.",
    )


def test_what_is_in_time_and_waits_was_handed_in_and_nothing_else():
    assert attempt_history(HANDED, IN_TIME, (), {}) == (f"Handed in on {local_time(AT)}.",)


@pytest.mark.parametrize(("late", "words"), [
    (IN_TIME, ""), (timedelta(seconds=1), "1 min late"), (timedelta(minutes=59), "59 min late"),
    (timedelta(hours=2.5), "2.5 h late"), (timedelta(hours=30), "30 h late"),
    (timedelta(days=266.1), "266.1 days late"),
])  # fmt: skip
def test_lateness_is_said_in_the_unit_that_fits(late, words):
    assert lateness(late) == words
