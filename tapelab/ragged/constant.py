"""`tf.ragged.constant`: nested Python lists whose rows differ in length."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.array_ops import creation
from tapelab.core.dispatch import public
from tapelab.dtypes import as_dtype, int64
from tapelab.ragged.partition import RowPartition
from tapelab.ragged.tensor import RaggedTensor


@public
def constant(
    pylist: Any, dtype: Any = None, ragged_rank: int | None = None, inner_shape: Any = None,
    name: str | None = None, row_splits_dtype: Any = int64,
) -> Any:  # fmt: skip
    """A ragged tensor of nested lists; a list of numbers, or one number, is a dense tensor."""
    if inner_shape is not None and not isinstance(inner_shape, (list, tuple)):
        inner_shape = (inner_shape,)
    deepest, depth = _depths(pylist)
    if deepest is not None and depth != deepest:
        raise ValueError(
            f"Invalid pylist={pylist}: empty list nesting is greater than scalar value nesting"
        )
    if not _nested(pylist):
        return creation.constant(pylist, dtype)
    wanted = _ragged_rank(ragged_rank, inner_shape, depth, deepest, pylist)
    kind = as_dtype(row_splits_dtype).as_numpy_dtype
    level, partitions = [list(pylist)], []
    for _ in range(wanted):
        level = [each for row in level for each in row]
        partitions.append(RowPartition._of_lengths(np.array([len(each) for each in level], kind)))
    values = [each for row in level for each in row]
    flat = creation.constant(values, dtype) if inner_shape is None else _shaped(
        values, dtype, inner_shape
    )  # fmt: skip
    return RaggedTensor._nested(flat, partitions)


def _shaped(values: Any, dtype: Any, inner_shape: Any) -> Any:
    return creation.constant(values, dtype, shape=(len(values), *inner_shape))


def _nested(item: Any) -> bool:
    return isinstance(item, (list, tuple)) or (isinstance(item, np.ndarray) and item.ndim > 0)


def _depths(item: Any) -> tuple[int | None, int]:
    """How deep the numbers lie (None if there are none), and how deep any list goes."""
    if not _nested(item):
        return 0, 0
    below = [_depths(each) for each in item]
    scalars = {each for each, _ in below if each is not None}
    if len(scalars) > 1:
        raise ValueError(
            "all scalar values must have the same nesting depth: in a ragged tensor rows differ in "
            f"length, not in depth. Here some numbers lie {min(scalars) + 1} lists deep, others "
            f"{max(scalars) + 1}."
        )
    deepest = max((depth for _, depth in below), default=0) + 1
    return (scalars.pop() + 1 if scalars else None), deepest


def _ragged_rank(
    asked: int | None, inner_shape: Any, depth: int, scalars: int | None, pylist: Any
) -> int:
    inner = 0 if inner_shape is None else len(inner_shape)
    if asked is None:
        return max(depth - 1 - inner, 0)
    if scalars is not None and asked >= scalars:
        raise ValueError(
            f"pylist has scalar values depth {scalars}, but ragged_rank={asked} requires scalar "
            f"value depth greater than {asked}"
        )
    if scalars is not None and inner_shape is not None and scalars != asked + 1 + inner:
        raise ValueError(
            f"Invalid pylist={pylist}: incompatible with ragged_rank={asked} and "
            f"dim(inner_shape)={inner}"
        )
    return asked
