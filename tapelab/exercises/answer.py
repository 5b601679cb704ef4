"""What a check sees of an answer: plain values and recordings, wherever the user code runs.

`LocalAnswer` runs it in this process, the worker of `tapelab.grading` in another one. No live
object of a learner ever reaches a check. An answer that is missing, cannot be read or raised an
error raises Unreadable, which says why there are no points.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar
from zlib import crc32

import numpy as np

from tapelab.exercises.value_text import kind_text
from tapelab.exercises.values import Unreadable, Unsolved, Value, fingerprint
from tapelab.locales import say

if TYPE_CHECKING:
    from tapelab.exercises.tape_trial import Trial


Where = tuple[Any, ...]
"""The way to a part of a value, as in ("derivatives", "sin") or (0,)."""

Ends = tuple[int | str, int | str, int | str]
"""Where in a value the tape, the target and the source are: places, or entries of a dict."""

TAPE_TARGET_SOURCE: Final[Ends] = (0, 1, 2)
T = TypeVar("T")


class Answer(ABC):
    """A learner's function, run once for each input, so that all checks look at the same run.

    A subclass says how it is run. `seed` decides which points checks draw; it is the judge's, and
    the learner's code knows nothing of it.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed
        self._kept: dict[str, Any] = {}

    @abstractmethod
    def _result(self, arguments: tuple[Value, ...]) -> Value:
        """Run the function and return its value; Unreadable if there is none."""

    @abstractmethod
    def _trial(self, ends: Ends, arguments: tuple[Value, ...]) -> Trial:
        """The recording of the tape at these places of the value, of the same run."""

    def result(self, *arguments: Value) -> Value:
        """The returned value; Unsolved or Unreadable if there is none."""
        return self._once(f"result {fingerprint(arguments)}", lambda: self._result(arguments))

    def part(self, where: Where, *arguments: Value) -> Value:
        """A part of the returned value: an entry of a dict, a place in a tuple."""
        return part(self.result(*arguments), where)

    def trial(self, ends: Ends = TAPE_TARGET_SOURCE, *arguments: Value) -> Trial:
        """What the tape at `ends` recorded; Unsolved or Unreadable if there is none there."""
        key = f"trial {ends} {fingerprint(arguments)}"
        return self._once(key, lambda: self._trial(ends, arguments))

    @property
    def trials(self) -> tuple[Trial, ...]:
        """What was recorded, of the tapes that checks have asked for."""
        trials = (trial for key, trial in self._kept.items() if key.startswith("trial "))
        return tuple(trial for trial in trials if not isinstance(trial, Unreadable))

    def draws(self, purpose: str) -> np.random.Generator:
        """Random numbers for one purpose, the same for the same seed."""
        return np.random.default_rng([self.seed, crc32(purpose.encode())])

    def _once(self, key: str, run: Callable[[], T]) -> T:
        if key not in self._kept:
            try:
                self._kept[key] = run()
            except Unreadable as problem:
                self._kept[key] = problem
        if isinstance(self._kept[key], Unreadable):
            raise self._kept[key]
        result: T = self._kept[key]
        return result


def part(value: Value, where: Where) -> Any:
    """A part of a value, or of what it was made of; Unsolved if that is still the placeholder."""
    for key in where:
        value = _entry(value, key)
    if value is ...:
        raise Unsolved(say("Nothing here yet."))
    return value


def _entry(value: Any, key: Any) -> Any:
    if value is ...:
        raise Unsolved(say("Nothing here yet."))
    if isinstance(key, str):
        if not issubclass(type(value), dict):
            raise Unreadable(
                say(
                    "Return a dict with the entry '{key}'; this is {kind}.",
                    key=key,
                    kind=kind_text(value),
                )
            )
        if not dict.__contains__(value, key):
            raise Unreadable(say("The entry '{key}' is missing.", key=key))
        return dict.__getitem__(value, key)
    entries = _entries(value)
    if len(entries) <= key:
        raise Unreadable(
            say("Return {least} values or more; here are {got}.", least=key + 1, got=len(entries))
        )
    return entries[key]


def _entries(value: Value) -> list[Any]:
    for kind in (tuple, list):
        if issubclass(type(value), kind):
            return list(kind.__iter__(value))
    raise Unreadable(say("Return a tuple of values; this is {kind}.", kind=kind_text(value)))
