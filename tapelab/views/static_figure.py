"""What a still picture shows of a recording: cards and roads, folded or cut where they are many."""

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
"""So many cards fit on a page; of more, those nearest to the end are shown."""
LONGEST: Final = 20_000
"""Of more events the last ones are drawn without being folded."""
ROOM: Final = 12
WIDTH: Final = 136
HEIGHT: Final = 78
ACROSS: Final = 84
DOWN: Final = 40
"""The size of a card, and the room between two of them."""
PASS: Final = 52
"""The height of the lanes of a road that passes a column, with room for a number below."""
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Card:
    """A node, or several folded into one: `size` ops, or (`loop`) as many iterations; else 0."""

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
class Road:
    """A value on its way from card to card, and the gradient that comes back, if one does."""

    start: int
    end: int
    kind: EdgeKind
    back: str | None = None


@dataclass(frozen=True)
class Still:
    """Cards with a place each, roads between them, and a note where not all is shown."""

    title: str
    cards: tuple[Card, ...]
    roads: tuple[Road, ...]
    places: tuple[Point, ...]
    ways: dict[tuple[int, int], tuple[Point, ...]]
    """Where a road runs, by its ends, in the columns that it passes: the corners of its lanes."""
    note: str = ""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole picture."""
        passed = [top for way in self.ways.values() for _, top in way]
        return (
            max((x for x, _ in self.places), default=0) + WIDTH,
            max(*(y + HEIGHT for _, y in self.places), *(y + PASS for y in passed), 0, 0),
        )


def still(recording: Recording) -> Still:
    """The picture at its last step: everything recorded, and every gradient that came back."""
    model = Model.of(recording)
    title = recording.tape.name or say("tape")
    folds = folds_of(recording, model.graph) if len(recording) <= LONGEST else None
    hidden, notes = _folded(model, folds)
    owners = list(dict.fromkeys(hidden))
    if len(owners) > MOST:
        notes.append(say("The last {shown} of {all} cards are shown.", shown=MOST, all=len(owners)))
        owners = owners[-MOST:]
    number = {owner: at for at, owner in enumerate(owners)}
    cards = tuple(_card(model, folds, owner) for owner in owners)
    roads = _roads(model, [number.get(owner, -1) for owner in hidden])
    return Still(title, cards, roads, *_places(len(cards), roads), " ".join(notes))


def _folded(model: Model, folds: Folds | None) -> tuple[list[int], list[str]]:
    """For each node the card that shows it: itself, or -2 - fold for a closed fold around it."""
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


def _card(model: Model, folds: Folds | None, owner: int) -> Card:
    fold = folds.folds[-2 - owner] if owner < 0 and folds is not None else None
    node = owner if fold is None else fold.last
    kind = model.graph.nodes[node].kind if fold is None else NodeKind.OP
    op, tensor, slot = model.op(node), model.tensor(node), model.slot(node)
    off = kind is NodeKind.OFF
    return Card(
        kind,
        op.glyph if op else "",
        model.label(node) if fold is None else fold_name(model, fold),
        format_brief(tensor, ROOM) if tensor else "",
        "" if off else slot.state,
        "" if off else model.slot_text(slot, ROOM),
        0 if fold is None else fold.size,
        fold is not None and fold.kind in (FoldKind.LOOP, FoldKind.RANGE),
    )


def _roads(model: Model, card: list[int]) -> tuple[Road, ...]:
    """The edges between different cards, each pair of cards once, with what comes back on it."""
    back = _back(model)
    found: dict[tuple[int, int], Road] = {}
    for edge in model.graph.edges:
        start, end = card[edge.start], card[edge.end]
        if start == end or min(start, end) < 0:
            continue
        known = found.get((start, end))
        told = back.get((edge.start, edge.end), known.back if known else None)
        found[start, end] = Road(start, end, edge.kind, told)
    return tuple(found.values())


def _back(model: Model) -> dict[tuple[int, int], str]:
    """What each op handed back to each of its inputs, as far as it was kept."""
    told = {}
    for flow in model.flows:
        if flow is None or flow.contribution < 0:
            continue
        through = model.graph.of_event.get(flow.event, -1)
        to = model.graph.of_tensor.get(flow.tensor, -1)
        if through >= 0 and to >= 0:
            told[to, through] = format_brief(model.recording.tensor(flow.contribution), ROOM)
    return told


def _places(
    cards: int, roads: tuple[Road, ...]
) -> tuple[tuple[Point, ...], dict[tuple[int, int], tuple[Point, ...]]]:
    """The corner of each card, and those of the lanes of roads that pass columns."""
    laid = layered(cards, [(road.start, road.end) for road in roads])

    def tall(each: int) -> int:
        return HEIGHT + DOWN if each < cards else PASS

    tallest = max((sum(map(tall, column)) for column in laid.columns), default=0)
    places: dict[int, Point] = {}
    for at, column in enumerate(laid.columns):
        top = (tallest - sum(map(tall, column))) / 2
        for each in column:
            places[each] = at * (WIDTH + ACROSS), top
            top += tall(each)
    ways = {road: tuple(places[each] for each in way) for road, way in laid.through.items() if way}
    return tuple(places[card] for card in range(cards)), ways


SWEEPS: Final = 6
"""So often the order in the columns is improved, to and fro."""

Ends = tuple[int, int]


@dataclass(frozen=True)
class Layered:
    """Cards in columns, and between them waypoints, which are numbered on from the cards."""

    columns: list[list[int]]
    through: dict[Ends, tuple[int, ...]]
    """The waypoints of each road: one in every column that it passes."""


def layered(count: int, roads: Sequence[Ends]) -> Layered:
    """Cards in columns: each behind what it is made from, and what is given beside its first use.

    Roads go from earlier cards to later ones; others are left out of account.
    """
    ahead = [road for road in roads if road[0] < road[1]]
    layer = _layers(count, ahead)
    columns: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for card in range(count):
        columns[layer[card]].append(card)
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
    """The parts of all roads from column to column; roads from one card share their waypoints."""
    stops = ((start, *passed, end) for (start, end), passed in through.items())
    return list(dict.fromkeys(step for each in stops for step in pairwise(each)))


def _links(count: int, roads: Sequence[Ends]) -> tuple[list[list[int]], list[list[int]]]:
    """For each card those from which roads come, and those to which roads go."""
    into: list[list[int]] = [[] for _ in range(count)]
    outof: list[list[int]] = [[] for _ in range(count)]
    for start, end in roads:
        into[end].append(start)
        outof[start].append(end)
    return into, outof


def _layers(count: int, ahead: Sequence[Ends]) -> list[int]:
    """The column of each card."""
    into, outof = _links(count, ahead)
    layer = [0] * count
    for card in range(count):
        layer[card] = max((layer[each] + 1 for each in into[card]), default=0)
    for card in reversed(range(count)):
        if not into[card] and outof[card]:
            layer[card] = min(layer[each] for each in outof[card]) - 1
    return layer


def _untangled(
    columns: list[list[int]], into: list[list[int]], outof: list[list[int]]
) -> list[list[int]]:
    """Put each card near the middle of its neighbours, from both sides in turn."""
    for sweep in range(SWEEPS):
        neighbours = outof if sweep % 2 else into
        order = reversed(columns) if sweep % 2 else columns
        place = {card: _share(at, column) for column in columns for at, card in enumerate(column)}
        for column in order:
            column.sort(key=lambda card: fmean(place[each] for each in neighbours[card] or [card]))
            place.update({card: _share(at, column) for at, card in enumerate(column)})
    return columns


def _share(at: int, column: list[int]) -> float:
    """How far down in its column a card stands, from 0 to 1."""
    return (at + 0.5) / len(column)
