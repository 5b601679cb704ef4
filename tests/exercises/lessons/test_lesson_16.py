"""Lesson 16: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.exercises import judge
from tapelab.exercises.registry import find


def fitted(xs, ys):
    return tuple(float(each) for each in np.polyfit(xs, ys, 2))


def roll(*, rate_sign=1.0, keep=True, late=False):
    def answer(start, steps, rate, momentum):
        w, velocity = start, 0.0
        for _ in range(steps):
            new = (momentum * velocity if keep else 0.0) - rate_sign * rate * 2 * w
            w += velocity if late else new
            velocity = new
        return w

    return answer


def adam(**changed):
    right = {"5": -0.1, "0.001": -0.1, "-200": 0.1}
    return lambda: right | changed


LEARNING = {"first", "second", "third"}


def forgotten(variables):
    return sorted(set(variables) - LEARNING)


def moved(trunk, head, *, both=False):
    error = 2 * (trunk * head - 6)
    return {"trunk": trunk - 0.1 * error * head * both, "head": head - 0.1 * error * trunk}


FORESEEN = [
    ("16.1", fitted, 10, ""),
    ("16.1", lambda xs, ys: fitted(xs, ys)[::-1], 6, "in this order"),
    ("16.1", lambda xs, ys: (0.0, 0.0, 0.0), 0, "Nothing has moved yet."),
    ("16.2", roll(), 10, ""),
    ("16.2", roll(keep=False), 3, "nothing is kept of the last step"),
    ("16.2", roll(late=True), 5, "First the new velocity"),
    ("16.2", roll(rate_sign=-1.0), 4, "It rolls uphill"),
    ("16.3", adam(), 10, ""),
    ("16.3", adam(**{"5": -0.5}), 6, "only its sign is left"),
    ("16.3", adam(**{"0.001": -1e-4}), 7, "only its sign is left"),
    ("16.3", adam(**{"-200": 20.0}), 7, "only its sign is left"),
    ("16.3", adam(**{"5": 0.1, "-200": -0.1}), 6, "Down, against the gradient."),
    ("16.4", forgotten, 10, ""),
    ("16.4", lambda variables: forgotten(variables)[::-1], 8, "in another order"),
    ("16.4", lambda variables: sorted(LEARNING), 2, "that do learn"),
    ("16.4", lambda variables: "spare", 0, "Return a list of names."),
    ("16.5", moved, 10, ""),
    ("16.5", lambda trunk, head: moved(trunk, head, both=True), 5, "The trunk has learned"),
    ("16.5", lambda trunk, head: {"trunk": trunk, "head": head}, 5, "It has not moved"),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
