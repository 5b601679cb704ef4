"""A step that looks at its numbers and lets only finite ones pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.rules import FLOATS


@op(formula="y = x", glyph="finite!", raw="CheckNumerics", samples=samples.anywhere, kinds=FLOATS,
    reference=np.positive)  # fmt: skip
def check_finite(x: Any, *, message: str = "") -> Any:
    """The same value, or an error where an entry is NaN or infinite."""
    for found, called in ((np.isnan(x).any(), "NaN"), (np.isinf(x).any(), "Inf")):
        if found:
            raise invalid_argument("CheckNumerics", f"{message} : Tensor had {called} values")
    return x


@check_finite.grad("x", r"\bar x = \bar y", local="1")
def check_finite_grad_x(dy: Any, y: Any, x: Any, *, message: str = "") -> Any:
    return dy
