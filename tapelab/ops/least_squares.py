"""Least squares by a decomposition that stands up to columns that depend on each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.refusing import refuse_half
from tapelab.ops.rules import CONTINUOUS


def overdetermined(rng: np.random.Generator) -> list[samples.Sample]:
    """Tall matrices with right-hand sides."""
    return [((rng.normal(size=(4, 2)), rng.normal(size=(4, 1))), {})]


@op(formula=r"Y = \operatorname{lstsq}(A, B)", glyph="lstsq", raw="MatrixSolveLs", same_dtype=True,
    title="Least squares", pattern="not implemented", samples=overdetermined,
    kinds=CONTINUOUS)  # fmt: skip
def lstsq(A: Any, B: Any) -> Any:
    """The shortest Y for which A Y misses B least."""
    refuse_half("MatrixSolveLs", A)
    if A.shape[:-1] != B.shape[:-1]:
        raise invalid_argument("MatrixSolveLs", "Input matrix and rhs are incompatible.")
    flat, sides = A.reshape(-1, *A.shape[-2:]), B.reshape(-1, *B.shape[-2:])
    found = [np.linalg.lstsq(a, b)[0] for a, b in zip(flat, sides, strict=True)]
    return np.stack(found).reshape(*A.shape[:-2], A.shape[-1], B.shape[-1]).astype(A.dtype)
