"""The graph of a recording: nodes, edges, and the frames of the timeline.

The same construction as in `extension/src/core/graph.ts`; the golden recordings hold both to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from tapelab.recording import Recording
from tapelab.recording import events as e
from tapelab.recording.schema import Role


class NodeKind(Enum):
    """What a node of the graph stands for."""

    VARIABLE = "variable"
    CONSTANT = "constant"
    OP = "op"
    OFF = "off"


class EdgeKind(Enum):
    """Whether a value stayed on the tape, was used off it, or stepped off here."""

    TAPED = "taped"
    OFF = "off"
    CUT = "cut"


class FrameKind(Enum):
    """What a frame of the timeline shows."""

    WATCH = "watch"
    OP = "op"
    OFF = "off"
    ASSIGN = "assign"


@dataclass(slots=True)
class Node:
    """A variable, a constant, an op with its result, or something that ran off the tape."""

    kind: NodeKind
    tensor: int
    event: int
    frame: int = -1
    watched: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """A value on its way into an op; `port` is the position among the inputs."""

    start: int
    end: int
    port: int
    kind: EdgeKind


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of the timeline; `node` is -1 for an assignment."""

    kind: FrameKind
    event: int
    node: int


@dataclass
class Graph:
    """The nodes in the order in which they came up, which is an order in which they can run."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    of_tensor: dict[int, int] = field(default_factory=dict)
    of_event: dict[int, int] = field(default_factory=dict)
    opened: int = -1
    """The event with which the tape began to record; what was before has no frame."""

    def ops(self) -> int:
        """How many ops are on the tape."""
        return sum(node.kind is NodeKind.OP for node in self.nodes)


def build_graph(recording: Recording) -> Graph:
    """The graph and the timeline of a recording."""
    builder = _Builder(recording)
    closed, wanted = _wanted_after_tape(recording)
    for located in recording.located:
        event, index = located.event, located.index
        if isinstance(event, e.Asked):
            for tensor in (*event.targets, *event.sources):
                builder.node_for(tensor)
        elif (index < closed or index in wanted) and (enter := _ENTER.get(type(event))):
            enter(builder, index, event)
    return builder.graph


def _wanted_after_tape(recording: Recording) -> tuple[int, set[int]]:
    """Where the tape ends, and which later events lead to a target of a gradient call."""
    located = recording.located
    ends = [each.index for each in located if isinstance(each.event, e.Closed)]
    closed = ends[-1] if ends else len(located)
    wanted: set[int] = set()
    tensors: set[int] = set()
    for each in reversed(located[closed + 1 :]):
        match each.event:
            case e.Asked(targets=targets):
                tensors.update(targets)
            case (
                e.Ran(inputs=inputs, outputs=outputs)
                | e.Left(tensor=int() as inputs, result=int() as outputs)
                | e.Returned(value=int() as inputs, tensor=int() as outputs)
            ) if tensors.intersection(_several(outputs)):
                tensors.update(_several(inputs))
                wanted.add(each.index)
            case _:
                pass
    return closed, wanted


def _several(tensors: int | tuple[int, ...]) -> tuple[int, ...]:
    return (tensors,) if isinstance(tensors, int) else tensors


class _Builder:
    """Collects nodes, edges and frames while the events pass by, in the order of running."""

    def __init__(self, recording: Recording) -> None:
        opened = recording.placed(e.Reset)[-1:] or recording.placed(e.Opened)[:1]
        self.graph = Graph(opened=opened[0].index if opened else -1)
        self.roles = recording.columns["tensor.role"].tolist()
        self.variables = recording.columns["tensor.variable"].tolist()
        self.watched_variables: set[int] = set()
        self.returned = {
            each.event.value for each in recording.located if isinstance(each.event, e.Returned)
        }

    def add(self, kind: NodeKind, tensor: int, event: int) -> int:
        graph, number = self.graph, len(self.graph.nodes)
        graph.nodes.append(Node(kind, tensor, event))
        graph.of_tensor[tensor] = number
        if event >= 0:
            graph.of_event[event] = number
        return number

    def frame(self, kind: FrameKind, event: int, node: int) -> None:
        frames = self.graph.frames
        if event < self.graph.opened:
            return
        if node >= 0 and self.graph.nodes[node].frame < 0:
            self.graph.nodes[node].frame = len(frames)
        frames.append(Frame(kind, event, node))

    def node_for(self, tensor: int) -> int:
        """The node that stands for a tensor; made now if nothing on record made it."""
        known = self.graph.of_tensor.get(tensor)
        if known is not None or tensor < 0:
            return -1 if known is None else known
        role = self.roles[tensor]
        if role == Role.STATE:
            node = self.add(NodeKind.VARIABLE, tensor, -1)
            self.graph.nodes[node].watched = self.variables[tensor] in self.watched_variables
            return node
        return self.add(NodeKind.OFF if role == Role.OUTSIDE else NodeKind.CONSTANT, tensor, -1)

    def watched(self, index: int, event: e.Watched) -> None:
        if event.variable >= 0:
            self.watched_variables.add(event.variable)
        node = self.node_for(event.tensor)
        self.graph.nodes[node].watched = True
        if self.graph.nodes[node].frame < 0:
            self.frame(FrameKind.WATCH, index, node)

    def read(self, index: int, event: e.Read) -> None:
        if event.variable in self.watched_variables and event.tensor not in self.graph.of_tensor:
            self.frame(FrameKind.WATCH, index, self.node_for(event.tensor))

    def ran(self, index: int, event: e.Ran) -> None:
        taped = event.cause == e.Cause.TAPED
        inputs = [self.node_for(tensor) for tensor in event.inputs]
        first = event.outputs[0] if event.outputs else -1
        node = self.add(NodeKind.OP if taped else NodeKind.OFF, first, index)
        self.graph.of_tensor.update((tensor, node) for tensor in event.outputs)
        for port, start in enumerate(inputs):
            if start >= 0:
                self.graph.edges.append(Edge(start, node, port, self.edge_kind(start, taped)))
        self.frame(FrameKind.OP if taped else FrameKind.OFF, index, node)

    def edge_kind(self, start: int, taped: bool) -> EdgeKind:
        if taped:
            return EdgeKind.TAPED
        node = self.graph.nodes[start]
        from_tape = node.kind is NodeKind.OP or (node.kind is NodeKind.VARIABLE and node.watched)
        return EdgeKind.CUT if from_tape else EdgeKind.OFF

    def left(self, index: int, event: e.Left) -> None:
        """A departure without return breaks no path, and is not drawn."""
        if event.result not in self.returned or event.result in self.graph.of_tensor:
            return
        start = self.node_for(event.tensor)
        node = self.add(NodeKind.OFF, event.result, index)
        if start >= 0:
            self.graph.edges.append(Edge(start, node, 0, self.edge_kind(start, taped=False)))
        self.frame(FrameKind.OFF, index, node)

    def came_back(self, index: int, event: e.Returned) -> None:
        del index
        if event.value >= 0:
            self.graph.of_tensor[event.tensor] = self.node_for(event.value)

    def assigned(self, index: int, event: e.Assigned) -> None:
        del event
        self.frame(FrameKind.ASSIGN, index, -1)


_ENTER: Final[dict[type[e.Event], Any]] = {
    e.Watched: _Builder.watched,
    e.Read: _Builder.read,
    e.Ran: _Builder.ran,
    e.Left: _Builder.left,
    e.Returned: _Builder.came_back,
    e.Assigned: _Builder.assigned,
}
