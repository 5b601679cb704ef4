"""The public functions that pick entries by place, by mask or by slice, and write at places."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.op import RunnableOp
from tapelab.core.tensor import Tensor
from tapelab.errors import invalid_argument
from tapelab.ops import index_tuples, indexed_rows, mask_ops, slices
from tapelab.ops.integer_arguments import lengths, number, unfit_index
from tapelab.ops.public import matched
from tapelab.ops.public import tensor as as_tensor


@public(graph_name="GatherV2")
def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None,
    batch_dims: int | None = 0, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Pick entries along an axis by position; one that is picked twice receives both gradients."""
    x, places = as_tensor(params), _indices("GatherV2", indices)
    batch = batch_dims or 0
    batch = batch if batch >= 0 else batch + places._array.ndim
    along = batch if axis is None else number(axis, "GatherV2")
    return indexed_rows.gather(x, places, axis=along, batch_dims=batch)


@public
def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None) -> Tensor:
    """Pick entries, or whole rows, by index tuples."""
    places = _indices("GatherNd", indices)
    if batch_dims:
        places = as_tensor(_with_batch(places._value, batch_dims))
    return index_tuples.gather_nd(as_tensor(params), places)


def _with_batch(places: Any, batch_dims: int) -> Any:
    """Index tuples that begin with the position in the batch."""
    grid = np.indices(places.shape[:-1], places.dtype)[:batch_dims]
    return np.concatenate([np.moveaxis(grid, 0, -1), places], axis=-1)


@public(value_dependent_shape=True)
def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Tensor:
    """The entries where the mask is true, in a row."""
    x, kept = as_tensor(tensor), as_tensor(mask)
    along = 0 if axis is None else number(axis, "BooleanMask")
    mask_ops.check_mask(x._array.shape, kept._array.shape, along)
    if kept._array.dtype.kind != "b":
        kept = as_tensor(kept._value != 0)
    return mask_ops.boolean_mask(x, kept, axis=along)


@public
def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The piece that begins at a place and has a size; a size of -1 goes to the end."""
    x = as_tensor(input_)
    starts, sizes = (lengths(each, "Slice", strict=True) for each in (begin, size))
    rank = x._array.ndim
    if not len(starts) == len(sizes) == rank:
        raise invalid_argument(
            "Slice", "Expected begin and size arguments to be 1-D tensors of size "
            f"{rank}, but got shapes [{len(starts)}] and [{len(sizes)}] instead.",
        )  # fmt: skip
    stops = []
    for at, (start, count, length) in enumerate(zip(starts, sizes, x._array.shape, strict=True)):
        if not 0 <= start <= length:
            raise invalid_argument(
                "Slice", f"Expected begin[{at}] in [0, {length}], but got {start}"
            )
        if not -1 <= count <= length - start:
            raise invalid_argument(
                "Slice", f"Expected size[{at}] in [0, {length - start}], but got {count}"
            )
        stops.append(length if count == -1 else start + count)
    key = tuple(builtins.slice(*ends) for ends in zip(starts, stops, strict=True))
    return slices.strided_slice(x, key=key)


@public
def strided_slice(
    input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: int = 0, end_mask: int = 0,
    ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The piece between two places with steps; a bit in a mask changes the meaning of its axis."""
    starts, stops = lengths(begin, "StridedSlice"), lengths(end, "StridedSlice")
    steps = (1,) * len(starts) if strides is None else lengths(strides, "StridedSlice")
    if not len(starts) == len(stops) == len(steps):
        raise invalid_argument(
            "StridedSlice", "Expected begin, end, and strides to be 1D equal size tensors, but got "
            f"shapes [{len(starts)}], [{len(stops)}], and [{len(steps)}] instead.",
        )  # fmt: skip
    key: list[Any] = []
    for at, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
        bit = 1 << at
        if ellipsis_mask & bit:
            key.append(...)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(start)
        else:
            ends = None if begin_mask & bit else start, None if end_mask & bit else stop
            key.append(builtins.slice(*ends, step))
    return slices.strided_slice(as_tensor(input_), key=tuple(key))


@public
def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """Put entries at index tuples of a tensor of zeros; what shares a place is added."""
    places = _indices("ScatterNd", indices)
    rows, whole = as_tensor(updates), lengths(shape, "ScatterNd", strict=True)
    return index_tuples.scatter_nd(places, rows, shape=whole)


def _writer(op: RunnableOp) -> Callable[..., Tensor]:
    def function(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
        x, rows = matched(tensor, updates)
        return op(x, _indices(op.raw, indices), rows)

    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = op.sentence
    return public(function)


tensor_scatter_nd_update = _writer(index_tuples.tensor_scatter_nd_update)
tensor_scatter_nd_add = _writer(index_tuples.tensor_scatter_nd_add)
tensor_scatter_nd_sub = _writer(index_tuples.tensor_scatter_nd_sub)
tensor_scatter_nd_max = _writer(index_tuples.tensor_scatter_nd_max)
tensor_scatter_nd_min = _writer(index_tuples.tensor_scatter_nd_min)


@public
def _indices(raw: str, indices: Any) -> Tensor:
    places = as_tensor(indices)
    if places._array.dtype.kind not in "iu":
        raise unfit_index(raw, places._array.dtype, indices)
    return places
