"""Numbers about tensors and gradients, as the panel shows them."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.records import Dropped
from tapelab.recording.schema import Role, TensorFacts
from tapelab.views.numbers import format_brief

Carried = float | str | None
"""A number as JSON takes it: what is not finite goes as a word."""
AT_ONCE: Final = 1 << 20
"""So many elements of a gradient are squared at once."""
ROOM: Final = 28
"""The value of a variable takes at most so many characters."""


def carried(number: float | None) -> Carried:
    """A number that JSON can carry."""
    if number is None or math.isfinite(number):
        return number
    return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"


def norm(result: Any) -> float | None:
    """The length of a gradient as a vector; None if there is none, or its numbers were not kept.

    Of rows that were picked, the rows as they were handed back.
    """
    if isinstance(result, IndexedSlices):
        result = result.values
    value = getattr(result, "_value", result)
    if value is None or type(value) is Dropped:
        return None
    flat = np.ravel(value)
    if flat.dtype.kind == "c":
        flat = np.abs(flat)
    parts = (flat[at : at + AT_ONCE] for at in range(0, flat.size, AT_ONCE))
    return math.sqrt(sum(map(_squared, parts)))


def _squared(part: Any) -> float:
    """Not as a product of vectors, which would wake the threads that the learner's code needs."""
    part = part.astype(np.float64)
    with np.errstate(all="ignore"):
        return float(np.add.reduce(part * part))


def loss(values: list[Any]) -> float | None:
    """The sum of targets, which is what is differentiated; None if numbers were not kept."""
    if any(type(value) is Dropped for value in values):
        return None
    with np.errstate(all="ignore"):
        total = sum(np.sum(value) for value in values)
    return None if np.iscomplexobj(total) else float(total)


def nbytes(value: Any) -> int:
    """How many bytes the numbers of a value take; none for words."""
    dtype = value.dtype
    return 0 if dtype.kind == "O" else math.prod(value.shape) * int(dtype.itemsize)


def brief(value: Any, dtype: str) -> str:
    """A value in a few characters: its numbers, or else its shape."""
    array = None if type(value) is Dropped else np.asarray(value)
    facts = TensorFacts(-1, Role.STATE, tuple(value.shape), dtype, "", False, -1, -1, array)
    return format_brief(facts, ROOM)
