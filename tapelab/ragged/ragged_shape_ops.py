"""Ragged tensors in other shapes: new axes, concatenated, tiled, reversed, split, and crossed.

`take` gathers whole rows of a ragged tensor; concatenation, reversal and indexing are built on it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from typing import Any, Final

import numpy as np

from tapelab.array_ops import shape_ops
from tapelab.core.arrays import typed_array
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import implements, public
from tapelab.core.execute import composite
from tapelab.core.tensor import Tensor, constant_of
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.ops import indexed_rows
from tapelab.ops import shapes as dense_shape
from tapelab.ops.integer_arguments import lengths as as_lengths
from tapelab.ops.slices import strided_slice
from tapelab.ragged.factories import as_values, axis_of, rows_in
from tapelab.ragged.ragged_elementwise import rank_of, require_same_rows
from tapelab.ragged.ragged_tensor import RaggedTensor
from tapelab.ragged.row_partition import Array, RowPartition, ranges


def take(values: Any, rows: Array) -> Any:
    """Some rows of a tensor or a ragged tensor, in the order in which they are named."""
    if not isinstance(values, RaggedTensor):
        return _rows_of(values, rows)
    partition = values._partition
    lengths = partition._lengths[rows]
    inner = ranges(partition._splits[:-1][rows], lengths)
    return RaggedTensor._of(take(values._values, inner), picked(partition, rows))


def gathered(values: Any, rows: Array) -> Any:
    """The same, always gathered: the gradient of a tensor's rows is IndexedSlices."""
    if isinstance(values, RaggedTensor):
        return take(values, rows)
    return indexed_rows.gather(values, constant_of(rows))


def picked(partition: RowPartition, rows: Array) -> RowPartition:
    """The partition of some rows."""
    length = partition.static_uniform_row_length
    if length is not None:
        return RowPartition._evenly(len(rows), length, partition._splits.dtype.type)
    return RowPartition._of_lengths(partition._lengths[rows])


def _rows_of(values: Tensor, rows: Array) -> Any:
    """A run of rows is a slice; a slice's gradient is dense, and its picture says what it is."""
    start, count = int(rows[0]) if len(rows) else 0, len(rows)
    if np.array_equal(rows, np.arange(start, start + count)):
        if start == 0 and count == len(values._value):
            return values
        return strided_slice(values, key=(slice(start, start + count),))
    return indexed_rows.gather(values, constant_of(rows))


@implements("ragged", shape_ops.expand_dims)
@composite
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """The same rows with one more axis, of length 1."""
    return _expanded(input, axis_of(axis, input._rank + 1))


def _expanded(rows: Any, at: int) -> Any:
    if not isinstance(rows, RaggedTensor):
        return dense_shape.expand_dims(rows, axis=at)
    count, kind = rows_in(rows), rows._partition._splits.dtype.type
    if at == 0:
        return RaggedTensor._of(rows, RowPartition._evenly(1, count, kind))
    if at == 1:
        return RaggedTensor._of(rows, RowPartition._evenly(count, 1, kind))
    return rows._over(_expanded(rows._values, at - 1))


@implements("ragged", shape_ops.squeeze)
@composite
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """The same rows without axes of length 1, which must be named."""
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    for at in sorted(axis_of(each, input._rank) for each in as_lengths(axis, "Squeeze"))[::-1]:
        input = _squeezed(input, at, at)
    return input


def _squeezed(rows: Any, at: int, axis: int) -> Any:
    if not isinstance(rows, RaggedTensor):
        return dense_shape.squeeze(rows, axis=(at,))
    if at > 1:
        return rows._over(_squeezed(rows._values, at - 1, axis))
    lengths = [rows_in(rows)] if at == 0 else rows._partition._lengths
    if np.any(np.not_equal(lengths, 1)):
        raise InvalidArgumentError(
            None, None, f"the given axis (axis = {axis}) is not squeezable! Its rows have lengths "
            f"{list(map(int, lengths))}, and only an axis of length 1 can go.",
        )  # fmt: skip
    return rows._values


@implements("ragged", shape_ops.concat)
@composite
def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Ragged tensors joined end to end along an axis they all have."""
    parts = _alike([*values] if isinstance(values, (list, tuple)) else [values])
    return parts[0] if len(parts) == 1 else _joined(parts, axis_of(axis, rank_of(parts[0])))


@implements("ragged", shape_ops.stack)
@public(group=True)
def stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Tensors laid side by side along a new axis, also if their rows differ in length."""
    given = [each if isinstance(each, RaggedTensor) else to_tensor(each) for each in values]
    rank = max(map(rank_of, given)) + 1
    at = axis_of(axis, rank)
    dense = not any(isinstance(each, RaggedTensor) for each in given)
    if dense and (rank == 1 or at == rank - 1):
        return shape_ops.stack(given, at)
    return _joined(_alike([_expanded(each, at) for each in given]), at)


def _alike(given: list[Any]) -> list[Any]:
    """All as ragged tensors of one rank and one ragged rank."""
    parts = [each if isinstance(each, RaggedTensor) else to_tensor(each) for each in given]
    rank = rank_of(parts[0])
    for each in parts:
        if rank_of(each) != rank:
            raise ValueError(f"Shape {each.shape} must have rank {rank}")
    ragged = [each for each in parts if isinstance(each, RaggedTensor)]
    depth = max((each.ragged_rank for each in ragged), default=rank - 1)
    kind = ragged[0]._partition.dtype if ragged else "int64"
    return [as_deep(each, depth, kind) for each in parts]


def as_deep(given: Any, depth: int, kind: Any = "int64") -> RaggedTensor:
    """A tensor, or a ragged one, with so many axes cut by row splits."""
    if not isinstance(given, RaggedTensor):
        ragged: RaggedTensor = RaggedTensor.from_tensor(
            given, ragged_rank=depth, row_splits_dtype=kind
        )
        return ragged
    missing = depth - given.ragged_rank
    if not missing:
        return given
    inner = RaggedTensor.from_tensor(given.flat_values, ragged_rank=missing, row_splits_dtype=kind)
    deeper: RaggedTensor = given._with_flat(inner)
    return deeper


def _joined(parts: list[Any], at: int) -> Any:
    if not isinstance(parts[0], RaggedTensor):
        return shape_ops.concat(parts, at)
    if at == 0:
        return _rows_joined(parts)
    _require_equal([rows_in(each) for each in parts])
    if at == 1:
        return _columns_joined(parts)
    for each in parts[1:]:
        require_same_rows([parts[0]._partition], [each._partition])
    return parts[0]._over(_joined([each._values for each in parts], at - 1))


def _rows_joined(parts: list[Any]) -> Any:
    """All rows of the first, then all of the second, and so on."""
    values = _joined([each._values for each in parts], 0)
    lengths = np.concatenate([each._partition._lengths for each in parts])
    return RaggedTensor._of(values, RowPartition._of_lengths(lengths))


def _columns_joined(parts: list[Any]) -> Any:
    """Row i of each, one after the other, as row i of the result."""
    count, rows = len(parts), rows_in(parts[0])
    order = np.arange(count * rows).reshape(count, rows).T.ravel()
    woven = take(_rows_joined(parts), order)
    splits = woven._partition._splits[::count].copy()
    return RaggedTensor._of(woven._values, RowPartition._of(splits))


def _require_equal(counts: list[int]) -> None:
    for at, count in enumerate(counts):
        if count != counts[0]:
            raise InvalidArgumentError(
                None, None, f"Input tensors at index 0 (=x) and {at} (=y) have incompatible shapes."
                f"\nCondition x == y did not hold.\nFirst 1 elements of x:\n[{counts[0]}]\nFirst 1 "
                f"elements of y:\n[{count}]",
            )  # fmt: skip


@implements("ragged", shape_ops.tile)
@composite
def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """The whole laid side by side, so many times along each axis."""
    times = as_lengths(multiples, "Tile")
    if len(times) != input._rank:
        raise IndexError(
            f"index {len(times)} is out of bounds for axis 0 with size {len(times)}: multiples "
            f"needs one number for each of {input._rank} axes."
        )
    for at, count in enumerate(times):
        input = _joined([input] * count, at) if count else input[(*[slice(None)] * at, slice(0))]
    return input


@implements("ragged", shape_ops.reverse)
@composite
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """The entries in the opposite order along some axes, each row within itself."""
    for each in as_lengths(axis, "ReverseV2"):
        before = [slice(None)] * axis_of(each, tensor._rank)
        tensor = tensor[(*before, slice(None, None, -1))]
    return tensor


@implements("ragged", shape_ops.split)
def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split"
) -> list[Any]:
    """Pieces along an axis that is not ragged: so many equal ones, or of the given lengths."""
    at = axis_of(axis, value._rank)
    length = value.shape[at]
    if length is None:
        raise ValueError(
            f"Cannot split a ragged dimension. Got `value` with shape {value.shape} and `axis` "
            f"{at}."
        )
    given = to_tensor(num_or_size_splits)._value
    sizes = [length // int(given)] * int(given) if given.ndim == 0 else [int(n) for n in given]
    if sum(sizes) != length:
        raise InvalidArgumentError(
            None, None, "Cannot exactly split the `axis` dimension of `value` with the given "
            f"`num_or_size_split`.\nCondition x == y did not hold.\nFirst 1 elements of x:\n"
            f"[{length}]\nFirst 1 elements of y:\n[{given}]",
        )  # fmt: skip
    ends = np.cumsum([0, *sizes]).tolist()
    before = [slice(None)] * at
    return [value[(*before, slice(start, stop))] for start, stop in pairwise(ends)]


HASH_KEY: Final = 0xDECAFCAFFE
"""Where TensorFlow begins a hash of several features, unless another key is given."""
_FACTOR: Final = 0xC6A4A7935BD1E995
_WORD: Final = (1 << 64) - 1

Combination = tuple[Any, ...]


@public
def cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """For each row all combinations of one entry of each input, joined by `_X_`."""
    return _crossed(inputs, _joined_text, "string")


@public
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """For each row all combinations of one entry of each input, as numbers of buckets."""
    buckets = num_buckets or int(np.iinfo(np.int64).max)
    start = HASH_KEY if hash_key is None else int(hash_key)

    def bucket(parts: Combination) -> int:
        mixed = start
        for part in parts:
            mixed = _mixed(mixed, _digest(part))
        return mixed % buckets

    return _crossed(inputs, bucket, "int64")


def _crossed(inputs: Any, combined: Callable[[Combination], Any], kind: str) -> RaggedTensor:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("`inputs` must be a list of tensors.")
    tables = [as_deep(as_values(each), 1).to_list() for each in inputs]
    if len({len(table) for table in tables}) > 1:
        raise invalid_argument("RaggedCross", "inputs must all have the same batch dimension size.")
    rows = [list(map(combined, product(*row))) for row in zip(*tables, strict=True)]
    flat: Any = typed_array([each for row in rows for each in row], kind)
    lengths = np.array([len(row) for row in rows], np.int64)
    return RaggedTensor._of(constant_of(flat), RowPartition._of_lengths(lengths))


def _joined_text(parts: Combination) -> bytes:
    return b"_X_".join(each if isinstance(each, bytes) else str(each).encode() for each in parts)


def _digest(part: Any) -> int:
    """The fingerprint of a text; a number stands for itself."""
    from tapelab.strings.hash_buckets import farmhash64

    return farmhash64(part) if isinstance(part, bytes) else int(part) & _WORD


def _mixed(one: int, other: int) -> int:
    """Two fingerprints as one, in which their order counts."""
    mixed = one ^ _FACTOR
    mixed ^= _shifted(other * _FACTOR & _WORD) * _FACTOR & _WORD
    mixed = mixed * _FACTOR & _WORD
    return _shifted(_shifted(mixed) * _FACTOR & _WORD)


def _shifted(word: int) -> int:
    return word ^ (word >> 47)
