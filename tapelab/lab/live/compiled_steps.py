"""Steps of compiled functions, which leave no tape: all are counted, and some interpreted.

A program raises in front of such a call, and what called it does the same by a replay, as where a
program fails. The replay opens the function's own tape, so the step is observed like any other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from tapelab.compile.compiled_program import Compiled, on_compiled, programs

if TYPE_CHECKING:
    from tapelab.core.tensor import Tensor

SHARE: Final = 50.0
"""A call that is interpreted is followed by so many times as long without one."""
A_RECORD: Final = 5e-6
"""About so many seconds an op takes that is interpreted."""
RAISES: Final = 2
"""The fast and the slow path into a function each call the program before they replay."""


class InterpretedError(Exception):
    """This call is to be interpreted."""


class Tap:
    """Stands in front of a program that asks tapes: counts its calls, and at times refuses one."""

    __slots__ = ("_due", "_rest", "_since", "call", "calls", "reported", "steps")

    def __init__(self, program: Compiled) -> None:
        self.calls: int = 0
        self.reported: int = 0
        self.call: Callable[[Sequence[Tensor]], Any] = program.call
        self.steps: int = program.questions
        self._due: int = RAISES
        self._since = time.monotonic()
        self._rest = SHARE * A_RECORD * program.length

    def __call__(self, inputs: Sequence[Tensor]) -> Any:
        """What the program returns; InterpretedError where it is time for a replay."""
        if self._due:
            self._due -= 1
            raise InterpretedError
        result = self.call(inputs)
        self.calls += 1  # another thread reads it, and writes only to `reported`
        return result

    def arm(self, now: float, period: float) -> None:
        """Let the next call be interpreted, if the last one was long enough ago."""
        if not self._due and now - self._since >= max(period, self._rest):
            self._due, self._since = RAISES, now

    def passed(self) -> int:
        """The number of steps since the last call of this method."""
        fresh = self.calls - self.reported
        self.reported += fresh
        return fresh * self.steps


def listen() -> None:
    """Count from here on, also the calls of programs that are yet to be made."""
    if _tap not in on_compiled:
        on_compiled.append(_tap)
        for program in _there():
            _tap(program)


def stop() -> None:
    """Remove all counters: programs run at full speed again."""
    if _tap in on_compiled:
        on_compiled.remove(_tap)
    for program in _there():
        if type(program.call) is Tap:
            program.call = program.call.call


def passed() -> int:
    """The number of steps of all compiled functions since the last call."""
    return sum(tap.passed() for tap in _taps())


def arm(rate: float) -> None:
    """Let each function be interpreted once, at most so many times a second."""
    now = time.monotonic()
    for tap in _taps():
        tap.arm(now, 1 / rate)


def _tap(program: Compiled) -> None:
    if program.questions and type(program.call) is not Tap:
        program.call = Tap(program)


def _taps() -> Iterator[Tap]:
    return (each.call for each in _there() if type(each.call) is Tap)


def _there() -> Iterator[Compiled]:
    """The programs that live, whatever other threads do meanwhile."""
    programs_alive = (reference() for reference in programs.valuerefs())
    return (program for program in programs_alive if program is not None)
