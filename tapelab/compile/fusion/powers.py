"""Powers by small whole numbers as products, which can be fused; others are left to NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tapelab.compile.program import Instruction, Kind, Program
from tapelab.core.op_declaration import Op
from tapelab.ops.arithmetic import multiply
from tapelab.ops.powers import pow_, reciprocal, square

_BY: Final[dict[float, tuple[Op, ...]]] = {
    -1.0: (reciprocal,),
    2.0: (square,),
    3.0: (square, multiply),
}
"""Exponents with the ops in their place; the last op of several takes the base once more."""


def with_products(program: Program) -> Program:
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
