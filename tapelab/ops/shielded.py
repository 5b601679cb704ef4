"""Products and quotients that are 0 where one side is 0, whatever stands on the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.kernels.choice import chosen
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated, quotient
from tapelab.ops.rules import CONTINUOUS, NUMBERS
from tapelab.ops.selection import nonzero_mask


@op(formula=r"z = \frac{x}{y} \text{ or } 0", glyph="÷₀", raw="DivNoNan", kinds=NUMBERS + "bO",
    samples=samples.positive_pairs, broadcasts=True, reference=np.true_divide)  # fmt: skip
def divide_no_nan(x: Any, y: Any) -> Any:
    """The quotient of two entries, and 0 where the second is 0."""
    z = quotient(x, y, "tf.math.divide_no_nan")
    return chosen(y == 0, z.dtype.type(0), z)


@divide_no_nan.grad("x", r"\bar x = \frac{\bar z}{y} \text{ or } 0", local=r"\frac{1}{y}")
def divide_no_nan_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return divide_no_nan(dz, conjugated(y))


@divide_no_nan.grad(
    "y", r"\bar y = -\frac{\bar z \cdot x}{y^2} \text{ or } 0", local=r"-\frac{x}{y^2}"
)
def divide_no_nan_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz * conjugated(divide_no_nan(divide_no_nan(-x, y), y))


@op(formula=r"z = x \cdot y \text{ or } 0", glyph="×₀", raw="MulNoNan", samples=samples.pairs,
    kinds=CONTINUOUS, broadcasts=True, same_dtype=True, reference=np.multiply)  # fmt: skip
def multiply_no_nan(x: Any, y: Any) -> Any:
    """The product of two entries, and 0 where the second is 0, even against infinity."""
    return chosen(y == 0, x.dtype.type(0), x * y)


@multiply_no_nan.grad("x", r"\bar x = \bar z \cdot y", local="y")
def multiply_no_nan_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return multiply_no_nan(dz, conjugated(y))


@multiply_no_nan.grad("y", r"\bar y = \bar z \cdot x", local="x")
def multiply_no_nan_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return multiply_no_nan(conjugated(x), dz)


@op(formula=r"z = \frac{x}{y} \text{ or } 0", glyph="x÷y", samples=samples.positive_pairs,
    kinds=CONTINUOUS, broadcasts=True, same_dtype=True, reference=np.true_divide)  # fmt: skip
def xdivy(x: Any, y: Any) -> Any:
    """The quotient of two entries, and 0 where the first is 0, even over 0."""
    return chosen(x == 0, x.dtype.type(0), x / y)


@xdivy.grad("x", r"\bar x = \frac{\bar z}{y}", local=r"\frac{1}{y}")
def xdivy_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz * conjugated(xdivy(nonzero_mask(x), y))


@xdivy.grad("y", r"\bar y = -\frac{\bar z \cdot x}{y^2}", local=r"-\frac{x}{y^2}")
def xdivy_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz * conjugated(xdivy(-x, y * y))


@op(formula=r"z = x \cdot \ln y \text{ or } 0", glyph="x·ln y", samples=samples.positive_pairs,
    kinds=CONTINUOUS, broadcasts=True, same_dtype=True, reference=lambda x,
    y: x * np.log(y))  # fmt: skip
def xlogy(x: Any, y: Any) -> Any:
    """The first entry times the logarithm of the second, and 0 where the first is 0."""
    return chosen(x == 0, x.dtype.type(0), x * np.log(y))


@xlogy.grad("x", r"\bar x = \bar z \cdot \ln y", local=r"\ln y")
def xlogy_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz * conjugated(xlogy(nonzero_mask(x), y))


@xlogy.grad("y", r"\bar y = \bar z \cdot \frac{x}{y}", local=r"\frac{x}{y}")
def xlogy_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz * conjugated(xdivy(x, y))


@op(formula=r"z = x \cdot \ln(1 + y) \text{ or } 0", glyph="x·ln(1+y)", kinds=CONTINUOUS,
    samples=samples.positive_pairs, broadcasts=True, same_dtype=True, reference=lambda x,
    y: x * np.log(1 + y))  # fmt: skip
def xlog1py(x: Any, y: Any) -> Any:
    """The first entry times the logarithm of 1 plus the second, and 0 where the first is 0."""
    return chosen(x == 0, x.dtype.type(0), x * np.log1p(y))


@xlog1py.grad("x", r"\bar x = \bar z \cdot \ln(1 + y)", local=r"\ln(1 + y)")
def xlog1py_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz * conjugated(xlog1py(nonzero_mask(x), y))


@xlog1py.grad("y", r"\bar y = \bar z \cdot \frac{x}{1 + y}", local=r"\frac{x}{1 + y}")
def xlog1py_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz * conjugated(xdivy(x, y + 1))
