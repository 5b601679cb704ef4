"""Functions of single entries on sparse tensors, and what other functions make of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.array_ops import measuring
from tapelab.core.dispatch import implements, public
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.tensor import Tensor, constant_of
from tapelab.dtypes import as_dtype, int32
from tapelab.errors import InvalidArgumentError
from tapelab.ops.settings import whole
from tapelab.sparse.elements import picked
from tapelab.sparse.parts import cells_of, shape_of
from tapelab.sparse.tensor import SparseTensor


@public
def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """A function of the stored entries of sparse tensors that have the same indices.

    ValueError where no argument is sparse, InvalidArgumentError where their indices differ.
    """
    sparse = [x for x in (*args, *kwargs.values()) if isinstance(x, SparseTensor)]
    if not sparse:
        raise ValueError("No SparseTensor in argument list of map_values")
    first = sparse[0]
    for other in sparse[1:]:
        _check_alike(first, other)
    values = op(*map(_values, args), **{name: _values(x) for name, x in kwargs.items()})
    return first.with_values(values)


def _values(x: Any) -> Any:
    return x.values if isinstance(x, SparseTensor) else x


def _check_alike(first: SparseTensor, other: SparseTensor) -> None:
    for what, one, two in (
        ("Mismatched shapes!", shape_of(first), shape_of(other)),
        ("Mismatched indices!", cells_of(first), cells_of(other)),
    ):
        if not np.array_equal(one, two):
            raise InvalidArgumentError(
                None, "Assert", f"{what}\nCondition x == y did not hold.\nx: {one}\ny: {two}"
            )


@public
def mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """IndexedSlices without the rows that are named."""
    gone = whole(mask_indices, "SparseMask")
    indices = np.asarray(a.indices._value)
    kept = np.flatnonzero(~np.isin(indices, gone))
    shape = a.dense_shape
    return IndexedSlices(
        picked(a.values, kept), constant_of(indices[kept]), None if shape is None else shape._value
    )


@implements("sparse", measuring.shape)
def _shape(input: SparseTensor, out_type: Any = int32, name: str | None = None) -> Tensor:
    return constant_of(np.array(shape_of(input), as_dtype(out_type).as_numpy_dtype))


@implements("sparse", measuring.size)
def _size(input: SparseTensor, out_type: Any = int32, name: str | None = None) -> Tensor:
    return constant_of(as_dtype(out_type).as_numpy_dtype(np.prod(shape_of(input), dtype=int)))


@implements("sparse", measuring.rank)
def _rank(input: SparseTensor, name: str | None = None) -> Tensor:
    return constant_of(np.int32(len(shape_of(input))))
