"""Checks of what an answer returns: numbers, predictions, the order of steps.

`where` leads to the part of the answer that is looked at, as in ("slopes", "sin") or (0,).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.exercises.answer import Answer, Where
from tapelab.exercises.check import Check, Outcome, Slip
from tapelab.exercises.drawing import Draw, drawn
from tapelab.exercises.plain import close, dtype_of, plain
from tapelab.exercises.wording import both_spelled, listed, spelled
from tapelab.words import say

TOLERANCE: Final = 1e-3
NO_ARGUMENTS: Final[tuple[tuple[Any, ...], ...]] = ((),)


def value(
    title: str, points: float, expected: Any, *, at: Sequence[tuple[Any, ...]] = NO_ARGUMENTS,
    where: Where = (), slips: Sequence[Slip] = (), dtype: str = "", tolerance: float = TOLERANCE,
    draw: Draw | None = None,
) -> Check:  # fmt: skip
    """The numbers are right for all arguments in `at`, in shape and, if given, in dtype.

    `expected` and the values of slips are numbers, or functions of the arguments. Where `expected`
    is a function, the answer is asked at other places as well, drawn by the judge's seed: by
    `draw`, a function of a generator that gives arguments, or else near those in `at`.
    """

    def judge(answer: Answer) -> Outcome:
        arrays = [plain(answer.part(where, *arguments)) for arguments in at]
        for arguments, got in zip(at, arrays, strict=True):
            if wrong := compared(arguments, got):
                return wrong
        for arguments in drawn(answer, at, draw) if callable(expected) else ():
            if wrong := compared(arguments, plain(answer.part(where, *arguments))):
                return wrong
        told = dtype_of(answer.part(where, *at[0]))
        if dtype and told != dtype:
            text = say("The numbers are right, the dtype is not.")
            return Outcome(points // 2, text, dtype, told)
        return check.full()

    def compared(arguments: tuple[Any, ...], got: NDArray[Any]) -> Outcome | None:
        right = _of(expected, arguments)
        if close(got, right, tolerance):
            return None
        return _wrong(points, got, right, arguments, slips, tolerance)

    check = Check(title, points, judge, slips=tuple(slips), where=where)
    return check


def _of(expected: Any, arguments: tuple[Any, ...]) -> NDArray[Any]:
    return np.asarray(expected(*arguments) if callable(expected) else expected)


def _wrong(
    points: float, got: NDArray[Any], right: NDArray[Any], arguments: tuple[Any, ...],
    slips: Sequence[Slip], tolerance: float,
) -> Outcome:  # fmt: skip
    expected, own = both_spelled(right, got)
    told = _at(expected, arguments), own
    found = Outcome(0, "", *told, arrays=(right, got))
    for slip in slips:
        if close(got, _of(slip.value, arguments), tolerance):
            return replace(found, points=slip.points, text=slip.text)
    if got.size == right.size and close(got.reshape(right.shape), right, tolerance):
        text = say(
            "The numbers are right, the shape is {got} and not {right}.",
            got=got.shape,
            right=right.shape,
        )
        return Outcome(points // 2, text)
    return found


def _at(value: str, arguments: tuple[Any, ...]) -> str:
    """A value with the numbers that it is the value for, where they are few."""
    if not arguments or not all(type(each) in (int, float) for each in arguments):
        return value
    told = ", ".join(spelled(np.asarray(each)) for each in arguments)
    return say("{value} for {arguments}", value=value, arguments=told)


def prediction(title: str, points: float, expected: Any, *, where: Where, because: str) -> Check:
    """The guess is right: a number, a word or None; `because` explains what is true."""

    def judge(answer: Answer) -> Outcome:
        got = answer.part(where)
        if _same_guess(got, expected):
            return check.full()
        return Outcome(0, because, _guess(expected), _guess(got))

    check = Check(title, points, judge)
    return check


def _same_guess(got: Any, expected: Any) -> bool:
    if type(got) is str or type(expected) is str or got is None or expected is None:
        return type(got) is type(expected) and _guess(got) == _guess(expected)
    tolerance = 0.0 if type(expected) is int else TOLERANCE  # what is counted is right or wrong
    return close(plain(got), np.asarray(expected), tolerance)


def _guess(guess: Any) -> str:
    if guess is None:
        return "None"
    return guess.strip().lower() if type(guess) is str else spelled(plain(guess))


def order(
    title: str, points: float, expected: Sequence[str], *, where: Where, because: str
) -> Check:
    """The steps are in the right order; partial points for every pair that is."""

    def judge(answer: Answer) -> Outcome:
        got = [_word(each) for each in _list(answer.part(where))]
        if got == list(expected):
            return check.full()
        told = " → ".join(expected), " → ".join(got)
        if sorted(got) != sorted(expected):
            return Outcome(0, _odd_ones(got, expected), *told)
        pairs = list(combinations(expected, 2))
        right = sum(got.index(first) < got.index(then) for first, then in pairs)
        return Outcome(points * right // len(pairs), because, *told)

    check = Check(title, points, judge)
    return check


def _list(found: Any) -> list[Any]:
    if type(found) not in (list, tuple):
        plain(found)  # what cannot be read at all says so itself
        found = [found]
    return list(found)


def _word(each: Any) -> str:
    return each.strip().lower() if type(each) is str else "?"


def _odd_ones(got: Sequence[str], expected: Sequence[str]) -> str:
    missing = [each for each in expected if each not in got]
    if missing:
        return say("Still missing: {names}.", names=listed(missing))
    return say("Every step comes exactly once.")


__all__ = ["NO_ARGUMENTS", "TOLERANCE", "Slip", "order", "prediction", "value"]
