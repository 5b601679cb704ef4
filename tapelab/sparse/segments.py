"""Rows picked by number and added up, or averaged, by the segment they belong to."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.errors import invalid_argument
from tapelab.ops.arithmetic import divide
from tapelab.ops.gathering import gather
from tapelab.ops.public import tensor
from tapelab.ops.settings import number, whole
from tapelab.sparse.elements import picked, put


@public(group=True)
def segment_sum(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:  # fmt: skip
    """The sums of the picked rows that have one segment id; the ids must be sorted.

    With `sparse_gradient` the gradient of the data is IndexedSlices.
    """
    return _summed("Sum", data, indices, segment_ids, num_segments, sparse_gradient, None)


@public(group=True)
def segment_mean(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:  # fmt: skip
    """The means of the picked rows that have one segment id; the ids must be sorted."""
    return _summed("Mean", data, indices, segment_ids, num_segments, sparse_gradient, 1.0)


@public(group=True)
def segment_sqrt_n(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:  # fmt: skip
    """The sums of the picked rows of a segment, divided by the root of how many there are."""
    return _summed("SqrtN", data, indices, segment_ids, num_segments, sparse_gradient, 0.5)


def _summed(
    how: str, data: Any, indices: Any, segment_ids: Any, num_segments: Any, slices: bool,
    power: float | None,
) -> Tensor:  # fmt: skip
    """The sums of the segments, divided by a power of their sizes if one is given."""
    raw = f"SparseSegment{how}" + ("" if num_segments is None else "WithNumSegments")
    x = tensor(data)
    at, ids = tensor(indices), np.ravel(whole(segment_ids, raw))
    places = whole(at, raw)
    least = int(ids[-1]) + 1 if len(ids) else 0
    count = least if num_segments is None else number(num_segments, raw)
    _check(raw, x, places, ids, count)
    if power is not None and x.dtype.is_integer:
        raise invalid_argument(
            raw, f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: "
            "bfloat16, half, float, double. Try tf.cast(data, tf.float32)",
        )  # fmt: skip
    rows = gather(x, at, axis=0) if slices else picked(x, places)
    total = put(rows, ids, count)
    if power is None:
        return total
    sizes = np.maximum(np.bincount(ids, minlength=count), 1).astype(x._array.dtype) ** power
    shape = (count, *[1] * (total._array.ndim - 1))
    made: Tensor = divide(total, constant_of(sizes.astype(x._array.dtype).reshape(shape)))
    return made


def _check(raw: str, x: Tensor, places: Any, ids: Any, count: int) -> None:
    if len(places) != len(ids):
        raise invalid_argument(raw, "segment_ids and indices should have same size.")
    if (np.diff(ids) < 0).any():
        raise invalid_argument(raw, f"segment ids are not increasing: {ids.tolist()}")
    length = x._array.shape[0]
    outside = (places < 0) | (places >= length)
    if outside.any():
        at = int(np.argmax(outside))
        raise invalid_argument(
            raw, f"Bad: indices[{at}] == {places[at]} out of range [0, {length})"
        )
    if len(ids) and ids[-1] >= count:
        raise invalid_argument(raw, f"segment ids must be < num_segments, which is {count}")
