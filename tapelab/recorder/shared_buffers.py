"""Which tensors of a recording share their memory: a buffer is held once, however often seen."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tapelab.core.large_values import Dropped, root_of


def shared_buffers(values: list[Any]) -> dict[str, NDArray[Any]]:
    """The columns that say in which buffers the values of tensors lie.

    They list views and arrays that are met twice, and are missing where there is neither. Of values
    that were dropped the buffer is known if a recording was made while they were there.
    """
    if {np.ndarray, Dropped}.isdisjoint(map(type, values)):
        return {}
    lie = _alive(values) + _gone(values)
    often = Counter(id(root) for _, root, _ in lie)
    if len(often) == len(lie) and not any(is_view for *_, is_view in lie):
        return {}
    met: dict[int, int] = {}  # numbered as they are met: addresses differ from run to run
    shares = [
        (tensor, met.setdefault(id(root), len(met)), root.nbytes)
        for tensor, root, is_view in lie
        if is_view or often[id(root)] > 1
    ]
    tensors, buffers, sizes = zip(*shares, strict=True)
    _, first = np.unique(buffers, return_index=True)
    return {
        "share.tensor": np.array(tensors, "<i4"),
        "share.buffer": np.array(buffers, "<i4"),
        "share.bytes": np.array(sizes, "<f8")[first],
    }


def _alive(values: list[Any]) -> list[tuple[int, Any, bool]]:
    """For each array its place, what owns its memory, and whether that is another."""
    arrays = [(at, value) for at, value in enumerate(values) if type(value) is np.ndarray]
    roots = [value if value.base is None else root_of(value) for _, value in arrays]
    return [(at, r, r is not value) for (at, value), r in zip(arrays, roots, strict=True)]


def _gone(values: list[Any]) -> list[tuple[int, Any, bool]]:
    """The same of dropped arrays; one that was broadcast took less memory than its elements."""
    gone = [(at, value) for at, value in enumerate(values) if type(value) is Dropped]
    return [
        (at, buffer, buffer.nbytes != math.prod(value.shape) * value.dtype.itemsize)
        for at, value in gone
        if (buffer := value.buffer) is not None
    ]
