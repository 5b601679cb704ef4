"""Norms of gradients as they came out of a gradient call, dense or sparse."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.large_values import Dropped
from tapelab.core.tensor import Tensor

SAFE: Final = 1e-30
"""Below this the square of a float32 norm may have lost digits."""
SHORT: Final = 8_192
"""BLAS takes products of vectors up to this size in one thread."""
_FAST: Final = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


def quick_norm(result: Tensor | IndexedSlices | Dropped | None) -> float | None:
    """The Euclidean norm of a gradient; None if there is none, or its values were not kept.

    The product is taken in the gradient's own dtype, which costs one pass over it; only where that
    overflows or underflows it is taken again in float64. Of `IndexedSlices` the norm of the values.
    The caller ignores floating-point errors (`np.errstate`), once for many gradients.
    """
    if type(result) is IndexedSlices:
        result = result.values
    value: Any = result._array if type(result) is Tensor else getattr(result, "_array", result)
    if value is None or type(value) is Dropped:
        return None
    flat = value.ravel()
    if flat.dtype in _FAST:
        # Without threads, which BLAS wakes for long vectors and the learner's code needs.
        square = float(flat.dot(flat) if flat.size <= SHORT else np.einsum("i,i->", flat, flat))
        if SAFE < square < math.inf:
            return math.sqrt(square)
    wide = np.abs(flat).astype(np.float64)
    return math.sqrt(float(wide.dot(wide)))
