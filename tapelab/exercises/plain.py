"""The numbers in a value as one array, and when two arrays are close."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tapelab.exercises.value_conversion import value_of
from tapelab.exercises.value_text import kind_text
from tapelab.exercises.values import Numbers, Value
from tapelab.locales import say


class NotPlain(TypeError):  # noqa: N818 - it says what the value is, and is always caught
    """A value is neither a number, an array, a tensor nor a list of them."""


def plain(value: Value) -> NDArray[Any]:
    """The numbers in a value as an array of its own; NotPlain for anything that only poses as one.

    A live object is read as a value first, so that no method of a learner takes part.
    """
    value = value_of(value)
    if type(value) is Numbers and value.array.dtype.kind in "biufcU":
        return np.array(value.array)
    if type(value) in (list, tuple):
        return _stacked([plain(each) for each in value])
    raise NotPlain(say("{kind} is not a number or a tensor", kind=kind_text(value)))


def dtype_of(value: Value) -> str:
    """The learner's own dtype, such as bfloat16; of a list that of its numbers together."""
    value = value_of(value)
    return value.dtype if type(value) is Numbers else plain(value).dtype.name


def _stacked(rows: list[NDArray[Any]]) -> NDArray[Any]:
    if len({row.shape for row in rows}) > 1:
        raise NotPlain(say("its rows have different shapes"))
    return np.array(rows)


def close(got: NDArray[Any], expected: NDArray[Any], tolerance: float) -> bool:
    """Whether two arrays have the same shape and, within a tolerance, the same numbers."""
    if got.shape != expected.shape or not _numeric(got) or not _numeric(expected):
        return False
    return bool(np.allclose(got, expected, rtol=tolerance, atol=tolerance, equal_nan=True))


def _numeric(array: NDArray[Any]) -> bool:
    return array.dtype.kind in "biufc"
