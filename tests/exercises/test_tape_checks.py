"""Checks of a tape read its recording: what arrived, what was watched, what ran."""

from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.exercises.check import Outcome
from tapelab.exercises.checks import Slip
from tapelab.exercises.tape_checks import (
    arrives,
    at_most,
    avoids,
    flows_through,
    memory_at_most,
    no_pitfall,
    none_because,
    uses,
    watches,
)


def trial(compute, *, variable=True, **tape_settings):
    """A tape on which `compute` ran at 3, with its target and its source."""
    x = tf.Variable(3.0, name="x") if variable else tf.constant(3.0, name="x")
    with tf.GradientTape(**tape_settings) as tape:
        y = compute(x)
    return tape, y, x


ANOTHER = "A gradient arrives, but the function is another one now."
SIX = arrives("it arrives", 4, 6.0, slips=(Slip(3.0, "Half of it.", 1),))


@pytest.mark.parametrize(
    ("compute", "outcome"),
    [
        (lambda x: x * x, Outcome(4)),
        (lambda x: tf.stop_gradient(x) * x, Outcome(1, "Half of it.", "6.0000", "3.0000")),
        (lambda x: x * x * x,
         Outcome(2, ANOTHER, "6.0000", "27.0000")),
        (lambda x: tf.stop_gradient(x), Outcome(0, "No gradient arrives yet.", "6.0000", "None")),
    ],
)  # fmt: skip
def test_the_gradient_that_arrives_is_compared(returned, compute, outcome):
    assert returned(SIX, trial(compute)) == outcome


@pytest.mark.parametrize(
    ("compute", "outcome"),
    [
        (lambda x: x * x, Outcome(4)),
        (lambda x: x * tf.constant([0.0, 6.0]) - 4.5, Outcome(4)),
        (lambda x: 6.0 * x, Outcome(2, ANOTHER, "9.0000", "18.0000")),
    ],
)
def test_a_gradient_known_by_heart_belongs_to_another_function(returned, compute, outcome):
    assert returned(arrives("it arrives", 4, 6.0, target=9.0), trial(compute)) == outcome


def test_a_tape_that_has_answered_this_question_can_still_be_judged(returned):
    tape, y, x = trial(lambda x: x * x)
    tape.gradient(y, x)
    assert returned(SIX, (tape, y, x)) == Outcome(4)


def test_a_tape_that_has_answered_another_question_can_still_be_judged(returned):
    tape, y, x = trial(lambda x: x * x)
    assert tape.gradient(y, tf.Variable(2.0)) is None
    assert returned(SIX, (tape, y, x)) == Outcome(4)


def test_a_tape_that_has_answered_for_several_sources_can_be_judged_for_each(returned):
    w = tf.Variable(2.0)
    tape, y, x = trial(lambda x: x * w)
    tape.gradient(y, [w, x])
    assert returned(arrives("x", 4, 2.0), (tape, y, x)) == Outcome(4)
    assert returned(arrives("w", 4, 3.0), (tape, y, w)) == Outcome(4)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ((None, 1.0, 2.0), "Return a tape, a target and a source; this is None."),
        ((1.0, 1.0, 1.0), "Return a tape, a target and a source; this is a float."),
        ((1.0, 1.0), "Return 3 values or more; here are 2."),
    ],
)
def test_what_is_no_tape_is_reported(returned, given, text):
    assert returned(SIX, given).text == text


def test_a_target_without_history_is_reported(returned):
    tape, _, x = trial(lambda x: x * x)
    text = returned(SIX, (tape, 9.0, x)).text
    assert text == "The target is a float, without a history. Return a tensor or a variable."


def test_the_gradient_flows_through_a_named_tensor(returned):
    def compute(x):
        squared = x * x
        shifted = squared + 1.0
        return squared + tf.stop_gradient(shifted)

    given = trial(compute)
    assert returned(flows_through("f", 2, "squared"), given) == Outcome(2)
    missed = returned(flows_through("f", 2, "shifted"), given)
    assert missed == Outcome(0, "No gradient reaches `shifted`.")


def test_none_is_right_only_for_its_reason(returned):
    check = none_because("none", 6, ("STOPPED",))
    assert returned(check, trial(tf.stop_gradient)) == Outcome(6)
    unwatched = returned(check, trial(lambda x: x * x, variable=False))
    assert unwatched == Outcome(2, "It is None, for another reason.", "STOPPED", "NOT_WATCHED")
    assert returned(check, trial(lambda x: x * x)).points == 0
    assert returned(check, trial(lambda x: tf.constant(9.0))).points == 0


def test_a_check_of_a_tape_looks_at_it_for_all_arguments(found):
    twice = arrives("twice", 4, 2.0, at=((1.0,), (3.0,)))
    factors = {1.0: 2.0, 3.0: 3.0}
    assert found(twice, lambda v: trial(lambda x: x + x)).points == 4
    assert found(twice, lambda v: trial(lambda x: x * factors[v])).got == "3.0000"
    nowhere = none_because("none", 6, ("STOPPED",), at=((True,), (False,)))
    assert found(nowhere, lambda v: trial(tf.stop_gradient)).points == 6
    assert found(nowhere, lambda v: trial(tf.stop_gradient, variable=v)).got == "NOT_WATCHED"


def test_the_tape_watches_exactly_these(returned):
    w = tf.Variable(2.0, name="w")
    both, only_x = trial(lambda x: x * w), trial(lambda x: x * x)
    assert returned(watches("w", 4, ["x", "w"]), both) == Outcome(4)
    missing = returned(watches("w", 4, ["x", "w"]), only_x)
    assert (missing.points, missing.text) == (0, "`w` is not watched.")
    extra = returned(watches("w", 4, ["x"]), both)
    assert (extra.points, extra.text) == (2, "`w` need not be watched.")


def test_ops_on_the_tape_are_found_and_those_off_it_are_not(returned):
    def compute(x):
        c = tf.sin(tf.constant(2.0))
        return c * x

    given = trial(compute)
    assert returned(uses("u", 2, "multiply"), given) == Outcome(2)
    assert returned(uses("u", 2, "sin"), given).points == 0
    assert returned(avoids("a", 2, "sin"), given) == Outcome(2)
    message = returned(avoids("a", 2, "multiply"), given)
    assert message == Outcome(0, "multiply is on the tape 1 time.")


def test_an_empty_tape_avoids_nothing(returned):
    assert returned(avoids("a", 2, "sin"), trial(lambda x: tf.constant(3.0))).points == 0


def test_the_number_of_ops_is_limited_and_a_gradient_must_arrive(returned):
    check = at_most("m", 3, 2)
    assert returned(check, trial(lambda x: x * x + x)) == Outcome(3)
    long = returned(check, trial(lambda x: x * x * x * x))
    assert long == Outcome(0, "", "at most 2 ops", "3 ops")
    assert returned(check, trial(tf.stop_gradient)).text == "No gradient arrives yet."


def test_a_pitfall_costs_points_and_says_which(returned):
    check = no_pitfall("clean", 3)
    assert returned(check, trial(lambda x: x * x)).points == 3
    stopped = returned(check, trial(tf.stop_gradient))
    assert (stopped.points, stopped.got, stopped.code) == (0, "STOPPED", "STOPPED")
    assert returned(no_pitfall("clean", 3, ("LEFT_ENGINE",)), trial(tf.stop_gradient)).points == 3


def test_the_memory_of_the_tape_is_limited(returned):
    check = memory_at_most("m", 3, 16)
    assert returned(check, trial(lambda x: x * x)).points == 3
    long = returned(check, trial(lambda x: x * x * x * x * x * x))
    assert (long.points, long.expected) == (0, "at most 16 bytes")
    assert returned(check, trial(tf.stop_gradient)).text == "No gradient arrives yet."


def test_what_is_wrong_comes_with_the_recording_and_the_place_to_look(returned):
    wrong = returned(SIX, trial(tf.stop_gradient))
    assert wrong.code == "STOPPED"
    assert wrong.trial.code == "STOPPED"
    assert wrong.event >= 0


def test_a_pitfall_gets_the_advice_of_its_check(returned):
    check = SIX.advising(STOPPED="Leave the valve out.")
    wrong = returned(check, trial(tf.stop_gradient))
    assert wrong.text == "No gradient arrives yet. Leave the valve out."


def test_a_gradient_that_no_recording_keeps_is_refused_when_the_check_is_made():
    with pytest.raises(ValueError, match=r"up to 256 numbers.*'Everything' expects 300"):
        arrives("Everything", 1, [0.0] * 300)
