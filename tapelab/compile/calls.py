"""Calls in rewritten code: Python's own functions that go by tensors there."""

from __future__ import annotations

import builtins
from typing import Any, Final

from tapelab.array_ops.creation import range as tensor_range
from tapelab.array_ops.shape_ops import shape
from tapelab.array_ops.value_ops import cast as to_dtype
from tapelab.compile.operators import is_dataset
from tapelab.compile.symbolic import SymbolicTensor
from tapelab.core.cell import Holder
from tapelab.core.tensor import Tensor
from tapelab.dtypes import float32, int32
from tapelab.math import abs as tensor_abs


def _range(*limits: Any) -> Any:
    if any(isinstance(each, (Tensor, Holder)) for each in limits):
        return tensor_range(*limits)
    return builtins.range(*limits)


def _len(thing: Any) -> Any:
    if not isinstance(thing, SymbolicTensor):
        return len(thing)
    lengths: Any = shape(thing)
    known = thing.shape[0] if thing.shape.rank else None
    return lengths[0] if known is None else known


def _cast(python: Any, dtype: Any) -> Any:
    def cast(*given: Any) -> Any:
        if len(given) == 1 and isinstance(given[0], SymbolicTensor):
            return to_dtype(given[0], dtype)
        return python(*given)

    return cast


def _enumerate(items: Any, start: int = 0) -> Any:
    return items.enumerate(start) if is_dataset(items) else builtins.enumerate(items, start)


def _abs(value: Any) -> Any:
    return tensor_abs(value) if isinstance(value, SymbolicTensor) else abs(value)


BUILTINS: Final[dict[Any, Any]] = {
    range: _range,
    len: _len,
    int: _cast(int, int32),
    float: _cast(float, float32),
    enumerate: _enumerate,
    abs: _abs,
}
"""Python's own functions that go by tensors inside rewritten code."""
