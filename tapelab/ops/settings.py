"""Shapes, sizes and positions given as numbers, lists or tensors, as Python integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.dtypes import as_dtype
from tapelab.engine.arrays import typed_array
from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import Variable, read
from tapelab.errors import OpError, invalid_argument
from tapelab.shapes import TensorShape


def lengths(value: Any, raw: str) -> tuple[int, ...]:
    """A shape, or a list of positions, as a tuple of integers; a single number counts as one."""
    if type(value) is int:
        return (value,)
    if isinstance(value, TensorShape):
        return tuple(_known(each, value) for each in value)
    if isinstance(value, (list, tuple)):
        return tuple(each if type(each) is int else number(each, raw) for each in value)
    return tuple(int(each) for each in whole(value, raw).ravel())


def number(value: Any, raw: str) -> int:
    """One whole number; InvalidArgumentError for anything else."""
    if type(value) is int:
        return value
    array = whole(value, raw)
    if array.size != 1:
        raise invalid_argument(raw, f"One whole number is needed here, not {value!r}")
    return int(array.reshape(-1)[0])


def whole(value: Any, raw: str) -> Any:
    """Whole numbers as a raw array; InvalidArgumentError for fractions."""
    found = read(value) if isinstance(value, Variable) else value
    array = np.asarray(found._value if type(found) is Tensor else typed_array(found))
    if array.dtype.kind in "iu":
        return array
    if not array.size:
        return array.astype(np.int32)
    raise unfit_index(raw, as_dtype(array.dtype).name, value)


def unfit_index(raw: str, kind: str, value: Any) -> OpError:
    """The error for fractions where whole numbers are needed."""
    return invalid_argument(
        raw, f"Value for attr 'Tidx' of {kind} is not in the list of allowed values: int32, int64. "
        f"Whole numbers are needed, not {value!r}; try tf.cast(…, tf.int32)",
    )  # fmt: skip


def _known(length: int | None, shape: TensorShape) -> int:
    if length is None:
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
    return length
