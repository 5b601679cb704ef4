"""What of a graph can be folded into one node: composites, and the iterations of loops.

The same folds as in `extension/src/core/foldbuilder.ts`; the golden recordings hold both to it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from typing import Final, NamedTuple

from tapelab.locales import sentence, translated
from tapelab.recording import Recording
from tapelab.recording import events as e
from tapelab.recording.schema import Group, GroupKind
from tapelab.views.call_groups import CallGroups
from tapelab.views.tape_graph import Graph, NodeKind
from tapelab.views.timeline import Model

PARTS: Final = 12
"""At most so many parts of a loop are shown at once; the iterations of longer ones in ranges."""
CALLS: Final = 24
"""A loop that calls one module or function at most so often is shown as its calls."""
MANY: Final = 60
"""So many items may stand in a line; more are shown in stretches."""
SHOWN: Final = 40
"""At first so many nodes are shown, if folding can do it."""


OUTSIDE: Final[dict[str, str]] = {
    GroupKind.BEFORE: sentence("before the tape"),
    GroupKind.AFTER: sentence("after the tape"),
}
"""What the groups of that which ran outside the tape are called."""


class FoldKind(Enum):
    """What is folded: one call of a composite, a module or a function, or the block of a tape; a
    loop, some iterations of a long one, or one; or some of very many ops in a line.
    """

    COMPOSITE = "composite"
    LOOP = "loop"
    RANGE = "range"
    ITERATION = "iteration"
    STRETCH = "stretch"


@dataclass(frozen=True, slots=True)
class Fold:
    """Nodes that ran one after the other, as one; `parent` is the fold around, or -1.

    `first` is the first of them, `last` the last on the tape, or of all where none is on it.
    `size` counts ops, or the iterations of a loop; `turn` says which iteration it is, or begins
    with, from 1, and is 0 outside of loops. `outside` says that it holds what ran before the tape
    was opened, or after it was closed.
    """

    kind: FoldKind
    parent: int
    first: int
    last: int
    size: int
    turn: int
    group: int = -1
    outside: bool = False


@dataclass
class Folds:
    """All folds, the outer before the inner, and for each node the innermost around it, or -1."""

    folds: list[Fold] = field(default_factory=list)
    of_node: list[int] = field(default_factory=list)
    groups: Sequence[Group] = ()

    def open_at_first(self) -> set[int]:
        """The folds to open, level by level, as long as some dozens of nodes suffice."""
        inside = [0] * len(self.folds)
        for parent in (*self.of_node, *(each.parent for each in self.folds)):
            if parent >= 0:
                inside[parent] += 1
        opened: set[int] = set()
        level = [at for at, each in enumerate(self.folds) if each.parent < 0]
        shown = self.of_node.count(-1) + len(level)
        while opening := {at for at in level if self._is_calm(at)}:
            shown += sum(inside[at] - 1 for at in opening)
            if shown > SHOWN:
                break
            opened |= opening
            level = [at for at, each in enumerate(self.folds) if each.parent in opening]
        return opened

    def _is_calm(self, fold: int) -> bool:
        each = self.folds[fold]
        return not each.outside and (each.kind is not FoldKind.LOOP or each.size <= PARTS)

    def hidden_by(self, opened: AbstractSet[int]) -> list[int]:
        """For each fold the outermost closed one that hides it, or -1 where it is open."""
        hidden: list[int] = []
        for at, each in enumerate(self.folds):
            outer = hidden[each.parent] if each.parent >= 0 else -1
            hidden.append(outer if outer >= 0 else -1 if at in opened else at)
        return hidden


def folds_of(recording: Recording, graph: Graph) -> Folds:
    """What of a recording can be folded: composites, and loops by what repeats itself."""
    folder = _Folder(recording, graph)
    folder.fill(-1, (0, len(folder.ran)), 0)
    folder.take_in()
    return folder.found


def fold_name(model: Model, folds: Folds, fold: Fold) -> str:
    """What a fold is called: the composite, or what each iteration of a loop ends with."""
    if fold.group < 0:
        return model.label(fold.last)
    group = folds.groups[fold.group]
    return translated(OUTSIDE[group.kind]) if group.kind in OUTSIDE else group.title


class _Sequence(NamedTuple):
    """What ran at one depth, item by item, and how its repeats shorten it."""

    levels: list[Level]
    starts: list[int]
    groups: list[int]
    depth: int

    def stretch(self, level: int, start: int, end: int) -> tuple[int, int]:
        return self._down(level, start), self._down(level, end)

    def _down(self, level: int, item: int) -> int:
        for at in range(level, 0, -1):
            item = self.levels[at].below[item]
        return self.starts[item]


class _Folder:
    """Finds the folds among the nodes that ran, counted in the order of running."""

    def __init__(self, recording: Recording, graph: Graph) -> None:
        self.recording, self.graph = recording, graph
        self.ran = [number for number, node in enumerate(graph.nodes) if node.event >= 0]
        calls = CallGroups(recording, graph)
        self.groups, self.inner = calls.rows, calls.of_node
        self.found = Folds([], [-1] * len(graph.nodes), self.groups)
        self.depths = [calls.depth(group) for group in range(len(calls.rows))]
        self.events = [recording.located[graph.nodes[node].event] for node in self.ran]

    def group_of(self, at: int, depth: int) -> int:
        """The group, `depth` deep, in which a node ran; or -1."""
        group = self.inner[self.ran[at]]
        while group >= 0 and self.depths[group] > depth:
            group = self.groups[group].parent
        return group if group >= 0 and self.depths[group] == depth else -1

    def key_of(self, at: int, group: int) -> tuple[int | str, int]:
        """Items with the same key do the same at the same place in the code."""
        if group < 0:
            event = self.events[at].event
            return event.op if isinstance(event, e.Ran) else -1, self.events[at].span
        each = self.groups[group]
        return re.sub(r"_\d+$|\[[^\]]*\]$", "", each.name), each.span

    def add(self, fold: Fold, start: int, end: int) -> int:
        self.found.folds.append(fold)
        number = len(self.found.folds) - 1
        for node in self.ran[start:end]:
            self.found.of_node[node] = number
        return number

    def fold(
        self, kind: FoldKind, parent: int, stretch: tuple[int, int], *, turn: int, size: int = -1,
        group: int = -1,
    ) -> int:  # fmt: skip
        start, end = stretch
        size = end - start if size < 0 else size
        outside = group >= 0 and self.groups[group].kind in OUTSIDE
        ran = self.ran[start:end]
        taped = (node for node in reversed(ran) if self.graph.nodes[node].kind is NodeKind.OP)
        last = next(taped, ran[-1])
        return self.add(Fold(kind, parent, ran[0], last, size, turn, group, outside), start, end)

    def fill(self, parent: int, stretch: tuple[int, int], depth: int) -> None:
        """Fold a stretch of what ran, `depth` composites deep."""
        sequence = self.sequence(stretch, depth)
        top = len(sequence.levels) - 1
        self.line(sequence, top, parent, (0, len(sequence.levels[top].keys)))

    def line(self, sequence: _Sequence, level: int, parent: int, items: tuple[int, int]) -> None:
        """Add the folds of items in a line: in stretches, if they are very many."""
        first, last = items
        width = 1
        while last - first > MANY and last - first > width * PARTS:
            width *= 10
        for item in range(first, last, width):
            end = min(last, item + width)
            if end == item + 1:
                self.unfold(sequence, level, item, parent, 0)
                continue
            nodes = sequence.stretch(level, item, end)
            stretch = self.fold(FoldKind.STRETCH, parent, nodes, turn=0)
            self.line(sequence, level, stretch, (item, end))

    def sequence(self, stretch: tuple[int, int], depth: int) -> _Sequence:
        at, end = stretch
        starts, groups, keys = [], [], []
        known: dict[tuple[int | str, int], int] = {}
        while at < end:
            start, group, at = at, self.group_of(at, depth), at + 1
            while group >= 0 and at < end and self.group_of(at, depth) == group:
                at += 1
            starts.append(start)
            groups.append(group if at - start > 1 else -1)
            keys.append(known.setdefault(self.key_of(start, groups[-1]), len(known)))
        return _Sequence(shorten(keys), [*starts, end], groups, depth)

    def unfold(self, sequence: _Sequence, level: int, item: int, parent: int, turn: int) -> None:
        """Add the folds of an item, if it has any."""
        here = sequence.levels[level]
        stretch = sequence.stretch(level, item, item + 1)
        repeat = here.repeats.get(item)
        if repeat and self.is_few_calls(sequence, level - 1, repeat):
            for call in range(repeat.start, repeat.start + repeat.count):
                self.unfold(sequence, level - 1, call, parent, 0)
        elif repeat:
            size = repeat.count
            loop = self.fold(FoldKind.LOOP, parent, stretch, size=size, turn=turn)
            self.unroll(sequence, level - 1, repeat, loop, (1, size))
        elif level:
            self.unfold(sequence, level - 1, here.below[item], parent, turn)
        elif (group := sequence.groups[item]) >= 0:
            fold = self.fold(FoldKind.COMPOSITE, parent, stretch, turn=turn, group=group)
            self.fill(fold, stretch, sequence.depth + 1)

    def is_few_calls(self, sequence: _Sequence, level: int, repeat: Repeat) -> bool:
        """Whether a loop only calls one module or function, and each call can be shown."""
        item = repeat.start
        for at in range(level, 0, -1):
            if item in sequence.levels[at].repeats:
                return False
            item = sequence.levels[at].below[item]
        group = sequence.groups[item]
        few = repeat.period == 1 and repeat.count <= CALLS
        return few and group >= 0 and self.groups[group].kind != ""

    def unroll(
        self, sequence: _Sequence, level: int, repeat: Repeat, parent: int, turns: tuple[int, int]
    ) -> None:
        """Add the iterations of a loop: in ranges, if there are many."""
        first, last = turns
        width = 1
        while last - first >= width * PARTS:
            width *= 10
        for turn in range(first, last + 1, width):
            until = min(last, turn + width - 1)
            start = repeat.start + (turn - 1) * repeat.period
            end = repeat.start + until * repeat.period
            stretch = sequence.stretch(level, start, end)
            if until > turn:
                size = until - turn + 1
                fold = self.fold(FoldKind.RANGE, parent, stretch, size=size, turn=turn)
                self.unroll(sequence, level, repeat, fold, (turn, until))
            elif repeat.period == 1:
                self.unfold(sequence, level, start, parent, turn)
            else:
                fold = self.fold(FoldKind.ITERATION, parent, stretch, turn=turn)
                for item in range(start, end):
                    self.unfold(sequence, level, item, fold, 0)

    def take_in(self) -> None:
        """What was there without running goes into the fold in which alone it is used."""
        of_node = self.found.of_node
        users: dict[int, set[int]] = {}
        for edge in self.graph.edges:
            if self.graph.nodes[edge.start].event < 0:
                users.setdefault(edge.start, set()).add(edge.end)
        own: dict[int, list[int]] = {}
        for number, used in users.items():
            fold = reduce(self.around, (of_node[user] for user in used))
            is_variable = self.graph.nodes[number].kind is NodeKind.VARIABLE
            if is_variable and (home := self.home(fold)) >= 0:
                fold = home
            elif self.is_the_learners(number):
                fold = self.in_one_turn(fold, len(used) == 1)
                own.setdefault(self.loop_around(fold), []).append(number)
            of_node[number] = fold
        for loop, numbers in own.items():
            if loop < 0 or len(numbers) < LEAST:
                for number in numbers:
                    of_node[number] = -1

    def home(self, fold: int) -> int:
        """The module or the function in which alone a variable is used; -1 for none."""
        folds = self.found.folds
        while fold >= 0 and not self.is_home(folds[fold]):
            fold = folds[fold].parent
        return fold

    def is_home(self, fold: Fold) -> bool:
        group = self.groups[fold.group].kind if fold.group >= 0 else ""
        return fold.kind is FoldKind.STRETCH or group != ""

    def loop_around(self, fold: int) -> int:
        folds = self.found.folds
        while fold >= 0 and folds[fold].kind is not FoldKind.LOOP:
            fold = folds[fold].parent
        return fold

    def around(self, one: int, other: int) -> int:
        """The innermost fold around both; outer folds have smaller numbers."""
        while one != other:
            one, other = sorted((one, other))
            other = self.found.folds[other].parent
        return one

    def is_the_learners(self, number: int) -> bool:
        node = self.graph.nodes[number]
        named = self.recording.tensor(node.tensor).named
        return node.kind is NodeKind.VARIABLE or node.watched or named

    def in_one_turn(self, fold: int, once: bool) -> int:
        """Where the one iteration stands that uses what the learner made; -1 if several do."""
        folds = self.found.folds
        if once and fold >= 0 and folds[fold].kind in (FoldKind.LOOP, FoldKind.RANGE):
            return fold
        while fold >= 0 and (not folds[fold].turn or folds[fold].kind is FoldKind.RANGE):
            fold = folds[fold].parent
        inside = fold >= 0 and folds[fold].kind is FoldKind.ITERATION
        return fold if inside or fold < 0 else folds[fold].parent


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
    while repeats := _shortest(levels[-1].keys):
        levels.append(_shortened(levels[-1].keys, repeats))
    return levels


def _shortest(keys: Sequence[int]) -> list[Repeat]:
    """The repeats of the shortest period that has any."""
    tried = (_repeats(keys, period) for period in _likely_periods(keys))
    return next((repeats for repeats in tried if repeats), [])


def _likely_periods(keys: Sequence[int]) -> list[int]:
    """How far back the same item was last, where many are alike; the shortest distance first."""
    last: dict[int, int] = {}
    votes: Counter[int] = Counter()
    for at, key in enumerate(keys):
        if key in last:
            votes[at - last[key]] += 1
        last[key] = at
    frequent = [(-many, period) for period, many in votes.items() if many >= LEAST - 1]
    return sorted(period for _, period in sorted(frequent)[:TRIED])


def _repeats(keys: Sequence[int], period: int) -> list[Repeat]:
    repeats: list[Repeat] = []
    run = free = 0
    for at in range(period, len(keys) + 1):
        if at < len(keys) and keys[at] == keys[at - period]:
            run += 1
            continue
        start = max(free, at - run - period)
        count = (at - start) // period
        if run and count >= LEAST:
            repeats.append(Repeat(start, period, count))
            free = start + period * count
        run = 0
    return repeats


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
