"""Sums, differences, products and quotients, element by element with broadcasting.

`multiply_no_nan` and its kin are 0 where one side is 0, whatever the other side is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import kernels
from tapelab.core.batching import on_last_axes
from tapelab.core.op import op
from tapelab.core.tensor import Tensor
from tapelab.dtypes import ALL, as_dtype
from tapelab.kernels.elementwise_kernels import LARGE
from tapelab.kernels.where_kernels import chosen
from tapelab.ops import samples
from tapelab.ops.rules import CONTINUOUS, NUMBERS, SIGNED
from tapelab.ops.selection import nonzero_mask


@op(formula="z = x + y", glyph="+", raw="AddV2", samples=samples.pairs, kinds=NUMBERS + "O",
    broadcasts=True, same_dtype=True, propagates_slices="beside a number",
    reference=np.add)  # fmt: skip
def add(x: Any, y: Any) -> Any:
    """Each entry is the sum of the two entries at its place."""
    return x + y if x.size < LARGE else kernels.bulk.combined(np.add, x, y)


@add.grad("x", r"\bar x = \bar z", local="1", factor=1)
def add_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """A sum hands its gradient to both parts, unchanged."""
    return dz


@add.grad("y", r"\bar y = \bar z", local="1", factor=1)
def add_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """A sum hands its gradient to both parts, unchanged."""
    return dz


@op(formula="z = x - y", glyph="−", raw="Sub", samples=samples.pairs, kinds=NUMBERS,
    broadcasts=True, same_dtype=True, propagates_slices="beside a number",
    reference=np.subtract)  # fmt: skip
def subtract(x: Any, y: Any) -> Any:
    """Each entry is the difference of the two entries at its place."""
    return x - y if x.size < LARGE else kernels.bulk.combined(np.subtract, x, y)


@subtract.grad("x", r"\bar x = \bar z", local="1", factor=1)
def subtract_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """A difference hands its gradient to the first part, unchanged."""
    return dz


@subtract.grad("y", r"\bar y = -\bar z", local="-1", factor=-1)
def subtract_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """What is taken away lowers the result, so the gradient changes its sign."""
    return -dz


@op(formula=r"z = x \cdot y", glyph="×", raw="Mul", samples=samples.pairs, kinds=NUMBERS + "b",
    broadcasts=True, same_dtype=True, reference=np.multiply)  # fmt: skip
def multiply(x: Any, y: Any) -> Any:
    """Each entry is the product of the two entries at its place."""
    return x * y if x.size < LARGE else kernels.bulk.combined(np.multiply, x, y)


@multiply.grad("x", r"\bar x = \bar z \cdot y", local="y", factor="y")
def multiply_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """The derivative of a product is the other factor."""
    return dz * conjugated(y)


@multiply.grad("y", r"\bar y = \bar z \cdot x", local="x", factor="x")
def multiply_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """The derivative of a product is the other factor."""
    return dz * conjugated(x)


@op(formula=r"z = \frac{x}{y}", glyph="÷", raw="RealDiv", samples=samples.positive_pairs,
    kinds=NUMBERS + "bO", broadcasts=True, reference=np.true_divide)  # fmt: skip
def divide(x: Any, y: Any) -> Any:
    """Each entry is the quotient of the two entries at its place; integers give floats."""
    return quotient(x, y, "__truediv__")


def quotient(x: Any, y: Any, function: str) -> Any:
    """The quotients of raw numbers; small integers become float32, larger ones float64."""
    if x.dtype.kind in "bO":
        expected = ", ".join(repr(dtype) for dtype in ALL if dtype.is_numeric)
        raise TypeError(f"Invalid dtype {as_dtype(x.dtype)!r} in {function}. Expected one of "
                        f"{{{expected}}}. Try tf.cast(x, tf.float32).")  # fmt: skip
    if x.dtype != y.dtype:
        raise TypeError(
            f"`x` and `y` must have the same dtype, got tf.{x.dtype} != tf.{y.dtype}. Tensors are "
            f"never cast silently; try tf.cast(y, tf.{x.dtype})."
        )
    z = np.true_divide(x, y)
    narrow = x.dtype.kind in "iu" and x.dtype.itemsize <= 2
    return z.astype(np.float32) if narrow else z


@divide.grad("x", r"\bar x = \frac{\bar z}{y}", local=r"\frac{1}{y}")
def divide_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """A quotient grows by one over its divisor."""
    return dz / conjugated(y)


@divide.grad("y", r"\bar y = -\frac{\bar z \cdot x}{y^2}", local=r"-\frac{x}{y^2}")
def divide_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    """A larger divisor makes the result smaller, by its square."""
    return dz * conjugated(-x / y / y)


@op(formula="y = -x", glyph="−", raw="Neg", samples=samples.anywhere, kinds=SIGNED,
    propagates_slices=True, reference=np.negative)  # fmt: skip
def negative(x: Any) -> Any:
    """Each entry with the other sign."""
    return -x


@negative.grad("x", r"\bar x = -\bar y", local="-1")
def negative_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The sign turns, and the gradient's with it."""
    return -dy


@op(formula=r"y = x_1 + x_2 + \ldots", glyph="Σ", title="Add all", raw="AddN",
    samples=samples.several, kinds=NUMBERS, propagates_slices=True,
    reference=lambda *x: np.sum(x, axis=0))  # fmt: skip
def add_n(*x: Any) -> Any:
    """Each entry is the sum of all the entries at its place."""
    total = x[0]
    for each in x[1:]:
        total = total + each
    return total


@add_n.grad("x", r"\bar x = \bar y", local="1")
def add_n_grad(dy: Any, y: Any, *x: Any) -> Any:
    return dy


@op(formula=r"y = \operatorname{conj}(x)", glyph="conj", samples=samples.anywhere,
    reference=np.conj, batching=on_last_axes)  # fmt: skip
def conj(x: Any) -> Any:
    """The complex conjugate; a real number is its own."""
    return np.conj(x) if x.dtype.kind == "c" else x


@conj.grad("x", r"\bar x = \operatorname{conj}(\bar y)")
def conj_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return conj(dy)


def conjugated(x: Any) -> Any:
    """The conjugate of complex numbers; real ones themselves, without an op on the tape."""
    kind = type(x)  # as in `is_complex`, written out because most rules ask this
    if kind is np.float32 or kind is np.float64:
        return x
    dtype = (x._array if kind is Tensor else x).dtype
    return conj(x) if dtype.kind == "c" else x


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
