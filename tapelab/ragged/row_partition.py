"""Where rows begin and end in an array of values: `tf.experimental.RowPartition`.

Rows of different lengths lie end to end in one array. Three forms say where: the splits (row i is
values[splits[i]:splits[i+1]]), the length of each row, and the row id of each value. A partition
stores the splits; the functions at the top compute one form from another, on plain arrays.
"""

from __future__ import annotations

from typing import Any, Final, Self

import numpy as np

from tapelab.core.convert import to_tensor
from tapelab.core.tensor import Tensor, constant_of
from tapelab.dtypes import BY_NUMPY, DType, as_dtype, int32, int64
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.ops.public import tensor as as_tensor

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


_KEY: Final = object()


class RowPartition:
    """How values are cut into rows: by the splits, where each row ends and the next begins."""

    __slots__ = ("_splits", "_uniform")

    def __init__(self, splits: Any, uniform: int | None = None, key: object = None) -> None:
        if key is not _KEY:
            raise ValueError(
                "RowPartition constructor is private; please use one of the factory methods "
                "instead (e.g., RowPartition.from_row_lengths())"
            )
        self._splits: Array = splits
        self._uniform = uniform

    @classmethod
    def _of(cls, splits: Array, uniform: int | None = None) -> RowPartition:
        """A partition over splits that are known to be right."""
        return cls(splits, uniform, key=_KEY)

    @classmethod
    def _evenly(cls, rows: int, length: int, dtype: Any = np.int64) -> RowPartition:
        """A partition into rows of one length."""
        return cls._of(np.arange(rows + 1, dtype=dtype) * dtype(length), length)

    @classmethod
    def _of_lengths(cls, lengths: Array) -> RowPartition:
        """A partition into rows of lengths that are known to be right."""
        return cls._of(splits_of(lengths))

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Rows that begin and end at the splits; the first is 0, and they never decrease."""
        splits = whole_numbers(row_splits, "row_splits", dtype)
        if not splits.size:
            raise ValueError("row_splits tensor may not be empty.")
        if validate:
            _require_zero(splits[0], "from_row_splits")
            _require_rising(np.diff(splits), "from_row_splits", "RaggedTensor:monotonic")
        return cls._of(splits)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Rows of the given lengths, one after the other."""
        lengths = whole_numbers(row_lengths, "row_lengths", dtype)
        if validate:
            _require_rising(lengths, "from_row_lengths")
        return cls._of(splits_of(lengths))

    @classmethod
    def from_value_rowids(
        cls, value_rowids: Any, nrows: Any = None, validate: bool = True, dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:  # fmt: skip
        """Rows named by each value; the ids never decrease, and rows not named are empty."""
        ids = whole_numbers(value_rowids, "value_rowids", dtype)
        last = int(ids[-1]) if ids.size else -1
        rows = last + 1 if nrows is None else int(as_tensor(nrows)._value)
        if rows < 0:
            raise ValueError(f"Expected nrows >= 0; got {rows}")
        if rows < last + 1:
            raise ValueError(
                f"Expected nrows >= value_rowids[-1] + 1; got nrows={rows}, value_rowids[-1]={last}"
            )
        if validate:
            _require_rising(np.diff(ids), "from_value_rowids")
        return cls._of(splits_of(np.bincount(ids, minlength=rows).astype(ids.dtype)))

    @classmethod
    def from_row_starts(
        cls, row_starts: Any, nvals: Any, validate: bool = True, dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:  # fmt: skip
        """Rows that begin at the given places; the last ends with the values."""
        starts = whole_numbers(row_starts, "row_starts", dtype)
        end = int(as_tensor(nvals)._value)
        splits = np.append(starts, starts.dtype.type(end))
        if validate:
            if starts.size:
                _require_zero(starts[0], "from_row_starts")
            _require_rising(np.diff(splits), "from_row_starts", "RaggedTensor:monotonic")
        return cls._of(splits)

    @classmethod
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Rows that end at the given places; the first begins with the values."""
        limits = whole_numbers(row_limits, "row_limits", dtype)
        splits = np.concatenate([np.zeros(1, limits.dtype), limits])
        if validate:
            _require_rising(np.diff(splits), "from_row_limits", "RaggedTensor:monotonic")
        return cls._of(splits)

    @classmethod
    def from_uniform_row_length(
        cls, uniform_row_length: Any, nvals: Any = None, nrows: Any = None, validate: bool = True,
        dtype: Any = None, dtype_hint: Any = None,
    ) -> RowPartition:  # fmt: skip
        """Rows of one length."""
        length = int(as_tensor(uniform_row_length)._value)
        if nvals is None and nrows is None:
            raise ValueError("At least one of `nvals` and `nrows` must be specified")
        values = None if nvals is None else int(as_tensor(nvals)._value)
        count = int(as_tensor(nrows)._value) if nrows is not None else None
        if count is None:
            assert values is not None
            count = values // length if length else 0
        if values is not None and count * length != values:
            raise ValueError(
                f"uniform_row_length={length} times nrows={count} must equal nvals={values}"
            )
        kind = int64 if dtype is None else as_dtype(dtype)
        return cls._evenly(count, length, kind.as_numpy_dtype)

    @property
    def dtype(self) -> DType:
        """The dtype of the splits."""
        return BY_NUMPY[self._splits.dtype]

    @property
    def static_nrows(self) -> int:
        """The number of rows."""
        return len(self._splits) - 1

    @property
    def static_nvals(self) -> int | None:
        """The number of values, where all rows have one length."""
        return None if self._uniform is None else int(self._splits[-1])

    @property
    def static_uniform_row_length(self) -> int | None:
        """The one length of all rows, None where they may differ."""
        return self._uniform

    @property
    def _lengths(self) -> Array:
        """The length of each row, as an array."""
        return np.diff(self._splits)

    @property
    def _total(self) -> int:
        """The number of values, as a Python number."""
        return int(self._splits[-1])

    def row_splits(self) -> Tensor:
        """Where each row ends and the next begins."""
        return constant_of(self._splits)

    def row_lengths(self) -> Tensor:
        """The length of each row."""
        return constant_of(self._lengths)

    def row_starts(self) -> Tensor:
        """Where each row begins."""
        return constant_of(self._splits[:-1].copy())

    def row_limits(self) -> Tensor:
        """Where each row ends."""
        return constant_of(self._splits[1:].copy())

    def value_rowids(self) -> Tensor:
        """For each value the row it is in."""
        return constant_of(row_ids(self._lengths))

    def offsets_in_rows(self) -> Tensor:
        """For each value its place in its row."""
        return constant_of(offsets(self._lengths))

    def nrows(self) -> Tensor:
        """The number of rows."""
        return constant_of(self._splits.dtype.type(self.static_nrows))

    def nvals(self) -> Tensor:
        """The number of values."""
        return constant_of(self._splits[-1])

    def uniform_row_length(self) -> Tensor | None:
        """The one length of all rows, None where they may differ."""
        return (
            None if self._uniform is None else constant_of(self._splits.dtype.type(self._uniform))
        )

    def is_uniform(self) -> bool:
        """Whether all rows are known to have one length."""
        return self._uniform is not None

    def with_dtype(self, dtype: Any) -> RowPartition:
        """The same rows with splits of another dtype."""
        return RowPartition._of(self._splits.astype(as_dtype(dtype).as_numpy_dtype), self._uniform)

    def _matches(self, other: Self) -> bool:
        """Whether both cut values in the same way."""
        return np.array_equal(self._splits, other._splits)

    def __repr__(self) -> str:
        if self._uniform is not None:
            return f"tf.RowPartition(nrows={self.static_nrows}, uniform_row_length={self._uniform})"
        return f"tf.RowPartition(row_splits={self._splits})"


def whole_numbers(given: Any, name: str, dtype: Any = None) -> Array:
    """A vector of int32 or int64; Python numbers are int64."""
    if dtype is not None:
        wanted: DType | None = as_dtype(dtype)
    else:
        wanted = None if hasattr(given, "dtype") or not _plain(given) else int64
    array = np.asarray(to_tensor(given, wanted)._value)
    if BY_NUMPY[array.dtype] not in (int32, int64):
        raise ValueError(f"{name} must have dtype int32 or int64")
    if array.ndim != 1:
        raise ValueError(f"Shape {_shape(array)} must have rank 1")
    return array


def _plain(given: Any) -> bool:
    """Whether it holds nothing but integers of Python."""
    return all(isinstance(each, (int, np.integer)) for each in np.ravel(np.array(given, object)))


def _shape(array: Array) -> str:
    inside = ", ".join(map(str, array.shape))
    return f"({inside},)" if array.ndim == 1 else f"({inside})"


def _require_zero(first: Any, method: str) -> None:
    if first != 0:
        raise invalid_rows(
            f"Arguments to {method} do not form a valid RaggedTensor:zero\nCondition x == y did "
            f"not hold.\nFirst 1 elements of x:\n[{first}]\nFirst 1 elements of y:\n[0]"
        )


def _require_rising(steps: Array, method: str, what: str = "RowPartition") -> None:
    if np.any(steps < 0):
        shown = [str(each) for each in steps[:3]] + (["..."] if len(steps) > 3 else [])
        raise invalid_rows(
            f"Arguments to {method} do not form a valid {what}.  \nCondition x >= 0 did not hold "
            f"element-wise:\nx (shape={_shape(steps)} dtype={steps.dtype}) = \n{shown}"
        )


def invalid_rows(message: str) -> InvalidArgumentError:
    """The error for rows that do not fit their values, or one another."""
    return InvalidArgumentError(None, None, message)
