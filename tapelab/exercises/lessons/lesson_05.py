"""Exercises of lesson 05, "Why is it None?": broken snippets, each with a cause to name."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from numpy.typing import ArrayLike

from tapelab.exercises.answer import Answer
from tapelab.exercises.check import Check, Outcome
from tapelab.exercises.checks import Slip, prediction_table, value
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.tape_checks import UNUSED, arrives, none_because
from tapelab.exercises.values import Unreadable
from tapelab.locales import say

CAUSES: Final = (
    *("NOT_WATCHED", "NOT_TRAINABLE", "REBOUND_TO_TENSOR", "LEFT_ENGINE", "STATE_READ"),
    *("STOPPED", "INT_DTYPE", "BEFORE_TAPE", "AFTER_TAPE"),
    *("RECORDING_PAUSED", "COPIED_VALUE", "NON_DIFFERENTIABLE"),
)
_ENDS: Final = (1, 2, 3)


def _names(cause: str) -> Check:
    """The cause is called by its name; a wrong name is not corrected, the tape can be asked."""

    def judge(answer: Answer) -> Outcome:
        got = answer.part((0,))
        if type(got) is not str or got.strip().upper() not in CAUSES:
            raise Unreadable(say("The cause is one of the twelve words of the table, in quotes."))
        if got.strip().upper() == cause:
            return check.full()
        text = say("Not this one. Run the broken code again and ask `tf.explain(tape, y, x)`.")
        return Outcome(0, text, got=got.strip())

    check = Check("The cause", 2, judge)
    return check


def _snippet(
    number: str, title: str, cause: str, target: float, gradient: ArrayLike, hints: tuple[str, ...],
    slips: tuple[Slip, ...] = (),
) -> Exercise:  # fmt: skip
    """A broken snippet: name its cause, and mend it without changing what it computes."""
    mended = arrives(
        "The gradient arrives", 3, gradient, ends=_ENDS, slips=slips, target=target
    )  # fmt: skip
    prompt = "Name the cause, then mend the code."
    return Exercise(f"05.{number}", title, prompt, (_names(cause), mended), hints)


SNIPPETS: Final = (
    _snippet(
        "1", "A constant", "NOT_WATCHED", 9.0, 6.0,
        ("A tape follows variables by itself. Is `x` one?",
         "Tell the tape inside its block, before `x` is used: `tape.watch(x)`."),
    ),
    _snippet(
        "2", "A frozen variable", "NOT_TRAINABLE", 27.0, 27.0,
        ("Look at how `x` was made.", "Leave `trainable=False` out, or call `tape.watch(x)`."),
    ),
    _snippet(
        "3", "One step to the right", "REBOUND_TO_TENSOR", 9.0, 6.0,
        ("What is `type(x)` when the tape opens?",
         "`x = x + 1.0` gives the name to a new tensor. Change the variable: `x.assign_add(1.0)`."),
        (Slip(4.0, "A gradient arrives, but the step to the right is gone.", 1),),
    ),
    _snippet(
        "4", "Three apples", "INT_DTYPE", 9.0, 6.0,
        ("What is `x.dtype`?", "There is no derivative between two integers: write `3.0`."),
    ),
    _snippet(
        "5", "Started too early", "BEFORE_TAPE", 12.0, 12.0,
        ("Which of the two lines did the tape see?", "Move `h = x * x` into the block."),
    ),
    _snippet(
        "6", "Finished too late", "AFTER_TAPE", 12.0, 12.0,
        ("Where does the block end?", "Indent `y = 3.0 * h`, so that it runs inside the block."),
    ),
    _snippet(
        "7", "A short pause", "RECORDING_PAUSED", 12.0, 12.0,
        ("Which lines of the block does the tape write down?",
         "Leave `tape.stop_recording()` out."),
    ),
    _snippet(
        "8", "A mean by NumPy", "LEFT_ENGINE", 2.64575, (0.12599, 0.25198, 0.50395),
        ("Which of the three lines is not a TensorFlow op?",
         "`tf.reduce_mean` does what `np.mean` does, on the tape."),
    ),
    _snippet(
        "9", "A spare copy", "COPIED_VALUE", 18.0, 12.0,
        ("Read the line of `y` again. Is there an `x` in it?",
         "`spare` has the number of `x` and not its history: compute with `x`."),
    ),
    _snippet(
        "10", "A running total", "STATE_READ", 18.0, 12.0,
        ("A variable remembers its value. Does it remember where the value came from?",
         "Compute with values instead: `new_total = total + x * x`, then `y = 2.0 * new_total`."),
    ),
    _snippet(
        "11", "A valve", "STOPPED", 27.0, 18.0,
        ("One op on the way lets values through and holds gradients back.",
         "Leave `tf.stop_gradient` out."),
    ),
    _snippet(
        "12", "The highest score", "NON_DIFFERENTIABLE", 4.0, (0.0, 1.0, 0.0),
        ("A place is an integer. Does it change when a score grows a little?",
         "Let the place choose among the elements of `x`: `tf.gather(x, place)`."),
    ),
)  # fmt: skip

_THREE: Final = ((3.0,),)
_LEFT: Final = none_because("None, and for this reason", 6, ("LEFT_ENGINE",), at=_THREE)
_SQUARED: Final = value("y is still x²", 4, lambda x: x * x, at=_THREE, where=(1,))


def _left() -> Check:
    """The value has left; where Python computes with it, the trail ends, and y shows what it was.

    So `tf.constant(float(x) ** 2)` is right, and a 9 that is known by heart is not.
    """

    def judge(answer: Answer) -> Outcome:
        outcome = _LEFT.judge(answer)
        left = outcome.code == UNUSED and outcome.trial is not None and outcome.trial.left
        right = left and _SQUARED.judge(answer).points == _SQUARED.points
        return _LEFT.full() if right else outcome

    return replace(_LEFT, judge=judge)


ON_PURPOSE: Final = Exercise(
    id="05.13",
    title="Break it on purpose",
    prompt="Compute y = x² so that the gradient is None because the value left for NumPy.",
    checks=(
        _left(),
        _SQUARED,
    ),
    hints=(
        "Somewhere between `x` and `y` the value must become a NumPy array or a Python number.",
        "`x.numpy()` and `float(x)` leave; `tf.constant(…)` brings back the number alone.",
    ),
)

_FLAT: Final = "There is a path, and its derivative is 0 here."
_NO_PATH: Final = "There is no path from y to x, so there is no derivative to tell."

ZERO_OR_NONE: Final = Exercise(
    id="05.14",
    title="Zero or None?",
    prompt="Predict what tape.gradient(y, x) returns: a number or None.",
    checks=prediction_table(
        ("y = x * x at 0", 2, 0.0, "a", _FLAT),
        ("y = 2 * w", 2, None, "b", _NO_PATH),
        ("y = 0 * x", 2, 0.0, "c", _FLAT),
        ("y = max(x, 0) at −1", 2, 0.0, "d",
         "The path is there; the maximum simply did not choose x."),
        ("y = stop_gradient(x) + w", 2, None, "e", _NO_PATH),
    ),
    hints=(
        "First ask: does a path lead from y back to x, over ops on the tape? No path: None.",
        "If there is a path: multiply its local derivatives. They may well give 0.",
    ),
)  # fmt: skip

PARTIAL: Final = Exercise(
    id="05.15",
    title="The one that lies",
    prompt="One of three programs loses a part of its gradient without a word. Which?",
    checks=prediction_table(
        ("Which program", 4, "b", "partial",
         "Program a is complete, program c is None and so at least noticed."),
        ("What the tape says", 3, 3.0, "the tape says",
         "Only the first factor is followed, and its local derivative is 3."),
        ("What mathematics says", 3, 6.0, "mathematics says",
         "The value is x · x, and its derivative is 2x."),
    ),
    hints=(
        "Look for a program in which x reaches y along two paths.",
        "In program b one factor goes through `tf.stop_gradient`, the other does not.",
    ),
)  # fmt: skip

EXERCISES: Final = (*SNIPPETS, ON_PURPOSE, ZERO_OR_NONE, PARTIAL)
