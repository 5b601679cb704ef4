"""Many tensors at once: what is the same for most of them is looked at once."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.recording.facts import KEPT_ELEMENTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Form = tuple[tuple[int, ...], Any]
"""A shape and a dtype."""
NOWHERE: Final = (-1, 0, -1, -1)
"""The name, whether it is one, the variable and the span of what was made at no place."""


def forms_of(values: Sequence[Any], types: set[type]) -> dict[Form, Sequence[int]]:
    """Where the values of each form stand; scalars of one type are all of one form."""
    first = next(iter(types), object)
    if len(types) == 1 and issubclass(first, np.number):
        return {((), np.dtype(first)): range(len(values))}
    forms: dict[Form, list[int]] = {}
    for at, value in enumerate(values):
        forms.setdefault((value.shape, value.dtype), []).append(at)
    return dict(forms)


def is_kept(shape: tuple[int, ...], dtype: Any) -> bool:
    """Whether real numbers of a form are few enough to be kept."""
    return 0 < prod(shape) <= KEPT_ELEMENTS and dtype.kind in "fiub"


def each_once(places: Sequence[tuple[int, ...]]) -> NDArray[np.intc]:
    """What is known of each place as rows; most of many places are one and the same object."""
    known = {id(place): place for place in places}
    numbers = dict(zip(known, range(len(known)), strict=True))
    rows = np.array([place[:4] for place in known.values()], np.intc)
    at = np.fromiter(map(numbers.__getitem__, map(id, places)), np.intc, len(places))
    found: NDArray[np.intc] = rows[at]
    return found
