"""Norms of gradients as they came out of a gradient call, dense or sparse."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.large_values import Dropped

if TYPE_CHECKING:
    from tapelab.core.tensor import Tensor

SAFE = 1e-30
"""Below this the square of a float32 norm may have lost digits."""


def quick_norm(result: Tensor | IndexedSlices | Dropped | None) -> float | None:
    """The Euclidean norm of a gradient; None if there is none, or its values were not kept.

    The product is taken in the gradient's own dtype, which costs one pass over it; only where that
    overflows or underflows it is taken again in float64. Of `IndexedSlices` the norm of the values.
    """
    if isinstance(result, IndexedSlices):
        result = result.values
    value: Any = getattr(result, "_array", result)
    if value is None or type(value) is Dropped:
        return None
    flat = np.ravel(value)
    with np.errstate(all="ignore"):
        square = abs(float(np.vdot(flat, flat).real))
        if not SAFE < square < math.inf and flat.dtype != np.float64:
            wide = np.abs(flat).astype(np.float64)
            square = float(np.vdot(wide, wide))
    return math.sqrt(square)
