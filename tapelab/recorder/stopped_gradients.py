"""What walls on a tape, such as `tf.stop_gradient`, held back from the sources of a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from tapelab.engine.asking import Answer, kept, unrecorded
from tapelab.engine.flows import Flows
from tapelab.engine.log import Seen
from tapelab.engine.reaching import closed, forgotten, taped
from tapelab.engine.records import Dropped, OpRun, as_op_run, truncated
from tapelab.engine.tensor import wrap
from tapelab.recording.facts import Method

if TYPE_CHECKING:
    from tapelab.engine.tape import GradientTape

WALLS: Final = 8
"""Of so many walls it is worked out what they held back."""


def held_back(tape: GradientTape, answer: Answer, sources: Sequence[Any]) -> list[Answer]:
    """For each wall that a way back met, what would have flowed on from there to the sources.

    Each is a question of its own: from what went into the wall, with the gradient that arrived at
    it, at the place of the wall in the code.
    """
    if not tape._walled or forgotten(tape) or len(sources) != len(answer.sources):
        return []
    runs = map(as_op_run, taped(closed(tape), tape._serial))
    walls = {run.serial: run for run in runs if run.op.pattern == "stop"}
    met = [flow for flow in answer.flows.told() if flow.op in walls][:WALLS]
    return [
        _beyond(tape, answer, sources, walls[flow.op], flow.upstream)
        for flow in met
        if flow.upstream is not None and type(flow.upstream) is not Dropped
    ]


def _beyond(
    tape: GradientTape, answer: Answer, sources: Sequence[Any], wall: OpRun, upstream: Any
) -> Answer:
    """What would flow from what went into a wall, with what arrived at it."""
    (number,), (value,) = wall.input_ids, wall.inputs
    start = wrap(upstream, number, wall.origin)
    results = unrecorded(tape, [start], [upstream], sources, Flows(), shown=False)
    ends = (Seen(number, truncated(value), wall.origin),), answer.sources
    return Answer(answer.serial, wall.origin, Method.PICTURE, False, *ends, kept(results))
