"""Convolution as products of matrices: each window flattened is a row, each filter a column.

The windows of all pictures at once are many times as large as the pictures, so that they are laid
flat for a few pictures at a time, as many as stay in the processor's cache.

Loops over the windows without laying them flat were tried, compiled, for seven shapes from
64 × 28 × 28 × 1 to 32 × 14 × 14 × 64: they took 1.5 to 5 times as long (one thread of an AVX-512
machine). They win where each channel has a filter of its own, which `pooling` does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tapelab.kernels import pooling
from tapelab.kernels.memory import empty, in_rows
from tapelab.kernels.sliding_windows import Sliding, added_back, windows_of

AT_ONCE: Final = 2**19
"""So many entries of windows are flattened at a time."""

Shape = tuple[int, ...]


def groups_of(x: Shape, w: Shape) -> int:
    """Into how many groups the channels of pictures fall, by the depth of the filters."""
    return x[-1] // w[-2]


def convolved(x: Any, w: Any, how: Sliding) -> Any:
    """Each window of the pictures times the filters, summed."""
    groups = groups_of(x.shape, w.shape)
    if _single(groups, w.shape):
        y = pooling.depthwise(x, w, how)
        if y is not None:
            return y
    pairs = zip(_cut(x, groups), _cut(w, groups), strict=True)
    return _joined([_convolved(part, filters, how) for part, filters in pairs])


def _convolved(x: Any, w: Any, how: Sliding) -> Any:
    windows = _windows(x, how)
    y = empty((*windows.shape[: x.ndim - 1], w.shape[-1]), x.dtype)
    matrix = w.reshape(math.prod(how.size) * x.shape[-1], w.shape[-1])
    for some in _few_at_a_time(windows):
        np.matmul(_laid_flat(windows[some], len(matrix)), matrix, out=_flat(y[some]))
    return y


def laid_over(y: Any, w: Any, how: Sliding, shape: Shape) -> Any:
    """Each entry laid over its window of the picture, times the filter; what overlaps is added."""
    groups = groups_of(shape, w.shape)
    if _single(groups, w.shape):
        pictures = pooling.depthwise_input(y, w, how, shape)
        if pictures is not None:
            return pictures
    part = (*shape[:-1], w.shape[-2])
    pairs = zip(_cut(y, groups), _cut(w, groups), strict=True)
    return _joined([_laid_over(each, filters, how, part) for each, filters in pairs])


def _laid_over(y: Any, w: Any, how: Sliding, shape: Shape) -> Any:
    x, y = empty(shape, y.dtype), in_rows(y)
    matrix = w.reshape(math.prod(how.size) * shape[-1], w.shape[-1]).T
    step = max(1, AT_ONCE // max(1, math.prod(y.shape[1:-1]) * matrix.shape[1]))
    for start in range(0, len(y), step):
        some = y[start : start + step]
        parts = empty((*some.shape[:-1], *how.size, shape[-1]), y.dtype)
        np.matmul(_flat(some), matrix, out=parts.reshape(-1, matrix.shape[1]))
        x[start : start + step] = _added_back(parts, how, (len(some), *shape[1:]))
    return x


def _added_back(parts: Any, how: Sliding, shape: Shape) -> Any:
    pictures = pooling.windows_back(parts, how, shape)
    return (
        added_back(np.moveaxis(parts, -1, len(how.size) + 1), how, shape)
        if pictures is None
        else pictures
    )


def collected(x: Any, y: Any, how: Sliding, groups: int) -> Any:
    """For each entry of the filters what it met in all windows, times what came of it, summed."""
    if groups == x.shape[-1] == y.shape[-1] > 1:
        filters = pooling.depthwise_filter(x, y, how)
        if filters is not None:
            return filters
    pairs = zip(_cut(x, groups), _cut(y, groups), strict=True)
    return _joined([_collected(pictures, each, how) for pictures, each in pairs])


def _collected(x: Any, y: Any, how: Sliding) -> Any:
    windows, y = _windows(x, how), in_rows(y)
    shape = (*how.size, x.shape[-1], y.shape[-1])
    total = np.zeros((math.prod(shape[:-1]), shape[-1]), x.dtype)
    for some in _few_at_a_time(windows):
        total += _laid_flat(windows[some], len(total)).T @ _flat(y[some])
    return total.reshape(shape)


def _single(groups: int, w: Shape) -> bool:
    """Whether each channel is convolved with one filter of its own."""
    return groups > 1 and w[-2] == 1 and w[-1] == groups


def _windows(x: Any, how: Sliding) -> Any:
    """All windows as a view: picture, places, the places in the window, channel."""
    rank = len(how.size)
    return np.moveaxis(windows_of(x, how), rank + 1, -1)


def _few_at_a_time(windows: Any) -> Iterator[slice]:
    step = max(1, AT_ONCE // max(1, math.prod(windows.shape[1:])))
    for start in range(0, len(windows), step):
        yield slice(start, start + step)


def _laid_flat(windows: Any, width: int) -> Any:
    return windows.reshape(-1, width) if windows.size else np.zeros((0, width), windows.dtype)


def _flat(x: Any) -> Any:
    return x.reshape(-1, x.shape[-1])


def _cut(whole: Any, groups: int) -> list[Any]:
    """The equal parts of the channels, one for each group."""
    return [whole] if groups == 1 else np.split(whole, groups, -1)


def _joined(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts, -1)
