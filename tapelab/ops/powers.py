"""Exponentials, logarithms, powers and roots, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.errors import invalid_argument
from tapelab.kernels.elementwise_kernels import FEW, LARGE, by_numpy
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated, multiply_no_nan, xdivy
from tapelab.ops.comparison import greater, not_equal
from tapelab.ops.rules import CONTINUOUS, NUMBERS, SIGNED, is_complex
from tapelab.ops.selection import ones_like, select, zeros_like


@op(formula="y = e^x", glyph="eˣ", title="Exponential", samples=samples.anywhere, kinds=CONTINUOUS,
    reference=lambda x: np.e**x)  # fmt: skip
def exp(x: Any) -> Any:
    """The number e raised to each entry; its derivative is its own value."""
    return np.exp(x) if x.size < LARGE else by_numpy(np.exp, x)


@exp.grad("x", r"\bar x = \bar y \cdot y", local="y")
def exp_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """An exponential is its own derivative."""
    return dy * conjugated(y)


@op(formula="y = e^x - 1", glyph="eˣ−1", title="Exponential minus 1", samples=samples.anywhere,
    kinds=CONTINUOUS, reference=lambda x: np.exp(x) - 1)  # fmt: skip
def expm1(x: Any) -> Any:
    """The exponential less 1, exact also where the entry is close to 0."""
    return np.expm1(x) if x.size < LARGE else by_numpy(np.expm1, x)


@expm1.grad("x", r"\bar x = \bar y \cdot e^x", local="e^x")
def expm1_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * conjugated(exp(x))


@op(formula=r"y = \ln x", glyph="ln", title="Logarithm", samples=samples.positive, kinds=CONTINUOUS,
    reference=lambda x: np.log2(x) * np.log(2.0))  # fmt: skip
def log(x: Any) -> Any:
    """The natural logarithm: the power of e that gives each entry."""
    return np.log(x) if x.size < LARGE else by_numpy(np.log, x)


@log.grad("x", r"\bar x = \frac{\bar y}{x}", local=r"\frac{1}{x}")
def log_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The derivative of a logarithm is one over its argument."""
    return dy / conjugated(x)


@op(formula=r"y = \ln(1 + x)", glyph="ln(1+x)", title="Logarithm of 1 plus", kinds=CONTINUOUS,
    samples=samples.within_one, reference=lambda x: np.log(1 + x))  # fmt: skip
def log1p(x: Any) -> Any:
    """The logarithm of 1 plus each entry, exact also where the entry is close to 0."""
    return np.log1p(x) if x.size < LARGE else by_numpy(np.log1p, x)


@log1p.grad("x", r"\bar x = \frac{\bar y}{1 + x}", local=r"\frac{1}{1 + x}")
def log1p_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy / conjugated(x + 1)


@op(formula="y = x^2", glyph="x²", raw="Square", samples=samples.anywhere, kinds=NUMBERS,
    reference=np.square)  # fmt: skip
def square(x: Any) -> Any:
    """Each entry times itself."""
    return x * x


@square.grad("x", r"\bar x = \bar y \cdot 2 x", local="2 x")
def square_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The derivative of a square is twice its base."""
    return dy * (2 * conjugated(x))


@op(formula=r"y = \sqrt{x}", glyph="√", title="Square root", samples=samples.positive,
    kinds=CONTINUOUS, reference=np.sqrt)  # fmt: skip
def sqrt(x: Any) -> Any:
    """The number whose square each entry is."""
    return np.sqrt(x)


@sqrt.grad("x", r"\bar x = \frac{\bar y}{2 \sqrt{x}}", local=r"\frac{1}{2 \sqrt{x}}")
def sqrt_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The derivative of a root is one over twice the root: steep near 0, flat far out."""
    return xdivy(dy * 0.5, conjugated(y))


@op(formula=r"y = \frac{1}{\sqrt{x}}", glyph="1/√", title="One over square root",
    samples=samples.positive, kinds=CONTINUOUS, reference=lambda x: x**-0.5)  # fmt: skip
def rsqrt(x: Any) -> Any:
    """One over the square root of each entry."""
    return 1 / np.sqrt(x)


@rsqrt.grad("x", r"\bar x = -\frac{1}{2} \bar y \cdot y^3", local=r"-\frac{y^3}{2}")
def rsqrt_grad_x(dy: Any, y: Any, x: Any) -> Any:
    derivative = conjugated(y)
    return multiply_no_nan(derivative * derivative * derivative * -0.5, dy)


@op(formula=r"y = \frac{1}{x}", glyph="1/x", samples=samples.positive, kinds=CONTINUOUS,
    reference=np.reciprocal)  # fmt: skip
def reciprocal(x: Any) -> Any:
    """One over each entry."""
    return 1 / x


@reciprocal.grad("x", r"\bar x = -\bar y \cdot y^2", local="-y^2")
def reciprocal_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The derivative of one over x is minus one over its square."""
    derivative = conjugated(y)
    return multiply_no_nan(-derivative * derivative, dy)


@op(formula="z = (x - y)^2", glyph="(x−y)²", samples=samples.pairs, kinds=SIGNED, broadcasts=True,
    same_dtype=True, reference=lambda x, y: np.abs(x - y) ** 2)  # fmt: skip
def squared_difference(x: Any, y: Any) -> Any:
    """Each entry is the square of the distance between the two entries at its place."""
    kind = x.dtype.kind
    if kind == "i" and x.dtype.itemsize < 4:
        raise invalid_argument(
            "SquaredDifference", f"Value for attr 'T' of {x.dtype} is not in the list of allowed "
            "values: half, float, double, int32, int64, complex64, complex128. Try "
            "tf.cast(x, tf.float32)",
        )  # fmt: skip
    difference = x - y
    return np.conj(difference) * difference if kind == "c" else difference * difference


@squared_difference.grad("x", r"\bar x = \bar z \cdot 2 (x - y)", local="2 (x - y)")
def squared_difference_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz * (2 * (x - y))


@squared_difference.grad("y", r"\bar y = -\bar z \cdot 2 (x - y)", local="-2 (x - y)")
def squared_difference_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz * (-2 * (x - y))


@op(name="pow", formula="z = x^y", glyph="xʸ", title="Power", raw="Pow",
    samples=samples.positive_pairs, kinds=SIGNED, broadcasts=True, same_dtype=True,
    reference=np.float_power)  # fmt: skip
def pow_(x: Any, y: Any) -> Any:
    """Each entry of the first raised to the power of the entry of the second at its place."""
    if x.dtype.kind in "iu" and x.size and np.any(y < 0):
        raise invalid_argument(
            "Pow",
            "Integers to negative integer powers are not allowed. "
            "Try tf.cast(x, tf.float32) ** tf.cast(y, tf.float32)",
        )
    if x.size >= FEW and x.dtype.kind == "f" and y.size == 1 and _is_slow_below_0(y.item()):
        z = np.power(np.abs(x), y)
        return np.copysign(z, x, out=z) if y.item() % 2 else z
    return np.power(x, y)


def _is_slow_below_0(y: float) -> bool:
    """Whether NumPy takes fifty times as long for whole powers of numbers below 0."""
    return y.is_integer() and not -1 <= y <= 2


@pow_.grad("x", r"\bar x = \bar z \cdot y \cdot x^{y - 1}", local=r"y \cdot x^{y - 1}")
def pow_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """The exponent comes down as a factor and loses one."""
    return dz * conjugated(y * pow_(x, y - 1))


@pow_.grad("y", r"\bar y = \bar z \cdot z \cdot \ln x", local=r"z \cdot \ln x")
def pow_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """In its exponent a power grows by the logarithm of its base."""
    usable = not_equal(x, zeros_like(x)) if is_complex(x) else greater(x, zeros_like(x))
    logarithm = select(usable, log(select(usable, x, ones_like(x))), zeros_like(x))
    return dz * conjugated(z * logarithm)
