"""Softmax and its relatives on raw arrays."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.kernels.loader import ran

COMPILED_FROM: Final = 2**18
"""From so many entries on numba pays: a million float32 in rows of 1024 take NumPy 1.0 ms and it
0.3 ms, both for softmax and for its logarithm, and the way back 2.1 ms and 0.6 ms; 100 000 take
0.15 and 0.08 ms. In float64 the exponential of NumPy is as good, so only the way back is compiled.
(2-core AVX-512 machine.)"""


def softmax(x: Any, axis: int) -> Any:
    """Exponentials divided by their sum along an axis; the largest entry is taken off first."""
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    if _is_large(x, axis) and x.dtype.char == "f":
        y = np.empty_like(x, order="C")
        if ran("softmax32", _rows(x), top.reshape(-1), _rows(y)):
            return y
    y = x - top
    np.exp(y, out=y)
    y /= np.sum(y, axis=axis, keepdims=True)
    return y


def log_softmax(x: Any, axis: int) -> Any:
    """The logarithm of the softmax, without the underflow."""
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    if _is_large(x, axis) and x.dtype.char == "f":
        y = np.empty_like(x, order="C")
        if ran("log_softmax32", _rows(x), top.reshape(-1), _rows(y)):
            return y
    y = x - top
    y -= np.log(np.sum(np.exp(y), axis=axis, keepdims=True))
    return y


def softmax_slope(dy: Any, y: Any, axis: int) -> Any:
    """What comes in, less its mean under the probabilities y, times y."""
    if _is_large(y, axis) and y.dtype.char in "fd" and dy.dtype == y.dtype and dy.shape == y.shape:
        result = np.empty_like(y, order="C")
        if ran("softmax_slope", _rows(dy), _rows(y), _rows(result)):
            return result
    product = dy * y
    return product - y * np.sum(product, axis=axis, keepdims=True)


def _is_large(x: Any, axis: int) -> bool:
    return x.size >= COMPILED_FROM and axis in (-1, x.ndim - 1)


def _rows(x: Any) -> Any:
    """The array as contiguous rows: a view where it is laid out so already."""
    return np.ascontiguousarray(x).reshape(-1, x.shape[-1])
