"""The modified Bessel functions of the second kind, which fall off like an exponential."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.ops import samples
from tapelab.ops.error_function import by_scipy
from tapelab.ops.powers import reciprocal
from tapelab.ops.rules import FLOATS


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
