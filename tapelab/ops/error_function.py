"""The error function and its kin, element by element; SciPy is loaded when one is first used."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any, Final

import numpy as np

from tapelab.core.op import op
from tapelab.errors import invalid_argument
from tapelab.kernels import elementwise_kernels
from tapelab.ops import samples
from tapelab.ops.integer_arguments import refuse_half
from tapelab.ops.powers import exp, square
from tapelab.ops.rules import FLOATS

DERIVATIVE_AT_0: Final = 2 / math.sqrt(math.pi)


def from_scipy(name: str) -> Any:
    """A function of scipy.special."""
    return getattr(import_module("scipy.special"), name)


def by_scipy(name: str, *arrays: Any) -> Any:
    """The values of a function of scipy.special, in the dtype of its last argument."""
    return from_scipy(name)(*arrays).astype(arrays[-1].dtype)


def by_integral(x: Any) -> Any:
    """The error function by the trapezium rule."""
    t = np.linspace(0.0, 1.0, 4001)[(...,) + (None,) * np.ndim(x)]
    heights = np.exp(-((t * x) ** 2))
    return DERIVATIVE_AT_0 * x * (heights.sum(0) - (heights[0] + heights[-1]) / 2) / 4000


@op(formula=r"y = \operatorname{erf}(x)", glyph="erf", title="Error function",
    samples=samples.anywhere, kinds=FLOATS, reference=by_integral)  # fmt: skip
def erf(x: Any) -> Any:
    """The chance that a bell-shaped error stays within x, from -1 to 1."""
    y = (
        elementwise_kernels.compiled("erf", x)
        if x.size >= elementwise_kernels.COMPILED_FROM
        else None
    )
    return by_scipy("erf", x) if y is None else y


@erf.grad(
    "x", r"\bar x = \bar y \cdot \frac{2}{\sqrt{\pi}} e^{-x^2}",
    local=r"\frac{2}{\sqrt{\pi}} e^{-x^2}",
)  # fmt: skip
def erf_grad_x(dy: Any, y: Any, x: Any) -> Any:
    dx = elementwise_kernels.compiled_vjp("erf_vjp", dy, x)
    return dy * (DERIVATIVE_AT_0 * exp(-x * x)) if dx is None else dx


@op(formula=r"y = 1 - \operatorname{erf}(x)", glyph="erfc", title="Complementary error function",
    samples=samples.anywhere, kinds=FLOATS, reference=lambda x: 1 - by_integral(x))  # fmt: skip
def erfc(x: Any) -> Any:
    """One minus the error function, exact also where that is close to 1."""
    return by_scipy("erfc", x)


@erfc.grad(
    "x", r"\bar x = -\bar y \cdot \frac{2}{\sqrt{\pi}} e^{-x^2}",
    local=r"-\frac{2}{\sqrt{\pi}} e^{-x^2}",
)  # fmt: skip
def erfc_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (-DERIVATIVE_AT_0 * exp(-x * x))


def shares(rng: np.random.Generator) -> list[samples.Sample]:
    """One array of each small shape, all entries well between 0 and 1."""
    return [((rng.uniform(0.1, 0.9, size=shape),), {}) for shape in samples.SHAPES]


@op(formula=r"y = \operatorname{erf}^{-1}(x)", glyph="erf⁻¹", samples=samples.within_one,
    title="Inverse error function", kinds=FLOATS)  # fmt: skip
def erfinv(x: Any) -> Any:
    """The number whose error function is x."""
    refuse_half("Erfinv", x)
    return by_scipy("erfinv", x)


@erfinv.grad("x", r"\bar x = \bar y \cdot \frac{\sqrt{\pi}}{2} e^{y^2}")
def erfinv_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The derivative of an inverse is one over the derivative of the function, at its result."""
    return dy * (exp(square(y)) * (math.sqrt(math.pi) / 2))


@op(formula=r"y = \operatorname{quantile}(x)", glyph="quantile", title="Quantile of the bell curve",
    samples=shares, kinds=FLOATS)  # fmt: skip
def ndtri(x: Any) -> Any:
    """The number below which a share x of the bell curve lies."""
    refuse_half("Ndtri", x)
    return by_scipy("ndtri", x)


@ndtri.grad("x", r"\bar x = \bar y \cdot \sqrt{2 \pi} e^{\frac{y^2}{2}}")
def ndtri_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (exp(square(y) * 0.5) * math.sqrt(2 * math.pi))


@op(formula=r"z = \operatorname{next}(x, y)", glyph="next", raw="NextAfter", kinds=FLOATS,
    samples=samples.apart_pairs, broadcasts=True, same_dtype=True)  # fmt: skip
def nextafter(x: Any, y: Any) -> Any:
    """The next number that the dtype can hold, on the way from x to y."""
    if x.dtype.itemsize == 2:
        raise invalid_argument(
            "NextAfter", "Value for attr 'T' of half is not in the list of allowed values: double, "
            "float. Try tf.cast(x, tf.float32)",
        )  # fmt: skip
    return np.nextafter(x, y)


@nextafter.grad("x", r"\bar x = \bar z", local="1")
def nextafter_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz


@nextafter.grad("y", r"\bar y = 0", local="0")
def nextafter_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """Where the way leads to decides only the direction."""
    return dz * 0
