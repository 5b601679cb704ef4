"""Which ops of a program run in one pass: those on entries of one shape that wait for nothing else.

Every unit, an op that stays as it is or a group, has a level above those that it reads from. An op
joins the group that makes its operands, or another one of its shape on the level that it needs; as
each edge between units goes up, none can wait for itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from tapelab.compiling.fusing.elementwise import ELEMENTWISE
from tapelab.compiling.fusing.lanes import Lanes, Writer, kind_of
from tapelab.compiling.fusing.layouts import Lying, Reducing, broadcast, reducing, spread_shape
from tapelab.compiling.program import Fused, Instruction, Kind, Program, Settings

Shape = tuple[int, ...]
NARROWEST: Final = 16
"""Rows of fewer columns are not worth a pass each."""


@dataclass(eq=False)
class Unit:
    """Instructions that belong together, in order; a shape, if they run as one pass."""

    level: int
    shape: Shape | None = None
    cut: int | None = None
    members: list[int] = field(default_factory=list)

    def takes(self, shape: Shape, cut: int | None) -> bool:
        """Whether an op on such a shape, cut there, can run in the same pass."""
        return self.shape == shape and (cut is None or self.cut in {None, cut})


@dataclass(frozen=True)
class Entry:
    """What an instruction is for a pass: on which shape, cut where; or a reduction of it."""

    shape: Shape
    cut: int | None
    lying: tuple[Lying, ...] = ()
    reduction: Reducing | None = None
    alias: bool = False


def units(program: Program) -> tuple[list[Unit], dict[int, Entry]]:
    """The units of a program, each after those that it reads from, and their entries."""
    entries: dict[int, Entry] = {}
    makers: dict[int, tuple[Unit, bool]] = {}
    on_level: dict[tuple[int, Shape], list[Unit]] = {}
    found: list[Unit] = []
    for at, each in enumerate(program.instructions):
        entry = entry_of(each, program)
        unit = None
        if entry is not None:
            unit, level = _joined(entry, each, makers, on_level)
            entries[at] = entry
        if unit is None:
            if entry is None:
                level = max((makers[slot][0].level + 1 for slot in each.inputs if slot in makers),
                            default=0)  # fmt: skip
            unit = Unit(level, entry.shape if entry else None)
            found.append(unit)
            if entry is not None:
                on_level.setdefault((level, entry.shape), []).append(unit)
        unit.members.append(at)
        if entry is not None and entry.cut is not None:
            unit.cut = entry.cut
        late = entry is not None and entry.reduction is not None
        makers |= dict.fromkeys(each.outputs, (unit, late))
    found.sort(key=lambda unit: (unit.level, unit.members[0]))
    return found, entries


def _joined(
    entry: Entry, instruction: Instruction, makers: dict[int, tuple[Unit, bool]],
    on_level: dict[tuple[int, Shape], list[Unit]],
) -> tuple[Unit | None, int]:  # fmt: skip
    """The unit that an entry can join, and the level that it needs."""
    level, hosts = 0, set()
    for slot in instruction.inputs:
        if slot not in makers:
            continue
        maker, late = makers[slot]
        open_ = not late and maker.takes(entry.shape, entry.cut)
        if open_:
            hosts.add(maker)
        level = max(level, maker.level if open_ else maker.level + 1)
    highest = [host for host in hosts if host.level == level]
    if len(highest) > 1:
        level += 1
    elif highest:
        return highest[0], level
    others: Iterable[Unit] = on_level.get((level, entry.shape), ())
    return next((each for each in others if each.takes(entry.shape, entry.cut)), None), level


def entry_of(instruction: Instruction, program: Program) -> Entry | None:
    """What an instruction is for a pass; None if it cannot be part of one."""
    op, outputs = instruction.op, instruction.outputs
    if isinstance(op, Fused) or len(outputs) != 1 or not instruction.inputs:
        return None
    kinds = tuple([program.kinds[slot] for slot in instruction.inputs])
    try:
        return _entry(op.name, instruction.settings, kinds, program.kinds[outputs[0]])
    except TypeError:  # settings that are no key
        return None


@lru_cache(4096)
def _entry(
    name: str, settings: Settings, kinds: tuple[Kind, ...], result: Kind
) -> Entry | None:  # fmt: skip
    reduction = reducing(name, settings, kinds[0], result)
    if reduction is not None:
        return _wide(Entry(kinds[0].shape, reduction.cut, (Lying("full"),), reduction))
    alias = name in _REPEATS
    made, operands = kind_of(result.dtype), tuple(kind_of(kind.dtype) for kind in kinds)
    if alias:
        shapes = [_REPEATS[name](kinds[0].shape, result.shape, dict(settings))]
    elif _written(name, operands, dict(settings)) == made:
        shapes = [kind.shape for kind in kinds]
    else:
        return None
    known = [broadcast(shape, result.shape) for shape in shapes]
    lying = tuple(each for each in known if each is not None)
    cuts = {each.cut for each in lying if each.cut is not None}
    if made is None or len(lying) < len(known) or len(cuts) > 1:
        return None
    return _wide(Entry(result.shape, min(cuts, default=None), lying, alias=alias))


def _wide(entry: Entry) -> Entry | None:
    """The entry, unless its rows are too short to be worth it."""
    if entry.cut is not None and math.prod(entry.shape[entry.cut :]) < NARROWEST:
        return None
    return None if math.prod(entry.shape) == 0 else entry


def _spread(shape: Shape, whole: Shape, settings: dict[str, Any]) -> Shape:
    return spread_shape(shape, whole, settings["axis"], settings["keepdims"])


def _as_it_is(shape: Shape, whole: Shape, settings: dict[str, Any]) -> Shape:
    return shape


_REPEATS: Final = {"spread": _spread, "broadcast_to": _as_it_is}
"""Ops that only repeat entries, with the shape that their operand has among the whole."""


def _written(name: str, kinds: tuple[str | None, ...], settings: dict[str, Any]) -> str | None:
    """The kind of what an op makes of entries of some kinds: it is tried once, on paper.

    None if it does not work on entries, or not on these.
    """
    allowed, function = ELEMENTWISE.get(name, (frozenset(), None))
    if function is None or None in kinds or kinds[0] not in allowed or _unlike(name, kinds):
        return None
    writer = Writer()
    try:
        return function(*(Lanes(writer, "%x", str(kind)) for kind in kinds), **settings).kind
    except NotImplementedError:
        return None


def _unlike(name: str, kinds: tuple[str | None, ...]) -> bool:
    """Whether operands differ that should be alike."""
    return len(set(kinds[1:] if name == "where" else kinds)) > 1
