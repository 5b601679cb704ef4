"""From the ops of a unit to a group: its operands, its steps, and what is kept of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapelab.compile.fusion.fusion_group import Group, Operand, Placement, Reduction, Step
from tapelab.compile.fusion.partition import Entry, Unit
from tapelab.compile.fusion.simd import kind_of
from tapelab.compile.program import Instruction, Program
from tapelab.kernels.threads import SLICE

Member = tuple[Instruction, Entry]

WRITTEN: Final = frozenset({0.0, 1.0, -1.0, 2.0, 0.5})
"""Numbers that stand in the code itself; others are operands, so that code serves many of them."""
_UNIFORM: Final = 4096
"""A constant array of more entries is not asked whether they are all the same."""


@dataclass(frozen=True)
class Plan:
    """A group, the slots or numbers it takes, and the slots it fills: stored ones, then reduced."""

    group: Group
    inputs: tuple[int | np.generic, ...]
    outputs: tuple[int, ...]


def plan(unit: Unit, program: Program, entries: dict[int, Entry], wanted: set[int]) -> Plan:
    """The group of a unit of which some slots are wanted elsewhere."""
    members = [(program.instructions[at], entries[at]) for at in unit.members]
    finder = _Finder(program, members)
    values, steps = _steps(members, finder, program)
    plain = [each.outputs[0] for each, entry in members if entry.reduction is None]
    stored = [slot for slot in plain if slot in wanted]
    reduced = [each.outputs[0] for each, entry in members if entry.reduction is not None]
    reductions = tuple(
        Reduction(finder.value(each.inputs[0], entry.placements[0], values), entry.reduction.how,
                  entry.reduction.along, float(entry.reduction.count))
        for each, entry in members
        if entry.reduction is not None
    )  # fmt: skip
    group = Group(*_rows(unit), tuple(finder.operands.values()), tuple(steps),
                  tuple(values[slot] for slot in stored), reductions)  # fmt: skip
    return Plan(group, tuple(finder.inputs), (*stored, *reduced))


def _steps(
    members: list[Member], finder: _Finder, program: Program
) -> tuple[dict[int, int], list[Step]]:
    """The number of the value in each slot that is made here, and the steps that make them."""
    values: dict[int, int] = {}
    steps = list(finder.constants)
    for instruction, entry in members:
        if entry.reduction is not None:
            continue
        inputs = tuple(
            finder.value(slot, placements, values)
            for slot, placements in zip(instruction.inputs, entry.placements, strict=True)
        )
        output = instruction.outputs[0]
        if entry.alias:
            values[output] = inputs[0]
        else:
            values[output] = len(finder.operands) + len(steps)
            kind = str(kind_of(program.kinds[output].dtype))
            steps.append(Step(instruction.op, inputs, instruction.settings, kind))
    return values, steps


def _rows(unit: Unit) -> tuple[int, int, int]:
    """Rows, columns and entries; without a cut, rows are slices."""
    shape: Any = unit.shape
    entries = math.prod(shape)
    if unit.split_axis is not None:
        return math.prod(shape[: unit.split_axis]), math.prod(shape[unit.split_axis :]), entries
    columns = min(entries, SLICE)
    return -(-entries // columns), columns, entries


class _Finder:
    """The operands of a group and its constants, numbered as they are met."""

    def __init__(self, program: Program, members: list[Member]) -> None:
        self._program = program
        self._made = {each.outputs[0] for each, entry in members if entry.reduction is None}
        self.operands: dict[Any, Operand] = {}
        self.inputs: list[int | np.generic] = []
        self.constants: list[Step] = []
        self._numbers: dict[Any, int] = {}
        self._places: dict[Any, int] = {}
        self._same: dict[int, np.generic | None] = {}
        for instruction, entry in members:
            for slot, placements in zip(instruction.inputs, entry.placements, strict=True):
                self._operand(slot, placements)

    def _operand(self, slot: int, placements: Placement) -> None:
        """Note what is read from outside."""
        if slot in self._made:
            return
        dtype, shape = self._program.kinds[slot].dtype, self._program.kinds[slot].shape
        kind = str(kind_of(dtype))
        number = self._number(slot)
        if number is not None and self._written(number):
            key = ("constant", number.tobytes(), kind)
            if key not in self._numbers:
                self._numbers[key] = len(self.constants)
                self.constants.append(Step(None, (), (("value", number.item()),), kind))
        elif number is not None:
            self._add(("number", number.tobytes(), kind), number, Operand("one", kind, scalar=True))
        else:
            self._add(
                (slot, placements.layout), slot, Operand(placements.layout, kind, scalar=not shape)
            )

    def value(self, slot: int, placements: Placement, values: dict[int, int]) -> int:
        """The number of a value that is made here, or read from outside."""
        if slot in values:
            return values[slot]
        kind = str(kind_of(self._program.kinds[slot].dtype))
        number = self._number(slot)
        if number is not None and self._written(number):
            return len(self.operands) + self._numbers["constant", number.tobytes(), kind]
        key = (slot, placements.layout) if number is None else ("number", number.tobytes(), kind)
        return self._places[key]

    def _add(self, key: Any, given: int | np.generic, operand: Operand) -> None:
        if key not in self.operands:
            self._places[key] = len(self.operands)
            self.operands[key] = operand
            self.inputs.append(given)

    def _number(self, slot: int) -> np.generic | None:
        """The one number that a constant consists of, if it does."""
        if slot not in self._same:
            value = self._program.constants.get(slot)
            self._same[slot] = None if value is None else _uniform(value)
        return self._same[slot]

    def _written(self, number: np.generic) -> bool:
        return number.dtype.kind == "b" or (
            float(number) in WRITTEN and not bool(np.signbit(number) and number == 0)
        )


def _uniform(value: Any) -> np.generic | None:
    """The number in each entry of an array, by its bits."""
    if value.size == 0 or value.size > _UNIFORM:
        return None
    flat = np.ascontiguousarray(value).reshape(-1)
    same = flat.tobytes() == flat[:1].tobytes() * flat.size
    number: np.generic = flat[0]
    return number if same else None
