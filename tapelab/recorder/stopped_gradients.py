"""What `tf.stop_gradient` on a tape kept from the sources of a gradient call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from tapelab.core.backward_report import GradientCall, StepReport, shown_value
from tapelab.core.gradient_call import unrecorded
from tapelab.core.large_values import Dropped, truncated
from tapelab.core.origin import LoggedTensor
from tapelab.core.records import OpRun, as_op_run
from tapelab.core.taped_records import TapedSteps, is_released
from tapelab.core.tensor import wrap
from tapelab.core.value_types import Cotangent
from tapelab.recording.facts import Method

if TYPE_CHECKING:
    from tapelab.core.tape import GradientTape

MOST: Final = 8
"""For so many boundaries it is computed what they stopped."""


def stopped_gradients(
    tape: GradientTape, answer: GradientCall, sources: Sequence[Any]
) -> list[GradientCall]:
    """For each boundary that a backward pass met, what would have flowed on to the sources.

    Each is a gradient call of its own: from the input of `tf.stop_gradient`, with the gradient that
    arrived at it, at its place in the code.
    """
    if not tape._stopped_ids or is_released(tape) or len(sources) != len(answer.sources):
        return []
    runs = map(as_op_run, TapedSteps(tape).runs_backwards())
    stops = {run.serial: run for run in runs if run.op.pattern == "stop"}
    met = [flow for flow in answer.report.read() if flow.op in stops][:MOST]
    return [
        _beyond(tape, answer, sources, stops[flow.op], flow.upstream)
        for flow in met
        if flow.upstream is not None and type(flow.upstream) is not Dropped
    ]


def _beyond(
    tape: GradientTape,
    answer: GradientCall,
    sources: Sequence[Any],
    stop: OpRun,
    upstream: Cotangent,
) -> GradientCall:
    """What would flow on from the input of a boundary, with what arrived at it."""
    (number,), (value,) = stop.input_ids, stop.inputs
    start = wrap(upstream, number, stop.origin)
    results = unrecorded(tape, [start], [upstream], sources, StepReport(), shown=False)
    ends = (LoggedTensor(number, truncated(value), stop.origin),), answer.sources
    shown = tuple(map(shown_value, results))
    return GradientCall(answer.serial, stop.origin, Method.PICTURE, False, *ends, shown)
