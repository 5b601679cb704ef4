"""Which tensors of a recording share their memory: a buffer is held once, however often seen."""

from __future__ import annotations

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
    tensors = np.array([at for at, _ in arrays], "<i4")
    _, first, buffer, often = np.unique(
        [id(root) for root in roots], return_index=True, return_inverse=True, return_counts=True
    )
    told = (often > 1)[buffer] | views
    kept, numbered = np.unique(buffer[told], return_inverse=True)
    return {
        "share.tensor": tensors[told],
        "share.buffer": numbered.astype("<i4"),
        "share.bytes": np.array([roots[at].nbytes for at in first[kept].tolist()], "<f8"),
    }


def root_of(view: NDArray[Any]) -> NDArray[Any]:
    """The array that owns the memory of a view."""
    while isinstance(view.base, np.ndarray):
        view = view.base
    return view
