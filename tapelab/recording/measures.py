"""What is known of the numbers of every tensor of a recording, all tensors at once.

The numbers of small tensors are in the recording. Of large ones it holds these measures instead,
where they were taken: see the columns `measure.*` in docs/reference/recording.md.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tapelab.recording.schema import RecordingData


class Measure(NamedTuple):
    """What the numbers of one tensor come to; all but the first three are of its finite numbers."""

    nans: float
    infinities: float
    zeros: float
    least: float
    greatest: float
    size: float
    """The mean distance from 0."""
    mean: float
    """NaN in a recording that does not tell it."""
    norm: float
    """The Euclidean norm; NaN in a recording that does not tell it."""


WIDTH: Final = 6
"""The fields in the column `measure.numbers`; the later ones have a column each."""


def measured(value: NDArray[Any]) -> Measure | None:
    """The measures of an array of numbers; None for what holds no numbers."""
    flat = np.ravel(value)
    if flat.dtype.kind not in "fiubcV" or not flat.size:
        return None
    if flat.dtype.kind == "V":  # floats that NumPy takes for none
        flat = flat.astype(np.float32)
    numbers = flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat
    least, greatest = float(numbers.min()), float(numbers.max())
    if math.isfinite(least) and math.isfinite(greatest):
        zeros = numbers.size - np.count_nonzero(numbers)
        size = float(np.mean(np.abs(numbers), dtype=np.float64))
        mean = float(np.mean(numbers, dtype=np.float64))
        scale = max(-least, greatest) or 1.0
        squares = np.sum(np.square(numbers / scale), dtype=np.float64)
        norm = scale * math.sqrt(float(squares))
        return Measure(0.0, 0.0, float(zeros), least, greatest, size, mean, norm)
    wide = numbers.astype(np.float64)
    return Measure(*(float(each[0]) for each in _reduced(wide, np.zeros(1, np.intp))))


def _reduced(flat: NDArray[Any], starts: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """The measures of the stretches of a row of numbers that begin at `starts`."""
    nan, infinite = np.isnan(flat), np.isinf(flat)
    nonfinite = nan | infinite
    finite = np.where(nonfinite, 0.0, flat)
    bad, length = (np.add.reduceat(each, starts) for each in (nonfinite, np.ones(len(flat))))
    least = np.minimum.reduceat(np.where(nonfinite, math.inf, flat), starts)
    greatest = np.maximum.reduceat(np.where(nonfinite, -math.inf, flat), starts)
    finite_ones = np.maximum(length - bad, 1.0)
    sizes = np.abs(finite)
    scale = np.maximum.reduceat(sizes, starts)
    scale[scale == 0] = 1.0  # the numbers are divided by it, so that no square overflows
    scaled = sizes / np.repeat(scale, length.astype(np.intp))
    return (
        np.add.reduceat(nan, starts, dtype=np.float64),
        np.add.reduceat(infinite, starts, dtype=np.float64),
        np.add.reduceat(flat == 0, starts, dtype=np.float64),
        np.where(np.isfinite(least), least, 0.0),
        np.where(np.isfinite(greatest), greatest, 0.0),
        np.add.reduceat(sizes, starts) / finite_ones,
        np.add.reduceat(finite, starts) / finite_ones,
        scale * np.sqrt(np.add.reduceat(scaled * scaled, starts)),
    )


def as_columns(measures: dict[int, Measure]) -> dict[str, NDArray[Any]]:
    """The measures of large tensors, by index, as columns of the file format."""
    if not measures:
        return {}
    rows = np.array([*measures.values()], "<f8")
    return {
        "measure.tensor": np.array([*measures], "<i4"),
        "measure.numbers": rows[:, :WIDTH].reshape(-1),
        "measure.mean": rows[:, WIDTH].copy(),
        "measure.norm": rows[:, WIDTH + 1].copy(),
    }


class Measures:
    """The measures of all tensors as columns; `known` says of which there are any."""

    def __init__(self, recording: RecordingData) -> None:
        columns = recording.columns
        shapes = np.array([math.prod(shape) for shape in recording.shapes] or [0], np.int64)
        parts = np.array([1 + name.startswith("complex") for name in recording.dtypes] or [1])
        self.count = shapes[columns["tensor.shape"]] * parts[columns["tensor.dtype"]]
        self._rows = np.zeros((len(self.count), len(Measure._fields)))
        self.known = np.zeros(len(self.count), np.bool_)
        self._of_values(columns["values"], columns["tensor.value"])
        if "measure.tensor" in columns:
            large = columns["measure.tensor"]
            self._rows[large, :WIDTH] = columns["measure.numbers"].reshape(-1, WIDTH)
            self._rows[large, WIDTH] = columns.get("measure.mean", math.nan)
            self._rows[large, WIDTH + 1] = columns.get("measure.norm", math.nan)
            self.known[large] = True

    def _of_values(self, values: NDArray[Any], at: NDArray[Any]) -> None:
        kept = np.flatnonzero((at >= 0) & (self.count > 0))
        if not len(kept):
            return
        lengths = self.count[kept]
        starts = np.cumsum(lengths) - lengths
        places = np.repeat(at[kept] - starts, lengths) + np.arange(lengths.sum())
        self._rows[kept] = np.stack(_reduced(values[places], starts), axis=1)
        self.known[kept] = True

    def of(self, tensor: int) -> Measure:
        """The measures of one tensor."""
        return Measure(*self._rows[tensor].tolist())

    @cached_property
    def nonfinite(self) -> NDArray[np.bool_]:
        """Which tensors hold a NaN or an infinity."""
        flags: NDArray[np.bool_] = (self._rows[:, 0] + self._rows[:, 1]) > 0
        return flags

    @cached_property
    def zero(self) -> NDArray[np.bool_]:
        """Which tensors are known to hold nothing but zeros."""
        zeros: NDArray[np.bool_] = self.known & (self._rows[:, 2] == self.count) & (self.count > 0)
        return zeros

    @cached_property
    def largest(self) -> NDArray[np.float64]:
        """The largest distance from 0 in each tensor; infinite where one of its numbers is not."""
        finite = np.maximum(np.abs(self._rows[:, 3]), np.abs(self._rows[:, 4]))
        return np.where(self.nonfinite, math.inf, finite)

    @cached_property
    def size(self) -> NDArray[np.float64]:
        """The mean distance from 0 of the finite numbers of each tensor."""
        return self._rows[:, 5]
