"""What normalization does to large arrays, one pass over the entries for each step.

`tf.nn.moments` and `tf.nn.batch_normalization` are made of several ops, which a learner can follow
on a small array. On a large one they take these instead: the same mathematics, read once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.kernels import normal as kernels
from tapelab.ops import samples
from tapelab.ops.broadcasting import sum_to
from tapelab.ops.powers import rsqrt, square
from tapelab.ops.reduce_ops import reduce_mean
from tapelab.ops.rules import FLOATS

Axes = tuple[int, ...]


centred = samples.normals(((2, 3), (2, 1)), ((2, 3), (1, 3)), ((4,), (1,)), ((2, 3, 2), (1, 3, 1)))
"""Arrays with a number for each row, each column and for all."""
normals = samples.normals(
    ((2, 3), (2, 1), (2, 1), (3,), (3,)),
    ((2, 3), (3,), (3,), (3,), (3,)),
    ((2, 2, 2), (2, 1, 1), (2, 1, 1), (2, 2), (2, 2)),
)
"""Arrays with their means and widths, and what each column is scaled and shifted by."""
layers = samples.normals(
    ((2, 3), (3,), (3,), {"epsilon": 0.1}),
    ((2, 2, 3), (3,), (3,), {"epsilon": 0.1}),
    ((2, 3, 2), (3, 2), (3, 2), {"epsilon": 0.1}),
)
"""Arrays with what each column is scaled and shifted by."""


def rows_by_numpy(x: Any, g: Any, b: Any, epsilon: float) -> Any:
    """What normalizes rows, step by step."""
    along = tuple(range(x.ndim - g.ndim, x.ndim))
    mean, variance = x.mean(along, keepdims=True), x.var(along, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon) * g + b


@op(formula=r"z = \frac{1}{n} \sum (x - m)^2", output="z", glyph="(x−m)² mean",
    title="Mean squared distance", samples=centred, kinds=FLOATS, same_dtype=True,
    reference=lambda x, m: sum_to(np.square(x - m), shape=m.shape) * (m.size / x.size))  # fmt: skip
def mean_squared_distance(x: Any, m: Any) -> Any:
    """How far the entries are from m, squared, on average over all that share a number of m."""
    z = kernels.mean_square(x, m)
    if z is not None:
        return z
    away = x - m
    return sum_to(away * away, shape=m.shape) / x.dtype.type(max(_share(x, m), 1))


@mean_squared_distance.grad("x", r"\bar x = \bar z \cdot \frac{2}{n} (x - m)")
def mean_squared_distance_grad_x(dz: Any, z: Any, x: Any, m: Any) -> Any:
    """The further an entry is away, the more its step changes the mean of the squares."""
    scale = dz * (2 / max(_share(x, m), 1))
    dx = kernels.distances(scale, x, m)
    return scale * (x - m) if dx is None else dx


mean_squared_distance.no_grad(
    "m", because="m stands for the mean, where the mean squared distance is at its smallest: there "
    "its derivative is 0.",
)  # fmt: skip


@op(formula=r"z = (x - m) \cdot r \cdot g + b", glyph="normalize", samples=normals, kinds=FLOATS,
    broadcasts=True, reference=lambda x, m, r, g, b: (x - m) * r * g + b)  # fmt: skip
def normalize(x: Any, m: Any, r: Any, g: Any, b: Any) -> Any:
    """The distance of the entries from m, scaled by r and by g, and shifted by b."""
    z = kernels.normalized(x, m, r, g, b)
    return (x - m) * r * g + b if z is None else z


@normalize.grads(
    {
        "x": r"\bar x = \bar z \cdot r \cdot g",
        "m": r"\bar m = -\sum \bar z \cdot r \cdot g",
        "r": r"\bar r = \sum \bar z \cdot g \cdot (x - m)",
        "g": r"\bar g = \sum \bar z \cdot r \cdot (x - m)",
        "b": r"\bar b = \sum \bar z",
    }
)
def normalize_grads(dz: Any, z: Any, x: Any, m: Any, r: Any, g: Any, b: Any) -> Any:
    """One pass over the entries serves all five."""
    gradients = kernels.normalized_vjps(dz, x, m, r, g, b)
    if gradients is not None:
        return gradients
    away, scaled = x - m, dz * g
    dx = scaled * r
    return dx, -dx, scaled * away, dz * (away * r), dz


@op(formula=r"z = \frac{x - \operatorname{mean}(x)}{\operatorname{std}(x)} \cdot g + b", output="z",
    glyph="layer norm", title="Normalize rows", samples=layers, kinds=FLOATS,
    reference=rows_by_numpy)  # fmt: skip
def layer_normalize(x: Any, g: Any, b: Any, *, epsilon: float) -> Any:
    """Each row moved to mean 0 and variance 1; then each column is scaled by g and shifted by b."""
    z = kernels.layer_normalized(x, g, b, epsilon)
    if z is not None:
        return z
    return _evened(x, g, epsilon)[0] * g + b


@layer_normalize.grads(
    {
        "x": r"\bar x = \frac{\bar z \cdot g - \text{what moves or stretches whole rows}}"
        r"{\operatorname{std}(x)}",
        "g": r"\bar g = \sum \bar z \cdot \frac{x - \operatorname{mean}(x)}{\operatorname{std}(x)}",
        "b": r"\bar b = \sum \bar z",
    }
)
def layer_normalize_grads(dz: Any, z: Any, x: Any, g: Any, b: Any, *, epsilon: float) -> Any:
    """What would only move or stretch a whole row is taken out of its gradient again."""
    gradients = kernels.layer_vjps(dz, x, g, epsilon)
    if gradients is not None:
        return gradients
    even, factor, along = _evened(x, g, epsilon)
    inner, shape = dz * g, tuple(g.shape)
    mean = reduce_mean(inner, axis=along, keepdims=True)
    stretch = reduce_mean(inner * even, axis=along, keepdims=True)
    dx = factor * (inner - mean - even * stretch)
    return dx, sum_to(dz * even, shape=shape), sum_to(dz, shape=shape)


def _evened(x: Any, g: Any, epsilon: float) -> tuple[Any, Any, Axes]:
    """The rows with mean 0 and variance 1, the factor that made them so, and the axes of a row."""
    along = tuple(range(len(x.shape) - len(g.shape), len(x.shape)))
    away = x - reduce_mean(x, axis=along, keepdims=True)
    factor = rsqrt(reduce_mean(square(away), axis=along, keepdims=True) + epsilon)
    return away * factor, factor, along


def _share(x: Any, m: Any) -> int:
    """How many entries share a number of m."""
    count = 1
    for length, of_m in zip(x.shape, m.shape, strict=True):
        count *= length if of_m == 1 else 1
    return count
