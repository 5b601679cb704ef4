"""A group as a program of the interpreter: instructions, numbers, and registers used again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from tapelab.compile.fusion.fusion_group import BLOCK, Group, Step
from tapelab.compile.fusion.interpreter import END, PROGRAM_START, Code, codes
from tapelab.compile.fusion.kernel_call import DTYPES
from tapelab.compile.fusion.simd import SIZES, WIDTH
from tapelab.compile.program import ProgramOp
from tapelab.ops import activation, arithmetic, casts, comparison, selection

MEMORY_OF: Final = {1: "i8", 4: "i32", 8: "i64"}
VECTOR_BYTES: Final = 128


@dataclass(frozen=True)
class Encoded:
    """A program in memory with its registers; the driver gets its address."""

    numbers: Any
    room: Any

    @property
    def address(self) -> int:
        """Where the program stands."""
        address: int = self.numbers.ctypes.data
        return address


def encoded(group: Group) -> Encoded:
    """The program of a group."""
    return _Writing(expanded(group)).finished()


def expanded(group: Group) -> Group:
    """The same group; sums of many become sums of two, and settings become numbers."""
    first = len(group.operands)
    steps: list[Step] = []
    places = list(range(first))

    def add(op: ProgramOp | None, kind: str, *inputs: int, **settings: Any) -> int:
        steps.append(Step(op, inputs, tuple(settings.items()), kind))
        return first + len(steps) - 1

    for step in group.steps:
        inputs = [places[each] for each in step.inputs]
        if step.op is arithmetic.add_n:
            total = inputs[0]
            for each in inputs[1:]:
                total = add(arithmetic.add, step.kind, total, each)
            places.append(total)
        elif step.op is activation.leaky_relu:
            alpha = add(None, step.kind, value=dict(step.settings)["alpha"])
            zero = add(None, step.kind, value=0.0)
            below = add(arithmetic.multiply, step.kind, inputs[0], alpha)
            above = add(comparison.greater, "i1", inputs[0], zero)
            places.append(add(selection.select, step.kind, above, inputs[0], below))
        elif step.op is casts.cast and group.kind(step.inputs[0]) == step.kind:
            places.append(inputs[0])
        else:
            places.append(add(step.op, step.kind, *inputs, **dict(step.settings)))
    reductions = tuple(replace(each, value=places[each.value]) for each in group.reductions)
    stored = tuple(places[each] for each in group.stored)
    return replace(group, steps=tuple(steps), stored=stored, reductions=reductions)


class _Writing:
    """A program in the making: a register for each value from its first use to its last."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.sixteens = -(-min(group.columns, BLOCK) // WIDTH)
        self.lines: list[tuple[int, int, int, int, int]] = []
        self.constants: list[bytes] = []
        self.registers: dict[int, int] = {}
        self._free: dict[int, list[int]] = {}
        self._end = 0
        self._last = self._last_uses()

    def finished(self) -> Encoded:
        """All instructions in memory, with the numbers behind them, and the registers."""
        group, first = self.group, len(self.group.operands)
        for at, step in enumerate(group.steps):
            self._step(first + at, step)
        self._results()
        self._add(END)
        behind = PROGRAM_START + 4 * np.size(self.lines)
        start = -(-behind // 8) * 8
        lines = np.array(self.lines, np.int32)
        for moved in MEMORY_OF.values():
            lines[lines[:, 0] == codes()[Code("number", (moved,))], 2] += start
        room = np.zeros(self._end + 64, np.uint8)
        offset = -room.ctypes.data % 64
        memory = np.zeros(start + 8 * len(self.constants), np.uint8)
        memory[:8] = np.array([room.ctypes.data + offset], np.int64).view(np.uint8)
        memory[PROGRAM_START:behind] = lines.reshape(-1).view(np.uint8)
        memory[start:] = np.frombuffer(b"".join(self.constants), np.uint8)
        return Encoded(memory, room)

    def _last_uses(self) -> list[int]:
        """For each value the last value that is made of it; those that are kept live on."""
        group, first = self.group, len(self.group.operands)
        count = first + len(group.steps)
        last = list(range(count))
        for at, step in enumerate(group.steps):
            for each in step.inputs:
                last[each] = first + at
        for each in (*group.stored, *(one.value for one in group.reductions)):
            last[each] = count
        return last

    def _step(self, value: int, step: Step) -> None:
        if step.op is None:
            return  # filled in where it is first read
        inputs = [self._register(each) for each in step.inputs]
        for each in {*step.inputs}:
            self._leave(each, value)
        kinds = tuple(self.group.kind(each) for each in step.inputs)
        if step.op is casts.cast:
            kinds = (*kinds, step.kind)
        self._add(Code(step.op, kinds), self._room(value, step.kind), *inputs)
        self._leave(value, value)

    def _register(self, value: int) -> int:
        """The register of a value; operands and constants are filled in when first read."""
        if value in self.registers:
            return self.registers[value]
        kind, first = self.group.kind(value), len(self.group.operands)
        moved = MEMORY_OF[SIZES[kind]]
        room = self._room(value, kind)
        if value >= first:
            number = dict(self.group.steps[value - first].settings)["value"]
            self.constants.append(np.array(number, DTYPES[kind]).tobytes().ljust(8, b"\0"))
            self._add(Code("number", (moved,)), room, 8 * (len(self.constants) - 1))
        elif self.group.operands[value].layout in {"one", "column"}:
            self._add(Code("splat", (moved,)), room, value)
        else:
            self._add(Code("load", (moved,)), room, value)
        return room

    def _results(self) -> None:
        group = self.group
        array = len(group.operands)
        by_column = [each for each in group.reductions if each.along == "column"]
        for value in group.stored:
            moved = MEMORY_OF[SIZES[group.kind(value)]]
            self._add(Code("store", (moved,)), array, self._register(value))
            array += 1
        for each in by_column:
            self._add(Code("column", (group.kind(each.value),)), array, self._register(each.value))
            array += 1
        gathered = [each for each in group.reductions if each.along != "column"]
        for k, each in enumerate(gathered):
            self._add(Code(each.how, (group.kind(each.value),)), k * VECTOR_BYTES,
                      self._register(each.value))  # fmt: skip

    def _room(self, value: int, kind: str) -> int:
        size = -(-self.sixteens * WIDTH * SIZES[kind] // 64) * 64
        free = self._free.setdefault(size, [])
        if free:
            place = free.pop()
        else:
            place, self._end = self._end, self._end + size
        self.registers[value] = place
        return place

    def _leave(self, value: int, now: int) -> None:
        """The register of a value is free again after its last use."""
        if self._last[value] <= now and value in self.registers:
            size = -(-self.sixteens * WIDTH * SIZES[self.group.kind(value)] // 64) * 64
            self._free[size].append(self.registers.pop(value))

    def _add(self, code: Code, *places: int) -> None:
        out, *operands = places or (0,)
        a, b, c = (*operands, 0, 0, 0)[:3]
        self.lines.append((codes()[code], out, a, b, c))
