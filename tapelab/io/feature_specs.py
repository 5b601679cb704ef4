"""The specifications of features: dtype, shape, and what `tf.io.parse_example` makes of each."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapelab.dtypes import int32


class FixedLenFeature(NamedTuple):
    """A feature of a known shape, which becomes a tensor."""

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any length, which becomes a sparse tensor."""

    dtype: Any


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of rows of one shape, which becomes a padded tensor."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """A sparse tensor whose indices and values are two features."""

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class RowSplits(NamedTuple):
    """A feature with the row splits of a ragged tensor."""

    key: str


class RowLengths(NamedTuple):
    """A feature with the row lengths of a ragged tensor."""

    key: str


class RowStarts(NamedTuple):
    """A feature with the starts of the rows of a ragged tensor."""

    key: str


class RowLimits(NamedTuple):
    """A feature with the ends of the rows of a ragged tensor."""

    key: str


class ValueRowIds(NamedTuple):
    """A feature with the number of the row of each value of a ragged tensor."""

    key: str


class UniformRowLength(NamedTuple):
    """The length of all rows."""

    length: int


class _RaggedFeature(NamedTuple):
    dtype: Any
    value_key: Any
    partitions: tuple[Any, ...]
    row_splits_dtype: Any
    validate: bool


class RaggedFeature(_RaggedFeature):
    """A feature of any length, which becomes a ragged tensor, with inner rows by `partitions`."""

    RowSplits = RowSplits
    RowLengths = RowLengths
    RowStarts = RowStarts
    RowLimits = RowLimits
    ValueRowIds = ValueRowIds
    UniformRowLength = UniformRowLength

    def __new__(
        cls, dtype: Any, value_key: Any = None, partitions: Any = (), row_splits_dtype: Any = int32,
        validate: bool = False,
    ) -> Any:  # fmt: skip
        """Return a specification; the innermost partition comes last."""
        return super().__new__(cls, dtype, value_key, tuple(partitions), row_splits_dtype, validate)
