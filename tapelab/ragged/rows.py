"""Rows of different lengths, as arrays: splits, lengths, row ids, and which values rows hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.errors import invalid_argument

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
    if step == 0:
        raise invalid_argument("StridedSlice", "strides[1] must be non-zero")
    least, most = (0, lengths) if step > 0 else (-1, lengths - 1)
    ends = (least, most) if step > 0 else (most, least)
    start, stop = (
        _placed(end, lengths, least, most)
        if end is not None
        else np.broadcast_to(own, lengths.shape)
        for end, own in zip((piece.start, piece.stop), ends, strict=True)
    )
    counts = np.maximum(0, -((start - stop) // step))
    return start.astype(lengths.dtype), counts.astype(lengths.dtype), np.full_like(lengths, step)


def _placed(end: int, lengths: Array, least: Any, most: Any) -> Array:
    """One end of a slice in each row, counted from the row's end if below 0."""
    return np.clip(end + lengths if end < 0 else np.full_like(lengths, end), least, most)
