"""Bessel functions: how waves and heat spread in round things."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.ops import samples
from tapelab.ops.comparison import equal
from tapelab.ops.error_function import by_scipy
from tapelab.ops.powers import reciprocal
from tapelab.ops.rounding import sign
from tapelab.ops.rules import FLOATS
from tapelab.ops.selection import ones_like, select


@op(formula=r"y = \operatorname{I}_0(x)", glyph="I₀", title="Modified Bessel function I0",
    raw="BesselI0", samples=samples.anywhere, kinds=FLOATS, reference=np.i0)  # fmt: skip
def bessel_i0(x: Any) -> Any:
    """The modified Bessel function of the first kind of order 0; it grows like an exponential."""
    return by_scipy("i0", x)


@bessel_i0.grad("x", r"\bar x = \bar y \cdot \operatorname{I}_1(x)", local=r"\operatorname{I}_1(x)")
def bessel_i0_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * bessel_i1(x)


@op(formula=r"y = e^{-|x|} \operatorname{I}_0(x)", glyph="I₀e", title="Damped Bessel function I0",
    raw="BesselI0e", samples=samples.off_zero, kinds=FLOATS, reference=lambda x: np.i0(x) *
    np.exp(-np.abs(x)))  # fmt: skip
def bessel_i0e(x: Any) -> Any:
    """As I0, but damped by an exponential, so that it cannot overflow."""
    return by_scipy("i0e", x)


@bessel_i0e.grad(
    "x", r"\bar x = \bar y \cdot (e^{-|x|} \operatorname{I}_1(x) - \operatorname{sign}(x) y)"
)
def bessel_i0e_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (bessel_i1e(x) - sign(x) * y)


@op(formula=r"y = \operatorname{I}_1(x)", glyph="I₁", title="Modified Bessel function I1",
    raw="BesselI1", samples=samples.off_zero, kinds=FLOATS)  # fmt: skip
def bessel_i1(x: Any) -> Any:
    """The modified Bessel function of the first kind of order 1; it is the slope of I0."""
    return by_scipy("i1", x)


@bessel_i1.grad("x", r"\bar x = \bar y \cdot (\operatorname{I}_0(x) - \frac{y}{x})")
def bessel_i1_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """At 0 TensorFlow takes the slope for 1, and so does this rule."""
    return dy * select(equal(x, x * 0), ones_like(x), bessel_i0(x) - y / x)


@op(formula=r"y = e^{-|x|} \operatorname{I}_1(x)", glyph="I₁e", title="Damped Bessel function I1",
    raw="BesselI1e", samples=samples.off_zero, kinds=FLOATS)  # fmt: skip
def bessel_i1e(x: Any) -> Any:
    """As I1, but damped by an exponential, so that it cannot overflow."""
    return by_scipy("i1e", x)


@bessel_i1e.grad(
    "x",
    r"\bar x = \bar y \cdot (e^{-|x|} I_0(x) - y (\operatorname{sign}(x) + \frac{1}{x}))",
)
def bessel_i1e_grad_x(dy: Any, y: Any, x: Any) -> Any:
    slope = bessel_i0e(x) - y * (sign(x) + reciprocal(x))
    return dy * select(equal(x, x * 0), ones_like(x) * 0.5, slope)


@op(formula=r"y = \operatorname{J}_0(x)", glyph="J₀", title="Bessel function J0", raw="BesselJ0",
    samples=samples.anywhere, kinds=FLOATS)  # fmt: skip
def bessel_j0(x: Any) -> Any:
    """The Bessel function of the first kind of order 0: a wave that fades, 1 at the centre."""
    return by_scipy("j0", x)


@bessel_j0.grad(
    "x", r"\bar x = -\bar y \cdot \operatorname{J}_1(x)", local=r"-\operatorname{J}_1(x)"
)
def bessel_j0_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * -bessel_j1(x)


@op(formula=r"y = \operatorname{J}_1(x)", glyph="J₁", title="Bessel function J1", raw="BesselJ1",
    samples=samples.off_zero, kinds=FLOATS)  # fmt: skip
def bessel_j1(x: Any) -> Any:
    """The Bessel function of the first kind of order 1: a wave that fades, 0 at the centre."""
    return by_scipy("j1", x)


@bessel_j1.grad("x", r"\bar x = \bar y \cdot (\operatorname{J}_0(x) - \frac{y}{x})")
def bessel_j1_grad_x(dy: Any, y: Any, x: Any) -> Any:
    slope = bessel_j0(x) - y / x
    return dy * select(equal(x, x * 0), ones_like(x) * 0.5, slope)


@op(formula=r"y = \operatorname{Y}_0(x)", glyph="Y₀", title="Bessel function Y0", raw="BesselY0",
    samples=samples.positive, kinds=FLOATS)  # fmt: skip
def bessel_y0(x: Any) -> Any:
    """The Bessel function of the second kind of order 0, which falls without end towards 0."""
    return np.where(x < 0, x.dtype.type(-np.inf), by_scipy("y0", x))[()]


@bessel_y0.grad(
    "x", r"\bar x = -\bar y \cdot \operatorname{Y}_1(x)", local=r"-\operatorname{Y}_1(x)"
)
def bessel_y0_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * -bessel_y1(x)


@op(formula=r"y = \operatorname{Y}_1(x)", glyph="Y₁", title="Bessel function Y1", raw="BesselY1",
    samples=samples.positive, kinds=FLOATS)  # fmt: skip
def bessel_y1(x: Any) -> Any:
    """The Bessel function of the second kind of order 1, which falls without end towards 0."""
    y = np.where(x < 0, x.dtype.type(-np.inf), by_scipy("y1", x))
    return np.where(x == 0, x.dtype.type(np.nan), y)[()]


@bessel_y1.grad("x", r"\bar x = \bar y \cdot (\operatorname{Y}_0(x) - \frac{y}{x})")
def bessel_y1_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (bessel_y0(x) - y / x)
