"""How large the gradient is along the tape, and where it fades, explodes, dies or turns into NaN.

The same model as in `extension/src/core/flow.ts`; the golden recordings hold both to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from tapelab.recording import Recording
from tapelab.views.tape_graph import FrameKind
from tapelab.views.timeline import Model

VANISHED: Final = 1e-7
"""Smaller on average than this, a gradient no longer moves a weight near 1."""
EXPLODED: Final = 1e6
"""Larger on average than this, a step along the gradient leaps."""


@dataclass(frozen=True, slots=True)
class Magnitude:
    """How large a gradient is: the mean distance from 0 of its numbers, and what that means.

    `norm` is its Euclidean norm, which is written beside edges; NaN where it is not known.
    """

    size: float
    health: str
    norm: float = math.nan


@dataclass(frozen=True, slots=True)
class FlowPoint:
    """The gradient at a frame of the tape, and the step at which all of it has arrived."""

    frame: int
    magnitude: Magnitude
    step: int


def magnitude_of(recording: Recording, tensor: int) -> Magnitude:
    """How large the numbers of a tensor are; `unknown` where nothing was kept of them."""
    if tensor < 0 or not recording.measures.known[tensor]:
        return Magnitude(math.nan, "unknown")
    measure = recording.measures.of(tensor)
    if measure.nans + measure.infinities:
        health = "nan"
    elif not measure.least and not measure.greatest:
        health = "zero"
    elif measure.size < VANISHED:
        health = "vanished"
    else:
        health = "exploded" if measure.size > EXPLODED else "fine"
    return Magnitude(measure.size, health, measure.norm)


def flow_of(model: Model) -> tuple[FlowPoint, ...]:
    """The gradient at every frame that it reaches, in the order of recording."""
    points = []
    frames = model.graph.frames
    for number, frame in enumerate(frames):
        arrivals = model.arrivals.get(frame.node, ())
        inside = frame.kind in (FrameKind.OP, FrameKind.WATCH)
        first = frame.node >= 0 and model.graph.nodes[frame.node].frame == number
        reaching = [at for at in arrivals if (flow := model.flows[at]) and flow.contribution >= 0]
        if not inside or not first or not reaching:
            continue
        flow = model.flows[reaching[-1]]
        assert flow is not None
        magnitude = magnitude_of(model.recording, flow.sum)
        points.append(FlowPoint(number, magnitude, len(frames) + reaching[-1] + 1))
    return tuple(points)


def first_non_finite_step(model: Model) -> int:
    """The step at which a number that is none is first there; -1 if there is no such step."""
    recording, frames = model.recording, model.graph.frames
    for number, frame in enumerate(frames):
        shown = model.graph.nodes[frame.node].tensor if frame.node >= 0 else -1
        if magnitude_of(recording, shown).health == "nan":
            return number + 1
    for at, flow in enumerate(model.flows):
        if flow is not None and magnitude_of(recording, flow.sum).health == "nan":
            return len(frames) + at + 1
    return -1
