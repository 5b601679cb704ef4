"""The error function and its complement, element by element."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.engine.op import op
from tapelab.ops import samples
from tapelab.ops.exponential import exp
from tapelab.ops.rules import FLOATS

SLOPE_AT_0: Final = 2 / math.sqrt(math.pi)


def by_integral(x: Any) -> Any:
    """The error function by the trapezium rule."""
    t = np.linspace(0.0, 1.0, 4001)[(...,) + (None,) * np.ndim(x)]
    heights = np.exp(-((t * x) ** 2))
    return SLOPE_AT_0 * x * (heights.sum(0) - (heights[0] + heights[-1]) / 2) / 4000


def _each(function: Callable[[float], float], x: Any) -> Any:
    """A function of the standard library, which knows only single numbers, of every entry."""
    flat = np.fromiter(map(function, np.ravel(x).tolist()), x.dtype, np.size(x))
    return flat.reshape(x.shape)[()]


@op(formula=r"y = \operatorname{erf}(x)", glyph="erf", title="Error function",
    samples=samples.anywhere, kinds=FLOATS, reference=by_integral)  # fmt: skip
def erf(x: Any) -> Any:
    """The chance that a bell-shaped error stays within x, from -1 to 1."""
    return _each(math.erf, x)


@erf.grad(
    "x", r"\bar x = \bar y \cdot \frac{2}{\sqrt{\pi}} e^{-x^2}",
    local=r"\frac{2}{\sqrt{\pi}} e^{-x^2}",
)  # fmt: skip
def erf_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (SLOPE_AT_0 * exp(-x * x))


@op(formula=r"y = 1 - \operatorname{erf}(x)", glyph="erfc", title="Complementary error function",
    samples=samples.anywhere, kinds=FLOATS, reference=lambda x: 1 - by_integral(x))  # fmt: skip
def erfc(x: Any) -> Any:
    """One minus the error function, exact also where that is close to 1."""
    return _each(math.erfc, x)


@erfc.grad(
    "x", r"\bar x = -\bar y \cdot \frac{2}{\sqrt{\pi}} e^{-x^2}",
    local=r"-\frac{2}{\sqrt{\pi}} e^{-x^2}",
)  # fmt: skip
def erfc_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (-SLOPE_AT_0 * exp(-x * x))
