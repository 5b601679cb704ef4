"""Cuts inside functions that run as one step, and whose way back runs them again.

`tf.recompute_grad` and `tf.py_function` pause the tape around the body. The way back goes through
it all the same, and what cuts a gradient there cuts it here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tapelab.diagnosis.account import Reached
from tapelab.diagnosis.edges import NUMBER_OF, Cut
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge

CUTTING: Final = (Cut.STOPPED, Cut.LEFT, Cut.COPIED, Cut.OUTSIDE, Cut.HANDED_OUT)
"""What cuts a gradient inside a body as it does outside."""


class Body(NamedTuple):
    """The inside of one step: its events from `start` to `stop`, the group, and what it made."""

    start: int
    stop: int
    group: int
    made: tuple[int, ...]


def cuts_inside(case: Case) -> Iterator[Edge]:
    """The steps inside bodies at which a gradient on the way from target to source is cut."""
    for body in _bodies(case):
        ahead, wanted = _leading(case, body), [NUMBER_OF[cut] for cut in CUTTING]
        edges = case.flow.edges
        event = edges.columns[2]
        inside = (event > body.start) & (event < body.stop) & np.isin(edges.columns[4], wanted)
        for at in np.flatnonzero(inside).tolist():
            edge = edges.edge(at)
            if edge.to in ahead and edge.origin in case.downstream and _is_own(case, body, edge):
                yield edge


def _bodies(case: Case) -> Iterator[Body]:
    """The bodies of the steps that the gradient goes through, each by its last events."""
    groups, located = case.recording.groups, case.recording.located
    if not groups:
        return
    names = {group.name.strip("<>") for group in groups}
    bodies = {op for op, row in enumerate(case.recording.ops) if row.name in names}
    resumed = [place.index for place in case.recording.placed(e.Resumed)]
    paused = [place.index for place in case.recording.placed(e.Paused)]
    for place in case.recording.placed(e.Ran) if bodies and paused else ():
        ran = place.event
        if not isinstance(ran, e.Ran) or ran.op not in bodies or ran.cause != e.Cause.TAPED:
            continue
        stop = max((at for at in resumed if at < place.index), default=-1)
        start = max((at for at in paused if at < stop), default=-1)
        own = [each.event for each in located[start:stop] if isinstance(each.event, e.Ran)]
        if start >= 0 and own and not case.alive.isdisjoint(ran.outputs):
            yield Body(start, stop, own[-1].group, own[-1].outputs)


def _leading(case: Case, body: Body) -> Reached:
    """The tensors from which the result of a body was made."""
    edges, count = case.flow.edges, len(case.recording.columns["tensor.dtype"])
    seeds, event = bytearray(count), edges.columns[2]
    for tensor in body.made:
        seeds[tensor] = 1
    inside = (event > body.start) & (event < body.stop)
    return Reached(edges.back(seeds, bytearray(count), inside))


def _is_own(case: Case, body: Body, edge: Edge) -> bool:
    """Whether the learner wrote the cut: not where a function of tf stops a gradient by itself."""
    event = case.recording.event(edge.event)
    return edge.cut is not Cut.STOPPED or not isinstance(event, e.Ran) or event.group == body.group
