"""A static figure of a recording: nodes and edges with their places, for SVG, Matplotlib and DOT.

The figure shows the last step: every op, and every gradient that was propagated. Composites and
loops of a long tape are folded into one node each, and of more nodes than fit the last are shown;
`note` says so. The layout is layered (after Sugiyama): a node stands in the column behind its
inputs, a long edge has a waypoint in every column it crosses, and a few sweeps sort each column by
the mean place of its neighbours, so that few edges cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Final

from tapelab.locales import say, say_many
from tapelab.recording import Recording
from tapelab.views.folds import FoldKind, Folds, fold_name, folds_of
from tapelab.views.number_format import count, format_brief
from tapelab.views.tape_graph import EdgeKind, NodeKind
from tapelab.views.timeline import Model

MOST: Final = 60
"""At most this many nodes fit on a page; of more, the last are shown."""
LONGEST: Final = 20_000
"""Longer recordings are not folded: their last nodes are shown."""
ROOM: Final = 12
WIDTH: Final = 136
HEIGHT: Final = 78
ACROSS: Final = 84
DOWN: Final = 40
"""The size of a node and the gaps between two, in pixels."""
PASS: Final = 52
"""The height of a waypoint: the curves of an edge that crosses a column, and a number below."""
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class FigureNode:
    """A node, or several folded into one: `size` ops, or (`loop`) iterations; 0 for one node."""

    kind: NodeKind
    glyph: str
    name: str
    value: str
    state: str
    gradient: str
    size: int = 0
    loop: bool = False

    @property
    def pill(self) -> str:
        """What stands before the name."""
        if not self.size:
            return self.glyph
        return f"×{self.size}" if self.loop else count(self.size, "op")


@dataclass(frozen=True, slots=True)
class FigureEdge:
    """A value passed from node to node, and the gradient propagated back along it, if any."""

    start: int
    end: int
    kind: EdgeKind
    gradient_text: str | None = None


@dataclass(frozen=True)
class StaticFigure:
    """Nodes with a place each, edges between them, and a note where not all is shown."""

    title: str
    nodes: tuple[FigureNode, ...]
    edges: tuple[FigureEdge, ...]
    places: tuple[Point, ...]
    routes: dict[tuple[int, int], tuple[Point, ...]]
    """By the two ends of an edge: the corner of each of its waypoints, in pixels."""
    note: str = ""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole picture."""
        passed = [top for route in self.routes.values() for _, top in route]
        return (
            max((x for x, _ in self.places), default=0) + WIDTH,
            max(*(y + HEIGHT for _, y in self.places), *(y + PASS for y in passed), 0, 0),
        )


def static_figure(recording: Recording) -> StaticFigure:
    """The figure of a recording at its last step."""
    model = Model.of(recording)
    title = recording.tape.name or say("tape")
    folds = folds_of(recording, model.graph) if len(recording) <= LONGEST else None
    hidden, notes = _folded(model, folds)
    owners = list(dict.fromkeys(hidden))
    if len(owners) > MOST:
        notes.append(say("The last {shown} of {all} cards are shown.", shown=MOST, all=len(owners)))
        owners = owners[-MOST:]
    number = {owner: at for at, owner in enumerate(owners)}
    nodes = tuple(_node(model, folds, owner) for owner in owners)
    edges = _edges(model, [number.get(owner, -1) for owner in hidden])
    return StaticFigure(title, nodes, edges, *_places(len(nodes), edges), " ".join(notes))


def _folded(model: Model, folds: Folds | None) -> tuple[list[int], list[str]]:
    """For each graph node what shows it: itself, or -2 - fold for a closed fold around it."""
    nodes = len(model.graph.nodes)
    if folds is None or nodes <= 12:
        return list(range(nodes)), []
    hidden = folds.hidden_by(folds.open_at_first())
    of = [hidden[each] if each >= 0 else -1 for each in folds.of_node]
    shown = [-2 - fold if fold >= 0 else node for node, fold in enumerate(of)]
    closed = len({fold for fold in of if fold >= 0})
    if not closed:
        return shown, []
    return shown, [
        say_many("{count} group of ops folded.", "{count} groups of ops folded.", closed)
    ]


def _node(model: Model, folds: Folds | None, owner: int) -> FigureNode:
    fold = folds.folds[-2 - owner] if owner < 0 and folds is not None else None
    node = owner if fold is None else fold.last
    kind = model.graph.nodes[node].kind if fold is None else NodeKind.OP
    op, tensor, slot = model.op(node), model.tensor(node), model.slot(node)
    off = kind is NodeKind.OFF
    return FigureNode(
        kind,
        op.glyph if op else "",
        model.label(node) if fold is None or folds is None else fold_name(model, folds, fold),
        format_brief(tensor, ROOM) if tensor else "",
        "" if off else slot.state,
        "" if off else model.slot_text(slot, ROOM),
        0 if fold is None else fold.size,
        fold is not None and fold.kind in (FoldKind.LOOP, FoldKind.RANGE),
    )


def _edges(model: Model, node: list[int]) -> tuple[FigureEdge, ...]:
    """The edges between different nodes, each pair once, with the gradient propagated along it."""
    gradient_text = _contributions(model)
    edges: dict[tuple[int, int], FigureEdge] = {}
    for edge in model.graph.edges:
        start, end = node[edge.start], node[edge.end]
        if start == end or min(start, end) < 0:
            continue
        known = edges.get((start, end))
        text = gradient_text.get((edge.start, edge.end), known.gradient_text if known else None)
        edges[start, end] = FigureEdge(start, end, edge.kind, text)
    return tuple(edges.values())


def _contributions(model: Model) -> dict[tuple[int, int], str]:
    """The contribution of each op to each of its inputs, as far as its values were kept."""
    text = {}
    for flow in model.flows:
        if flow is None or flow.contribution < 0:
            continue
        through = model.graph.of_event.get(flow.event, -1)
        to = model.graph.of_tensor.get(flow.tensor, -1)
        if through >= 0 and to >= 0:
            text[to, through] = format_brief(model.recording.tensor(flow.contribution), ROOM)
    return text


def _places(
    nodes: int, edges: tuple[FigureEdge, ...]
) -> tuple[tuple[Point, ...], dict[tuple[int, int], tuple[Point, ...]]]:
    """The corner of each node, and those of the waypoints of edges that cross columns."""
    laid = layered(nodes, [(edge.start, edge.end) for edge in edges])

    def tall(each: int) -> int:
        return HEIGHT + DOWN if each < nodes else PASS

    tallest = max((sum(map(tall, column)) for column in laid.columns), default=0)
    places: dict[int, Point] = {}
    for at, column in enumerate(laid.columns):
        top = (tallest - sum(map(tall, column))) / 2
        for each in column:
            places[each] = at * (WIDTH + ACROSS), top
            top += tall(each)
    routes = {
        edge: tuple(places[each] for each in route) for edge, route in laid.through.items() if route
    }
    return tuple(places[node] for node in range(nodes)), routes


SWEEPS: Final = 6
"""How many sweeps sort the columns, alternating in direction."""

Ends = tuple[int, int]


@dataclass(frozen=True)
class Layered:
    """Nodes in columns, and waypoints between them, numbered after the nodes."""

    columns: list[list[int]]
    through: dict[Ends, tuple[int, ...]]
    """The waypoints of each edge: one in every column that it crosses."""


def layered(count: int, edges: Sequence[Ends]) -> Layered:
    """Nodes in columns: each behind its inputs; a node without inputs stands before its first use.

    Edges go from earlier nodes to later ones; others are ignored.
    """
    ahead = [edge for edge in edges if edge[0] < edge[1]]
    layer = _layers(count, ahead)
    columns: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node in range(count):
        columns[layer[node]].append(node)
    known: dict[tuple[int, int], int] = {}
    through = {
        (start, end): tuple(
            known.setdefault((start, column), count + len(known))
            for column in range(layer[start] + 1, layer[end])
        )
        for start, end in ahead
    }
    for (_, column), waypoint in known.items():
        columns[column].append(waypoint)
    into, outof = _links(count + len(known), _steps(through))
    return Layered(_untangled(columns, into, outof), through)


def _steps(through: dict[Ends, tuple[int, ...]]) -> list[Ends]:
    """The parts of all edges from column to column; edges of one node share their waypoints."""
    stops = ((start, *passed, end) for (start, end), passed in through.items())
    return list(dict.fromkeys(step for each in stops for step in pairwise(each)))


def _links(count: int, edges: Sequence[Ends]) -> tuple[list[list[int]], list[list[int]]]:
    """For each node its predecessors and its successors."""
    into: list[list[int]] = [[] for _ in range(count)]
    outof: list[list[int]] = [[] for _ in range(count)]
    for start, end in edges:
        into[end].append(start)
        outof[start].append(end)
    return into, outof


def _layers(count: int, ahead: Sequence[Ends]) -> list[int]:
    """The column of each node."""
    into, outof = _links(count, ahead)
    layer = [0] * count
    for node in range(count):
        layer[node] = max((layer[each] + 1 for each in into[node]), default=0)
    for node in reversed(range(count)):
        if not into[node] and outof[node]:
            layer[node] = min(layer[each] for each in outof[node]) - 1
    return layer


def _untangled(
    columns: list[list[int]], into: list[list[int]], outof: list[list[int]]
) -> list[list[int]]:
    """Sort each column by the mean place of its neighbours, from both sides in turn."""
    for sweep in range(SWEEPS):
        neighbours = outof if sweep % 2 else into
        order = reversed(columns) if sweep % 2 else columns
        place = {node: _share(at, column) for column in columns for at, node in enumerate(column)}
        for column in order:
            column.sort(key=lambda node: fmean(place[each] for each in neighbours[node] or [node]))
            place.update({node: _share(at, column) for at, node in enumerate(column)})
    return columns


def _share(at: int, column: list[int]) -> float:
    """The place of a node in its column, from 0 (top) to 1."""
    return (at + 0.5) / len(column)
