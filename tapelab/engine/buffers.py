"""Which tensors of a recording share their memory: a buffer is held once, however often seen."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray


def shared_buffers(values: list[Any]) -> dict[str, NDArray[Any]]:
    """The columns that tell in which buffers tensors lie, by their values where they are alive.

    They tell of views and of arrays that are met twice, and nothing where there is neither.
    """
    arrays = [(at, value) for at, value in enumerate(values) if type(value) is np.ndarray]
    roots = [value if value.base is None else root_of(value) for _, value in arrays]
    views = [root is not value for root, (_, value) in zip(roots, arrays, strict=True)]
    if not any(views) and len({*map(id, roots)}) == len(roots):
        return {}
    often = Counter(map(id, roots))
    met: dict[int, int] = {}  # numbered as they are met: addresses differ from run to run
    told = [
        (tensor, met.setdefault(id(root), len(met)), root.nbytes)
        for (tensor, _), root, is_view in zip(arrays, roots, views, strict=True)
        if is_view or often[id(root)] > 1
    ]
    tensors, buffers, sizes = zip(*told, strict=True)
    _, first = np.unique(buffers, return_index=True)
    return {
        "share.tensor": np.array(tensors, "<i4"),
        "share.buffer": np.array(buffers, "<i4"),
        "share.bytes": np.array(sizes, "<f8")[first],
    }


def root_of(view: NDArray[Any]) -> NDArray[Any]:
    """The array that owns the memory of a view."""
    while isinstance(view.base, np.ndarray):
        view = view.base
    return view
