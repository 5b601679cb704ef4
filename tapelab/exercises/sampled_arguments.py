"""Random arguments for checks: like the given ones, and drawn with the grader's seed.

A function that knows the places of a check by heart is right there alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.random import Generator

from tapelab.exercises.answer import Answer
from tapelab.exercises.values import Numbers, Value, fingerprint

Arguments = tuple[Any, ...]
Draw = Callable[[Generator], Arguments]

NEAR: Final = (0.8, 1.25)
"""By which factor a number may be another one; its sign and its zero stay."""
PURPOSE: Final = "other arguments"
"""One for all checks, so that those with the same places ask the same of a function once."""


def drawn(answer: Answer, at: Sequence[Arguments], draw: Draw | None) -> Iterator[Arguments]:
    """For each place of a check another one: what `draw` makes of it, or else one nearby."""
    for arguments in at:
        numbers = answer.draws(f"{PURPOSE} {fingerprint(arguments)}")
        other = draw(numbers) if draw else tuple(nearby(each, numbers) for each in arguments)
        if fingerprint(other) != fingerprint(arguments):
            yield other


def nearby(given: Value, numbers: Generator) -> Any:
    """A value of the same form with other floats; what is counted or picked is as it was."""
    if type(given) is float:
        return _three_digits(given * numbers.uniform(*NEAR))
    if type(given) in (list, tuple):
        return type(given)(nearby(each, numbers) for each in given)
    if type(given) is dict:
        return {key: nearby(each, numbers) for key, each in given.items()}
    if type(given) is Numbers:
        return replace(given, array=nearby(given.array, numbers))
    if type(given) is np.ndarray and given.dtype.kind == "f":
        moved = given * numbers.uniform(*NEAR, given.shape)
        return np.vectorize(_three_digits, otypes=[given.dtype])(moved)
    return given


def _three_digits(number: float) -> float:
    """A number that can be read in a sentence."""
    return float(f"{number:.3g}")
