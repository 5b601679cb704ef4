"""Powers by small whole numbers as products, which can be fused; others are left to NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tapelab.compile.program import Fused, Instruction, Kind, Program
from tapelab.core.op import REGISTRY

_BY: Final[dict[float, tuple[str, ...]]] = {
    -1.0: ("reciprocal",), 2.0: ("square",), 3.0: ("square", "multiply"),
}  # fmt: skip
"""Exponents with the ops in their place; the last op of several takes the base once more."""


def with_products(program: Program) -> Program:
    """A program in which no float is raised to the power of -1, 2 or 3 by the general way."""
    kinds = dict(program.kinds)
    instructions: list[Instruction] = []
    for each in program.instructions:
        names = _ops(each, program.constants, kinds)
        if not names:
            instructions.append(each)
            continue
        base, value = each.inputs[0], each.inputs[0]
        for at, name in enumerate(names):
            last = at == len(names) - 1
            output = each.outputs[0] if last else max(kinds) + 1
            kinds[output] = kinds[each.outputs[0]]
            inputs = (value, base) if at else (value,)
            instructions.append(Instruction(REGISTRY[name], inputs, (), (output,)))
            value = output
    return replace(program, kinds=kinds, instructions=tuple(instructions))


def _ops(
    instruction: Instruction, constants: Mapping[int, Any], kinds: Mapping[int, Kind]
) -> tuple[str, ...]:  # fmt: skip
    if isinstance(instruction.op, Fused) or instruction.op.name != "pow":
        return ()
    base, exponent = instruction.inputs
    value = constants.get(exponent)
    same = kinds[base] == kinds[instruction.outputs[0]]
    if value is None or value.dtype.kind != "f" or not value.size or not same:
        return ()
    if not np.all(value == value.flat[0]):
        return ()
    return _BY.get(float(value.flat[0]), ())
