"""Running sums and products along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.batching import along_axis
from tapelab.core.op import op
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated, divide_no_nan
from tapelab.ops.comparison import greater
from tapelab.ops.powers import exp, log
from tapelab.ops.rules import FLOATS, NUMBERS, numpy_dtype
from tapelab.ops.selection import ones_like, select, zeros_like


def runs(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with the axis to run along, whether to leave the entry out, and the direction."""
    cases = [((3,), 0, False, False), ((2, 3), 1, True, False), ((2, 3), -1, False, True),
             ((4,), 0, True, True)]  # fmt: skip
    return [
        ((rng.uniform(0.5, 2.0, size=s),), {"axis": axis, "exclusive": out, "reverse": back})
        for s, axis, out, back in cases
    ]


def inclusive_runs(rng: np.random.Generator) -> list[samples.Sample]:
    """As `runs`, but no entry is left out: nothing would remain for the first, and no logarithm."""
    return [(arrays, along | {"exclusive": False}) for arrays, along in runs(rng)]


def by_loop(combine: Any, start: float) -> Any:
    """A reference that walks along the axis entry by entry."""

    def reference(x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
        rows = list(np.moveaxis(x, axis, 0))
        so_far, result = np.full_like(rows[0], start), []
        for row in reversed(rows) if reverse else rows:
            after = combine(so_far, row)
            result.append(so_far if exclusive else after)
            so_far = after
        return np.moveaxis(np.stack(result[::-1] if reverse else result), 0, axis)

    return reference


@op(formula=r"y_i = \sum_{j \leq i} x_j", output="y", glyph="Σ→", title="Running sum",
    kinds=NUMBERS, samples=runs, reference=by_loop(np.add, 0.0), linear=True,
    batching=along_axis)  # fmt: skip
def cumsum(x: Any, *, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    """Each entry is the sum of all entries up to its place along the axis."""
    return _run(np.add, 0, x, axis, exclusive, reverse)


@cumsum.grad("x", r"\bar x_j = \sum_{i \geq j} \bar y_i")
def cumsum_grad_x(
    dy: Any, y: Any, x: Any, *, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Any:
    return cumsum(dy, axis=axis, exclusive=exclusive, reverse=not reverse)


@op(formula=r"y_i = \prod_{j \leq i} x_j", output="y", glyph="Π→", title="Running product",
    kinds=NUMBERS, samples=runs, reference=by_loop(np.multiply, 1.0),
    batching=along_axis)  # fmt: skip
def cumprod(x: Any, *, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    """Each entry is the product of all entries up to its place along the axis."""
    return _run(np.multiply, 1, x, axis, exclusive, reverse)


@cumprod.grad("x", r"\bar x_j = \frac{1}{x_j} \sum_{i \geq j} \bar y_i \cdot y_i \text{ or } 0")
def cumprod_grad_x(
    dy: Any, y: Any, x: Any, *, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Any:
    later = cumsum(dy * conjugated(y), axis=axis, exclusive=exclusive, reverse=not reverse)
    return divide_no_nan(later, conjugated(x))


@op(formula=r"y_i = \ln \sum_{j \leq i} e^{x_j}", output="y", glyph="ln Σ→ eˣ",
    raw="CumulativeLogsumexp", title="Running log of the sum of exponentials", kinds=FLOATS,
    samples=inclusive_runs, batching=along_axis)  # fmt: skip
def cumulative_logsumexp(
    x: Any, *, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Any:
    """Each entry is the logarithm of the sum of all exponentials up to its place along the axis."""
    return _run(np.logaddexp, -np.inf, x, axis, exclusive, reverse)


@cumulative_logsumexp.grad("x", r"\bar x_j = \sum_{i \geq j} \bar y_i \cdot e^{x_j - y_i}")
def cumulative_logsumexp_grad_x(
    dy: Any, y: Any, x: Any, *, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Any:
    """Summed up in logarithms, gains and losses apart, so that nothing overflows."""
    back: Any = {"axis": axis, "exclusive": exclusive, "reverse": not reverse}
    gains = exp(cumulative_logsumexp(_log_where_positive(dy) - y, **back) + x)
    losses = exp(cumulative_logsumexp(_log_where_positive(-dy) - y, **back) + x)
    return gains - losses


def _log_where_positive(dy: Any) -> Any:
    """The logarithm of what is positive, and the lowest number elsewhere."""
    positive = greater(dy, zeros_like(dy))
    lowest = zeros_like(dy) + np.finfo(numpy_dtype(dy)).min
    return select(positive, log(select(positive, dy, ones_like(dy))), lowest)


def _run(
    combine: np.ufunc, start: float, x: Any, axis: int, exclusive: bool, reverse: bool
) -> Any:  # fmt: skip
    ahead = np.moveaxis(x, axis, 0)
    rows = ahead[::-1] if reverse else ahead
    if exclusive:
        shifted = np.full_like(rows, start)
        shifted[1:] = rows[:-1]
        rows = shifted
    y = combine.accumulate(rows, axis=0, dtype=x.dtype)
    return np.moveaxis(y[::-1] if reverse else y, 0, axis)
