"""The state of every step: the forward pass frame by frame, then the backward pass.

A step is either one frame of the forward pass, or one contribution of the backward pass. `Model`
answers for any step which frame and node are current and what each gradient slot shows; all views
are functions of it.

The same model as in `extension/src/core/model.ts` and `stepstate.ts`; the golden recordings hold
both to it. Steps count from 1, as on screen.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from tapelab.recording import Recording
from tapelab.recording import events as e
from tapelab.recording.op_facts import OpFacts
from tapelab.recording.schema import Role, TensorFacts
from tapelab.views.number_format import format_brief, format_number
from tapelab.views.tape_graph import FrameKind, Graph, build_graph

FORWARD: Final = "forward"
BACKWARD: Final = "backward"
EMPTY: Final = "empty"


@dataclass(frozen=True, slots=True)
class Step:
    """What one step is about; `node` is where the value or the gradient arrives, -1 for nowhere."""

    number: int
    phase: str
    frame: int = -1
    node: int = -1
    through: int = -1
    flow: e.Flowed | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """The gradient of a node as it stands: its state, and the tensor that holds it (or -1)."""

    state: str
    tensor: int = -1


@dataclass(frozen=True)
class BackwardPass:
    """One gradient call and its backward pass."""

    gradient_call: e.Asked
    event: int
    flows: tuple[e.Flowed, ...]


@dataclass(frozen=True)
class Model:
    """A recording prepared for the views: its graph, and the backward pass that is shown."""

    recording: Recording
    graph: Graph
    backward_passes: tuple[BackwardPass, ...]
    chosen: int

    @classmethod
    def of(cls, recording: Recording, chosen: int | None = None) -> Model:
        """Prepare a recording; by default the last backward pass with a gradient is shown."""
        graph, backward_passes = build_graph(recording), _backward_passes(recording)
        if chosen is None:
            flowing = [
                at for at, backward_pass in enumerate(backward_passes) if backward_pass.flows
            ]
            chosen = flowing[-1] if flowing else len(backward_passes) - 1
        return cls(recording, graph, backward_passes, chosen)

    @property
    def backward_pass(self) -> BackwardPass | None:
        """The backward pass that is shown; None without a gradient call."""
        return self.backward_passes[self.chosen] if self.backward_passes else None

    @cached_property
    def flows(self) -> tuple[e.Flowed | None, ...]:
        """The backward steps; one empty step where nothing flows at all."""
        if self.backward_pass is None:
            return ()
        return self.backward_pass.flows or (None,)

    @cached_property
    def arrivals(self) -> dict[int, list[int]]:
        """For each node the backward steps, counted from 0, that bring something to it."""
        arrivals: dict[int, list[int]] = defaultdict(list)
        for at, flow in enumerate(self.flows):
            if flow is not None and flow.tensor in self.graph.of_tensor:
                arrivals[self.graph.of_tensor[flow.tensor]].append(at)
        return arrivals

    def __len__(self) -> int:
        """The number of steps, forwards and back."""
        return len(self.graph.frames) + len(self.flows)

    @cached_property
    def first(self) -> int:
        """The first step: 0, where the `with` of the tape stands in the code, and else 1."""
        opened = self.graph.opened
        return int(opened < 0 or self.recording.event_spans[opened] < 0)

    def at(self, number: int) -> Step:
        """What is lit at a step; numbers beyond the ends mean the first and the last."""
        number = max(self.first, min(len(self), number))
        frames = self.graph.frames
        if not len(self):
            return Step(0, EMPTY)
        if not number:
            return Step(0, FORWARD)
        if number <= len(frames):
            return Step(number, FORWARD, number - 1, frames[number - 1].node)
        return self._backward(number, self.flows[number - len(frames) - 1])

    def _backward(self, number: int, flow: e.Flowed | None) -> Step:
        graph, backward_pass = self.graph, self.backward_pass
        assert backward_pass is not None
        if flow is None:
            through, arrives = -1, next(iter(backward_pass.gradient_call.targets), -1)
        else:
            through, arrives = graph.of_event.get(flow.event, -1), flow.tensor
        node = graph.of_tensor.get(arrives, -1)
        shown = through if through >= 0 else node
        frame = graph.nodes[shown].frame if shown >= 0 else -1
        return Step(number, BACKWARD, frame, node, through, flow)

    # What stands in a node

    def tensor(self, node: int) -> TensorFacts | None:
        """The tensor that a node shows."""
        index = self.graph.nodes[node].tensor if node >= 0 else -1
        return self.recording.tensor(index) if index >= 0 else None

    def op(self, node: int) -> OpFacts | None:
        """The op that ran at a node."""
        event = self.graph.nodes[node].event if node >= 0 else -1
        ran = self.recording.event(event) if event >= 0 else None
        return self.recording.ops[ran.op] if isinstance(ran, e.Ran) else None

    def label(self, node: int) -> str:
        """What a node is called: the learner's name for it, or its source text."""
        tensor, op = self.tensor(node), self.op(node)
        if tensor is not None and tensor.name:
            return " ".join(tensor.name.split())
        if tensor is not None and tensor.role == Role.STATE:
            return self.recording.variables[tensor.variable].name
        return op.name if op else ("constant" if tensor is not None else "")

    def slot(self, node: int, step: Step | None = None) -> Slot:
        """The gradient of a node at a step (by default the last): pending, part, value, zero, …"""
        step = step or self.at(len(self))
        if self.backward_pass is None or step.phase != BACKWARD:
            return Slot("pending")
        steps = self.arrivals.get(node, [])
        done = step.number - len(self.graph.frames)
        arrived = [flow for at in steps if at < done and (flow := self.flows[at])]
        sums = [flow.sum for flow in arrived if flow.sum >= 0]
        complete = len(arrived) == len(steps)
        if sums:
            return Slot(_state(self.recording.tensor(sums[-1]), complete), sums[-1])
        if (complete and steps) or step.number == len(self):
            return Slot("nonezero" if self._shown_as_zero(node) else "none")
        return Slot("pending")

    def _shown_as_zero(self, node: int) -> bool:
        gradient_call = self.backward_pass.gradient_call if self.backward_pass else None
        if gradient_call is None or not gradient_call.unconnected:
            return False
        return node in {self.graph.of_tensor.get(source, -1) for source in gradient_call.sources}

    def slot_text(self, slot: Slot, room: int) -> str:
        """What stands in a slot, in so many characters; nothing where it is not computed yet."""
        if slot.state in _FIXED:
            return _FIXED[slot.state]
        tensor = self.recording.tensor(slot.tensor)
        if slot.state == "nan" and tensor.shape and tensor.value is not None:
            return _oddest(tensor.value)
        more = "+" if slot.state == "part" else ""
        return format_brief(tensor, room - len(more)) + more

    # What stands in a frame

    def tag(self, frame: int) -> str:
        """The op of a frame, in short: its glyph, or what happened there."""
        kind, node = self.graph.frames[frame].kind, self.graph.frames[frame].node
        match self.recording.event(self.graph.frames[frame].event):
            case e.Watched():
                return "watch"
            case e.Read():
                return "read"
            case e.Left(how=how):
                return self.recording.strings[how]
            case e.Assigned(how=how):
                return _ASSIGNED[how]
        op = self.op(node)
        assert op is not None, kind
        return op.glyph if len(op.glyph) <= 4 else op.name

    def frame_label(self, frame: int) -> str:
        """The name of what a frame shows."""
        node = self.graph.frames[frame].node
        if node >= 0:
            return self.label(node)
        event = self.recording.event(self.graph.frames[frame].event)
        assert isinstance(event, e.Assigned)
        return self.recording.variables[event.variable].name

    def is_off(self, frame: int) -> bool:
        """Whether a frame lies beside the tape."""
        return self.graph.frames[frame].kind in (FrameKind.OFF, FrameKind.ASSIGN)


_FIXED: Final = {"pending": "", "none": "None", "nonezero": "0", "zero": "0"}
_ASSIGNED: Final = ("assign", "assign_add", "assign_sub", "assign")


def _backward_passes(recording: Recording) -> tuple[BackwardPass, ...]:
    calls: dict[int, tuple[int, e.Asked]] = {}
    flows: dict[int, list[e.Flowed]] = defaultdict(list)
    for located in recording.located:
        if isinstance(located.event, e.Asked):
            calls[located.event.call] = located.index, located.event
        elif isinstance(located.event, e.Flowed):
            flows[located.event.call].append(located.event)
    return tuple(
        BackwardPass(event, index, tuple(flows[call])) for call, (index, event) in calls.items()
    )


def _state(tensor: TensorFacts, complete: bool) -> str:
    value: Any = tensor.value
    if value is not None and not np.isfinite(value).all():
        return "nan"
    if not complete:
        return "part"
    return "zero" if value is not None and value.size and not value.any() else "value"


def _oddest(value: Any) -> str:
    """The number of a tensor that explains the others: NaN before the infinities."""
    flat = np.asarray(value).reshape(-1)
    odd = flat[np.isnan(flat)] if np.isnan(flat).any() else flat[~np.isfinite(flat)]
    return format_number(float(odd[0].real))
