"""The partition of a program: which ops run in one pass over arrays of one shape.

Every unit, a single op or a group, has a level above those of the units that it reads from. An op
joins the group that makes its operands, or another group of its shape on the level that it needs.
Each edge between units leads to a higher level, so no unit waits for itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from tapelab.compile.fusion.elementwise_rules import ELEMENTWISE
from tapelab.compile.fusion.fusion_group import (
    Placement,
    Reducing,
    broadcast,
    is_reduction,
    reducing,
    spread_shape,
)
from tapelab.compile.fusion.simd import Vector, Writer, kind_of
from tapelab.compile.program import Instruction, Kind, Program, ProgramOp, Settings
from tapelab.ops import broadcasting, reduce_ops, selection

Shape = tuple[int, ...]
NARROWEST: Final = 16
FEW_ROWS: Final = 64
"""Rows of so few columns are not worth a pass each, if there are more of them than these."""


@dataclass(eq=False)
class Unit:
    """Instructions that belong together, in order; a shape, if they run as one pass."""

    level: int
    shape: Shape | None = None
    split_axis: int | None = None
    members: list[int] = field(default_factory=list)
    arrays: set[int] = field(default_factory=set)  # slots of its shape that it reads
    joined: Unit | None = None  # the unit that it has become part of

    def takes(self, shape: Shape | None, split_axis: int | None) -> bool:
        """Whether an op on such a shape, cut there, can run in the same pass."""
        fits = split_axis is None or self.split_axis is None or self.split_axis == split_axis
        return fits and self.shape is not None and self.shape == shape


@dataclass(frozen=True)
class Entry:
    """What an instruction is for a pass: on which shape, cut where; or a reduction of it."""

    shape: Shape
    split_axis: int | None
    placements: tuple[Placement, ...] = ()
    reduction: Reducing | None = None
    alias: bool = False


def units(program: Program) -> tuple[list[Unit], dict[int, Entry]]:
    """The units of a program, each after those that it reads from, and their entries."""
    entries: dict[int, Entry] = {}
    grouping = _Grouping(program)
    for at, each in enumerate(program.instructions):
        entry = entry_of(each, program)
        if entry is None:
            grouping.alone(at, each)
        else:
            entries[at] = entry
            grouping.placed(at, each, entry)
    ordered = [unit for unit in grouping.units if unit.joined is None]
    ordered.sort(key=lambda unit: (unit.level, unit.members[0]))
    return ordered, entries


class _Grouping:
    """Units in the making: which of them makes each slot, and whether only when it is through."""

    def __init__(self, program: Program) -> None:
        self.units: list[Unit] = []
        self._kinds = program.kinds
        self._makers: dict[int, tuple[Unit, bool]] = {}
        self._on_level: dict[tuple[int, Shape], list[Unit]] = {}

    def alone(self, at: int, instruction: Instruction) -> None:
        """An op that stays as it is."""
        above = [self._maker(slot)[0].level + 1
                 for slot in instruction.inputs if slot in self._makers]  # fmt: skip
        unit = Unit(max(above, default=0), members=[at])
        self.units.append(unit)
        self._makers |= dict.fromkeys(instruction.outputs, (unit, False))

    def placed(self, at: int, instruction: Instruction, entry: Entry) -> None:
        """An op that goes into a unit: the one that makes its operands, another one, or a new."""
        level, hosts = self._hosts(instruction, entry)
        arrays = {slot for slot in instruction.inputs if self._kinds[slot].shape == entry.shape}
        unit = self._merged(hosts) if hosts else self._beside(level, entry, arrays)
        if unit is None:
            unit = Unit(level, entry.shape)
            self.units.append(unit)
            self._on_level.setdefault((level, entry.shape), []).append(unit)
        unit.members.append(at)
        unit.arrays |= arrays
        unit.split_axis = unit.split_axis if entry.split_axis is None else entry.split_axis
        self._makers[instruction.outputs[0]] = unit, entry.reduction is not None

    def _hosts(self, instruction: Instruction, entry: Entry) -> tuple[int, list[Unit]]:
        """The level that an op needs, and the units there that make operands of it."""
        level, split_axis = 0, entry.split_axis
        hosts: dict[Unit, None] = {}
        for slot in instruction.inputs:
            if slot not in self._makers:
                continue
            maker, late = self._maker(slot)
            if not late and maker.takes(entry.shape, split_axis):
                split_axis = maker.split_axis if split_axis is None else split_axis
                hosts[maker] = None
                level = max(level, maker.level)
            else:
                level = max(level, maker.level + 1)
        return level, [host for host in hosts if host.level == level]

    def _maker(self, slot: int) -> tuple[Unit, bool]:
        unit, late = self._makers[slot]
        while unit.joined is not None:
            unit = unit.joined
        return unit, late

    def _merged(self, hosts: list[Unit]) -> Unit:
        """Several units of one level as one: none of them waits for another."""
        first, *others = hosts
        for each in others:
            first.members = sorted({*first.members, *each.members})
            first.arrays |= each.arrays
            first.split_axis = each.split_axis if first.split_axis is None else first.split_axis
            each.joined = first
        return first

    def _beside(self, level: int, entry: Entry, arrays: set[int]) -> Unit | None:
        """A unit of that level that numbers can join, or arrays that it reads anyway."""
        for each in self._on_level.get((level, entry.shape), ()):
            shares = math.prod(entry.shape) == 1 or not each.arrays.isdisjoint(arrays)
            if each.joined is None and shares and each.takes(entry.shape, entry.split_axis):
                return each
        return None


def entry_of(instruction: Instruction, program: Program) -> Entry | None:
    """What an instruction is for a pass; None if it cannot be part of one."""
    op, outputs = instruction.op, instruction.outputs
    if len(outputs) != 1 or not (op in ELEMENTWISE or op in _REPEATS or is_reduction(op)):
        return None
    kinds = tuple([program.kinds[slot] for slot in instruction.inputs])
    try:
        return _entry(op, instruction.settings, kinds, program.kinds[outputs[0]])
    except TypeError:  # settings that are no key
        return None


@lru_cache(4096)
def _entry(
    op: ProgramOp, settings: Settings, kinds: tuple[Kind, ...], result: Kind
) -> Entry | None:  # fmt: skip
    reduction = reducing(op, settings, kinds[0], result)
    if reduction is not None:
        return _wide(Entry(kinds[0].shape, reduction.split_axis, (Placement("full"),), reduction))
    alias = op in _REPEATS
    result_kind, operands = kind_of(result.dtype), tuple(kind_of(kind.dtype) for kind in kinds)
    if alias:
        shapes = [_REPEATS[op](kinds[0].shape, result.shape, dict(settings))]
    elif _written(op, operands, dict(settings)) == result_kind:
        shapes = [kind.shape for kind in kinds]
    else:
        return None
    known = [broadcast(shape, result.shape) for shape in shapes]
    placements = tuple(each for each in known if each is not None)
    cuts = {each.split_axis for each in placements if each.split_axis is not None}
    if result_kind is None or len(placements) < len(known) or len(cuts) > 1:
        return None
    return _wide(Entry(result.shape, min(cuts, default=None), placements, alias=alias))


def _wide(entry: Entry) -> Entry | None:
    """The entry, unless its rows are too short to be worth it."""
    if entry.split_axis is not None:
        rows, columns = (
            math.prod(entry.shape[: entry.split_axis]),
            math.prod(entry.shape[entry.split_axis :]),
        )
        if columns < NARROWEST and rows > FEW_ROWS:
            return None
    return None if math.prod(entry.shape) == 0 else entry


def _spread(shape: Shape, whole: Shape, settings: dict[str, Any]) -> Shape:
    return spread_shape(shape, whole, settings["axis"], settings["keepdims"])


def _as_it_is(shape: Shape, whole: Shape, settings: dict[str, Any]) -> Shape:
    return shape


_REPEATS: Final[dict[ProgramOp, Callable[[Shape, Shape, dict[str, Any]], Shape]]] = {
    reduce_ops.spread: _spread,
    broadcasting.broadcast_to: _as_it_is,
}
"""Ops that only repeat entries, with the shape that their operand has among the whole."""


def _written(
    op: ProgramOp, kinds: tuple[str | None, ...], settings: dict[str, Any]
) -> str | None:  # fmt: skip
    """The kind of what an op makes of entries of some kinds: it is tried once, on paper.

    None if it does not work on entries, or not on these.
    """
    known = ELEMENTWISE.get(op)
    if known is None or None in kinds or kinds[0] not in known.kinds or _unlike(op, kinds):
        return None
    writer = Writer()
    try:
        return known.compute(*(Vector(writer, "%x", str(kind)) for kind in kinds), **settings).kind
    except NotImplementedError:
        return None


def _unlike(op: ProgramOp, kinds: tuple[str | None, ...]) -> bool:
    """Whether operands differ that should be alike."""
    return len(set(kinds[1:] if op is selection.select else kinds)) > 1
