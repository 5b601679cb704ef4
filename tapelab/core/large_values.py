"""Large values: what the log keeps of them once no backward pass needs them.

An array of more than KEPT_ELEMENTS elements is replaced by a `Dropped` with its shape and dtype.
Where a backward pass is run for a figure, the measure and the preview of the array are noted first,
and the buffer it lay in, so that the figure can show them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy import ndarray
from numpy.typing import NDArray

from tapelab.core.value_types import Value
from tapelab.recording.facts import KEPT_ELEMENTS

if TYPE_CHECKING:
    from tapelab.recording.measures import Measure
    from tapelab.recording.previews import Preview


class Buffer:
    """What is left of memory in which large values lay: each is an object of its own."""

    __slots__ = ("nbytes",)

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes


def root_of(view: NDArray[Any]) -> NDArray[Any]:
    """The array that owns the memory of a view."""
    while isinstance(view.base, np.ndarray):
        view = view.base
    return view


class Dropped(NamedTuple):
    """What is left of a large value whose elements were not kept.

    Where a backward pass is run for a figure, its measure and preview are noted first, and in
    which buffer it lay.
    """

    shape: tuple[int, ...]
    dtype: Any
    measure: Measure | None = None
    preview: Preview | None = None
    buffer: Buffer | None = None


@lru_cache(maxsize=1024)
def dropped(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Dropped:
    """What is left of a value of which only shape and dtype are known; one object for each."""
    return Dropped(shape, dtype)


def is_large(value: Value) -> bool:
    """Whether a raw value is too large for a log that no backward pass needs."""
    return type(value) is ndarray and value.size > KEPT_ELEMENTS


def truncated(value: Value) -> Any:
    """The value itself if it is small enough to keep, else its shape and dtype."""
    if type(value) is ndarray:  # the fast path: most are arrays
        return value if value.size <= KEPT_ELEMENTS else dropped(value.shape, value.dtype)
    is_small = getattr(value, "size", 1) <= KEPT_ELEMENTS
    return value if is_small else dropped(value.shape, value.dtype)
