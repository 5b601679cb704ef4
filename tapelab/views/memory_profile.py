"""How many bytes the tape and the backward pass hold, step by step.

The same model as in `extension/src/core/memory.ts`; the golden recordings hold both to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tapelab import dtypes
from tapelab.recording import events as e
from tapelab.recording.facts import Method
from tapelab.recording.recording import Recording
from tapelab.views.tape_graph import FrameKind
from tapelab.views.timeline import Model


@dataclass(frozen=True)
class Memory:
    """Bytes after every step; entry 0 is before the first.

    `tape` counts the buffers of the inputs and results of all that is on the tape, each once;
    `gradients` counts those that the backward pass still needs; `held` how many frames are still on
    the tape; `freed` the bytes that the tape releases during and after the backward pass.
    """

    tape: tuple[int, ...]
    gradients: tuple[int, ...]
    held: tuple[int, ...]
    freed: int

    @property
    def peak(self) -> int:
        """The most that is held at once."""
        return max(map(sum, zip(self.tape, self.gradients, strict=True)))


def memory_of(model: Model) -> Memory:
    """The memory of the tape and of the backward pass at every step."""
    buffers = Buffers(model.recording)
    forwards, back = _forwards(model, buffers), _backwards(model, buffers)
    held = (*range(len(forwards)), *_held(model))
    tape = tuple(forwards[frames] for frames in held)
    freed = forwards[-1] if _lets_go(model) else 0
    return Memory(tape, (*(0 for _ in forwards), *back), held, freed)


class Buffers:
    """The buffer of each tensor: its own, or one that it shares with others."""

    def __init__(self, recording: Recording) -> None:
        columns = recording.columns
        self._recording = recording
        self._shared: dict[int, int] = {}
        self._sizes: list[int] = []
        if "share.tensor" in columns:
            pairs = zip(columns["share.tensor"], columns["share.buffer"], strict=True)
            self._shared = {int(tensor): -2 - int(buffer) for tensor, buffer in pairs}
            self._sizes = [int(size) for size in columns["share.bytes"]]

    def of(self, tensors: Iterable[int]) -> set[int]:
        """The buffers of some tensors."""
        return {self._shared.get(tensor, tensor) for tensor in tensors if tensor >= 0}

    def size(self, buffers: Iterable[int]) -> int:
        """How many bytes some buffers take."""
        return sum(
            bytes_of(self._recording, each) if each >= 0 else self._sizes[-2 - each]
            for each in buffers
        )


def bytes_of(recording: Recording, tensor: int) -> int:
    """How many bytes the numbers of a tensor take; none for words."""
    name = recording.dtypes[recording.columns["tensor.dtype"][tensor]]
    shape = recording.shapes[recording.columns["tensor.shape"][tensor]]
    return 0 if name == "string" else dtypes.as_dtype(name).size * math.prod(shape)


def _lets_go(model: Model) -> bool:
    """Whether the backward pass consumes the tape: it does unless the tape is persistent."""
    return bool(model.backward_passes) and not model.recording.tape.persistent


def _forwards(model: Model, buffers: Buffers) -> list[int]:
    held, seen = [0], set[int]()
    for frame in model.graph.frames:
        ran = model.recording.event(frame.event) if frame.kind is FrameKind.OP else None
        ends = (*ran.inputs, *ran.outputs) if isinstance(ran, e.Ran) else ()
        fresh = buffers.of(ends) - seen
        seen |= fresh
        held.append(held[-1] + buffers.size(fresh))
    return held


def _through(model: Model) -> list[int]:
    of_event = model.graph.of_event
    return [-1 if flow is None else of_event.get(flow.event, -1) for flow in model.flows]


def _held(model: Model) -> list[int]:
    """How many frames are on the tape after each backward step; those already passed are not."""
    nodes, through = model.graph.nodes, _through(model)
    last = {node: at for at, node in enumerate(through)}
    counts, frames = [], len(model.graph.frames)
    for at, node in enumerate(through):
        if _lets_go(model) and node >= 0 and last[node] == at:
            frames = min(frames, nodes[node].frame)
        counts.append(frames)
    if counts and _lets_go(model):
        counts[-1] = 0
    return counts


def _backwards(model: Model, buffers: Buffers) -> list[int]:
    graph, wanted, in_rows = model.graph, set[int](), False
    if model.backward_pass is not None:
        gradient_call = model.backward_pass.gradient_call
        wanted = {graph.of_tensor.get(source, -1) for source in gradient_call.sources}
        in_rows = gradient_call.method in (Method.JACOBIAN, Method.BATCH_JACOBIAN)
    through = _through(model)
    last = {node: at for at, node in enumerate(through)}
    alive: dict[int, int] = {}
    rows: list[int] = []
    sizes = []
    for at, flow in enumerate(model.flows):
        if in_rows and flow is not None and flow.event < 0:  # the next row; those before are kept
            rows += [alive.pop(node) for node in wanted & alive.keys()]
        node = -1 if flow is None else graph.of_tensor.get(flow.tensor, -1)
        if flow is not None and flow.sum >= 0 and node >= 0:
            alive[node] = flow.sum
        if last[through[at]] == at and through[at] not in wanted:
            alive.pop(through[at], None)
        sizes.append(buffers.size(buffers.of((*rows, *alive.values()))))
    return sizes
