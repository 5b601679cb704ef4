"""Lesson 18: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.exercises import judge
from tapelab.exercises.registry import find


def after(rounds, w, x):
    z, slope = 0.0, 0.0
    for _ in range(rounds):
        new = float(np.tanh(w * z + x))
        z, slope = new, (1 - new**2) * (z + w * slope)
    return z, slope


def along(z, w, x):
    """The slopes of one step, along w and along z."""
    return (1 - np.tanh(w * z + x) ** 2) * z, (1 - np.tanh(w * z + x) ** 2) * w


def enough(**changed):
    return lambda: {"count": "no", "loose": "no", "implicit": "no", "memory": "no"} | changed


@pytest.mark.parametrize(
    ("number", "answer", "points", "said"),
    [
        ("18.1", lambda n, w, x: after(n, w, x)[1], 10, ""),
        ("18.1", lambda n, w, x: after(n, w, x)[0], 0, "Ask for its slope."),
        ("18.1", lambda n, w, x: after(n + 1, w, x)[1], 5, "One round too many."),
        ("18.2", lambda *at: along(*at)[0] / (1 - along(*at)[1]), 10, ""),
        ("18.2", lambda *at: along(*at)[0], 4, "z reacts to w, too"),
        ("18.2", lambda *at: along(*at)[0] / (1 + along(*at)[1]), 6, "1 minus the slope along z"),
        ("18.2", lambda *at: along(*at)[0] + along(*at)[1], 2, "The two are not added."),
        ("18.3", lambda a: 5 / np.sqrt(a), 10, ""),
        ("18.3", lambda a: 0.5 / np.sqrt(a), 3, "The upstream is missing"),
        ("18.3", lambda a: 5 / a, 4, "and z is the root"),
        ("18.3", lambda a: 20 * np.sqrt(a), 3, "Divide by 2z"),
        ("18.4", enough(), 10, ""),
        ("18.4", enough(count="yes"), 8, "decisions have no slope"),
        ("18.4", enough(loose="yes"), 7, "w was multiplied with 0"),
        ("18.4", enough(implicit="yes"), 7, "as good as the answer"),
        ("18.4", enough(memory="yes"), 8, "there is one step on it"),
    ],
)  # fmt: skip
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
