"""Means, variances, and what is moved and scaled by them."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.errors import invalid_argument
from tapelab.kernels import normal
from tapelab.ops import casts, pass_through, powers, reduce_ops, selection
from tapelab.ops.arithmetic import add
from tapelab.ops.casts import cast
from tapelab.ops.comparison import equal
from tapelab.ops.normalization import layer_normalize, mean_squared_distance, normalize
from tapelab.ops.public import axes_of, strict_operand, tensor
from tapelab.ops.shapes import reshape, squeeze


@public(group=True)
def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean of the entries along the axes, and the mean squared distance from it."""
    given = tensor(x)
    along = axes_of(given, axes, "Mean")
    mean = reduce_ops.reduce_mean(given, axis=along, keepdims=True)
    if normal.flat(given._array, mean._array):
        variance = mean_squared_distance(given, pass_through.stop_gradient(mean))
        if keepdims:
            return mean, variance
        return squeeze(mean, axis=along), squeeze(variance, axis=along)
    away = powers.squared_difference(given, pass_through.stop_gradient(mean))
    if keepdims or along:
        variance = reduce_ops.reduce_mean(away, axis=along, keepdims=keepdims)
        return mean if keepdims else squeeze(mean, axis=along), variance
    # Without axes to go, TensorFlow removes every axis of length 1.
    variance = reduce_ops.reduce_mean(away, axis=along, keepdims=True)
    ones = tuple(at for at, length in enumerate(mean._array.shape) if length == 1)
    return squeeze(mean, axis=ones), squeeze(variance, axis=ones)


@public(group=True)
def l2_normalize(x: Any, axis: Any = None, epsilon: Any = 1e-12, name: str | None = None) -> Any:
    """The entries divided by their length along the axes, which is then 1."""
    given: Any = tensor(x)
    parts: Any = (casts.real(given), casts.imag(given)) if given.dtype.is_complex else (given,)
    squares = functools.reduce(add, map(powers.square, parts))
    total = reduce_ops.reduce_sum(squares, axis=axes_of(given, axis, "Sum"), keepdims=True)
    share: Any = powers.rsqrt(selection.maximum(total, strict_operand(epsilon, total.dtype)))
    scaled = [part * share for part in parts]
    return casts.complex(*scaled) if given.dtype.is_complex else scaled[0]


@public(group=True)
def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The entries moved to mean 0 and variance 1, then scaled and shifted as learned."""
    given: Any = tensor(x)
    centre: Any = strict_operand(mean, given.dtype)
    spread: Any = strict_operand(variance, given.dtype)
    factor = powers.rsqrt(spread + variance_epsilon)
    lies = normal.flat(given._array, centre._array)
    if lies is not None and factor._array.shape == centre._array.shape:
        learned = _columns(lies, given, scale, 1), _columns(lies, given, offset, 0)
        if None not in learned:
            return normalize(given, centre, factor, *learned)
    if scale is not None:
        factor = factor * scale
    shift = -(centre * factor)
    return given * factor + (shift if offset is None else offset + shift)


def rows_normalized(x: Tensor, axes: Any, scale: Any, offset: Any, epsilon: float) -> Any:
    """The entries along the last axes normalized in one op; None where the array is not large."""
    value = x._array
    if list(axes) != list(range(value.ndim - len(axes), value.ndim)) or not axes:
        return None
    lies = normal.layer(value, np.empty(value.shape[axes[0] :], np.uint8))
    learned = lies and (_columns(lies, x, scale, 1), _columns(lies, x, offset, 0))
    if not learned or None in learned:
        return None
    return layer_normalize(x, *learned, epsilon=float(epsilon))


def _columns(lies: normal.Flat, x: Any, numbers: Any, otherwise: float) -> Tensor | None:
    """One number for each column of a large array, in their shape; None if they are others."""
    if numbers is None:
        return to_tensor(np.full(lies.columns, otherwise, x._array.dtype))
    given = strict_operand(numbers, x.dtype)
    shape = given._array.shape
    before = len(shape) - len(lies.columns)
    if shape == lies.columns:
        return given
    fits = before > 0 and shape == (*(1,) * before, *lies.columns)
    return reshape(given, shape=lies.columns) if fits else None


@public(group=True)
def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """Which share of the entries is 0."""
    x = tensor(value)
    hits = cast(equal(x, selection.zeros_like(x)), dtype=np.dtype(np.float32))
    fraction: Tensor = reduce_ops.reduce_mean(hits, axis=None, keepdims=False)
    return fraction


@public(group=True)
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any, Any, Any]:
    """The count, the sum and the sum of squares along axes: what moments are made of."""
    given: Any = tensor(x)
    along = axes_of(given, list(axes), "Sum")
    shape = given._array.shape
    count = to_tensor(math.prod(shape[at] for at in along or ()), given.dtype)
    moved = given if shift is None else given - shift
    total = reduce_ops.reduce_sum(moved, axis=along, keepdims=keepdims)
    squares = reduce_ops.reduce_sum(powers.square(moved), axis=along, keepdims=keepdims)
    moved_by = None if shift is None else strict_operand(shift, given.dtype)
    return count, total, squares, moved_by


@public(group=True)
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Any, Any]:
    """The mean and the variance from a count, a sum and a sum of squares."""
    share: Any = powers.reciprocal(tensor(counts))
    moved = tensor(mean_ss) * share
    mean = moved if shift is None else moved + shift
    return mean, tensor(variance_ss) * share - powers.square(moved)


@public(group=True)
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """The mean and the variance where some entries count more than others."""
    given: Any = tensor(x)
    weights: Any = strict_operand(frequency_weights, given.dtype)
    along = axes_of(given, axes, "Sum")

    def summed(entries: Any) -> Any:
        return reduce_ops.reduce_sum(entries, axis=along, keepdims=True)

    whole = summed(weights + selection.zeros_like(given))
    mean = summed(weights * given) / whole
    variance = summed(weights * powers.squared_difference(given, mean)) / whole
    if keepdims:
        return mean, variance
    return squeeze(mean, axis=along), squeeze(variance, axis=along)


@public(group=True)
def batch_norm_with_global_normalization(
    input: Any, mean: Any, variance: Any, beta: Any, gamma: Any, variance_epsilon: Any,
    scale_after_normalization: bool, name: str | None = None,
) -> Any:  # fmt: skip
    """Batch normalization under its older name; `gamma` counts only if it is asked for."""
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


@public(group=True)
def local_response_normalization(
    input: Any, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Each entry divided by a power of the sum of squares of the channels around it."""
    given: Any = tensor(input)
    if given.ndim != 4:
        raise invalid_argument("LRN", f"in must be 4-dimensional, not of shape {given.shape}")
    channels = given._array.shape[-1]
    apart = np.abs(np.subtract.outer(np.arange(channels), np.arange(channels)))
    near = to_tensor((apart <= depth_radius).astype(given._array.dtype))
    return given / (bias + alpha * (powers.square(given) @ near)) ** beta


lrn = local_response_normalization
