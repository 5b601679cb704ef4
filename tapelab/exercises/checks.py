"""Checks of what an answer returns: numbers, predictions, the order of steps.

`where` leads to the part of the answer that is looked at, as in ("derivatives", "sin") or (0,).

Functions are also called with random arguments, like the given ones and drawn with the grader's
seed: a function that knows the places of a check by heart is right there alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tapelab.exercises.answer import Answer, Where
from tapelab.exercises.check import Check, Outcome, Slip
from tapelab.exercises.plain import NotPlain, close, dtype_of, plain
from tapelab.exercises.value_text import both_spelled, listed, spelled
from tapelab.exercises.values import Numbers, Unreadable, Value, fingerprint
from tapelab.locales import say

TOLERANCE: Final = 1e-3
Arguments = tuple[Any, ...]
Draw = Callable[[Generator], Arguments]

NEAR: Final = (0.8, 1.25)
"""By which factor a number may be another one; its sign and its zero stay."""
PURPOSE: Final = "other arguments"
"""One for all checks, so that those with the same places ask the same of a function once."""
NO_ARGUMENTS: Final[tuple[tuple[Any, ...], ...]] = ((),)


def value(
    title: str, points: float, expected: Any, *, at: Sequence[tuple[Any, ...]] = NO_ARGUMENTS,
    where: Where = (), slips: Sequence[Slip] = (), dtype: str = "", tolerance: float = TOLERANCE,
    draw: Draw | None = None,
) -> Check:  # fmt: skip
    """The numbers are right for all arguments in `at`, in shape and, if given, in dtype.

    `expected` and the values of slips are numbers, or functions of the arguments. Where `expected`
    is a function, the answer is asked at other places as well, drawn by the judge's seed: by
    `draw`, a function of a generator that gives arguments, or else near those in `at`. A slip earns
    its points where it explains the answer at all of them; a number known by heart does not.
    """
    target = _ExpectedValue(expected, tuple(at), where, tuple(slips), tolerance, draw)

    def judge(answer: Answer) -> Outcome:
        for arguments, got in target.seen(answer):
            if not target.right(arguments, got):
                return target.wrong(answer, arguments, got, points)
        got_dtype = dtype_of(answer.part(where, *at[0]))
        if dtype and got_dtype != dtype:
            text = say("The numbers are right, the dtype is not.")
            return Outcome(points // 2, text, dtype, got_dtype)
        return check.full()

    check = Check(title, points, judge, slips=target.slips, where=where)
    return check


@dataclass(frozen=True)
class _ExpectedValue:
    """Numbers that are asked for: which are right for which arguments, and which are foreseen."""

    expected: Any
    at: tuple[Arguments, ...]
    where: Where
    slips: tuple[Slip, ...]
    tolerance: float
    draw: Draw | None

    def seen(self, answer: Answer) -> Iterator[tuple[Arguments, NDArray[Any]]]:
        """What is returned for all arguments; those in `at` have to be there before one counts."""
        yield from [(each, plain(answer.part(self.where, *each))) for each in self.at]
        for arguments in drawn(answer, self.at, self.draw) if callable(self.expected) else ():
            yield arguments, plain(answer.part(self.where, *arguments))

    def right(self, arguments: Arguments, got: NDArray[Any]) -> bool:
        """Whether this is what should be returned for these arguments."""
        return close(got, _of(self.expected, arguments), self.tolerance)

    def wrong(
        self, answer: Answer, arguments: Arguments, got: NDArray[Any], points: float
    ) -> Outcome:
        """What is said to a wrong answer, and what it is worth."""
        right = _of(self.expected, arguments)
        expected, own = both_spelled(right, got)
        outcome = Outcome(0, "", _at(expected, arguments), own, arrays=(right, got))
        for slip in self.slips:
            if self._is(slip, arguments, got):
                worth = self._worth(answer, slip, slip.points)
                return replace(outcome, points=worth, text=slip.text)
        if self._is(None, arguments, got):
            text = say(
                "The numbers are right, the shape is {got} and not {right}.",
                got=got.shape,
                right=right.shape,
            )
            return Outcome(self._worth(answer, None, points // 2), text)
        return outcome

    def _is(self, slip: Slip | None, arguments: Arguments, got: NDArray[Any]) -> bool:
        """Whether what was returned is this slip; None stands for right numbers in other shape."""
        if slip is not None:
            return close(got, _of(slip.value, arguments), self.tolerance)
        right = _of(self.expected, arguments)
        return got.size == right.size and close(got.reshape(right.shape), right, self.tolerance)

    def _worth(self, answer: Answer, slip: Slip | None, points: float) -> float:
        """The points of a slip that explains the answer for all arguments."""
        try:
            explained = all(
                self.right(*each) or self._is(slip, *each) for each in self.seen(answer)
            )
        except (Unreadable, NotPlain):
            return 0
        return points if explained else 0


def _of(expected: Any, arguments: Arguments) -> NDArray[Any]:
    return np.asarray(expected(*arguments) if callable(expected) else expected)


def _at(value: str, arguments: tuple[Any, ...]) -> str:
    """A value with the numbers that it is the value for, where they are few."""
    if not arguments or not all(type(each) in (int, float) for each in arguments):
        return value
    text = ", ".join(spelled(np.asarray(each)) for each in arguments)
    return say("{value} for {arguments}", value=value, arguments=text)


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


def prediction(
    title: str, points: float, expected: Any, *, where: Where, because: str, at: Arguments = ()
) -> Check:
    """The guess is right: a number, a word or None; `because` explains what is true."""

    def judge(answer: Answer) -> Outcome:
        got = answer.part(where, *at)
        if _same_guess(got, expected):
            return check.full()
        return Outcome(0, because, _guess(expected), _guess(got))

    check = Check(title, points, judge)
    return check


def prediction_table(*rows: tuple[str, float, Any, Any, str]) -> tuple[Check, ...]:
    """A prediction for each row of title, points, expected, where and because.

    `where` is a tuple as of the other checks, or the key of an entry of a dict alone.
    """
    return tuple(
        prediction(title, points, expected, because=because,
                   where=where if type(where) is tuple else (where,))
        for title, points, expected, where, because in rows
    )  # fmt: skip


def _same_guess(got: object, expected: object) -> bool:
    if type(got) is str or type(expected) is str or got is None or expected is None:
        return type(got) is type(expected) and _guess(got) == _guess(expected)
    tolerance = 0.0 if type(expected) is int else TOLERANCE  # what is counted is right or wrong
    return close(plain(got), np.asarray(expected), tolerance)


def _guess(guess: object) -> str:
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
        text = " → ".join(expected), " → ".join(got)
        if sorted(got) != sorted(expected):
            return Outcome(0, _odd_ones(got, expected), *text)
        pairs = list(combinations(expected, 2))
        right = sum(got.index(first) < got.index(then) for first, then in pairs)
        return Outcome(points * right // len(pairs), because, *text)

    check = Check(title, points, judge)
    return check


def _list(value: Value) -> list[Any]:
    if type(value) not in (list, tuple):
        plain(value)  # what cannot be read at all says so itself
        value = [value]
    return list(value)


def _word(each: object) -> str:
    return each.strip().lower() if type(each) is str else "?"


def _odd_ones(got: Sequence[str], expected: Sequence[str]) -> str:
    missing = [each for each in expected if each not in got]
    if missing:
        return say("Still missing: {names}.", names=listed(missing))
    return say("Every step comes exactly once.")


__all__ = ["NO_ARGUMENTS", "TOLERANCE", "Slip", "order", "prediction", "prediction_table", "value"]
