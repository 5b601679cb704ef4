"""Public functions that put entries in order, or find them in an order."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype, int32
from tapelab.errors import invalid_argument
from tapelab.ops import sort_order
from tapelab.ops.casts import cast
from tapelab.ops.integer_arguments import number
from tapelab.ops.public import tensor


class TopKV2(NamedTuple):
    """The largest entries and their places."""

    values: Tensor
    indices: Tensor


class Unique(NamedTuple):
    """Each value once, and for each entry the place of its value."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """Each value once, for each entry the place of its value, and how often each value occurs."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment] # TensorFlow names the field as a method of tuples


@public
def sort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """The entries in order along an axis, the smallest first unless DESCENDING."""
    x = tensor(values)
    along = number(axis, "TopKV2")
    _require_axis(x, along)
    return sort_order.sort(x, axis=along, descending=_is_descending(direction))


@public
def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The places of the entries in order along an axis."""
    x = tensor(values)
    along = number(axis, "TopKV2")
    _require_axis(x, along)
    return sort_order.argsort(x, axis=along, descending=_is_descending(direction))


def _require_axis(x: Tensor, axis: int) -> None:
    place = axis + x.ndim if axis < 0 else axis
    if not 0 <= place < x.ndim:
        known = f"the axes are 0 to {x.ndim - 1}" if x.ndim else "a scalar has no order"
        raise invalid_argument(
            "StridedSlice", f"slice index {place} of dimension 0 out of bounds: {known}"
        )


def _is_descending(direction: str) -> bool:
    if direction not in {"ASCENDING", "DESCENDING"}:
        raise ValueError(
            "Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'. "
            f"Received: {direction}"
        )
    return direction == "DESCENDING"


@public
def top_k(
    input: Any, k: Any = 1, sorted: bool = True, index_type: Any = int32, name: str | None = None
) -> TopKV2:
    """The k largest entries of each row and their places."""
    largest, places = sort_order.top_k(tensor(input), k=number(k, "TopKV2"))
    return TopKV2(largest, _as(index_type, places))


@public
def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = int32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Where each value would have to stand in a sorted row."""
    if side not in {"left", "right"}:
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = {side!r}."
        )
    x = tensor(sorted_sequence)
    places: Tensor = sort_order.search_sorted(x, tensor(values), side=side)
    return _as(out_type, places)


@public(value_dependent_shape=True)
def unique(x: Any, out_idx: Any = int32, name: str | None = None) -> Unique:
    """Each value once, in the order of first sight, and where each entry is found among them."""
    return Unique(*unique_with_counts(x, out_idx)[:2])


@public(value_dependent_shape=True)
def unique_with_counts(x: Any, out_idx: Any = int32, name: str | None = None) -> UniqueWithCounts:
    """Each value once, where each entry is found among them, and how often each occurs."""
    given = tensor(x)
    if given._array.ndim != 1:
        raise invalid_argument("Unique", "unique expects a 1D vector. Try tf.reshape(x, [-1])")
    values, places, counts = sort_order.unique(given)
    return UniqueWithCounts(values, _as(out_idx, places), _as(out_idx, counts))


def _as(dtype: Any, places: Tensor) -> Tensor:
    """Places, which are counted in int32, in the dtype that is wanted."""
    converted: Tensor = places if as_dtype(dtype) is int32 else cast(places, dtype=as_dtype(dtype))
    return converted
