"""A place for every card of a still picture: columns from left to right, few crossings."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Final

SWEEPS: Final = 6
"""So often the order in the columns is improved, to and fro."""

Road = tuple[int, int]


def columns_of(count: int, roads: Sequence[Road]) -> list[list[int]]:
    """Cards in columns: each behind what it is made from, and what is given beside its first use.

    Roads go from earlier cards to later ones; others are left out of account.
    """
    ahead = [road for road in roads if road[0] < road[1]]
    into: list[list[int]] = [[] for _ in range(count)]
    outof: list[list[int]] = [[] for _ in range(count)]
    for start, end in ahead:
        into[end].append(start)
        outof[start].append(end)
    layer = [0] * count
    for card in range(count):
        layer[card] = max((layer[each] + 1 for each in into[card]), default=0)
    for card in reversed(range(count)):
        if not into[card] and outof[card]:
            layer[card] = min(layer[each] for each in outof[card]) - 1
    columns: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for card in range(count):
        columns[layer[card]].append(card)
    return _untangled(columns, into, outof)


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
