"""Sums, differences, products and quotients, element by element with broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.engine.op import op
from tapelab.ops import samples


@op(formula="z = x + y", glyph="+", raw="AddV2", samples=samples.pairs, broadcasts=True,
    same_dtype=True)  # fmt: skip
def add(x: Any, y: Any) -> Any:
    """Each entry is the sum of the two entries at its place."""
    return x + y


@add.grad("x", r"\bar x = \bar z", local="1")
def add_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz


@add.grad("y", r"\bar y = \bar z", local="1")
def add_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz


@op(formula="z = x - y", glyph="−", raw="Sub", samples=samples.pairs, broadcasts=True,
    same_dtype=True)  # fmt: skip
def subtract(x: Any, y: Any) -> Any:
    """Each entry is the difference of the two entries at its place."""
    return x - y


@subtract.grad("x", r"\bar x = \bar z", local="1")
def subtract_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz


@subtract.grad("y", r"\bar y = -\bar z", local="-1")
def subtract_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return negative(dz)


@op(formula=r"z = x \cdot y", glyph="×", raw="Mul", samples=samples.pairs, broadcasts=True,
    same_dtype=True)  # fmt: skip
def multiply(x: Any, y: Any) -> Any:
    """Each entry is the product of the two entries at its place."""
    return x * y


@multiply.grad("x", r"\bar x = \bar z \cdot y", local="y")
def multiply_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return multiply(dz, conj(y))


@multiply.grad("y", r"\bar y = \bar z \cdot x", local="x")
def multiply_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return multiply(dz, conj(x))


@op(formula=r"z = \frac{x}{y}", glyph="÷", raw="RealDiv", samples=samples.positive_pairs,
    broadcasts=True, same_dtype=True)  # fmt: skip
def divide(x: Any, y: Any) -> Any:
    """Each entry is the quotient of the two entries at its place."""
    return np.true_divide(x, y)


@divide.grad("x", r"\bar x = \frac{\bar z}{y}", local=r"\frac{1}{y}")
def divide_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return divide(dz, conj(y))


@divide.grad("y", r"\bar y = -\frac{\bar z \cdot x}{y^2}", local=r"-\frac{x}{y^2}")
def divide_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return multiply(dz, conj(negative(divide(divide(x, y), y))))


@op(formula="y = -x", glyph="−", raw="Neg", samples=samples.anywhere)
def negative(x: Any) -> Any:
    """Each entry with the other sign."""
    return -x


@negative.grad("x", r"\bar x = -\bar y", local="-1")
def negative_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return negative(dy)


@op(formula=r"y = \operatorname{conj}(x)", glyph="conj", samples=samples.anywhere)
def conj(x: Any) -> Any:
    """The complex conjugate; a real number is its own."""
    return np.conj(x) if x.dtype.kind == "c" else x


@conj.grad("x", r"\bar x = \operatorname{conj}(\bar y)")
def conj_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return conj(dy)
