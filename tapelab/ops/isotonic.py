"""Isotonic regression: the nearest entries that never rise.

The pool-adjacent-violators method; Best & Chakravarti, Mathematical Programming 47 (1990).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.host_values import compute_on_host
from tapelab.core.op import op
from tapelab.ops import samples
from tapelab.ops.rules import FLOATS


def rows(rng: np.random.Generator) -> list[samples.Sample]:
    """Rows of distinct entries, and blocks as they come of them."""
    x = rng.permutation(8).reshape(2, 4) / 4.0
    return [((x,), {}), ((rng.normal(size=(5,)),), {})]


blocks = samples.normals(((2, 3), {"numbers": np.array([[0, 0, 1], [0, 1, 2]])}))
"""Rows with the number of the block of each entry."""


def blocks_of(x: Any) -> Any:
    """The number of the block of each entry: neighbours that rise are pooled until none does."""
    if not x.size:
        return np.zeros(x.shape, np.int32)
    flat = x.reshape(-1, x.shape[-1])
    return np.array([_pooled(row) for row in flat], np.int32).reshape(x.shape)


def _pooled(row: Any) -> list[int]:
    means: list[float] = []
    counts: list[int] = []
    for entry in row:
        means.append(float(entry))
        counts.append(1)
        while len(means) > 1 and means[-2] < means[-1]:
            mean, count = means.pop(), counts.pop()
            means[-1] = (means[-1] * counts[-1] + mean * count) / (counts[-1] + count)
            counts[-1] += count
    return [number for number, count in enumerate(counts) for _ in range(count)]


@op(formula=r"y = \operatorname{mean}_{\text{block}}(x)", glyph="pool", raw="BlockMean",
    samples=blocks, kinds=FLOATS)  # fmt: skip
def block_mean(x: Any, *, numbers: Any) -> Any:
    """The mean of each block of a row at every place of the block."""
    same = numbers[..., :, None] == numbers[..., None, :]
    shares = (same / same.sum(-1, keepdims=True)).astype(x.dtype)
    return np.einsum("...ij,...j->...i", shares, x)


@block_mean.grad("x", r"\bar x = \operatorname{mean}_{\text{block}}(\bar y)")
def block_mean_grad_x(dy: Any, y: Any, x: Any, *, numbers: Any) -> Any:
    return block_mean(dy, numbers=numbers)


@op(formula=r"y = \operatorname{isotonic}(x)", glyph="isotonic", raw="IsotonicRegression",
    samples=rows, kinds=FLOATS)  # fmt: skip
def isotonic_regression(x: Any) -> Any:
    """The nearest entries that never rise along the last axis."""
    return block_mean.kernel(x, numbers=blocks_of(x))


@isotonic_regression.grad("x", r"\bar x = \operatorname{mean}_{\text{block}}(\bar y)")
def isotonic_regression_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return block_mean(dy, numbers=compute_on_host(blocks_of, x))
