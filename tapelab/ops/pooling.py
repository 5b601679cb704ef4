"""Pooling: the largest entry, or the mean, of each window of a picture."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from tapelab.core.batching import joined_with_first_axis
from tapelab.core.host_values import compute_on_host
from tapelab.core.op import op
from tapelab.kernels import pooling as kernels
from tapelab.kernels.sliding_windows import Sliding, added_back, windows_of
from tapelab.ops import samples
from tapelab.ops.convolution import DEEP, SLIDES
from tapelab.ops.indexed_rows import scatter_rows
from tapelab.ops.rules import FLOATS, REALS
from tapelab.ops.selection import beside
from tapelab.ops.shapes import reshape

Shape = tuple[int, ...]


def pictures(rng: np.random.Generator) -> list[samples.Sample]:
    """Pictures of distinct entries with the windows that slide over them."""
    flat = [((rng.permutation(48).reshape(2, 4, 3, 2) / 8.0,), {"how": how}) for how in SLIDES]
    return [*flat, ((rng.permutation(24).reshape(1, 2, 3, 2, 2) / 8.0,), {"how": DEEP})]


def means(rng: np.random.Generator) -> list[samples.Sample]:
    """What comes back from the windows to the pictures."""
    return [
        ((rng.normal(size=avg_pool.kernel(x, **settings).shape),), {**settings, "shape": x.shape})
        for (x,), settings in pictures(rng)
    ]


@op(formula=r"y = \max x", glyph="max pool", title="Largest of each window", raw="MaxPool",
    samples=pictures, kinds=REALS)  # fmt: skip
def max_pool(x: Any, *, how: Sliding) -> Any:
    """The largest entry of each window; the first such entry receives the gradient."""
    y = kernels.max_pool(x, how)
    return windows_of(x, how, lowest(x.dtype)).max(axis=_inside(how)) if y is None else y


@max_pool.grad("x", r"\bar x = \operatorname{scatter}(\bar y)")
def max_pool_grad_x(dy: Any, y: Any, x: Any, *, how: Sliding) -> Any:
    if type(dy) is type(x) is np.ndarray and kernels.suits(x, how):
        at = kernels.largest_places(x, how)
        dx = None if at is None else kernels.put_back(dy, at, x.shape)
        if dx is not None:
            return dx
    places = compute_on_host(partial(_places_in_a_row, how=how), x)
    shape = tuple(x.shape)
    rows = scatter_rows(reshape(dy, shape=(-1,)), indices=places, shape=(math.prod(shape),))
    return beside(reshape(rows, shape=shape), x)


@op(formula=r"y = \operatorname{mean}(x)", glyph="avg pool", title="Mean of each window",
    raw="AvgPool", samples=pictures, kinds=FLOATS, batching=joined_with_first_axis)  # fmt: skip
def avg_pool(x: Any, *, how: Sliding) -> Any:
    """The mean of each window; places in the margin do not count."""
    compiled_sums = kernels.window_sums(x, how)
    sums = windows_of(x, how).sum(axis=_inside(how)) if compiled_sums is None else compiled_sums
    return np.divide(sums, _counts(x.shape, how).astype(x.dtype), out=compiled_sums)


@avg_pool.grad("x", r"\bar x = \operatorname{spread}(\bar y)")
def avg_pool_grad_x(dy: Any, y: Any, x: Any, *, how: Sliding) -> Any:
    return avg_unpool(dy, how=how, shape=tuple(x.shape))


@op(formula=r"y = \operatorname{spread}(x)", glyph="spread", title="Mean back to the picture",
    raw="AvgPoolGrad", samples=means, kinds=FLOATS, batching=joined_with_first_axis)  # fmt: skip
def avg_unpool(x: Any, *, how: Sliding, shape: Shape) -> Any:
    """Each entry shared evenly among its window; where windows overlap the shares are added."""
    shares = x / _counts(shape, how).astype(x.dtype)
    y = kernels.window_spread(shares, how, shape)
    if y is not None:
        return y
    inside = shares.reshape(*x.shape, *(1,) * len(how.size))
    return added_back(np.broadcast_to(inside, (*x.shape, *how.size)), how, shape)


@avg_unpool.grad("x", r"\bar x = \operatorname{mean}(\bar y)")
def avg_unpool_grad_x(dy: Any, y: Any, x: Any, *, how: Sliding, shape: Shape) -> Any:
    return avg_pool(dy, how=how)


def places_of_largest(x: Any, how: Sliding) -> Any:
    """Where the largest entry of each window stands in the pictures flattened."""
    places = kernels.largest_places(x, how)
    if places is not None:
        offsets = np.arange(len(x)) * math.prod(x.shape[1:])
        return places + offsets.reshape(-1, *(1,) * (x.ndim - 1))
    windows = windows_of(x, how, lowest(x.dtype))
    numbers = windows_of(np.arange(x.size).reshape(x.shape), how)
    flat = (*windows.shape[: x.ndim], math.prod(windows.shape[x.ndim :]))
    first = windows.reshape(flat).argmax(axis=-1)
    return np.take_along_axis(numbers.reshape(flat), first[..., None], -1)[..., 0]


def _places_in_a_row(x: Any, how: Sliding) -> Any:
    return places_of_largest(x, how).reshape(-1)


def lowest(dtype: Any) -> Any:
    """What no entry of a dtype is less than: it fills the margins where the largest is sought."""
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _inside(how: Sliding) -> tuple[int, ...]:
    """The axes of a window among those of all windows."""
    rank = len(how.size)
    return tuple(range(rank + 2, 2 * rank + 2))


def _counts(shape: Shape, how: Sliding) -> Any:
    """How many entries of the picture each window covers."""
    return windows_of(np.ones((1, *shape[1:-1], 1)), how).sum(axis=_inside(how))
