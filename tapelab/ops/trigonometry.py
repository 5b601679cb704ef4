"""Sine, cosine and tangent and their inverses, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import kernels
from tapelab.core.op import op
from tapelab.kernels.elements import COMPILED_FROM
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.powers import rsqrt, square
from tapelab.ops.rules import CONTINUOUS, FLOATS


@op(formula=r"y = \sin x", glyph="sin", title="Sine", samples=samples.anywhere, kinds=CONTINUOUS,
    reference=lambda x: np.cos(x - np.pi / 2))  # fmt: skip
def sin(x: Any) -> Any:
    """The sine of each entry, in radians."""
    return np.sin(x) if x.size < COMPILED_FROM else kernels.circle.sine(x)


@sin.grad("x", r"\bar x = \bar y \cdot \cos x", local=r"\cos x")
def sin_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The slope of a sine is the cosine of the same angle."""
    return dy * conjugated(cos(x))


@op(formula=r"y = \cos x", glyph="cos", title="Cosine", samples=samples.anywhere, kinds=CONTINUOUS,
    reference=lambda x: np.sin(x + np.pi / 2))  # fmt: skip
def cos(x: Any) -> Any:
    """The cosine of each entry, in radians."""
    return np.cos(x) if x.size < COMPILED_FROM else kernels.circle.cosine(x)


@cos.grad("x", r"\bar x = -\bar y \cdot \sin x", local=r"-\sin x")
def cos_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The slope of a cosine is minus the sine of the same angle."""
    return dy * conjugated(-sin(x))


@op(formula=r"y = \tan x", glyph="tan", title="Tangent", samples=samples.within_one,
    kinds=CONTINUOUS, reference=lambda x: np.sin(x) / np.cos(x))  # fmt: skip
def tan(x: Any) -> Any:
    """The tangent of each entry, in radians."""
    return np.tan(x)


@tan.grad("x", r"\bar x = \bar y \cdot (1 + y^2)", local="1 + y^2")
def tan_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The slope of a tangent is one plus its square."""
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
