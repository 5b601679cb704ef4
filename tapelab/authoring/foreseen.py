"""Whether what a check says to a foreseen wrong answer can ever be said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapelab.core.tape import GradientTape
from tapelab.core.variable import Variable
from tapelab.exercises.answer import Answer, Ends
from tapelab.exercises.check import Check, Slip
from tapelab.exercises.reading import value_of
from tapelab.exercises.trial import Trial, trial_of
from tapelab.exercises.values import Numbers, Value
from tapelab.exercises.verdict import outcome
from tapelab.ops.reduce_ops import reduce_sum


class WrongAnswer(Answer):
    """The answer of a learner who slips in this one way."""

    def __init__(self, check: Check, slip: Slip) -> None:
        super().__init__()
        self._check, self._slip = check, slip

    def _value(self, arguments: tuple[Value, ...]) -> Any:
        plain = [each.array if type(each) is Numbers else each for each in arguments]
        return self._slip.value(*plain) if callable(self._slip.value) else self._slip.value

    def _result(self, arguments: tuple[Value, ...]) -> Value:
        found = self._value(arguments)
        for key in reversed(self._check.where):
            found = {key: found} if isinstance(key, str) else [found] * (key + 1)
        return value_of(found)

    def _trial(self, ends: Ends, arguments: tuple[Value, ...]) -> Trial:
        """A tape on which the wrong gradient arrives."""
        slopes = np.asarray(self._value(arguments), np.float64)
        source = Variable(np.zeros_like(slopes))
        with GradientTape() as tape:
            target = reduce_sum(source * slopes)
        return trial_of(tape, target, source)


def unreachable(check: Check) -> Iterator[Slip]:
    """The slips of which a learner who makes them is never told."""
    for slip in check.slips:
        found = outcome(check, WrongAnswer(check, slip))
        if slip.text not in found.text or found.ending:
            yield slip
