"""Windows over large pictures, compiled: pooling, and convolutions of each channel by itself.

A million float32 entries take NumPy 2.5 ms for the largest of 2 × 2 and 16 ms for its VJP, and
the compiled code 0.15 and 0.4 ms; 3 × 3 filters of single channels take NumPy 16 and 70 ms, and it
0.6 and 1.8 ms (one thread of an AVX-512 machine). Every function answers None where NumPy is to do
the work: for small pictures, for blocks of three axes, for numbers that are no floats.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapelab.kernels.loader import ran, ran_in_slices
from tapelab.kernels.memory import empty, in_rows
from tapelab.kernels.sliding_windows import Sliding

COMPILED_FROM: Final = 2**16
"""From so many entries on, compiled code: below, a third of a second for numba is never won."""

LONG: Final = 16
"""From so many entries on, a row of a window of one channel costs less to add than to find."""

Shape = tuple[int, ...]


def max_pool(x: Any, how: Sliding) -> Any:
    """The largest entry of each window."""
    if not suits(x, how):
        return None
    y = empty(_pooled(x.shape, how), x.dtype)
    return y if _ran("max_pool", how, x, y) else None


def largest_places(x: Any, how: Sliding) -> Any:
    """Where in its picture, flattened, the first of the largest entries of each window stands."""
    if not suits(x, how) or math.prod(x.shape[1:]) >= 2**31:
        return None
    y = empty(_pooled(x.shape, how), np.dtype(np.int32))
    return y if _ran("largest_places", how, x, y) else None


def put_back(y: Any, places: Any, shape: Shape) -> Any:
    """An array of zeros to which each entry is added at its place in its picture, flattened."""
    x = empty(shape, y.dtype)
    flat = [in_rows(each).reshape(len(each), -1) for each in (y, places)]
    done = ran_in_slices("compiled_windows.put_back", *flat, x.reshape(len(x), -1))
    return x if done else None


def window_sums(x: Any, how: Sliding) -> Any:
    """The sum of each window."""
    if not suits(x, how):
        return None
    y = empty(_pooled(x.shape, how), x.dtype)
    return y if _ran("windows_sum", how, x, y) else None


def window_spread(y: Any, how: Sliding, shape: Shape) -> Any:
    """Each entry added to all that its window covers."""
    x = empty(shape, y.dtype)
    return x if suits(x, how) and _ran("windows_spread", how, y, x) else None


def windows_back(parts: Any, how: Sliding, shape: Shape) -> Any:
    """What each window says of each of its entries (…, size, channel), added up."""
    if not suits(parts, how) or how.dilations[-1] != 1:
        return None
    if shape[-1] == 1 and how.size[-1] < LONG:
        return None
    x = empty(shape, parts.dtype)
    rows = parts.shape[1] if len(how.size) == 2 else 1
    arrays = in_rows(parts).reshape(len(parts), rows, -1), _by_row(x, how)
    done = ran_in_slices("compiled_windows.windows_back", *arrays, shared=(_line(how, shape),))
    return x if done else None


def depthwise(x: Any, w: Any, how: Sliding) -> Any:
    """Each channel convolved with a filter of its own; filters are (size, 1, channel)."""
    if not suits(x, how):
        return None
    y = empty(_pooled(x.shape, how), x.dtype)
    return y if _ran("depthwise", how, x, y, _repeated(w, y.shape)) else None


def depthwise_input(y: Any, w: Any, how: Sliding, shape: Shape) -> Any:
    """Each entry laid over its window of the picture, times the filter of its channel."""
    x = empty(shape, y.dtype)
    if not suits(x, how):
        return None
    return x if _ran("depthwise_input", how, y, x, _repeated(w, y.shape)) else None


def depthwise_filter(x: Any, y: Any, how: Sliding) -> Any:
    """For each entry of the filters, what it met in all windows, times what came of it."""
    if not suits(x, how):
        return None
    columns, channels = y.shape[-2:]
    size = how.size if len(how.size) == 2 else (1, *how.size)
    sums = np.empty((*size, columns * channels))
    line, rows = _line(how, x.shape), [_by_row(each, how) for each in (x, y)]
    if not ran("compiled_windows.depthwise_filter", line, *rows, sums):
        return None
    total = sums.reshape(*how.size, columns, channels).sum(axis=-2)
    return total.astype(x.dtype)[..., None, :]


def suits(x: Any, how: Sliding) -> bool:
    """Whether pictures are large, of floats, and not of three axes."""
    return x.size >= COMPILED_FROM and x.dtype.char in "fd" and len(how.size) < 3


def _pooled(shape: Shape, how: Sliding) -> Shape:
    """The shape of what has one entry for each window and channel."""
    places = zip(shape[1:-1], how.reach, how.strides, how.margins, strict=True)
    counts = [(n + sum(margin) - reach) // step + 1 for n, reach, step, margin in places]
    return (shape[0], *counts, shape[-1])


def _ran(name: str, how: Sliding, source: Any, result: Any, *filters: Any) -> bool:
    """Run a kernel on pictures as rows of entries, with filters that all pictures share."""
    shared = _line(how, source.shape), *filters
    rows = _by_row(source, how), _by_row(result, how)
    return ran_in_slices(f"compiled_windows.{name}", *rows, shared=shared)


def _by_row(x: Any, how: Sliding) -> Any:
    """Pictures as (picture, row, entries); a picture of one axis has one row."""
    lengths = x.shape[1:-2] if len(how.size) == 2 else (1,)
    return in_rows(x).reshape(len(x), *lengths, -1)


def _line(how: Sliding, shape: Shape) -> Any:
    """How windows slide, as the kernels read it."""
    alone = len(how.size) == 1
    size, strides, dilations = ((1, *each) if alone else each for each in how[:3])
    margins = [before for before, _ in how.margins]
    before = [0, *margins] if alone else margins
    return np.array([*size, *strides, *dilations, *before, shape[-1]], np.int64)


def _repeated(w: Any, shape: Shape) -> Any:
    """Filters of single channels, repeated for each window of a row."""
    *size, _, channels = w.shape
    two = size if len(size) == 2 else (1, *size)
    return np.tile(w.reshape(*two, channels), shape[-2])
