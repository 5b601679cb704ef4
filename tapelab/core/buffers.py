"""The memory in which arrays lie: views share that of the array they were made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Buffer:
    """What is left of memory in which large values lay: each is an object of its own."""

    nbytes: int


def root_of(view: NDArray[Any]) -> NDArray[Any]:
    """The array that owns the memory of a view."""
    while isinstance(view.base, np.ndarray):
        view = view.base
    return view
