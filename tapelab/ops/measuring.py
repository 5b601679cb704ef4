"""What can be asked of a tensor besides its numbers: shape, size and rank."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.core.op import op
from tapelab.ops import samples

SHAPE_ONLY: Final = (
    "{} looks at the shape of x and not at its numbers, so it does not change when they do."
)


@op(formula=r"y = \operatorname{shape}(x)", glyph="shape", raw="Shape",
    pattern="shape-only", samples=samples.anywhere)  # fmt: skip
def shape(x: Any, *, dtype: Any = np.int32) -> Any:
    """How long the tensor is along each axis, as whole numbers."""
    return np.array(x.shape, dtype)


@op(formula=r"y = \operatorname{size}(x)", glyph="size", raw="Size",
    pattern="shape-only", samples=samples.anywhere)  # fmt: skip
def size(x: Any, *, dtype: Any = np.int32) -> Any:
    """How many entries the tensor has."""
    return np.dtype(dtype).type(x.size)


@op(formula=r"y = \operatorname{rank}(x)", glyph="rank", raw="Rank",
    pattern="shape-only", samples=samples.anywhere)  # fmt: skip
def rank(x: Any) -> Any:
    """How many axes the tensor has."""
    return np.int32(x.ndim)


shape.no_grad("x", because=SHAPE_ONLY.format("shape"))
size.no_grad("x", because=SHAPE_ONLY.format("size"))
rank.no_grad("x", because=SHAPE_ONLY.format("rank"))
