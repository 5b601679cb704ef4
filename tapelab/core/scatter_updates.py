"""Writing into parts of a variable; like every assignment it ends the history of those parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tapelab.core.arrays import checked, stacked, typed_array
from tapelab.core.cell import Cell
from tapelab.core.host_values import compute_on_host
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.value_types import Nest, Value
from tapelab.errors import invalid_argument
from tapelab.kernels.row_scatter import meet_at, meet_rows

Write = Callable[[Any, Any, Any], None]


def _replace(array: Value, where: Value, rows: Value) -> None:
    array[where] = rows


MEETING: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
}
WRITES: dict[str, Write] = {"update": _replace} | {how: each.at for how, each in MEETING.items()}


def rows_written(cell: Cell, slices: Nest, how: str) -> tuple[Any, int]:
    """The new value after writing IndexedSlices into the rows they name, and the source's id."""
    if not hasattr(slices, "indices"):
        raise TypeError(f"sparse_delta is not IndexedSlices: {slices!r}")
    return _written(cell, slices.indices, slices.values, how, nested=False)


def elements_written(cell: Cell, indices: Nest, updates: Nest, how: str) -> tuple[Any, int]:
    """The new value after writing at index tuples, and the source's id."""
    return _written(cell, indices, updates, how, nested=True)


def _written(
    cell: Cell, indices: Nest, updates: Nest, how: str, *, nested: bool
) -> tuple[Any, int]:
    updates = stacked(updates, cell.dtype)
    known = isinstance(updates, Tensor)
    fit = checked(updates, cell.dtype) if known else typed_array(updates, cell.dtype)
    rows = fit if known else constant_of(fit)
    places = indices if type(indices) is Tensor else constant_of(typed_array(indices))
    write = partial(_with_parts, how=how, nested=nested, shape=cell.shape)
    return compute_on_host(write, cell.state, places, rows), updates._id if known else -1


def _with_parts(
    value: Value, indices: Nest, rows: Value, *, how: str, nested: bool, shape: TensorShape
) -> Any:
    """A value with rows, or single elements, written into it."""
    indices = np.asarray(indices)
    depth = indices.shape[-1] if nested else 1
    if np.any(indices < 0) or np.any(
        indices >= np.array(value.shape[:depth] if nested else value.shape[:1])
    ):
        raise invalid_argument(
            f"ResourceScatter{how.capitalize()}",
            f"indices {indices.tolist()} are not all within a variable of shape {shape}",
        )
    if how in MEETING and nested and rows.shape == indices.shape[:-1] + value.shape[depth:]:
        return meet_at(MEETING[how], value, rows, indices)
    if how in MEETING and not nested and value.ndim:
        return meet_rows(MEETING[how], value, rows, indices)
    where = tuple(np.moveaxis(indices, -1, 0)) if nested else indices
    value = np.array(value)
    WRITES[how](value, where, rows)
    return value
