"""Softmax and its relatives on raw arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def softmax(x: Any, axis: int) -> Any:
    """Exponentials divided by their sum along an axis; the largest entry is taken off first."""
    y = x - np.max(x, axis=axis, keepdims=True)
    np.exp(y, out=y)
    y /= np.sum(y, axis=axis, keepdims=True)
    return y


def softmax_slope(dy: Any, y: Any, axis: int) -> Any:
    """What comes in, less its mean under the probabilities y, times y."""
    product = dy * y
    return product - y * np.sum(product, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: int) -> Any:
    """The logarithm of the softmax, without the underflow."""
    y = x - np.max(x, axis=axis, keepdims=True)
    y -= np.log(np.sum(np.exp(y), axis=axis, keepdims=True))
    return y
