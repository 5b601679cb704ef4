"""Public functions that deal rows out, put them together, and turn sequences round."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets, unlike
from tapelab.dtypes import int32
from tapelab.errors import invalid_argument
from tapelab.ops import partitions
from tapelab.ops.integer_arguments import unfit_index
from tapelab.ops.public import matched, tensor


@public(value_dependent_shape=True)
def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The rows dealt out to several tensors, by the number that each has in `partitions`."""
    x, heaps, count = tensor(data), to_tensor(partitions, int32), int(num_partitions)
    places = heaps._value
    if count < 1:
        raise invalid_argument(
            "DynamicPartition",
            f"Value for attr 'num_partitions' of {count} must be at least minimum 1",
        )
    if x._array.shape[: places.ndim] != places.shape:
        raise invalid_argument(
            "DynamicPartition", "data.shape must start with partitions.shape, got data.shape = "
            f"{brackets(x._array.shape)}, partitions.shape = {brackets(places.shape)}",
        )  # fmt: skip
    for at in np.argwhere((places < 0) | (places >= count))[:1]:
        raise invalid_argument(
            "DynamicPartition", f"partitions{brackets(at) if at.size else ''} = "
            f"{places[tuple(at)]} is not in [0, {count})",
        )  # fmt: skip
    return list(_dealt(x, heaps, count=count))


_dealt = partitions.dynamic_partition


@public
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Rows put at their places in one tensor; of two at the same place the later one stays."""
    places, rows = [_places(each, at) for at, each in enumerate(indices)], list(data)
    if len(rows) != len(places):
        raise ValueError(
            f"List argument 'data' to 'dynamic_stitch' Op with length {len(rows)} must match "
            f"length {len(places)} of argument 'indices'."
        )
    if not rows:
        raise invalid_argument("DynamicStitch", "There must be at least one tensor of rows")
    parts = matched(*rows)
    for at, (where, part) in enumerate(zip(places, parts, strict=True)):
        _check_stitch(at, where, part, parts[0])
    size = 1 + max((int(each.max()) for each in places if each.size), default=-1)
    rest = parts[0]._array.shape[places[0].ndim :]
    return partitions.dynamic_stitch(*parts, places=tuple(places), shape=(size, *rest))


def _places(given: Any, at: int) -> Any:
    places = tensor(given) if isinstance(given, Tensor) else to_tensor(given, int32)
    if places.dtype is not int32:
        raise unlike("DynamicStitch", at, np.dtype(np.int32), places._array.dtype)
    return places._value


def _check_stitch(at: int, where: Any, part: Tensor, first: Tensor) -> None:
    if part.dtype is not first.dtype:
        raise unlike("DynamicStitch", at, first._array.dtype, part._array.dtype)
    if part._array.shape[: where.ndim] != where.shape:
        raise invalid_argument(
            "DynamicStitch", f"data[{at}].shape = {brackets(part._array.shape)} does not start "
            f"with indices[{at}].shape = {brackets(where.shape)}",
        )  # fmt: skip
    for outside in np.argwhere(where < 0)[:1]:
        raise invalid_argument("DynamicStitch", f"indices{brackets(outside)} is out of range")


@public
def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: int | None = None, batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Each sequence of a batch with its first entries, as many as its length says, turned round."""
    x, counts = tensor(input), tensor(seq_lengths)
    if seq_axis is None:
        raise TypeError("Expected int for argument 'seq_dim' not None.")
    batch = 0 if batch_axis is None else batch_axis
    refused = _unfit_sequences(x, counts._value, seq_axis, batch)
    if counts._array.dtype.kind not in "iu":
        raise unfit_index("ReverseSequence", counts._array.dtype, seq_lengths)
    if refused:
        raise invalid_argument("ReverseSequence", refused)
    return partitions.reverse_sequence(x, counts, axis=seq_axis, batch=batch)


def _unfit_sequences(x: Tensor, counts: Any, axis: int, batch: int) -> str:
    """What is wrong with lengths or axes; nothing if they fit."""
    rank, shape = x.ndim, x._array.shape
    if axis == batch:
        return f"batch_dim == seq_dim == {axis}"
    if counts.ndim != 1:
        return f"seq_lengths must be 1-dim, not {counts.ndim}"
    for word, each in (("seq", axis), ("batch", batch)):
        if each < 0:
            return f"Invalid {word}_dim {each}"
        if each >= rank:
            return f"{word}_dim must be < input rank ( {each} vs. {rank})"
    if counts.size != shape[batch]:
        return f"Length of seq_lengths != input.dims({batch}), ({counts.size} vs. {shape[batch]})"
    for at, count in enumerate(counts.tolist()):
        if count < 0:
            return f"seq_lens({at}) < 0"
        if count > shape[axis]:
            return f"seq_lens({at}) > input.dims({axis})"
    return ""
