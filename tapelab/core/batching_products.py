"""Products and solutions for many rows at once; what rows have in common is used once."""

from __future__ import annotations

from string import ascii_letters
from typing import Any

from tapelab.core.batching_rows import Call, Operand, Shape, reshaped
from tapelab.core.op import REGISTRY, Op


def matmul(call: Call) -> Any:
    """With a matrix that all rows have in common: one product with a tall matrix."""
    a, b = call.operands
    if (a.batched and b.batched) or len(a.shape) != 2 or len(b.shape) != 2:
        return call.op(*call.with_rank(max(len(a.shape), len(b.shape))), **call.settings)
    turn_a, turn_b = (call.settings.get(f"transpose_{name}", False) for name in "ab")
    if a.batched:
        return _tall(call, a, b, swap=turn_a, turn=turn_b)
    across = _tall(call, b, a, swap=not turn_b, turn=not turn_a)
    length = a.shape[1] if turn_a else a.shape[0]
    return _swapped(across, call.rows, (b.shape[0] if turn_b else b.shape[1], length))


def _tall(call: Call, x: Operand, common: Operand, *, swap: bool, turn: bool) -> Any:
    """The products of all x, transposed if so said, with one matrix, transposed if so said."""
    rows = _swapped(x.value, call.rows, x.shape) if swap else x.value
    height, width = x.shape[::-1] if swap else x.shape
    made = call.op(reshaped(rows, (call.rows * height, width)), common.value, transpose_b=turn)
    return reshaped(made, (call.rows, height, common.shape[0] if turn else common.shape[1]))


def _swapped(rows: Any, count: int, shape: Shape) -> Any:
    height, width = shape
    if height == 1 or width == 1:
        return reshaped(rows, (count, width, height))
    return REGISTRY["transpose"](rows, perm=(0, 2, 1))


def einsum(call: Call) -> Any:
    """One more letter for the rows."""
    equation = call.settings["equation"]
    left, _, right = equation.partition("->")
    row = next(letter for letter in ascii_letters if letter not in equation)
    terms = zip(call.operands, left.split(","), strict=True)
    named = ",".join(row + term if x.batched else term for x, term in terms)
    return call.op(*[x.value for x in call.operands], equation=f"{named}->{row}{right}")


def solve(call: Call) -> Any:
    """With a matrix that all rows have in common: one solution for all their columns."""
    a, b = call.operands
    if a.batched or len(a.shape) != 2 or len(b.shape) != 2:
        rank = max(len(a.shape), len(b.shape))
        return call.of(*(call.with_rank(rank) if call.op.broadcasts else call.spread()))
    height, width = b.shape
    transpose: Op = REGISTRY["transpose"]
    columns = reshaped(transpose(b.value, perm=(1, 0, 2)), (height, call.rows * width))
    found = reshaped(call.of(a.value, columns), (a.shape[1], call.rows, width))
    return transpose(found, perm=(1, 0, 2))
