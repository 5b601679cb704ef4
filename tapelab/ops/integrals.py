"""Integrals that have a name because no simpler formula gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.ops import samples
from tapelab.ops.comparison import equal
from tapelab.ops.error_function import by_scipy, from_scipy
from tapelab.ops.exponential import exp, log
from tapelab.ops.powers import square
from tapelab.ops.refusing import refuse_half
from tapelab.ops.rules import FLOATS
from tapelab.ops.selection import ones_like, select
from tapelab.ops.trigonometry import cos, sin


@op(formula=r"y = e^{-x^2} \operatorname{integral}(e^{x^2})", glyph="Dawson",
    samples=samples.anywhere, title="Dawson's integral", kinds=FLOATS)  # fmt: skip
def dawsn(x: Any) -> Any:
    """Dawson's integral: the area under a growing bell curve from 0 to x, damped again."""
    refuse_half("Dawsn", x)
    return by_scipy("dawsn", x)


@dawsn.grad("x", r"\bar x = \bar y \cdot (1 - 2 x \cdot y)", local=r"1 - 2 x \cdot y")
def dawsn_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (1.0 - 2 * x * y)


@op(formula=r"y = \operatorname{Ei}(x)", glyph="Ei", title="Exponential integral",
    samples=samples.positive, kinds=FLOATS)  # fmt: skip
def expint(x: Any) -> Any:
    """The exponential integral: the area under an exponential divided by its argument."""
    refuse_half("Expint", x)
    return np.where(x < 0, x.dtype.type(np.nan), by_scipy("expi", x))[()]


@expint.grad("x", r"\bar x = \bar y \cdot \frac{e^x}{x}", local=r"\frac{e^x}{x}")
def expint_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (exp(x) / x)


@op(formula=r"y = \operatorname{integral}(\cos(\frac{\pi}{2} x^2))", glyph="Fresnel cos",
    title="Fresnel's cosine integral", samples=samples.anywhere, kinds=FLOATS)  # fmt: skip
def fresnel_cos(x: Any) -> Any:
    """Fresnel's cosine integral, which describes how light bends at an edge."""
    refuse_half("FresnelCos", x)
    return from_scipy("fresnel")(x)[1].astype(x.dtype)


@fresnel_cos.grad("x", r"\bar x = \bar y \cdot \cos(\frac{\pi}{2} x^2)")
def fresnel_cos_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * cos(square(x) * (math.pi / 2))


@op(formula=r"y = \operatorname{integral}(\sin(\frac{\pi}{2} x^2))", glyph="Fresnel sin",
    title="Fresnel's sine integral", samples=samples.anywhere, kinds=FLOATS)  # fmt: skip
def fresnel_sin(x: Any) -> Any:
    """Fresnel's sine integral, which describes how light bends at an edge."""
    refuse_half("FresnelSin", x)
    return from_scipy("fresnel")(x)[0].astype(x.dtype)


@fresnel_sin.grad("x", r"\bar x = \bar y \cdot \sin(\frac{\pi}{2} x^2)")
def fresnel_sin_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * sin(square(x) * (math.pi / 2))


@op(formula=r"y = \operatorname{Spence}(x)", glyph="Spence", title="Spence's integral",
    samples=samples.above_one, kinds=FLOATS)  # fmt: skip
def spence(x: Any) -> Any:
    """Spence's integral: the area under the logarithm over 1 less its argument, from 1 to x."""
    refuse_half("Spence", x)
    return by_scipy("spence", x)


@spence.grad("x", r"\bar x = \bar y \cdot \frac{\ln x}{1 - x}", local=r"\frac{\ln x}{1 - x}")
def spence_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """At 1 the quotient tends to -1."""
    one = ones_like(x)
    return dy * select(equal(x, one), -one, log(x) / (1.0 - x))
