"""What lateness costs, by the clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tapelab.grading.gradebook import Counts, Policy
from tapelab.grading.gradebook.gradebook_errors import UnfitError

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
RULES = Policy(per_day=10, grace=15, cutoff=3)


@pytest.mark.parametrize(
    ("minutes", "cost"),
    [
        (-1, 0), (0, 0), (15, 0),  # in time, or within the grace
        (16, 0.1), (24 * 60, 0.1), (24 * 60 + 1, 0.2), (3 * 24 * 60, 0.3),  # each begun day
        (3 * 24 * 60 + 1, 1), (999_999, 1),  # after the cutoff
    ],
)  # fmt: skip
def test_each_begun_day_costs_until_the_cutoff(minutes, cost):
    assert RULES.cost(DUE + timedelta(minutes=minutes), DUE) == pytest.approx(cost)


def test_without_a_due_date_nothing_is_late():
    assert RULES.cost(DUE, None) == 0


def test_lateness_never_takes_more_than_there_is():
    assert Policy(per_day=60).cost(DUE + timedelta(days=9), DUE) == 1


def test_another_zone_is_the_same_moment():
    east = (DUE + timedelta(minutes=10)).astimezone(tz=None)
    assert RULES.cost(east, DUE) == 0


def test_a_policy_is_kept_as_text():
    policy = Policy(per_day=5, grace=1, cutoff=None, counts=Counts.LAST)
    assert Policy.from_json(policy.to_json()) == policy


@pytest.mark.parametrize(
    "wrong", [{"per_day": -1}, {"per_day": 101}, {"grace": -1}, {"cutoff": -1}]
)
def test_what_cannot_be_meant_is_refused(wrong):
    with pytest.raises(UnfitError):
        Policy(**wrong)
