"""The steps of the backward pass from a target to a source, with what is known of their values.

A recording lists every step of a gradient call in the order of the backward pass: the op, the input
it leads to, the upstream gradient and the contribution. `BackwardSteps` keeps only the steps that
lead to one source, as parallel lists, and groups them by tensor. Values of large tensors are not
recorded; `measures` then says what is known of them (least, greatest, zeros, NaN).

Invariant: steps are in the order of the pass, so a step that receives a gradient comes after all
steps that contribute to it.
"""

from __future__ import annotations

from collections.abc import Container
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.recording import events as e

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tapelab.recording import Recording
    from tapelab.recording.measures import Measures


FOLLOWED: Final = (e.Method.GRADIENT, e.Method.PICTURE, e.Method.JACOBIAN)
"""The questions that lead back to one source as a whole."""


class BackwardSteps:
    """The steps of one answer as lists, of which only those that lead to the source are listed.

    A step goes from what an op made (`made`) to one of its inputs (`tensor`). The numbers are
    indices of tensors: `upstream` arrived at the op, `contribution` was propagated, `total` is what
    the input had received by then.
    """

    def __init__(self, recording: Recording, sources: bytes, call: int, result: int) -> None:
        self.recording: Final[Recording] = recording
        self.measures: Final[Measures] = recording.measures
        self.result = result
        rows = _steps(recording, call)
        kept = _leading(recording, sources, rows[:, 3], rows[:, 1], self._made(rows[:, 1]))
        rows = rows[kept]
        fields = (rows[:, field] for field in (*range(1, 5), 6, 7))
        columns: list[list[int]] = [column.tolist() for column in fields]
        self.event, self.position, self.tensor, self.upstream = columns[:4]
        self.contribution, self.total = columns[4:]
        self.made: list[int] = self._made(rows[:, 1]).tolist()

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.event)

    @cached_property
    def into(self) -> dict[int, list[int]]:
        """For each tensor the steps that lead to it."""
        return _grouped(self.tensor)

    @cached_property
    def out_of(self) -> dict[int, list[int]]:
        """For each tensor the steps that lead on from it, through the op that made it."""
        return _grouped(self.made)

    @property
    def is_zero(self) -> bool:
        """Whether the gradient that arrived is known to be exactly 0."""
        return bool(len(self)) and bool(self.measures.zero[self.result])

    @property
    def is_non_finite(self) -> bool:
        """Whether the gradient that arrived holds infinities or NaN."""
        return bool(len(self)) and bool(self.measures.nonfinite[self.result])

    def is_flushed_to_zero(self, step: int) -> bool:
        """Whether a step made nothing but zeros of a gradient that was none."""
        zero, known = self.measures.zero, self.measures.known
        arrived = known[self.upstream[step]] and not zero[self.upstream[step]]
        return bool(arrived and zero[self.contribution[step]])

    def _made(self, events: NDArray[Any]) -> NDArray[Any]:
        """The first result of the op of each event; -1 for the start at the target."""
        columns = self.recording.columns
        start = columns["event.start"][np.maximum(events, 0)]
        fields = columns["event.fields"]
        inputs = fields[np.minimum(start + 3, len(fields) - 1)]
        results = fields[np.minimum(start + 4 + inputs, len(fields) - 1)]
        return np.where(events >= 0, results, -1)

    def ran(self, step: int) -> e.Ran:
        """The op through which a step leads."""
        event = self.recording.event(self.event[step])
        assert isinstance(event, e.Ran)
        return event

    @cached_property
    def _numbers(self) -> NDArray[Any]:
        """The indices of the ops of all steps; -1 at the target."""
        columns = self.recording.columns
        events = np.array(self.event, np.int64)
        fields = columns["event.start"][np.maximum(events, 0)]
        return np.where(events >= 0, columns["event.fields"][fields], -1)

    @cached_property
    def ops(self) -> list[str]:
        """The names of the ops of all steps; empty at the target."""
        names = [*(op.name for op in self.recording.ops), ""]
        return [names[number] for number in self._numbers.tolist()]

    def through(self, names: Container[str]) -> list[int]:
        """The steps through ops of some names, from the target on."""
        wanted = [at for at, op in enumerate(self.recording.ops) if op.name in names]
        steps: list[int] = np.flatnonzero(np.isin(self._numbers, wanted)).tolist()
        return steps

    def all_of(self, names: Container[str]) -> list[int]:
        """The events of all ops of some names, on the way or not, as they ran."""
        columns = self.recording.columns
        ran = np.flatnonzero(columns["event.kind"] == e.KIND_OF[e.Ran])
        ops = columns["event.fields"][columns["event.start"][ran]]
        wanted = [at for at, op in enumerate(self.recording.ops) if op.name in names]
        events: list[int] = ran[np.isin(ops, wanted)].tolist()
        return events

    @cached_property
    def cotangent(self) -> dict[int, int]:
        """For each tensor the gradient that it received in all."""
        return dict(zip(self.tensor, self.total, strict=True))

    @cached_property
    def largest(self) -> NDArray[np.float64]:
        """The largest number in every tensor; infinite where there is one that is not finite."""
        return self.measures.largest

    @cached_property
    def strongest(self) -> dict[int, int]:
        """For each tensor the step that brought it the most."""
        if not len(self):
            return {}
        sizes = self.largest[np.array(self.contribution)]
        order = np.lexsort((sizes, np.array(self.tensor)))
        return {self.tensor[step]: step for step in order.tolist()}

    def back_from(self, tensor: int) -> list[int]:
        """The steps that brought a tensor the most, from the target down to it."""
        steps: list[int] = []
        seen = {tensor}
        while tensor in self.strongest:
            step = self.strongest[tensor]
            steps.append(step)
            tensor = self.made[step]
            if tensor in seen or tensor < 0:
                break
            seen.add(tensor)
        return steps[::-1]

    def value(self, tensor: int) -> NDArray[Any] | None:
        """The numbers of a tensor; None where they were not kept."""
        return self.recording.tensor(tensor).value if tensor >= 0 else None


def backward_steps_of(
    recording: Recording, targets: tuple[int, ...], sources: bytes
) -> BackwardSteps | None:
    """The backward steps of the last gradient call for a source; None without one.

    `sources` says of each tensor whether it is the source, or a state of it.
    """
    for index in np.flatnonzero(recording.columns["event.kind"] == e.KIND_OF[e.Asked])[::-1]:
        request = recording.event(int(index))
        assert isinstance(request, e.Asked)
        if request.method not in FOLLOWED or not {*targets} <= {*request.targets}:
            continue
        for source, result in zip(request.sources, request.results, strict=True):
            if sources[source] and result >= 0:
                return BackwardSteps(recording, sources, request.call, result)
    return None


def _grouped(tensors: list[int]) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for step, tensor in enumerate(tensors):
        groups.setdefault(tensor, []).append(step)
    return groups


def _steps(recording: Recording, call: int) -> NDArray[Any]:
    """The fields of the steps of one call, one row each; of a Jacobian those of its last row."""
    columns = recording.columns
    flowed = np.flatnonzero(columns["event.kind"] == e.KIND_OF[e.Flowed])
    starts = columns["event.start"][flowed]
    rows = columns["event.fields"][starts[:, None] + np.arange(8)]
    steps: NDArray[Any] = rows[rows[:, 0] == call]
    starts = np.flatnonzero(steps[:, 1] < 0)
    later = starts[1:][np.diff(starts) > 1]  # several targets start together, rows one by one
    return steps[later[-1] :] if len(later) else steps


def _leading(
    recording: Recording, sources: bytes, tensors: Any, events: Any, results: Any
) -> list[int]:
    """Which steps lead on to the source: found from its end."""
    leads = bytearray(sources + b"\0")  # the last is for the start at the target
    several = _of_several(recording)
    kept: list[int] = []
    givers, steps, takers = results.tolist(), events.tolist(), tensors.tolist()
    for step in range(len(takers) - 1, -1, -1):
        if leads[takers[step]]:
            kept.append(step)
            leads[givers[step]] = 1
            for each in several.get(steps[step], ()) if several else ():
                leads[each] = 1
    return kept[::-1]


def _of_several(recording: Recording) -> dict[int, tuple[int, ...]]:
    """The results of the ops that make several."""
    columns = recording.columns
    start, fields = columns["event.start"], columns["event.fields"]
    ran = np.flatnonzero(columns["event.kind"] == e.KIND_OF[e.Ran])
    counts = np.diff(start)[ran] - 4 - fields[start[ran] + 3]
    outputs = {}
    for index in ran[counts > 1].tolist():
        event = recording.event(index)
        assert isinstance(event, e.Ran)
        outputs[index] = event.outputs
    return outputs
