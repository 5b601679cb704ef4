"""From any value to a tensor: constants, variables that are read, lists that are stacked."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.arrays import checked, holds_tensors, stack, typed_array
from tapelab.core.cell import Holder
from tapelab.core.exits import record_reentry
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.large_values import truncated
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import next_id
from tapelab.core.records import write_creation
from tapelab.core.tensor import Tensor, wrap
from tapelab.core.value_types import DTypeLike, Nest, Value
from tapelab.core.variable import Variable, read
from tapelab.dtypes import BY_NUMPY, DType, as_dtype, string


def to_tensor(value: Value, dtype: DTypeLike = None, dtype_hint: DTypeLike = None) -> Tensor:
    """The value as a tensor; a tensor is returned itself, a variable is read, tensors in lists
    are stacked and keep their history.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if type(value) is Tensor:
        return checked(value, wanted)
    if isinstance(value, Variable):
        return checked(value.value(), wanted)
    if isinstance(value, (list, tuple)) and holds_tensors(value):
        return checked(stack(value, wanted), wanted)
    if isinstance(value, IndexedSlices):
        whole = value.dense()
        return checked(whole if type(whole) is Tensor else new_constant(whole, None), wanted)
    if isinstance(value, Holder):
        return checked(read(value), wanted)
    array = typed_array(value, wanted if wanted is not None else _hinted(value, dtype_hint))
    return new_constant(array, value)


def new_constant(array: Value, source: Nest, how: str = "") -> Tensor:
    """A tensor over an array of our own, noting whether `source` had left the tape before."""
    origin = origin_here()
    constant = wrap(array, next_id(), origin)
    if how:
        write_creation(
            thread.__dict__, next_id(), origin, tensor=constant._id,
            value=truncated(constant._array), how=how,
        )  # fmt: skip
    record_reentry(source, constant._id, constant._array)
    return constant


def operand(value: Value, like: Value) -> Any:
    """The other side of an operator: Python numbers and NumPy data take the tensor's dtype."""
    if type(value) is Tensor:
        return value
    if isinstance(value, Holder):
        return read(value)
    if isinstance(value, (list, tuple)) and holds_tensors(value):
        return to_tensor(value)
    wanted = BY_NUMPY[like]
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in (
        "fiub" if wanted is string else "fiubSU"
    ):
        return new_constant(value.astype(like, copy=True), value)
    try:
        return new_constant(typed_array(value, wanted), value)
    except (TypeError, ValueError):
        return to_tensor(value)


def _hinted(value: Value, hint: DTypeLike) -> DType | None:
    if hint is None:
        return None
    try:
        typed_array(value, hint)
    except (TypeError, ValueError):
        return None
    return as_dtype(hint)
