"""Passes over flat programs: the same results, bit for bit, by fewer instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tapelab.compile.program import Instruction, Kind, Program, ProgramOp
from tapelab.compile.pytree import Leaf
from tapelab.core.op_declaration import Op
from tapelab.ops.arithmetic import add, divide, multiply, subtract
from tapelab.ops.broadcasting import broadcast_to, sum_to
from tapelab.ops.casts import cast
from tapelab.ops.pass_through import identity, identity_n, read_value, stop_gradient
from tapelab.ops.powers import pow_
from tapelab.ops.reduce_ops import spread
from tapelab.ops.shapes import expand_dims, reshape, squeeze, transpose

_GROWN: Final = 4096
"""A constant is not worked out beforehand if it has more elements than this and than its inputs."""


def optimise_program(program: Program) -> Program:
    """A program with the same results, without what need not be done at each run."""
    for each in PASSES:
        program = each(program)
    return program


def fold_constants(program: Program) -> Program:
    """Ops on constants alone are run once, here."""
    constants, kept = dict(program.constants), []
    for each in program.instructions:
        known = all(slot in constants for slot in each.inputs)
        if known and _stays_small(each, program.kinds) and each.outputs:
            constants |= zip(each.outputs, run_instruction(each, constants), strict=True)
        else:
            kept.append(each)
    return replace(program, constants=constants, instructions=tuple(kept))


def run_instruction(instruction: Instruction, values: Mapping[int, Any]) -> list[Any]:
    """What an instruction comes to, one value for each output; scalars instead of arrays of ()."""
    op = instruction.op
    with np.errstate(all="ignore"):
        result = op.kernel(
            *(values[slot] for slot in instruction.inputs), **dict(instruction.settings)
        )
    return [each[()] if each.ndim == 0 else each for each in (result if op.multi else (result,))]


def _stays_small(instruction: Instruction, kinds: Mapping[int, Kind]) -> bool:
    most = max([_GROWN, *(kinds[slot].size for slot in instruction.inputs)])
    return all(kinds[slot].size <= most for slot in instruction.outputs)


def keep_scalars(program: Program) -> Program:
    """A number that is stretched to a shape stays one where it meets an array of that shape."""
    number_of: dict[int, int] = {}
    kinds, kept = program.kinds, []
    for each in program.instructions:
        single = len(each.inputs) == 1 and not kinds[each.inputs[0]].shape
        if each.op in _STRETCHES and single:
            number_of[each.outputs[0]] = each.inputs[0]
        elif each.op in _BY_ENTRY:
            shape = kinds[each.outputs[0]].shape
            for at in (0, 1):
                number = number_of.get(each.inputs[at])
                if number is not None and kinds[each.inputs[1 - at]].shape == shape:
                    pair = (number, each.inputs[1]) if at == 0 else (each.inputs[0], number)
                    each = replace(each, inputs=pair)  # noqa: PLW2901 - the same op otherwise
        kept.append(each)
    return replace(program, instructions=tuple(kept))


_STRETCHES: Final[frozenset[ProgramOp]] = frozenset({spread, broadcast_to})
_BY_ENTRY: Final[frozenset[ProgramOp]] = frozenset({add, subtract, multiply, divide})


def remove_idle_ops(program: Program) -> Program:
    """Ops that return what they are given are left out: who reads their result reads that."""
    stands_for: dict[int, int] = {}
    kept = []
    for each in program.instructions:
        inputs = tuple(stands_for.get(slot, slot) for slot in each.inputs)
        rewired = replace(each, inputs=inputs) if inputs != each.inputs else each
        same = _unchanged_input(rewired, program)
        if rewired.op is identity_n:
            stands_for |= zip(rewired.outputs, rewired.inputs, strict=True)
        elif same is None:
            kept.append(rewired)
        else:
            stands_for[rewired.outputs[0]] = same
    return _rename_slots(replace(program, instructions=tuple(kept)), stands_for)


def _unchanged_input(instruction: Instruction, program: Program) -> int | None:
    """The slot whose very value an instruction returns, if it does."""
    find = _IDLE.get(instruction.op)
    if find is None or len(instruction.outputs) != 1:
        return None
    same = find(instruction, program.constants)
    unchanged = same is not None and program.kinds[same] == program.kinds[instruction.outputs[0]]
    return same if unchanged else None


Find = Callable[[Instruction, Mapping[int, Any]], int | None]


def _always(instruction: Instruction, _: Mapping[int, Any]) -> int | None:
    return instruction.inputs[0]


def _in_order(instruction: Instruction, _: Mapping[int, Any]) -> int | None:
    perm = dict(instruction.settings).get("perm")
    moved = perm is None or any(int(axis) != at for at, axis in enumerate(perm))
    return None if moved else instruction.inputs[0]


def _beside(number: int, *places: int) -> Find:
    """The other operand where the operand at one of some places is a constant of that number."""

    def find(instruction: Instruction, constants: Mapping[int, Any]) -> int | None:
        for place in places:
            value = constants.get(instruction.inputs[place])
            if value is not None and value.size and bool(np.all(value == number)):
                return instruction.inputs[1 - place]
        return None

    return find


def _minus_nothing(instruction: Instruction, constants: Mapping[int, Any]) -> int | None:
    """Nothing taken away leaves x as it is, also -0; adding 0 does not."""
    value = constants.get(instruction.inputs[1])
    if value is None or value.dtype.kind not in "fiu" or np.any(np.signbit(value)):
        return None
    return instruction.inputs[0] if not np.any(value) else None


_IDLE: Final[dict[ProgramOp, Find]] = {
    identity: _always,
    read_value: _always,
    stop_gradient: _always,
    reshape: _always,
    expand_dims: _always,
    squeeze: _always,
    broadcast_to: _always,
    sum_to: _always,
    spread: _always,
    cast: _always,
    transpose: _in_order,
    multiply: _beside(1, 0, 1),
    divide: _beside(1, 1),
    pow_: _beside(1, 1),
    subtract: _minus_nothing,
}
"""Ops that return an input as it is, where its kind is that of the result."""


def merge_reshapes(program: Program) -> Program:
    """What is given one shape after another is given the last one at once."""
    before: dict[int, int] = {}
    kept = []
    for each in program.instructions:
        if not isinstance(each.op, Op) or not each.op.reshapes or len(each.inputs) != 1:
            kept.append(each)
            continue
        source, result = before.get(each.inputs[0], each.inputs[0]), each.outputs[0]
        before[result] = source
        shape = ("shape", program.kinds[result].shape)
        kept.append(Instruction(reshape, (source,), (shape,), (result,)))
    return replace(program, instructions=tuple(kept))


def merge_repeated_ops(program: Program) -> Program:
    """What is computed twice from the same values is computed once."""
    stands_for: dict[int, int] = {}
    constants: dict[int, Any] = {}
    seen: dict[Any, Any] = {}
    for slot, value in program.constants.items():
        first = seen.setdefault(_content(value), slot)
        if first == slot:
            constants[slot] = value
        else:
            stands_for[slot] = first
    kept = []
    for each in program.instructions:
        inputs = tuple(stands_for.get(slot, slot) for slot in each.inputs)
        key = (id(each.op), inputs, tuple((name, _written(v)) for name, v in each.settings))
        known = seen.setdefault(key, each.outputs)
        if known is each.outputs:
            kept.append(replace(each, inputs=inputs))
        else:
            stands_for |= zip(each.outputs, known, strict=True)
    return _rename_slots(
        replace(program, constants=constants, instructions=tuple(kept)), stands_for
    )


def _content(value: Leaf) -> Any:
    """What two constants have in common if they are the same numbers."""
    if value.dtype.hasobject or value.size > _GROWN:
        return id(value)
    return value.dtype.str, value.shape, value.tobytes()


def _written(value: Leaf) -> Any:
    """A setting in a form that tells 1 from True and 0.0 from -0.0."""
    if isinstance(value, (tuple, list)):
        return type(value), tuple(map(_written, value))
    plain = value is None or isinstance(value, (bool, int, float, str, bytes, np.dtype, type))
    return (type(value), repr(value)) if plain else (type(value), id(value))


def remove_dead_code(program: Program) -> Program:
    """What leads to no result is left out."""
    wanted = set(program.results)
    kept = []
    for each in reversed(program.instructions):
        if wanted.intersection(each.outputs) or not each.outputs:
            kept.append(each)
            wanted.update(each.inputs)
    computed = {slot for each in kept for slot in each.outputs}
    constants = {slot: value for slot, value in program.constants.items() if slot in wanted}
    alive = wanted | computed | set(program.parameters)
    kinds = {slot: kind for slot, kind in program.kinds.items() if slot in alive}
    return replace(program, kinds=kinds, constants=constants, instructions=tuple(kept[::-1]))


def _rename_slots(program: Program, stands_for: Mapping[int, int]) -> Program:
    """A program in which slots are read in the place of others; chains are followed."""

    def final(slot: int) -> int:
        while slot in stands_for:
            slot = stands_for[slot]
        return slot

    instructions = tuple(
        replace(each, inputs=tuple(map(final, each.inputs))) for each in program.instructions
    )
    return replace(program, results=tuple(map(final, program.results)), instructions=instructions)


PASSES: Final = (
    fold_constants,
    merge_reshapes,
    keep_scalars,
    remove_idle_ops,
    merge_repeated_ops,
    remove_dead_code,
)
"""All passes, in the order in which they help each other."""
