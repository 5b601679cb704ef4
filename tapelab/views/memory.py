"""How many bytes the tape and its way back hold, step by step.

The same model as in `extension/src/core/memory.ts`; the golden recordings hold both to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tapelab import dtypes
from tapelab.recording import events as e
from tapelab.recording.recording import Recording
from tapelab.views.frame import Model
from tapelab.views.graph import FrameKind


@dataclass(frozen=True)
class Memory:
    """Bytes after every step; entry 0 is before the first.

    `tape` counts the inputs and results of all that is on the tape, each once; `gradients` those
    that the way back still needs; `freed` is what the tape lets go of when it has answered.
    """

    tape: tuple[int, ...]
    gradients: tuple[int, ...]
    freed: int

    @property
    def peak(self) -> int:
        """The most that is held at once."""
        return max(map(sum, zip(self.tape, self.gradients, strict=True)))


def memory_of(model: Model) -> Memory:
    """How much memory the tape and its way back take."""
    forwards, back = _forwards(model), _backwards(model)
    held = forwards[-1]
    tape = (*forwards, *(held for _ in back))
    freed = held if model.passages and not model.recording.tape.persistent else 0
    return Memory(tape, (*(0 for _ in forwards), *back), freed)


def bytes_of(recording: Recording, tensor: int) -> int:
    """How many bytes the numbers of a tensor take; none for words."""
    name = recording.dtypes[recording.columns["tensor.dtype"][tensor]]
    shape = recording.shapes[recording.columns["tensor.shape"][tensor]]
    return 0 if name == "string" else dtypes.as_dtype(name).size * math.prod(shape)


def _forwards(model: Model) -> list[int]:
    held, seen = [0], set[int]()
    for frame in model.graph.frames:
        ran = model.recording.event(frame.event) if frame.kind is FrameKind.OP else None
        fresh = {*ran.inputs, *ran.outputs} - seen - {-1} if isinstance(ran, e.Ran) else set()
        seen |= fresh
        held.append(held[-1] + sum(bytes_of(model.recording, each) for each in fresh))
    return held


def _backwards(model: Model) -> list[int]:
    graph, asked = model.graph, model.passage and model.passage.asked
    wanted = {graph.of_tensor.get(source) for source in asked.sources} if asked else set()
    through = [-1 if flow is None else graph.of_event.get(flow.event, -1) for flow in model.flows]
    last = {node: at for at, node in enumerate(through)}
    alive: dict[int, int] = {}
    found = []
    for at, flow in enumerate(model.flows):
        node = -1 if flow is None else graph.of_tensor.get(flow.tensor, -1)
        if flow is not None and flow.sum >= 0 and node >= 0:
            alive[node] = bytes_of(model.recording, flow.sum)
        if last[through[at]] == at and through[at] not in wanted:
            alive.pop(through[at], None)
        found.append(sum(alive.values()))
    return found
