"""Sine and cosine of large arrays.

In float32 NumPy does several entries at once, in float64 one after the other: a million take it 8
to 20 ms, and the compiled code 1.1 ms (one thread of an AVX-512 machine), up to a distance from 0
up to which the angle keeps its digits. How far it is off, in units in the last place:
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.kernels.elementwise_kernels import COMPILED_FROM, LARGE, by_numpy
from tapelab.kernels.loader import ran_in_slices
from tapelab.kernels.memory import empty

FARTHEST: Final = 1e6
"""Up to this angle in radians, quarter turns are taken off without a loss."""
ULPS: Final = 1
"""The most that compiled sines and cosines are off, in units in the last place."""

__doc__ += f"    {ULPS}\n"


def sine(x: Any) -> Any:
    """The sine of each entry."""
    y = _compiled("sine", x)
    if y is not None:
        return y
    return np.sin(x) if x.size < LARGE else by_numpy(np.sin, x)


def cosine(x: Any) -> Any:
    """The cosine of each entry."""
    y = _compiled("cosine", x)
    if y is not None:
        return y
    return np.cos(x) if x.size < LARGE else by_numpy(np.cos, x)


def _compiled(name: str, x: Any) -> Any:
    if x.size < COMPILED_FROM or x.dtype.char != "d":
        return None
    if not (np.min(x) >= -FARTHEST and np.max(x) <= FARTHEST):  # NaN is no such angle either
        return None
    y = empty(x.shape, x.dtype)
    flat = np.ascontiguousarray(x).reshape(-1)
    return y if ran_in_slices(name, flat, y.reshape(-1)) else None
