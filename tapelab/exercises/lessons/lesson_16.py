"""Exercises of lesson 16, "Models and optimisers"."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.exercises.answer import Answer
from tapelab.exercises.check import Array, Check, Outcome
from tapelab.exercises.checks import Slip, drawn, value
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.value_text import listed
from tapelab.exercises.values import Unreadable

_XS: Final = np.linspace(-1.0, 1.0, 21)


def _points(a: float, b: float, c: float) -> tuple[list[float], list[float]]:
    return _XS.tolist(), (a * _XS**2 + b * _XS + c).tolist()


_PARABOLAS: Final = (_points(2.0, -1.0, 0.5), _points(-1.0, 0.25, 3.0))


def _some_points(numbers: np.random.Generator) -> tuple[list[float], list[float]]:
    return _points(*numbers.uniform(-2.0, 2.0, 3).round(2).tolist())


def _fitted(xs: Array, ys: Array) -> Any:
    return np.polyfit(xs, ys, 2)


PARABOLA: Final = Exercise(
    id="16.1",
    title="A parabola",
    prompt="Train three weights until each is right to 0.05.",
    checks=(
        value(
            "a, b and c", 10, _fitted, at=_PARABOLAS, tolerance=0.04, draw=_some_points,
            slips=(
                Slip((0.0, 0.0, 0.0), "Nothing has moved yet."),
                Slip(lambda xs, ys: _fitted(xs, ys)[::-1], "Return a, b and c in this order.", 6),
            ),
        ),
    ),
    hints=(
        "In each step a new tape, and `tape.gradient(loss, [a, b, c])`.",
        "A step down: `variable.assign_sub(rate * gradient)`. A rate of 0.5 is fine here.",
        "Not there yet? Do more steps.",
    ),
)  # fmt: skip

_ROLLS: Final = ((1.0, 3, 0.1, 0.9), (-2.0, 5, 0.05, 0.5))


def _rolled(start: float, steps: int, rate: float, momentum: float) -> float:
    w, velocity = start, 0.0
    for _ in range(steps):
        velocity = momentum * velocity - rate * 2 * w
        w += velocity
    return w


def _rolled_late(start: float, steps: int, rate: float, momentum: float) -> float:
    w, velocity = start, 0.0
    for _ in range(steps):
        w, velocity = w + velocity, momentum * velocity - rate * 2 * w
    return w


ROLL: Final = Exercise(
    id="16.2",
    title="Let it roll",
    prompt="Descend with momentum.",
    checks=(
        value(
            "Where it is", 10, _rolled, at=_ROLLS,
            slips=(
                Slip(lambda start, steps, rate, _: start * (1 - 2 * rate) ** steps,
                     "That is plain descent: nothing is kept of the last step.", 3),
                Slip(_rolled_late, "First the new velocity, then the step with it.", 5),
                Slip(lambda start, steps, rate, m: _rolled(start, steps, -rate, m),
                     "It rolls uphill: the gradient is subtracted.", 4),
            ),
        ),
    ),
    hints=(
        "The velocity starts at 0 and lives outside the loop.",
        "`velocity = momentum * velocity - rate * gradient`, then `w.assign_add(velocity)`.",
    ),
)  # fmt: skip

_PROPORTIONAL: Final = "Adam divides by the size of the gradient: only its sign is left."

ADAM: Final = Exercise(
    id="16.3",
    title="How long is the first step?",
    prompt="Predict the first step of Adam for three gradients.",
    checks=(
        value(
            "For 5", 4, -0.1, where=("5",),
            slips=(Slip(-0.5, _PROPORTIONAL), Slip(0.1, "Down, against the gradient.", 2)),
        ),
        value(
            "For 0.001", 3, -0.1, where=("0.001",),
            slips=(Slip(-1e-4, _PROPORTIONAL), Slip(0.1, "Down, against the gradient.", 1)),
        ),
        value(
            "For −200", 3, 0.1, where=("-200",),
            slips=(Slip(20.0, _PROPORTIONAL), Slip(-0.1, "Down, against the gradient.", 1)),
        ),
    ),
    hints=(
        "With t = 1: m / (1 − 0.9) is 0.1 · g / 0.1.",
        "And v / (1 − 0.999) is g². What is g / √g²?",
    ),
)  # fmt: skip

_MODELS: Final = (
    ({"first": 1.0, "second": 2.0, "third": 3.0, "spare": 4.0, "extra": 5.0},),
    ({"third": 1.0, "second": 0.0, "first": -1.0, "left": 2.0},),
)


_NAMES: Final = ("bias", "extra", "gain", "left", "scale", "shift", "spare")


def _any_model(numbers: np.random.Generator) -> tuple[dict[str, float]]:
    """The three that are used, and some that are not, in any order."""
    spare = numbers.choice(_NAMES, 3, replace=False).tolist()
    names = numbers.permutation(["first", "second", "third", *spare]).tolist()
    return (dict(zip(names, [1.0, -2.0, 0.5, 3.0, 4.0, -1.5], strict=True)),)


def _forgotten(variables: Array) -> list[str]:
    return sorted(set(variables) - {"first", "second", "third"})


def _names_the_forgotten() -> Check:
    """The names of all variables without a gradient, for each of the models."""

    def judge(answer: Answer) -> Outcome:
        for (variables,) in (*_MODELS, *drawn(answer, _MODELS, _any_model)):
            named, right = answer.result(variables), _forgotten(variables)
            if type(named) not in (list, tuple):
                raise Unreadable("Return a list of names.")
            got = [each for each in named if type(each) is str]
            if got == right:
                continue
            text = listed(right), listed(got)
            if sorted(got) == right:
                return Outcome(8, "All of them, in another order.", *text)
            if sorted(got) == sorted({"first", "second", "third"}):
                return Outcome(2, "Those are the ones that do learn.", *text)
            return Outcome(0, "", *text)
        return Outcome(10)

    return Check("The names", 10, judge)


FORGOTTEN: Final = Exercise(
    id="16.4",
    title="Who learns nothing?",
    prompt="Find the variables whose gradient is None.",
    checks=(_names_the_forgotten(),),
    hints=(
        "Ask with the dict, and the answer is a dict with the same names.",
        "`gradient is None`, and `sorted` puts the names in order.",
    ),
)

_HEADS: Final = ((2.0, 1.0), (-1.0, 3.0))


def _moved(trunk: float, head: float) -> tuple[float, float]:
    error = 2 * (trunk * head - 6)
    return trunk - 0.1 * error * head, head - 0.1 * error * trunk


HEAD: Final = Exercise(
    id="16.5",
    title="Train the head alone",
    prompt="Do one step in which only the head moves.",
    checks=(
        value(
            "The head moves", 5, lambda trunk, head: _moved(trunk, head)[1], at=_HEADS,
            where=("head",),
            slips=(Slip(lambda _, head: head, "It has not moved: apply the gradients first."),),
        ),
        value(
            "The trunk stays", 5, lambda trunk, _: trunk, at=_HEADS, where=("trunk",),
            slips=(Slip(lambda trunk, head: _moved(trunk, head)[0],
                        "The trunk has learned, too: make it with trainable=False."),),
        ),
    ),
    hints=(
        "A variable with `trainable=False` is not among those that learn.",
        "`optimizer.apply_gradients(zip(tape.gradient(loss, learns), learns))`.",
    ),
)  # fmt: skip

EXERCISES: Final = (PARABOLA, ROLL, ADAM, FORGOTTEN, HEAD)
