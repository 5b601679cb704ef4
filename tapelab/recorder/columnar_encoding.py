"""Many values as columns: what is the same for most of them is computed once."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.recording.facts import KEPT_ELEMENTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = tuple[tuple[int, ...], Any]
"""A shape and a dtype."""
NOWHERE: Final = np.array([-1, 0, -1, -1], np.intc)
"""The name, whether it is one, the variable and the span of a tensor without an origin."""


def kinds_of(values: Sequence[Any], types: set[type]) -> dict[Kind, Sequence[int]]:
    """The positions of the values of each shape and dtype; scalars of one type have only one."""
    first = next(iter(types), object)
    if len(types) == 1 and issubclass(first, np.number):
        return {((), np.dtype(first)): range(len(values))}
    kinds: dict[Kind, list[int]] = {}
    for at, value in enumerate(values):
        kinds.setdefault((value.shape, value.dtype), []).append(at)
    return dict(kinds)


def is_kept(shape: tuple[int, ...], dtype: Any) -> bool:
    """Whether the elements of a value are real numbers, and few enough to be kept."""
    return 0 < prod(shape) <= KEPT_ELEMENTS and dtype.kind in "fiub"


def distinct(things: Sequence[Any]) -> tuple[list[Any], NDArray[np.intc]]:
    """The different objects among many that are mostly the same, and which of them each is."""
    known = dict(zip(map(id, things), things, strict=True))
    numbers = dict(zip(known, range(len(known)), strict=True))
    at = np.fromiter(map(numbers.__getitem__, map(id, things)), np.intc, len(things))
    return list(known.values()), at


def numbers_of(values: Sequence[Any], dtype: Any) -> NDArray[np.float64]:
    """The elements of values of one shape and dtype, in a row for each value."""
    # Where the dtype is that of the values, NumPy copies them without asking each for its number.
    return np.array(values, dtype).reshape(len(values), -1).astype(np.float64)
