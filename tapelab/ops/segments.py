"""Rows that belong together by an id: their sums, means, products, largest and smallest."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.core.batching import along_first_axes
from tapelab.core.host_values import compute_on_host
from tapelab.core.op import op
from tapelab.kernels.row_scatter import add_rows, meet_rows
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated, divide_no_nan
from tapelab.ops.comparison import equal
from tapelab.ops.rules import NUMBERS, REALS, numpy_dtype
from tapelab.ops.selection import nonzero_mask, ones_like, select, zeros_like

IDS: Final = "An id says which rows belong together; a small step of it means nothing."


def segmented(rng: np.random.Generator) -> list[samples.Sample]:
    """Rows with ids, one of them below 0."""
    one, two = samples.distinct(rng, (5,)), samples.distinct(rng, (4, 2))
    return [((one, np.array([2, 0, 2, -1, 1])), {"count": 3}),
            ((two, np.array([1, 1, 0, 1])), {"count": 2})]  # fmt: skip


per_segment = samples.normals(((4, 2), np.array([2, 0, 2, -1])))
"""One row per id, with the ids that ask for it."""


@op(formula=r"y_i = \sum_{s_j = i} x_j", output="y", glyph="Σ by id", title="Sum by id",
    raw="UnsortedSegmentSum", samples=segmented, kinds=NUMBERS,
    batching=along_first_axes)  # fmt: skip
def segment_sum(x: Any, s: Any, *, count: int) -> Any:
    """The sum of the rows with each id; a row with an id below 0 is left out."""
    kept = s >= 0
    rows, ids = (x, s) if kept.all() else (x[kept], s[kept])
    return add_rows(rows, ids, (count, *x.shape[1:]))


@segment_sum.grad("x", r"\bar x_j = \bar y_i")
def segment_sum_grad_x(dy: Any, y: Any, x: Any, s: Any, *, count: int) -> Any:
    """Every row counts in full, so each receives the whole gradient of its sum."""
    return of_segment(dy, s)


@op(formula=r"y_j = x_i", output="y", glyph="of id", title="Row of the id", samples=per_segment,
    batching=along_first_axes)  # fmt: skip
def of_segment(x: Any, s: Any) -> Any:
    """For each id its row, and zeros for an id below 0."""
    rows = x[np.maximum(s, 0)]
    rows[s < 0] = 0
    return rows


@of_segment.grad("x", r"\bar x_i = \sum_{s_j = i} \bar y_j")
def of_segment_grad_x(dy: Any, y: Any, x: Any, s: Any) -> Any:
    return segment_sum(dy, s, count=x.shape[0])


@op(formula=r"y_i = \operatorname{mean}_{s_j = i} x_j", output="y", glyph="mean by id",
    title="Mean by id", raw="SegmentMean", samples=segmented, kinds=NUMBERS)  # fmt: skip
def segment_mean(x: Any, s: Any, *, count: int) -> Any:
    """The mean of the rows with each id, 0 where there is none."""
    return (segment_sum(x, s, count=count) / _sizes(x, s, count)).astype(x.dtype)


@segment_mean.grad("x", r"\bar x_j = \frac{1}{n} \bar y_i")
def segment_mean_grad_x(dy: Any, y: Any, x: Any, s: Any, *, count: int) -> Any:
    """Every row counts for its share of the mean."""
    return of_segment(dy / _sizes(dy, s, count), s)


@op(formula=r"y_i = \max_{s_j = i} x_j", output="y", glyph="max by id", title="Maximum by id",
    raw="UnsortedSegmentMax", samples=segmented, kinds=REALS)  # fmt: skip
def segment_max(x: Any, s: Any, *, count: int, empty: Any = None) -> Any:
    """The largest of the rows with each id; without a row, the least there is or `empty`."""
    return _combined(np.maximum, x, s, count, _limits(x.dtype).min, empty)


@op(formula=r"y_i = \min_{s_j = i} x_j", output="y", glyph="min by id", title="Minimum by id",
    raw="UnsortedSegmentMin", samples=segmented, kinds=REALS)  # fmt: skip
def segment_min(x: Any, s: Any, *, count: int, empty: Any = None) -> Any:
    """The smallest of the rows with each id; without a row, the most there is or `empty`."""
    return _combined(np.minimum, x, s, count, _limits(x.dtype).max, empty)


@segment_max.grad("x", r"\bar x_j = \bar y_i \text{ shared where } x_j = y_i")
@segment_min.grad("x", r"\bar x_j = \bar y_i \text{ shared where } x_j = y_i")
def segment_extreme_grad_x(
    dy: Any, y: Any, x: Any, s: Any, *, count: int, empty: Any = None
) -> Any:
    """Only the entry that won passes the gradient on; ties share it."""
    won = select(equal(x, of_segment(y, s)), ones_like(x), zeros_like(x))
    share = divide_no_nan(dy, segment_sum(won, s, count=count))
    return won * of_segment(share, s)


@op(formula=r"y_i = \prod_{s_j = i} x_j", output="y", glyph="Π by id", title="Product by id",
    raw="UnsortedSegmentProd", samples=segmented, kinds=NUMBERS)  # fmt: skip
def segment_prod(x: Any, s: Any, *, count: int) -> Any:
    """The product of the rows with each id, 1 where there is none."""
    return _combined(np.multiply, x, s, count, 1, None)


@segment_prod.grad("x", r"\bar x_j = \bar y_i \cdot \prod \text{of the others}")
def segment_prod_grad_x(dy: Any, y: Any, x: Any, s: Any, *, count: int) -> Any:
    """The derivative of a product is the product of the other factors, also where one is 0."""
    is_zero, one = 1 - nonzero_mask(x), ones_like(x)
    zeros = segment_sum(is_zero, s, count=count)
    rest = segment_prod(select(equal(is_zero, one), one, x), s, count=count)
    one_zero = of_segment(select(equal(zeros, ones_like(zeros)), rest, zeros_like(rest)), s)
    others = select(equal(is_zero, one), one_zero, divide_no_nan(of_segment(y, s), x))
    return of_segment(dy, s) * conjugated(others)


for _op in (segment_sum, of_segment, segment_mean, segment_max, segment_min, segment_prod):
    _op.no_grad("s", because=IDS)


def _combined(how: np.ufunc, x: Any, s: Any, count: int, start: Any, empty: Any) -> Any:
    whole = np.full((count, *x.shape[1:]), start, x.dtype)
    kept = s >= 0
    whole = meet_rows(how, whole, x if kept.all() else x[kept], s[kept])
    if empty is not None:
        whole[np.bincount(s[kept], minlength=count)[:count] == 0] = empty
    return whole


def _sizes(x: Any, s: Any, count: int) -> Any:
    """How many rows each id has, at least 1, shaped to divide the rows of a result."""
    kind, rest = numpy_dtype(x), (1,) * (len(x.shape) - 1)

    def sizes(ids: Any) -> Any:
        counts = np.maximum(np.bincount(ids[ids >= 0], minlength=count)[:count], 1)
        shaped = counts.reshape(count, *rest)
        return shaped.astype(kind) if kind.kind == "f" else shaped

    return compute_on_host(sizes, s)


def _limits(dtype: np.dtype[Any]) -> Any:
    return np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
