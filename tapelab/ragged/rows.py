"""Rows of different lengths, as arrays: splits, lengths, row ids, and which values rows hold."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def splits_of(lengths: Array) -> Array:
    """Where rows of these lengths begin and end, one after the other: [3, 0, 2] is 0 3 3 5."""
    splits = np.zeros(len(lengths) + 1, lengths.dtype)
    np.cumsum(lengths, out=splits[1:])
    return splits


def row_ids(lengths: Array) -> Array:
    """For each value the row it is in."""
    return np.repeat(np.arange(len(lengths), dtype=lengths.dtype), lengths)


def offsets(lengths: Array) -> Array:
    """For each value its place in its row."""
    return ranges(np.zeros_like(lengths), lengths)


def ranges(starts: Array, lengths: Array, step: Any = 1) -> Array:
    """For each row so many numbers from its start on, all in one array.

    [5, 0] with lengths [2, 3] gives 5 6 0 1 2.
    """
    before = splits_of(lengths)[:-1]
    within = np.arange(lengths.sum(), dtype=lengths.dtype) - np.repeat(before, lengths)
    steps = np.repeat(step, lengths) if np.ndim(step) else step
    numbers: Array = np.repeat(starts, lengths) + within * steps
    return numbers


def column_ranges(lengths: Array, piece: slice) -> tuple[Array, Array, Array]:
    """Where a slice of each row starts (counted in the row), how long it is, and its step."""
    step = 1 if piece.step is None else int(piece.step)
    bounds = [_bounds(piece, int(length), step) for length in lengths]
    table = np.array(bounds, lengths.dtype).reshape(-1, 2)
    return table[:, 0], table[:, 1], np.full(len(lengths), step, lengths.dtype)


def _bounds(piece: slice, length: int, step: int) -> tuple[int, int]:
    places = range(length)[slice(piece.start, piece.stop, step)]
    return places.start, len(places)
