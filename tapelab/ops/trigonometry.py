"""Trigonometric and hyperbolic functions and their inverses, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import kernels
from tapelab.core.op import op
from tapelab.kernels.elementwise_kernels import COMPILED_FROM, LARGE, by_numpy, compiled_vjp
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.powers import reciprocal, rsqrt, square
from tapelab.ops.rules import CONTINUOUS, FLOATS


@op(formula=r"y = \sin x", glyph="sin", title="Sine", samples=samples.anywhere, kinds=CONTINUOUS,
    reference=lambda x: np.cos(x - np.pi / 2))  # fmt: skip
def sin(x: Any) -> Any:
    """The sine of each entry, in radians."""
    return np.sin(x) if x.size < COMPILED_FROM else kernels.sine_cosine.sine(x)


@sin.grad("x", r"\bar x = \bar y \cdot \cos x", local=r"\cos x")
def sin_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The derivative of a sine is the cosine of the same angle."""
    return dy * conjugated(cos(x))


@op(formula=r"y = \cos x", glyph="cos", title="Cosine", samples=samples.anywhere, kinds=CONTINUOUS,
    reference=lambda x: np.sin(x + np.pi / 2))  # fmt: skip
def cos(x: Any) -> Any:
    """The cosine of each entry, in radians."""
    return np.cos(x) if x.size < COMPILED_FROM else kernels.sine_cosine.cosine(x)


@cos.grad("x", r"\bar x = -\bar y \cdot \sin x", local=r"-\sin x")
def cos_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The derivative of a cosine is minus the sine of the same angle."""
    return dy * conjugated(-sin(x))


@op(formula=r"y = \tan x", glyph="tan", title="Tangent", samples=samples.within_one,
    kinds=CONTINUOUS, reference=lambda x: np.sin(x) / np.cos(x))  # fmt: skip
def tan(x: Any) -> Any:
    """The tangent of each entry, in radians."""
    return np.tan(x)


@tan.grad("x", r"\bar x = \bar y \cdot (1 + y^2)", local="1 + y^2")
def tan_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The derivative of a tangent is one plus its square."""
    return dy * conjugated(y * y + 1)


@op(formula=r"y = \arcsin x", glyph="asin", title="Arc sine", samples=samples.within_one,
    kinds=CONTINUOUS, reference=lambda x: np.arctan2(x, np.sqrt(1 - x * x)))  # fmt: skip
def asin(x: Any) -> Any:
    """The angle whose sine each entry is, in radians."""
    return np.arcsin(x)


@asin.grad("x", r"\bar x = \frac{\bar y}{\sqrt{1 - x^2}}", local=r"\frac{1}{\sqrt{1 - x^2}}")
def asin_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * conjugated(rsqrt(1 - x * x))


@op(formula=r"y = \arccos x", glyph="acos", title="Arc cosine", samples=samples.within_one,
    kinds=CONTINUOUS, reference=lambda x: np.pi / 2 - np.arcsin(x))  # fmt: skip
def acos(x: Any) -> Any:
    """The angle whose cosine each entry is, in radians."""
    return np.arccos(x)


@acos.grad("x", r"\bar x = -\frac{\bar y}{\sqrt{1 - x^2}}", local=r"-\frac{1}{\sqrt{1 - x^2}}")
def acos_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return -dy * conjugated(rsqrt(1 - x * x))


@op(formula=r"y = \arctan x", glyph="atan", title="Arc tangent", samples=samples.anywhere,
    kinds=CONTINUOUS, reference=lambda x: np.arcsin(x / np.sqrt(1 + x * x)))  # fmt: skip
def atan(x: Any) -> Any:
    """The angle whose tangent each entry is, in radians."""
    return np.arctan(x)


@atan.grad("x", r"\bar x = \frac{\bar y}{1 + x^2}", local=r"\frac{1}{1 + x^2}")
def atan_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy / conjugated(x * x + 1)


@op(formula=r"z = \operatorname{atan2}(y, x)", glyph="atan2", title="Angle of a point",
    samples=samples.positive_pairs, kinds=FLOATS, broadcasts=True, same_dtype=True,
    reference=lambda y, x: np.angle(x + 1j * y))  # fmt: skip
def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y) seen from the origin, in all four quadrants."""
    return np.arctan2(y, x)


@atan2.grad("y", r"\bar y = \bar z \cdot \frac{x}{x^2 + y^2}", local=r"\frac{x}{x^2 + y^2}")
def atan2_grad_y(dz: Any, z: Any, y: Any, x: Any) -> Any:
    return x * (dz / (square(y) + square(x)))


@atan2.grad("x", r"\bar x = -\bar z \cdot \frac{y}{x^2 + y^2}", local=r"-\frac{y}{x^2 + y^2}")
def atan2_grad_x(dz: Any, z: Any, y: Any, x: Any) -> Any:
    return -y * (dz / (square(y) + square(x)))


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
    """The derivative of tanh is one minus its own square: 1 in the middle, near 0 at both ends."""
    dx = compiled_vjp("tanh_vjp", dy, y)
    if dx is not None:
        return dx
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
