"""A place for every card of a still picture: columns from left to right, few crossings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Final

SWEEPS: Final = 6
"""So often the order in the columns is improved, to and fro."""

Road = tuple[int, int]


@dataclass(frozen=True)
class Layered:
    """Cards in columns, and between them waypoints, which are numbered on from the cards."""

    columns: list[list[int]]
    through: dict[Road, tuple[int, ...]]
    """The waypoints of each road: one in every column that it passes."""


def layered(count: int, roads: Sequence[Road]) -> Layered:
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


def _steps(through: dict[Road, tuple[int, ...]]) -> list[Road]:
    """The parts of all roads from column to column; roads from one card share their waypoints."""
    stops = ((start, *passed, end) for (start, end), passed in through.items())
    return list(dict.fromkeys(step for each in stops for step in pairwise(each)))


def _links(count: int, roads: Sequence[Road]) -> tuple[list[list[int]], list[list[int]]]:
    """For each card those from which roads come, and those to which roads go."""
    into: list[list[int]] = [[] for _ in range(count)]
    outof: list[list[int]] = [[] for _ in range(count)]
    for start, end in roads:
        into[end].append(start)
        outof[start].append(end)
    return into, outof


def _layers(count: int, ahead: Sequence[Road]) -> list[int]:
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
