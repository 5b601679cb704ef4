"""The fusion pass: one fused instruction in the place of many elementwise ops of a program.

Powers by small integers become products first, which can be fused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tapelab.compile.fusion import kernel_runtime
from tapelab.compile.fusion.elementwise_rules import ELEMENTWISE
from tapelab.compile.fusion.group_plan import Plan, plan
from tapelab.compile.fusion.kernel_call import Frame
from tapelab.compile.fusion.partition import Entry, Unit, units
from tapelab.compile.program import Fused, Instruction, Kind, Program
from tapelab.core.op_declaration import Op
from tapelab.ops.arithmetic import multiply
from tapelab.ops.powers import pow_, reciprocal, square

MIN_SCALAR_OPS: Final = 4
"""The fewest ops on scalars that are fused; fewer cost no more than a call of compiled code."""
LARGE: Final = 2**15
"""The fewest elements for which an op alone is compiled, if NumPy is slow at it."""


def fuse(program: Program) -> Program:
    """A program with the same results in which elementwise ops run together.

    The program as it is where this machine cannot compile, or nothing can be fused.
    """
    plain, program = program, expand_powers(program)
    candidates, entries = units(program)
    if (
        not any(_worth(unit, program, entries) for unit in candidates)
        or not kernel_runtime.available()
    ):
        return plain
    readers = _readers(program)
    instructions: list[Instruction] = []
    kinds, constants = dict(program.kinds), dict(program.constants)
    for unit in candidates:
        plain_ones = [program.instructions[at] for at in unit.members]
        inside = {*unit.members}
        wanted = {slot for each in plain_ones for slot in each.outputs
                  if not readers[slot] <= inside}  # fmt: skip
        fusion = plan(unit, program, entries, wanted) if _worth(unit, program, entries) else None
        if fusion is None or not fusion.inputs:  # numbers alone are worked out by other passes
            instructions += plain_ones
        elif wanted:
            inputs = tuple(each if isinstance(each, int) else _constant(each, kinds, constants)
                           for each in fusion.inputs)  # fmt: skip
            instructions.append(Instruction(_fused(fusion, program), inputs, (), fusion.outputs))
    return replace(program, kinds=kinds, constants=constants, instructions=tuple(instructions))


def _readers(program: Program) -> dict[int, set[int]]:
    """Who reads each slot: instructions by their number, and -1 for the results."""
    readers: dict[int, set[int]] = {}
    for at, each in enumerate(program.instructions):
        for slot in each.inputs:
            readers.setdefault(slot, set()).add(at)
        for slot in each.outputs:
            readers.setdefault(slot, set())
    for slot in program.results:
        readers.setdefault(slot, set()).add(-1)
    return readers


def _worth(unit: Unit, program: Program, entries: dict[int, Entry]) -> bool:
    if unit.shape is None:
        return False
    working = [at for at in unit.members if not entries[at].alias]
    size = int(np.prod(unit.shape))
    if size == 1:
        return len(working) >= MIN_SCALAR_OPS
    if len(working) > 1:
        return True
    if not working or size < LARGE:
        return False
    alone = ELEMENTWISE.get(program.instructions[working[0]].op)
    return alone is not None and alone.slow_in_numpy


def _constant(number: np.generic, kinds: dict[int, Kind], constants: dict[int, Any]) -> int:
    """A new slot for a number."""
    slot = max(kinds, default=-1) + 1
    kinds[slot] = Kind((), number.dtype)
    constants[slot] = number
    return slot


def _fused(fusion: Plan, program: Program) -> Fused:
    kept = len(fusion.group.stored)
    shapes = tuple(program.kinds[slot].shape for slot in fusion.outputs)
    kernel = kernel_runtime.function(fusion.group, Frame(shapes[:kept], shapes[kept:]))
    return Fused("fused", kernel, multi=len(fusion.outputs) > 1)


_BY: Final[dict[float, tuple[Op, ...]]] = {
    -1.0: (reciprocal,),
    2.0: (square,),
    3.0: (square, multiply),
}
"""Exponents with the ops in their place; the last op of several takes the base once more."""


def expand_powers(program: Program) -> Program:
    """A program in which no float is raised to the power of -1, 2 or 3 by the general way."""
    kinds = dict(program.kinds)
    instructions: list[Instruction] = []
    for each in program.instructions:
        ops = _ops(each, program.constants, kinds)
        if not ops:
            instructions.append(each)
            continue
        base, value = each.inputs[0], each.inputs[0]
        for at, op in enumerate(ops):
            last = at == len(ops) - 1
            output = each.outputs[0] if last else max(kinds) + 1
            kinds[output] = kinds[each.outputs[0]]
            inputs = (value, base) if at else (value,)
            instructions.append(Instruction(op, inputs, (), (output,)))
            value = output
    return replace(program, kinds=kinds, instructions=tuple(instructions))


def _ops(
    instruction: Instruction, constants: Mapping[int, Any], kinds: Mapping[int, Kind]
) -> tuple[Op, ...]:  # fmt: skip
    if instruction.op is not pow_:
        return ()
    base, exponent = instruction.inputs
    value = constants.get(exponent)
    same = kinds[base] == kinds[instruction.outputs[0]]
    if value is None or value.dtype.kind != "f" or not value.size or not same:
        return ()
    if not np.all(value == value.flat[0]):
        return ()
    return _BY.get(float(value.flat[0]), ())
