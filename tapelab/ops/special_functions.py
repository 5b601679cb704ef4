"""Bessel functions, and integrals that have a name because no simpler formula gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.ops import samples
from tapelab.ops.comparison import equal
from tapelab.ops.error_function import by_scipy, from_scipy
from tapelab.ops.integer_arguments import refuse_half
from tapelab.ops.powers import exp, log, reciprocal, square
from tapelab.ops.rules import FLOATS
from tapelab.ops.selection import ones_like, select
from tapelab.ops.step_functions import sign
from tapelab.ops.trigonometry import cos, sin


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
    """The modified Bessel function of the first kind of order 1; it is the derivative of I0."""
    return by_scipy("i1", x)


@bessel_i1.grad("x", r"\bar x = \bar y \cdot (\operatorname{I}_0(x) - \frac{y}{x})")
def bessel_i1_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """At 0 TensorFlow takes the derivative for 1, and so does this rule."""
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
    derivative = bessel_i0e(x) - y * (sign(x) + reciprocal(x))
    return dy * select(equal(x, x * 0), ones_like(x) * 0.5, derivative)


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
    derivative = bessel_j0(x) - y / x
    return dy * select(equal(x, x * 0), ones_like(x) * 0.5, derivative)


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


@op(formula=r"y = \operatorname{K}_0(x)", glyph="K₀", title="Modified Bessel function K0",
    raw="BesselK0", samples=samples.positive, kinds=FLOATS)  # fmt: skip
def bessel_k0(x: Any) -> Any:
    """The modified Bessel function of the second kind of order 0."""
    return _endless_up_to_0("k0", x)


@bessel_k0.grad(
    "x", r"\bar x = -\bar y \cdot \operatorname{K}_1(x)", local=r"-\operatorname{K}_1(x)"
)
def bessel_k0_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * -bessel_k1(x)


@op(formula=r"y = e^x \operatorname{K}_0(x)", glyph="K₀e", title="Undamped Bessel function K0",
    raw="BesselK0e", samples=samples.positive, kinds=FLOATS)  # fmt: skip
def bessel_k0e(x: Any) -> Any:
    """As K0, but without its exponential fall, so that it cannot underflow."""
    return _endless_up_to_0("k0e", x)


@bessel_k0e.grad("x", r"\bar x = \bar y \cdot (y - e^x \operatorname{K}_1(x))")
def bessel_k0e_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (y - bessel_k1e(x))


@op(formula=r"y = \operatorname{K}_1(x)", glyph="K₁", title="Modified Bessel function K1",
    raw="BesselK1", samples=samples.positive, kinds=FLOATS)  # fmt: skip
def bessel_k1(x: Any) -> Any:
    """The modified Bessel function of the second kind of order 1."""
    return _endless_up_to_0("k1", x)


@bessel_k1.grad("x", r"\bar x = -\bar y \cdot (\operatorname{K}_0(x) + \frac{y}{x})")
def bessel_k1_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (-bessel_k0(x) - y / x)


@op(formula=r"y = e^x \operatorname{K}_1(x)", glyph="K₁e", title="Undamped Bessel function K1",
    raw="BesselK1e", samples=samples.positive, kinds=FLOATS)  # fmt: skip
def bessel_k1e(x: Any) -> Any:
    """As K1, but without its exponential fall, so that it cannot underflow."""
    return _endless_up_to_0("k1e", x)


@bessel_k1e.grad("x", r"\bar x = \bar y \cdot (y (1 - \frac{1}{x}) - e^x \operatorname{K}_0(x))")
def bessel_k1e_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (y * (1.0 - reciprocal(x)) - bessel_k0e(x))


def _endless_up_to_0(name: str, x: Any) -> Any:
    """SciPy knows no value below 0; TensorFlow takes it for infinite there."""
    return np.where(x <= 0, x.dtype.type(np.inf), by_scipy(name, x))[()]


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
