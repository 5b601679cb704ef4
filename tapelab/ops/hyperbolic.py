"""The hyperbolic functions and their inverses, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.kernels.elements import LARGE, by_numpy, slope
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.powers import reciprocal, rsqrt
from tapelab.ops.rules import CONTINUOUS


@op(formula=r"y = \sinh x", glyph="sinh", title="Hyperbolic sine", samples=samples.anywhere,
    kinds=CONTINUOUS, reference=lambda x: (np.exp(x) - np.exp(-x)) / 2)  # fmt: skip
def sinh(x: Any) -> Any:
    """Half the difference between e to the power of each entry and of its negative."""
    return np.sinh(x)


@sinh.grad("x", r"\bar x = \bar y \cdot \cosh x", local=r"\cosh x")
def sinh_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * conjugated(cosh(x))


@op(formula=r"y = \cosh x", glyph="cosh", title="Hyperbolic cosine", samples=samples.anywhere,
    kinds=CONTINUOUS, reference=lambda x: (np.exp(x) + np.exp(-x)) / 2)  # fmt: skip
def cosh(x: Any) -> Any:
    """The mean of e to the power of each entry and of its negative."""
    return np.cosh(x)


@cosh.grad("x", r"\bar x = \bar y \cdot \sinh x", local=r"\sinh x")
def cosh_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * conjugated(sinh(x))


@op(formula=r"y = \tanh x", glyph="tanh", title="Hyperbolic tangent", samples=samples.anywhere,
    kinds=CONTINUOUS, reference=lambda x: 1 - 2 / (np.exp(2 * x) + 1))  # fmt: skip
def tanh(x: Any) -> Any:
    """Each entry squeezed between -1 and 1, steepest at 0."""
    return np.tanh(x) if x.size < LARGE else by_numpy(np.tanh, x)


@tanh.grad("x", r"\bar x = \bar y \cdot (1 - y^2)", local="1 - y^2")
def tanh_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The slope of tanh is one minus its own square: 1 in the middle, near 0 at both ends."""
    found = slope("tanh_slope", dy, y)
    if found is not None:
        return found
    value = conjugated(y)
    return dy * (1 - value * value)


@op(formula=r"y = \operatorname{arsinh} x", glyph="asinh", title="Inverse hyperbolic sine",
    samples=samples.anywhere, kinds=CONTINUOUS,
    reference=lambda x: np.log(x + np.sqrt(x * x + 1)))  # fmt: skip
def asinh(x: Any) -> Any:
    """The number whose hyperbolic sine each entry is."""
    return np.arcsinh(x)


@asinh.grad("x", r"\bar x = \frac{\bar y}{\sqrt{x^2 + 1}}", local=r"\frac{1}{\sqrt{x^2 + 1}}")
def asinh_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy / conjugated(cosh(y))


@op(formula=r"y = \operatorname{arcosh} x", glyph="acosh", title="Inverse hyperbolic cosine",
    samples=samples.above_one, kinds=CONTINUOUS,
    reference=lambda x: np.log(x + np.sqrt(x * x - 1)))  # fmt: skip
def acosh(x: Any) -> Any:
    """The number whose hyperbolic cosine each entry is."""
    return np.arccosh(x)


@acosh.grad("x", r"\bar x = \frac{\bar y}{\sqrt{x^2 - 1}}", local=r"\frac{1}{\sqrt{x^2 - 1}}")
def acosh_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * conjugated(rsqrt(x * x - 1))


@op(formula=r"y = \operatorname{artanh} x", glyph="atanh", title="Inverse hyperbolic tangent",
    samples=samples.within_one, kinds=CONTINUOUS,
    reference=lambda x: np.log((1 + x) / (1 - x)) / 2)  # fmt: skip
def atanh(x: Any) -> Any:
    """The number whose hyperbolic tangent each entry is."""
    return np.arctanh(x)


@atanh.grad("x", r"\bar x = \frac{\bar y}{1 - x^2}", local=r"\frac{1}{1 - x^2}")
def atanh_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * conjugated(reciprocal(1 - x * x))
