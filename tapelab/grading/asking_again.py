"""The question in a recording, put to the tape of its replay: the same has to come back.

A None is looked at as closely as a number, and so is every step of the way back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np

from tapelab.array_ops.creation import constant, convert_to_tensor, ones_like
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.errors import NoGradientError
from tapelab.recording import Recording
from tapelab.recording.events import Asked, Flowed
from tapelab.recording.facts import Method

CLOSE: Final = 1e-3
"""How far a number may be from what comes out here: threads and machines round differently."""
_GRADIENTS: Final = {Method.GRADIENT, Method.PICTURE}
Live = Callable[[int], Tensor | None]
"""The tensor at an index, come to life again; None where its numbers are not known."""


class Doubt(ValueError):  # noqa: N818 - it says what contradicts what
    """A recording that no tape can have made."""


class Again:
    """A question of a recording, and the tape that is asked it again."""

    def __init__(self, recording: Recording, asked: Asked, tape: GradientTape, live: Live) -> None:
        self._recording, self._asked, self._tape, self._live = recording, asked, tape, live
        events = [each.event for each in recording.placed(Flowed)]
        flows = [each for each in events if isinstance(each, Flowed)]
        self._flows = [each for each in flows if each.call == asked.call]

    def compare(self, *, free: set[int], behind: set[int]) -> None:
        """Ask; Doubt where another answer comes.

        The gradients of what is `free` pass something of the learner's own, and may be anything.
        What lies `behind` a wall gets a gradient that no tape gives.
        """
        targets = [self._live(index) for index in self._asked.targets]
        if any(each is None for each in targets):
            return
        seeds = self._seeds(targets)
        if seeds is None:
            return
        try:
            self._sources(targets, seeds, free)
            if self._asked.method in _GRADIENTS:
                self._way(targets, seeds, free, behind)
        except NoGradientError as error:  # an op on the way has no rule, so there is no answer
            if any(each >= 0 for each in self._asked.results):
                raise Doubt("a gradient arrives where an op has no rule") from error

    def _seeds(self, targets: Sequence[Any]) -> list[Any] | None:
        """What was given as upstream of each target; None where that is not known."""
        seeds = [ones_like(each) for each in targets]
        for flow in self._flows:
            if flow.event < 0 and flow.contribution >= 0 and flow.tensor in self._asked.targets:
                value = self._recording.tensor(flow.contribution).value
                if value is None:
                    return None
                at = self._asked.targets.index(flow.tensor)
                seeds[at] = constant(value, dtype=targets[at].dtype)
        return seeds

    def _sources(self, targets: list[Any], seeds: list[Any], free: set[int]) -> None:
        states = [
            [(index, live) for index in self._states(source) if (live := self._live(index))
             is not None] for source in self._asked.sources
        ]  # fmt: skip
        found = iter(self._put(targets, seeds, [live for each in states for _, live in each]))
        for each, claimed in zip(states, self._asked.results, strict=True):
            arrived = [one for one in islice(found, len(each)) if one is not None]
            if each and not free & {index for index, _ in each}:
                self._compare(arrived, claimed)

    def _compare(self, arrived: list[Any], claimed: int) -> None:
        """What arrives here at all that a source was, beside what is said to arrive."""
        if claimed >= 0:
            numbers = [np.asarray(convert_to_tensor(each)) for each in arrived]
            self._number(sum(numbers[1:], numbers[0]) if numbers else None, claimed)
        elif arrived and not self._unanswered():
            raise Doubt("no gradient is said to arrive where a path leads")

    def _states(self, source: int) -> list[int]:
        """All that a source was: a variable is itself in all its states."""
        variable = self._recording.tensor(source).variable
        if variable < 0:
            return [source]
        column = self._recording.columns["tensor.variable"]
        return np.flatnonzero(column == variable).tolist()

    def _put(self, targets: list[Any], seeds: list[Any], sources: list[Tensor]) -> list[Any]:
        if self._asked.method == Method.JACOBIAN:
            return [self._tape.jacobian(targets[0], each) for each in sources]
        if self._asked.method == Method.BATCH_JACOBIAN:
            return [self._tape.batch_jacobian(targets[0], each) for each in sources]
        found: list[Any] = self._tape.gradient(targets, sources, output_gradients=seeds)
        return found

    def _number(self, found: Any, claimed: int) -> None:
        value = self._recording.tensor(claimed).value
        if found is None:
            if not self._asked.unconnected:
                raise Doubt("a gradient arrives where no path leads")
            found = np.zeros_like(value) if value is not None else None
        if value is not None and found is not None and not alike(found, value):
            raise Doubt("another gradient arrives")

    def _unanswered(self) -> bool:
        """Whether the tape had given its one answer before, and could not be asked any more."""
        tape = self._recording.tape
        events = [each.event for each in self._recording.placed(Asked)]
        earlier = [each for each in events if isinstance(each, Asked)]
        return (
            self._asked.method == Method.PICTURE
            and tape.consumed
            and not tape.persistent
            and any(each.method != Method.PICTURE for each in earlier)
        )

    def _way(self, targets: list[Any], seeds: list[Any], free: set[int], behind: set[int]) -> None:
        """Every tensor that the gradient is said to pass gets what is said here, too."""
        sums = {each.tensor: each.sum for each in self._flows
                if each.event >= 0 and each.contribution >= 0}  # fmt: skip
        known = {index: self._live(index) for index in sums if index not in free}
        passed = [(index, live) for index, live in known.items() if live is not None]
        if not passed:
            return
        lives = [live for _, live in passed]
        found = self._tape.gradient(targets, lives, output_gradients=seeds)
        for (index, _), one in zip(passed, found, strict=True):
            if one is None and index in behind:
                continue
            if one is None:
                raise Doubt("a gradient is said to pass where no path leads")
            value = self._recording.tensor(sums[index]).value
            if value is not None and not alike(np.asarray(convert_to_tensor(one)), value):
                raise Doubt("another gradient passes")


def alike(got: Any, claimed: Any) -> bool:
    """Whether numbers are the same, up to rounding; anything but numbers is not compared."""
    if got.dtype.kind not in "biufc" or claimed.dtype.kind not in "biufc":
        return True
    if got.shape != claimed.shape:
        return False
    scale = float(np.max(np.abs(got), initial=0.0, where=np.isfinite(got)))
    return bool(np.allclose(got, claimed, CLOSE, CLOSE * min(scale, 1.0), equal_nan=True))
