"""Tests of other graders as checks of ours: the steps are taken beside the learner's code.

What compares with a literal is judged here, outside. Other statements can only be run among the
learner's names, as their own graders run them: there, a learner's process may lie.
"""

from __future__ import annotations

import doctest
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapelab.exercises.answer import Answer
from tapelab.exercises.check import Check, Outcome
from tapelab.exercises.ungradable import Raised, Unreadable, Unsolved
from tapelab.exercises.values import ARRAY, TENSOR, VARIABLE, Numbers
from tapelab.exercises.wording import kind_of, spelled
from tapelab.grading.formats.answering import DONE, RAISED, SHOWN, VALUE
from tapelab.grading.formats.steps import POINTS, Step, doctests, statements

_MANY: Final = frozenset({ARRAY, TENSOR, VARIABLE})
_LONGEST: Final = 200


@dataclass(frozen=True)
class Asserted:
    """Judges an answer by steps, all of which have to pass; a part passed earns nothing."""

    name: str
    points: float
    steps: tuple[Step, ...]
    failure: str = ""

    def __call__(self, answer: Answer) -> Outcome:
        """Take the steps in order, and stop at the first that fails."""
        for number, step in enumerate(self.steps):
            said = answer.result(self.name, number, step.kind, step.source)
            found = self._judged(step, said)
            if found is not None:
                return found
        return Outcome(self.points)

    def _judged(self, step: Step, said: Any) -> Outcome | None:
        if step.how == POINTS:
            return self._earned(said)
        wrong = _wrong(step, said)
        if wrong is None:
            return None
        text = " ".join(filter(None, (self.failure, wrong.text)))
        return Outcome(0, text, wrong.expected, wrong.got)

    def _earned(self, said: Any) -> Outcome:
        """What nbgrader takes for partial credit: the number at the end of a cell."""
        value = _value_in(said)
        if type(value) is Numbers and value.array.size == 1 and value.array.dtype.kind in "biuf":
            points = float(value.array.reshape(()))
            if 0 <= points <= self.points:
                return Outcome(points)
        return Outcome(self.points)


def asserted(title: str, points: float, source: str, *, partial: bool = False) -> Check:
    """A cell of assertions, as nbgrader grades one, as a check."""
    return Check(title, points, Asserted(title, points, statements(source, partial=partial)))


def doctested(title: str, points: float, code: str, *, failure: str = "") -> Check:
    """A doctest, as Otter and OK have them, as a check."""
    return Check(title, points, Asserted(title, points, doctests(code), failure))


def _wrong(step: Step, said: Any) -> Outcome | None:
    """What is wrong with the answer to a step; None where nothing is."""
    if step.how == "raises":
        return _not_raised(step, said)
    if step.how == "shown":
        return _not_shown(step, _entry(said, SHOWN))
    if step.how:
        return _not_equal(step, _value_in(said))
    _entry(said, DONE)
    return None


def _entry(said: Any, kind: str) -> Any:
    """What a step said, if it is of this kind; Unreadable with what it raised."""
    if type(said) is not tuple or not said or said[0] != kind:
        _raise_for(said)
    return said[1] if len(said) > 1 else None


def _value_in(said: Any) -> Any:
    return _entry(said, VALUE)


def _raise_for(said: Any) -> None:
    if type(said) is not tuple or len(said) != 3 or said[0] != RAISED:
        raise Unreadable("The test did not get an answer.")
    name, message = (each if type(each) is str else "" for each in said[1:])
    if name == "NotImplementedError":
        raise Unsolved("Nothing here yet.")
    short = " ".join(message.split())[:_LONGEST]
    if name == "AssertionError":
        raise Unreadable(short or "An assertion of the test does not hold.")
    raise Raised(f"The test stopped with {name}" + (f": {short}" if short else ""))


def _not_raised(step: Step, said: Any) -> Outcome | None:
    if type(said) is tuple and len(said) == 3 and said[0] == RAISED:
        got = f"{said[1]}: {said[2]}\n" if said[2] else f"{said[1]}\n"
        if doctest.OutputChecker().check_output(step.want, got, step.flags):
            return None
        if step.flags & doctest.IGNORE_EXCEPTION_DETAIL and _kind(step.want) == said[1]:
            return None
        return Outcome(0, "Another exception is expected.", _short(step.want), _short(got))
    return Outcome(0, "An exception is expected.", _short(step.want), "none")


def _kind(message: str) -> str:
    return message.partition(":")[0].strip().rpartition(".")[2]


def _not_shown(step: Step, got: Any) -> Outcome | None:
    text = got if type(got) is str else ""
    if doctest.OutputChecker().check_output(step.want, text, step.flags):
        return None
    return Outcome(
        0, f"After `{_short(step.source)}`.", _short(step.want), _short(text) or "nothing"
    )


def _not_equal(step: Step, got: Any) -> Outcome | None:
    same = _close(got, step) if step.how == "close" else _equal(got, step.want)
    if same:
        return None
    return Outcome(0, f"For `{_short(step.source)}`.", _short(repr(step.want)), _told(got))


def _equal(got: Any, want: Any) -> bool:
    """Python's equality, of plain values alone."""
    if type(want) in {list, tuple}:
        return (
            type(got) is type(want) and len(got) == len(want)
            and all(map(_equal, got, want))
        )  # fmt: skip
    if type(want) is dict:
        return type(got) is dict and got.keys() == want.keys() and all(
            _equal(got[key], want[key]) for key in want
        )  # fmt: skip
    if want is None or type(want) is str:
        return type(got) is type(want) and got == want
    return type(got) is Numbers and got.array.size == 1 and bool(np.all(got.array == want))


def _close(got: Any, step: Step) -> bool:
    """As `allclose` and `isclose` compare, but never two shapes that do not fit."""
    array = _array(got)
    relative, absolute = step.tolerance
    try:
        want = np.asarray(step.want)
        return array is not None and bool(np.allclose(array, want, rtol=relative, atol=absolute))
    except (TypeError, ValueError):
        return False


def _array(got: Any) -> Any:
    if type(got) is Numbers:
        return got.array if got.array.dtype.kind in "biufc" else None
    if type(got) not in {list, tuple}:
        return None
    rows = [_array(each) for each in got]
    fit = all(row is not None for row in rows) and len({row.shape for row in rows}) <= 1
    return np.array(rows) if fit else None


def _told(got: Any) -> str:
    if type(got) is Numbers:
        return spelled(got.array) if got.kind in _MANY or got.array.ndim == 0 else got.kind
    if type(got) in {list, tuple}:
        inside = ", ".join(map(_told, got))
        return _short(f"[{inside}]" if type(got) is list else f"({inside})")
    return _short(repr(got)) if type(got) in {str, dict} or got is None else kind_of(got)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
