"""Public functions that bring rows together by the ids they have."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.host_values import compute_on_host, depends_on
from tapelab.core.op import RunnableOp
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets
from tapelab.errors import invalid_argument
from tapelab.ops import segments
from tapelab.ops.arithmetic import divide
from tapelab.ops.integer_arguments import number, unfit_index
from tapelab.ops.powers import sqrt
from tapelab.ops.public import tensor
from tapelab.ops.rules import numpy_dtype
from tapelab.ops.shapes import reshape

Public = Callable[..., Tensor]


def _sorted(op: RunnableOp, raw: str, sentence: str, **settings: Any) -> Public:
    """The public function for ids in order; `settings` say what stands where an id has no row."""

    def function(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
        x, ids = tensor(data), _ids(raw, segment_ids)
        compute_on_host(partial(_check_sorted, raw, x._array.shape), ids)
        count = compute_on_host(_highest, ids)
        depends_on(count)
        return op(x, ids, count=int(count[0]) + 1, **settings)

    return public(_named(function, f"segment_{raw.removeprefix('Segment').lower()}", sentence))


def _unsorted(op: RunnableOp, raw: str, name: str, sentence: str) -> Public:
    def function(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
        x, ids, count = _flat(raw, data, segment_ids, num_segments)
        return op(x, ids, count=count)

    return public(_named(function, name, sentence))


def _named(function: Public, name: str, sentence: str) -> Public:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = sentence
    return function


segment_sum = _sorted(
    segments.segment_sum, "SegmentSum", "The sums of the rows with one id; ids must be sorted."
)
segment_mean = _sorted(
    segments.segment_mean, "SegmentMean", "The means of the rows with one id; ids must be sorted."
)
segment_max = _sorted(
    segments.segment_max, "SegmentMax", "The largest of the rows with one id; ids must be sorted.",
    empty=0,
)  # fmt: skip
segment_min = _sorted(
    segments.segment_min, "SegmentMin", "The smallest of the rows with one id; ids must be sorted.",
    empty=0,
)  # fmt: skip
segment_prod = _sorted(
    segments.segment_prod, "SegmentProd",
    "The products of the rows with one id; ids must be sorted.",
)  # fmt: skip
unsorted_segment_sum = _unsorted(
    segments.segment_sum, "UnsortedSegmentSum", "unsorted_segment_sum",
    "The sums of the rows that have the same id.",
)  # fmt: skip
unsorted_segment_max = _unsorted(
    segments.segment_max, "UnsortedSegmentMax", "unsorted_segment_max",
    "The largest of the rows that have the same id; the lowest number where there is none.",
)  # fmt: skip
unsorted_segment_min = _unsorted(
    segments.segment_min, "UnsortedSegmentMin", "unsorted_segment_min",
    "The smallest of the rows that have the same id; the highest number where there is none.",
)  # fmt: skip
unsorted_segment_prod = _unsorted(
    segments.segment_prod, "UnsortedSegmentProd", "unsorted_segment_prod",
    "The products of the rows that have the same id, 1 where there is none.",
)  # fmt: skip


@public(group=True)
def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """The means of the rows that have the same id, 0 where there is none."""
    total, sizes = _totals(data, segment_ids, num_segments)
    return divide(total, sizes)


@public(group=True)
def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """The sums of the rows that have the same id, divided by the square root of their number."""
    total, sizes = _totals(data, segment_ids, num_segments)
    return divide(total, sqrt(sizes))


def _totals(data: Any, segment_ids: Any, num_segments: Any) -> tuple[Tensor, Tensor]:
    """The sum of each id, and how many rows it has, at least 1, in the same dtype and rank."""
    x, ids, count = _flat("UnsortedSegmentSum", data, segment_ids, num_segments)
    if x.dtype.is_complex:
        raise invalid_argument(
            "Maximum", f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed "
            "values: half, float, double, int32, int64. Means by id are there for real numbers",
        )  # fmt: skip
    shape = count, *(1,) * (x.ndim - 1)
    sizes = compute_on_host(partial(_sizes, shape=shape, dtype=numpy_dtype(x)), ids)
    total: Tensor = segments.segment_sum(x, ids, count=count)
    return total, new_constant(sizes, None)


def _sizes(ids: Any, *, shape: tuple[int, ...], dtype: Any) -> Any:
    """How many rows each id has, at least 1."""
    sizes = np.bincount(ids[ids >= 0], minlength=shape[0])
    return np.maximum(sizes, 1).astype(dtype).reshape(shape)


def _highest(ids: Any) -> Any:
    """The last id, as an array; -1 without any."""
    return np.append(-1, ids)[-1:]


def _flat(raw: str, data: Any, segment_ids: Any, num_segments: Any) -> tuple[Tensor, Tensor, int]:
    """The rows and their ids, each in one line, and how many ids there are."""
    x, ids, count = tensor(data), _ids(raw, segment_ids), number(num_segments, raw)
    shape, wanted = x._array.shape, ids._array.shape
    if shape[: len(wanted)] != wanted:
        raise invalid_argument(
            raw, f"data.shape = {brackets(shape)} does not start with "
            f"segment_ids.shape = {brackets(wanted)}",
        )  # fmt: skip
    if count < 0:
        raise invalid_argument(raw, f"Input num_segments == {count} must not be negative.")
    compute_on_host(partial(_check_range, raw, count), ids)
    if len(wanted) == 1:
        return x, ids, count
    rows = reshape(x, shape=(ids._array.size, *shape[len(wanted) :]))
    return rows, reshape(ids, shape=(-1,)), count


def _check_range(raw: str, count: int, ids: Any) -> None:
    flat, wanted = ids.reshape(-1), ids.shape
    for at in np.flatnonzero(flat >= count)[:1]:
        raise invalid_argument(
            raw, f"segment_ids{brackets(np.unravel_index(at, wanted)) if wanted else ''} = "
            f"{flat[at]} is out of range [0, {count})",
        )  # fmt: skip


def _check_sorted(raw: str, shape: tuple[int, ...], ids: Any) -> None:
    if ids.ndim != 1:
        raise invalid_argument(raw, "segment_ids should be a vector.")
    if shape[:1] != ids.shape:
        raise invalid_argument(
            raw, "segment_ids should be the same size as dimension 0 of input. There are "
            f"{ids.size} ids for {brackets(shape)}",
        )  # fmt: skip
    if np.any(np.diff(ids) < 0):
        raise invalid_argument(
            raw, f"segment ids are not increasing. Try tf.math.unsorted_segment_{raw[7:].lower()}"
        )
    if ids.size and ids[0] < 0:
        raise invalid_argument(
            raw, f"Segment id {ids[0]} out of range [0, {ids[-1] + 1}), possibly because "
            "'segment_ids' input is not sorted.",
        )  # fmt: skip


def _ids(raw: str, given: Any) -> Tensor:
    ids = tensor(given)
    if ids._array.dtype.kind not in "iu":
        raise unfit_index(raw, ids._array.dtype, given)
    return ids
