"""A learner's values as plain arrays, so that no method of theirs takes part in a comparison."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import Variable
from tapelab.exercises.wording import kind_of

_NUMBERS: Final = (bool, int, float, complex)
_SEQUENCES: Final = (list, tuple)


class NotPlain(TypeError):  # noqa: N818 - it says what the value is, and is always caught
    """A value is neither a number, an array, a tensor nor a list of them."""


def plain(value: Any) -> NDArray[Any]:
    """The numbers in a value as an array of its own; NotPlain for anything that only poses as one.

    Only exact types are let in: a subclass may answer `==` as it likes.
    """
    kind = type(value)
    if issubclass(kind, (Tensor, Variable)) and kind.__module__.startswith("tapelab."):
        return np.array(kind.numpy(value))
    if kind in _NUMBERS or (issubclass(kind, np.generic) and kind.__module__ == "numpy"):
        return np.array(value)
    if kind is np.ndarray and value.dtype != object:
        return np.array(value)
    if kind in _SEQUENCES:
        return _stacked([plain(each) for each in value])
    raise NotPlain(f"{kind_of(value)} is not a number or a tensor")


def _stacked(rows: list[NDArray[Any]]) -> NDArray[Any]:
    if len({row.shape for row in rows}) > 1:
        raise NotPlain("its rows have different shapes")
    return np.array(rows)


def close(got: NDArray[Any], expected: NDArray[Any], tolerance: float) -> bool:
    """Whether two arrays have the same shape and, within a tolerance, the same numbers."""
    if got.shape != expected.shape or not _numeric(got) or not _numeric(expected):
        return False
    return bool(np.allclose(got, expected, rtol=tolerance, atol=tolerance, equal_nan=True))


def _numeric(array: NDArray[Any]) -> bool:
    return array.dtype.kind in "biufc"
