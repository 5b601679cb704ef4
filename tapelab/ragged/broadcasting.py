"""Ragged tensors meeting others: rows of length 1 along a uniform axis are repeated.

As with dense tensors, shapes are compared from the last axis on, and an axis of length 1 is
repeated. A ragged axis is never repeated, also where all its rows happen to have length 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tapelab.core.execute import composite
from tapelab.core.tensor import Tensor, constant_of
from tapelab.errors import InvalidArgumentError
from tapelab.ops.gathering import gather
from tapelab.ops.shape import reshape
from tapelab.ragged.partition import RowPartition
from tapelab.ragged.rows import Array, ranges
from tapelab.ragged.tensor import RaggedTensor


@dataclass(frozen=True)
class Operand:
    """One of several things to be aligned: its flat values and the partitions of its axes."""

    flat: Any
    rows: int
    partitions: tuple[RowPartition, ...]


@composite
def broadcast(*operands: Any) -> tuple[list[Any], list[RowPartition]]:
    """The flat values of several operands, repeated so that they fit, and their common rows."""
    alike = _already_aligned(operands)
    if alike is not None:
        return alike
    ragged = [each for each in operands if isinstance(each, RaggedTensor)]
    inner = min(each.flat_values._array.ndim for each in ragged) - 1
    outer = max(rank_of(each) for each in operands) - inner
    split = [
        each if rank_of(each) <= inner else _operand(each, inner, outer)
        for each in operands
    ]  # fmt: skip
    cut = [each for each in split if isinstance(each, Operand)]
    places, partitions = _walk(cut)
    flat = iter(_repeated(each, at) for each, at in zip(cut, places, strict=True))
    return [next(flat) if isinstance(each, Operand) else each for each in split], partitions


def _already_aligned(operands: Any) -> tuple[list[Any], list[RowPartition]] | None:
    """No repeating is needed for equal rows, nor for what meets only the axes inside them."""
    ragged = [each for each in operands if isinstance(each, RaggedTensor)]
    first = ragged[0]
    inner = first.flat_values._array.ndim - 1
    kinds = {each._partition.dtype for each in ragged}
    if len(kinds) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )
    for each in operands:
        if not isinstance(each, RaggedTensor):
            if rank_of(each) > inner:
                return None
        elif not same_rows(first._partitions, each._partitions) or each._rank != first._rank:
            return None
    flat = [each.flat_values if isinstance(each, RaggedTensor) else each for each in operands]
    levels = zip(*(each._partitions for each in ragged), strict=True)
    return flat, [_least_known(level) for level in levels]


def _least_known(level: tuple[RowPartition, ...]) -> RowPartition:
    """Of equal partitions one that is not known to be uniform, if there is one."""
    return next((each for each in level if not each.is_uniform()), level[0])


def same_rows(one: list[RowPartition], other: list[RowPartition]) -> bool:
    """Whether values are cut in the same way, along all axes."""
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(a._matches(b) for a, b in pairs)


def require_same_rows(one: list[RowPartition], other: list[RowPartition]) -> None:
    """InvalidArgumentError unless values are cut in the same way."""
    if not same_rows(one, other):
        splits = [[each._splits.tolist() for each in partitions] for partitions in (one, other)]
        raise InvalidArgumentError(
            None, None, "Inputs must have identical ragged splits\nCondition x == y did not hold.\n"
            f"Row splits x:\n{splits[0]}\nRow splits y:\n{splits[1]}",
        )  # fmt: skip


def rank_of(operand: Any) -> int:
    """How many axes a tensor has, ragged or not."""
    return operand._rank if isinstance(operand, RaggedTensor) else int(operand._array.ndim)


def _operand(given: Any, inner: int, outer: int) -> Operand:
    """An operand with as many partitioned axes as the result, those in front of length 1."""
    if isinstance(given, RaggedTensor):
        rows, partitions = given._partition.static_nrows, given._partitions
        flat = given.flat_values
    else:
        rows, partitions, flat = int(given._array.shape[0]), [], given
    shape = flat._array.shape
    deeper = shape[1 : len(shape) - inner]
    count = int(shape[0])
    for length in deeper:
        partitions = [*partitions, RowPartition._evenly(count, int(length))]
        count *= int(length)
    if deeper:
        flat = reshape(flat, shape=(count, *shape[len(shape) - inner :]))
    while len(partitions) + 1 < outer:
        partitions, rows = [RowPartition._evenly(1, rows), *partitions], 1
    return Operand(flat, rows, tuple(partitions))


def _walk(cut: list[Operand]) -> tuple[list[Array], list[RowPartition]]:
    """For each operand the row that each row of the result comes from, axis by axis."""
    count = max((each.rows for each in cut if each.rows != 1), default=1)
    if any(each.rows not in (1, count) for each in cut):
        raise _unequal(*[np.array([each.rows]) for each in cut[:2]])
    places = [np.zeros(count, np.int64) if each.rows == 1 else np.arange(count) for each in cut]
    partitions = []
    for axis in range(len(cut[0].partitions)):
        level = [each.partitions[axis] for each in cut]
        lengths = _lengths(level, places)
        uniform = [each.static_uniform_row_length for each in level]
        places = [
            ranges(each._splits[:-1][at], lengths, int(length != 1))
            for each, at, length in zip(level, places, uniform, strict=True)
        ]
        if None in uniform:
            partitions.append(RowPartition._of_lengths(lengths))
        else:
            longest = next((each for each in uniform if each != 1), 1)
            partitions.append(RowPartition._evenly(len(lengths), longest or 0))
    return places, partitions


def _lengths(level: list[RowPartition], places: list[Array]) -> Array:
    """The lengths of the rows of the result along one axis, on which all operands agree."""
    wanted = [
        each._lengths[at]
        for each, at in zip(level, places, strict=True)
        if each.static_uniform_row_length != 1
    ] or [level[0]._lengths[places[0]]]
    for other in wanted[1:]:
        if not np.array_equal(wanted[0], other):
            raise _unequal(wanted[0], other)
    return wanted[0]


def _repeated(operand: Operand, places: Array) -> Tensor:
    if np.array_equal(places, np.arange(len(operand.flat._value))):
        same: Tensor = operand.flat
        return same
    made: Tensor = gather(operand.flat, constant_of(places))
    return made


def _unequal(one: Array, other: Array) -> InvalidArgumentError:
    return InvalidArgumentError(
        None, None, "Unable to broadcast: dimension size mismatch. Condition x == y did not hold.\n"
        f"Row lengths x:\n{one}\nRow lengths y:\n{other}\nRagged tensors are combined where their "
        "rows are equally long, or where a uniform axis has length 1.",
    )  # fmt: skip
