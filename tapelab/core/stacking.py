"""Lists of tensors as one tensor, which keeps their history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapelab.core.arrays import typed_array
from tapelab.core.cell import Holder, read
from tapelab.core.core_ops import CORE
from tapelab.core.exits import record_reentry
from tapelab.core.log import origin_here
from tapelab.core.origin import next_id
from tapelab.core.tensor import Tensor, wrap
from tapelab.dtypes import DType, as_dtype


def stacked(value: Any, dtype: Any) -> Any:
    """A list with tensors in it, all of the dtype, as one tensor; anything else as it is."""
    if not isinstance(value, (list, tuple)):
        return value
    kinds = set(_dtypes(value))
    wanted = None if dtype is None else as_dtype(dtype)
    alike = len(kinds) == 1 and (wanted is None or wanted in kinds)
    return stack(value, wanted) if alike else value


def stack(parts: Any, dtype: DType | None) -> Tensor:
    """A list of tensors, or of lists of tensors and numbers, as one tensor with their history."""
    wanted = dtype or next(_dtypes(parts), None)
    made: Tensor = CORE.stack(*[_row(part, wanted) for part in parts], axis=0)
    return made


def _row(part: Any, wanted: DType | None) -> Tensor:
    if type(part) is Tensor:
        return part
    if isinstance(part, (list, tuple)):
        return stack(part, wanted)
    if isinstance(part, Holder):
        return read(part)
    made = wrap(typed_array(part, wanted), next_id(), origin_here())
    record_reentry(part, made._id, made._value)
    return made


def holds_tensors(nest: Any) -> bool:
    """Whether a list has a tensor or a variable in it, at any depth."""
    return next(_dtypes(nest), None) is not None


def _dtypes(nest: Any) -> Iterator[DType]:
    """The dtypes of the tensors and variables in a list, at any depth."""
    for each in nest:
        if isinstance(each, Holder):
            yield each._cell.dtype
        elif isinstance(each, Tensor):
            yield each.dtype
        elif isinstance(each, (list, tuple)):
            yield from _dtypes(each)
