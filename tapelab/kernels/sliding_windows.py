"""Windows that slide over pictures: cutting them out, and adding what belongs to them back.

A picture has one, two or three axes to slide along; they stand between its number and its channel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

Lengths = tuple[int, ...]
Margins = tuple[tuple[int, int], ...]


class Sliding(NamedTuple):
    """How a window moves along each axis of pictures."""

    size: Lengths
    strides: Lengths
    dilations: Lengths
    margins: Margins

    @property
    def reach(self) -> Lengths:
        """How far a window extends along each axis, with the places that it skips."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.size, self.dilations, strict=True))


def same_margins(length: Lengths, size: Lengths, strides: Lengths, dilations: Lengths) -> Margins:
    """The margins with which there is one window for each stride; the larger half comes last."""
    margins = []
    for n, k, s, d in zip(length, size, strides, dilations, strict=True):
        missing = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        margins.append((missing // 2, missing - missing // 2))
    return tuple(margins)


def padded(x: Any, margins: Margins, value: float = 0) -> Any:
    """Pictures with a margin around each."""
    if not any(map(any, margins)):
        return x
    return np.pad(x, ((0, 0), *margins, (0, 0)), constant_values=value)


def windows_of(x: Any, how: Sliding, value: float = 0) -> Any:
    """All windows, as a view: picture, places, channel, and the places in the window."""
    axes = tuple(range(1, len(how.size) + 1))
    every = sliding_window_view(padded(x, how.margins, value), how.reach, axis=axes)
    steps = [slice(None, None, stride) for stride in how.strides]
    apart = [slice(None, None, dilation) for dilation in how.dilations]
    return every[(slice(None), *steps, slice(None), *apart)]


def added_back(parts: Any, how: Sliding, shape: Lengths) -> Any:
    """The sum of what each window says of each entry: the VJP of `windows_of`."""
    images, *lengths, channels = shape
    around = [n + before + after for n, (before, after) in zip(lengths, how.margins, strict=True)]
    whole = np.zeros((images, *around, channels), parts.dtype)
    counts = parts.shape[1 : len(lengths) + 1]
    for at in np.ndindex(*how.size):
        places = [
            slice(i * d, i * d + (count - 1) * s + 1, s)
            for i, d, s, count in zip(at, how.dilations, how.strides, counts, strict=True)
        ]
        whole[(slice(None), *places)] += parts[(..., *at)]
    inner = [slice(before, before + n) for n, (before, _) in zip(lengths, how.margins, strict=True)]
    return np.ascontiguousarray(whole[(slice(None), *inner)])
