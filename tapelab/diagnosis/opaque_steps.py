"""Cuts inside functions that the tape records as one op and runs again in the backward pass.

`tf.recompute_grad` and `tf.py_function` pause the tape around their body. The gradient still flows
through the body, so what cuts a gradient there cuts it here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tapelab.diagnosis.edges import NUMBER_OF, Cut, TensorSet
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.dataflow import Flow
    from tapelab.diagnosis.edges import Edge
    from tapelab.recording import Recording


CUTTING: Final = (Cut.STOPPED, Cut.LEFT, Cut.COPIED, Cut.OUTSIDE, Cut.HANDED_OUT)
"""What cuts a gradient inside a body as it does outside."""


class Body(NamedTuple):
    """The inside of one step: its events from `start` to `stop`, the group, and what it made."""

    start: int
    stop: int
    group: int
    made: tuple[int, ...]


def cuts_inside(flow: Flow, alive: TensorSet, downstream: TensorSet) -> Iterator[Edge]:
    """The steps inside bodies at which a gradient on the way from target to source is cut.

    The gradient of the target reaches the tensors `alive`, those `downstream` were made from the
    source.
    """
    edges, recording = flow.edges, flow.recording
    for body in _bodies(recording, alive):
        ahead, wanted = _leading(flow, body), [NUMBER_OF[cut] for cut in CUTTING]
        event = edges.columns[2]
        inside = (event > body.start) & (event < body.stop) & np.isin(edges.columns[4], wanted)
        for at in np.flatnonzero(inside).tolist():
            edge = edges.edge(at)
            reaches = edge.to in ahead and edge.origin in downstream
            if reaches and _is_own(recording, body, edge):
                yield edge


def _bodies(recording: Recording, alive: TensorSet) -> Iterator[Body]:
    """The bodies of the steps that the gradient goes through, each by its last events."""
    groups, located = recording.groups, recording.located
    if not groups:
        return
    names = {group.name.strip("<>") for group in groups}
    bodies = {op for op, row in enumerate(recording.ops) if row.name in names}
    resumed = [place.index for place in recording.placed(e.Resumed)]
    paused = [place.index for place in recording.placed(e.Paused)]
    for place in recording.placed(e.Ran) if bodies and paused else ():
        ran = place.event
        if not isinstance(ran, e.Ran) or ran.op not in bodies or ran.cause != e.Cause.TAPED:
            continue
        stop = max((at for at in resumed if at < place.index), default=-1)
        start = max((at for at in paused if at < stop), default=-1)
        own = [each.event for each in located[start:stop] if isinstance(each.event, e.Ran)]
        if start >= 0 and own and not alive.isdisjoint(ran.outputs):
            yield Body(start, stop, recording.composite_of(own[-1]), own[-1].outputs)


def _leading(flow: Flow, body: Body) -> TensorSet:
    """The tensors from which the result of a body was made."""
    edges, count = flow.edges, len(flow.recording.columns["tensor.dtype"])
    seeds, event = bytearray(count), edges.columns[2]
    for tensor in body.made:
        seeds[tensor] = 1
    inside = (event > body.start) & (event < body.stop)
    return TensorSet(edges.back(seeds, bytes(count), inside))


def _is_own(recording: Recording, body: Body, edge: Edge) -> bool:
    """Whether the learner wrote the cut: not where a function of tf stops a gradient by itself."""
    event = recording.event(edge.event)
    if edge.cut is not Cut.STOPPED or not isinstance(event, e.Ran):
        return True
    return recording.composite_of(event) == body.group
