"""What a late rule would do to a class is known before it is applied."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tapelab.grading.gradebook import Gradebook, Policy
from tapelab.grading.gradebook.rule_effect import RuleEffect
from tests.fixtures.taught_course import MONDAY, fill

ALL_LOST = "This rule takes all points from 3 of 4 submissions: check the due date."


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    with Gradebook.open(tmp_path_factory.mktemp("course") / "course.db") as opened:
        fill(opened)  # four have a result, one of them without points, all handed in on MONDAY
        yield opened


def test_a_due_date_of_last_year_takes_all_points_and_the_effect_warns_of_it(book):
    before = book.grades("03"), book.history()
    effect = book.rule_effect("03", due=MONDAY - timedelta(365), policy=Policy(per_day=10))
    assert effect == RuleEffect(submissions=4, late=4, zeroed=3, changed=3)
    assert effect.warning == ALL_LOST
    assert (book.grades("03"), book.history()) == before


def test_a_day_of_lateness_costs_a_part_and_warns_of_nothing(book):
    effect = book.rule_effect("03", due=MONDAY - timedelta(hours=1), policy=Policy(per_day=10))
    assert effect == RuleEffect(submissions=4, late=4, zeroed=0, changed=3)
    assert not effect.warning
    assert effect.summary == "4 of 4 are late. 3 grades change."


def test_an_effect_counts_what_earned_nothing_as_late_but_not_as_lost(book):
    effect = book.rule_effect("03", due=MONDAY - timedelta(9), policy=Policy(cutoff=8))
    assert (effect.late, effect.zeroed) == (4, 3)


def test_a_rule_for_work_in_time_changes_nothing(book):
    effect = book.rule_effect("03", due=MONDAY, policy=Policy(per_day=100))
    assert effect == RuleEffect(submissions=4, late=0, zeroed=0, changed=0)
    assert (effect.warning, effect.summary) == ("", "0 of 4 are late. 0 grades change.")
