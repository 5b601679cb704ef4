"""Softmax and its relatives on raw arrays, row by row where they are large.

Compiled, a row is read while it is in the processor's cache, and nothing is kept but the result.
In float32 a million entries in rows of 1024 take NumPy 1 to 2 ms, and it 0.25 ms, each way (one
thread of an AVX-512 machine). In float64 the exponential of NumPy is as good, so that only the way
back of softmax is compiled. A chance that is too small for float32 is a subnormal number or 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final
from weakref import ref

import numpy as np

from tapelab.kernels.loader import ran_in_slices
from tapelab.kernels.memory import empty

COMPILED_FROM: Final = 2**16
"""From so many entries on, compiled code: below, a third of a second for numba is never won."""
_sum: Final[Any] = np.add.reduce
_largest: Final[Any] = np.maximum.reduce


def _compiled(name: str, *arrays: Any) -> bool:
    return ran_in_slices(f"compiled_softmax.{name}", *arrays)


def softmax(x: Any, axis: int) -> Any:
    """Exponentials divided by their sum along an axis; the largest entry is taken off first."""
    if _is_large(x, axis) and x.dtype.char == "f":
        y = empty(x.shape, x.dtype)
        if _compiled("softmax32", _rows(x), _rows(y)):
            return y
    y = x - _largest(x, axis=axis, keepdims=True, initial=-np.inf)
    np.exp(y, out=y)
    y /= _sum(y, axis=axis, keepdims=True)
    return y


def log_softmax(x: Any, axis: int) -> Any:
    """The logarithm of the softmax, without the underflow."""
    if _is_large(x, axis) and x.dtype.char == "f":
        y = empty(x.shape, x.dtype)
        if _compiled("log_softmax32", _rows(x), _rows(y)):
            return y
    y = x - _largest(x, axis=axis, keepdims=True, initial=-np.inf)
    y -= np.log(_sum(np.exp(y), axis=axis, keepdims=True))
    return y


def softmax_vjp(dy: Any, y: Any, axis: int) -> Any:
    """What comes in, less its mean under the probabilities y, times y."""
    if _is_large(y, axis) and y.dtype.char in "fd" and _alike(dy, y):
        result = empty(y.shape, y.dtype)
        if _compiled("softmax_vjp", _rows(dy), _rows(y), _rows(result)):
            return result
    product = dy * y
    return product - y * _sum(product, axis=axis, keepdims=True)


def log_softmax_vjp(dy: Any, y: Any, axis: int) -> Any:
    """What comes in, less the chances e**y times its sum; None where that is not compiled."""
    if not (type(y) is type(dy) is np.ndarray and _is_large(y, axis) and _alike(dy, y)):
        return None
    result = empty(y.shape, y.dtype)
    done = y.dtype.char == "f" and _compiled(
        "log_softmax_vjp32", _rows(dy), _rows(y), _rows(result)
    )
    return result if done else None


def logsumexp(x: Any, axis: Any) -> Any:
    """The logarithm of the sum of exponentials of each row; None where it is not compiled."""
    last = _last_of(axis, x.ndim)
    if last is None or not _is_large(x, last) or x.dtype.char != "f":
        return None
    y = empty(x.shape[:-1], x.dtype)
    return y if _compiled("logsumexp32", _rows(x), y.reshape(-1)) else None


def scaled_softmax(scale: Any, x: Any, axis: Any = (-1,)) -> Any:
    """The softmax of each row times a number of its own; None where it is not compiled."""
    if type(scale) is not np.ndarray or type(x) is not np.ndarray:
        return None
    last = _last_of(axis, x.ndim)
    if last is None or not _is_large(x, last) or not x.dtype.char == scale.dtype.char == "f":
        return None
    y = empty(x.shape, x.dtype)
    done = _compiled("scaled_softmax32", _column(scale), _rows(x), _rows(y))
    return y if done else None


def cross_entropy(labels: Any, scores: Any) -> Any:
    """Minus the sum of labels times the logarithms of the softmax of the scores, row by row."""
    if _is_large(scores, -1) and scores.dtype.char == "f" and _alike(labels, scores):
        z = empty(scores.shape[:-1], scores.dtype)
        if _compiled("cross_entropy32", _rows(labels), _rows(scores), z.reshape(-1)):
            return z
    return -np.sum(labels * log_softmax(scores, -1), axis=-1)


def numbered_cross_entropy(classes: Any, scores: Any) -> Any:
    """Minus the logarithm of the softmax of the scores at the right class of each row."""
    if _is_large(scores, -1) and scores.dtype.char == "f":
        z = empty(scores.shape[:-1], scores.dtype).reshape(-1)
        right = np.ascontiguousarray(classes, np.int64)
        if _compiled("numbered_cross_entropy32", right, _rows(scores), z):
            return z
    powers = scores - _largest(scores, axis=-1, keepdims=True, initial=-np.inf)
    right = powers.reshape(-1).take(_places(classes, scores.shape[-1]))
    totals = _sum(np.exp(powers, out=powers), axis=-1)
    if type(scores) is np.ndarray and not scores.flags.writeable:
        _remember(scores, powers, totals)
    return np.log(totals).reshape(-1) - right


def cross_entropy_vjp(dz: Any, labels: Any, scores: Any) -> Any:
    """Upstream times (softmax of the scores less labels); None where that is not compiled."""
    if not type(dz) is type(labels) is type(scores) is np.ndarray:
        return None
    if not (_is_large(scores, -1) and _alike(labels, scores) and scores.dtype.char == "f"):
        return None
    y = empty(scores.shape, scores.dtype)
    done = dz.dtype.char == "f" and _compiled(
        "cross_entropy_vjp32", _column(dz), _rows(labels), _rows(scores), _rows(y)
    )
    return y if done else None


def numbered_cross_entropy_vjp(dz: Any, classes: Any, scores: Any) -> Any:
    """The same where each row has one right class, given by number."""
    y = scaled_softmax(dz, scores)
    if y is not None:
        _rows(y)[np.arange(classes.size), classes.reshape(-1)] -= _column(dz)
    return y


def numbered_softmax_vjp(dz: Any, classes: Any, scores: Any) -> Any:
    """The same, for few numbers and in any dtype."""
    known, powers, totals = _last
    if known is not None and known() is scores:
        y = powers / totals[..., np.newaxis]
    else:
        y = np.ascontiguousarray(softmax(scores, -1))
    y.reshape(-1)[_places(classes.reshape(-1), y.shape[-1])] -= 1
    y *= dz[..., np.newaxis]
    return y


_last: tuple[ref[Any] | None, Any, Any] = (None, None, None)
"""The last scores whose cross entropy was taken, their exponentials and the sums of those.

The backward pass mostly follows at once, and would work them out again.
"""


def _remember(scores: Any, powers: Any, totals: Any) -> None:
    """Keep the exponentials of scores that no one can change, as long as the scores live."""
    global _last  # noqa: PLW0603 - one thing is remembered at a time
    _last = ref(scores, _forget), powers, totals


def _forget(gone: Any) -> None:
    global _last  # noqa: PLW0603 - as above
    if _last[0] is gone:
        _last = None, None, None


def _places(classes: Any, count: int) -> Any:
    """Where the entries of some classes stand, one in each row, in rows that lie flat."""
    return _starts(classes.size, count) + classes.astype(np.int64, copy=False)


@lru_cache(maxsize=8)
def _starts(rows: int, count: int) -> Any:
    """Where rows begin that lie one after the other."""
    return np.arange(0, rows * count, max(count, 1))


def _last_of(axis: Any, rank: int) -> int | None:
    """The last axis, if `axis` names it and no other."""
    if axis is None:
        return 0 if rank == 1 else None
    return -1 if len(axis) == 1 and axis[0] in (-1, rank - 1) else None


def _is_large(x: Any, axis: int) -> bool:
    return x.size >= COMPILED_FROM and axis in (-1, x.ndim - 1)


def _alike(one: Any, other: Any) -> bool:
    return bool(one.dtype == other.dtype and one.shape == other.shape)


def _rows(x: Any) -> Any:
    """The array as contiguous rows: a view where it is laid out so already."""
    return np.ascontiguousarray(x).reshape(-1, x.shape[-1])


def _column(x: Any) -> Any:
    """One number for each row."""
    return np.ascontiguousarray(x).reshape(-1)
