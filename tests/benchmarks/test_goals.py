"""What the benchmarks say of a goal follows from what was measured, and from nothing else."""

from __future__ import annotations

import pytest

from benchmarks.goals import Goal, pairs, verdict
from benchmarks.names import CONTENDERS
from benchmarks.works import BY_NAME, WORKS, eager, function


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        (eager(0.7, "pytorch"), "eager ≤ 0.7 × PyTorch"),
        (eager(1, "pytorch"), "eager ≤ PyTorch"),
        (eager(1, "numpy_by_hand", 0.03), "eager ≤ NumPy by hand + 30 ms"),
        (function(2.5, "numpy_by_hand", "copy_7"), "function ≤ 2.5 × a copy"),
        (Goal("tapelab", plus=0.15), "eager ≤ 150 ms"),
    ],
)
def test_a_goal_is_described_in_words(goal, text):
    assert goal.describe("ms", 1e3) == text


def test_a_goal_is_met_by_the_middle_of_the_rounds():
    measured = {"softmax": {"tapelab": [1.0, 3.0, 2.0], "pytorch": [4.0, 2.0, 4.0]}}
    found = verdict(eager(1, "pytorch"), "softmax", measured)
    assert found.shares == (0.25, 1.5, 0.5)
    assert found.met
    assert found.describe() == "met: 0.50 of it (0.25–1.50)"


def test_a_goal_that_is_missed_says_by_how_much():
    measured = {"softmax": {"tapelab": [3.0], "pytorch": [4.0]}}
    assert verdict(eager(0.5, "pytorch"), "softmax", measured).describe() == (
        "**missed**: 1.50 of it (1.50–1.50)"
    )


def test_a_goal_without_another_is_a_number():
    found = verdict(Goal("tapelab", plus=0.15), "start", {"start": {"tapelab": [0.3]}})
    assert found.shares == (2.0,)


def test_a_goal_beside_another_work_is_held_against_that():
    measured = {"fused": {"tapelab_function": [3.0]}, "copy": {"numpy_by_hand": [1.0]}}
    assert verdict(function(2.5, "numpy_by_hand", "copy"), "fused", measured).share == 1.2


def test_who_was_not_measured_meets_and_misses_nothing():
    found = verdict(eager(1, "pytorch"), "softmax", {"softmax": {"tapelab": [1.0], "pytorch": []}})
    assert (found.met, found.describe()) == (False, "not measured")


def test_what_was_measured_once_stands_for_each_round():
    assert pairs([1.0, 2.0], [5.0]) == [(1.0, 5.0), (2.0, 5.0)]
    assert pairs([5.0], [1.0, 2.0]) == [(5.0, 1.0), (5.0, 2.0)]


def test_goals_name_contenders_and_works_that_there_are():
    names = {each.name for each in CONTENDERS} | {""}
    goals = [goal for work in WORKS for goal in work.goals]
    assert {goal.ours for goal in goals} == {"tapelab", "tapelab_function"}
    assert {goal.of for goal in goals} <= names
    assert {goal.work for goal in goals} <= {*BY_NAME, ""}
