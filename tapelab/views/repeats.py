"""What repeats in a sequence, such as the iterations of a loop on a tape.

The same search as in `extension/src/core/repeats.ts`; the golden recordings hold both to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

LEAST: Final = 3
"""What happens twice is no loop yet."""
TRIED: Final = 16
"""So many periods are tried; those that most items speak for."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """From `start` on, `count` times the same `period` items."""

    start: int
    period: int
    count: int


@dataclass(frozen=True)
class Level:
    """A sequence in which what repeated is one item; `below` tells the first item that it holds."""

    keys: Sequence[int]
    below: Sequence[int] = ()
    repeats: dict[int, Repeat] = field(default_factory=dict)


def shorten(keys: Sequence[int]) -> list[Level]:
    """Shorten a sequence until nothing repeats: inner loops first, then those around them."""
    levels = [Level(keys)]
    while found := _shortest(levels[-1].keys):
        levels.append(_shortened(levels[-1].keys, found))
    return levels


def _shortest(keys: Sequence[int]) -> list[Repeat]:
    """The repeats of the shortest period that has any."""
    tried = (_repeats(keys, period) for period in _likely_periods(keys))
    return next((found for found in tried if found), [])


def _likely_periods(keys: Sequence[int]) -> list[int]:
    """How far back the same item was last, where many are alike; the shortest distance first."""
    last: dict[int, int] = {}
    votes: Counter[int] = Counter()
    for at, key in enumerate(keys):
        if key in last:
            votes[at - last[key]] += 1
        last[key] = at
    heard = [(-many, period) for period, many in votes.items() if many >= LEAST - 1]
    return sorted(period for _, period in sorted(heard)[:TRIED])


def _repeats(keys: Sequence[int], period: int) -> list[Repeat]:
    found: list[Repeat] = []
    run = free = 0
    for at in range(period, len(keys) + 1):
        if at < len(keys) and keys[at] == keys[at - period]:
            run += 1
            continue
        start = max(free, at - run - period)
        count = (at - start) // period
        if run and count >= LEAST:
            found.append(Repeat(start, period, count))
            free = start + period * count
        run = 0
    return found


def _shortened(keys: Sequence[int], repeats: list[Repeat]) -> Level:
    """The same sequence with every repeat as one item; alike are those that repeat the same."""
    shorter: list[int] = []
    below: list[int] = []
    by_item: dict[int, Repeat] = {}
    known: dict[tuple[int, ...], int] = {}
    fresh, at = max(keys) + 1, 0
    for repeat in repeats:
        shorter += keys[at : repeat.start]
        below += range(at, repeat.start)
        body = tuple(keys[repeat.start : repeat.start + repeat.period])
        by_item[len(shorter)] = repeat
        below.append(repeat.start)
        shorter.append(known.setdefault(body, fresh + len(known)))
        at = repeat.start + repeat.period * repeat.count
    shorter += keys[at:]
    below += range(at, len(keys) + 1)
    return Level(shorter, below, by_item)
