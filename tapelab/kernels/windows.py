"""Windows that slide over pictures: cutting them out, and adding what belongs to them back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

Pair = tuple[int, int]


class Sliding(NamedTuple):
    """How a window moves over the rows and columns of pictures."""

    size: Pair
    strides: Pair
    dilations: Pair
    margins: tuple[Pair, Pair]


def same_margins(length: Pair, size: Pair, strides: Pair, dilations: Pair) -> tuple[Pair, Pair]:
    """The margins with which there is one window for each stride; the larger half comes last."""
    found = []
    for n, k, s, d in zip(length, size, strides, dilations, strict=True):
        missing = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        found.append((missing // 2, missing - missing // 2))
    return found[0], found[1]


def padded(x: Any, margins: tuple[Pair, Pair], value: float = 0) -> Any:
    """Pictures with a margin around each."""
    if margins == ((0, 0), (0, 0)):
        return x
    return np.pad(x, ((0, 0), *margins, (0, 0)), constant_values=value)


def windows_of(x: Any, how: Sliding, value: float = 0) -> Any:
    """All windows, as a view: picture, row, column, channel, row and column in the window."""
    reach = [(k - 1) * d + 1 for k, d in zip(how.size, how.dilations, strict=True)]
    every = sliding_window_view(padded(x, how.margins, value), reach, axis=(1, 2))
    (rows, columns), (down, right) = how.strides, how.dilations
    return every[:, ::rows, ::columns, :, ::down, ::right]


def added_back(parts: Any, how: Sliding, shape: tuple[int, ...]) -> Any:
    """The sum of what each window says of each entry: the way back of `windows_of`."""
    (top, bottom), (left, right) = how.margins
    images, height, width, channels = shape
    whole = np.zeros((images, height + top + bottom, width + left + right, channels), parts.dtype)
    (down, across), (row_step, column_step) = how.dilations, how.strides
    rows, columns = parts.shape[1:3]
    for i in range(how.size[0]):
        for j in range(how.size[1]):
            row = slice(i * down, i * down + (rows - 1) * row_step + 1, row_step)
            column = slice(j * across, j * across + (columns - 1) * column_step + 1, column_step)
            whole[:, row, column] += parts[..., i, j]
    return np.ascontiguousarray(whole[:, top : top + height, left : left + width])
