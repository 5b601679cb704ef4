"""What each op does to single entries, on `Vector`: the ops that can be fused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from tapelab.compile.fusion import vector_math
from tapelab.compile.fusion.simd import BITS_OF, Vector, kind_of
from tapelab.compile.program import ProgramOp
from tapelab.ops import (
    activation,
    arithmetic,
    casts,
    comparison,
    error_function,
    losses,
    powers,
    selection,
    step_functions,
    trigonometry,
)

FLOATS: Final = frozenset(BITS_OF)
NUMBERS: Final = FLOATS | {"i32", "i64"}
ALL: Final = NUMBERS | {"i1"}
TRUTHS: Final = frozenset({"i1"})


class Elementwise(NamedTuple):
    """How an op that can be fused computes its elements, and on which kinds of first operands."""

    kinds: frozenset[str]
    compute: Callable[..., Vector]
    slow_in_numpy: bool = False


def add_n(*x: Vector) -> Vector:
    """The sum from the first to the last."""
    total = x[0]
    for each in x[1:]:
        total = total + each
    return total


def larger(x: Vector, y: Vector) -> Vector:
    """The larger of two, the second if they are equal, NaN if one of them is."""
    return x.where(y, (x > y) | x.is_nan() if x.kind in FLOATS else x > y)


def smaller(x: Vector, y: Vector) -> Vector:
    """The smaller of two, the second if they are equal, NaN if one of them is."""
    return x.where(y, (x < y) | x.is_nan() if x.kind in FLOATS else x < y)


def clipped(x: Vector, low: Vector, high: Vector) -> Vector:
    """No more than the one bound, then no less than the other."""
    return larger(smaller(x, high), low)


def relu(x: Vector) -> Vector:
    """The larger of x and 0."""
    return larger(x, x.like(0))


def relu6(x: Vector) -> Vector:
    """Between 0 and 6."""
    return smaller(relu(x), x.like(6))


def leaky_relu(x: Vector, *, alpha: float) -> Vector:
    """Less steep below 0."""
    return x.where(x * alpha, x > 0)


def elu(x: Vector) -> Vector:
    """An exponential below 0."""
    return x.where(vector_math.expm1(smaller(x, x.like(0))), x > 0)


def softsign(x: Vector) -> Vector:
    """The number divided by 1 + its magnitude."""
    return x / (x.magnitude() + 1)


def silu(x: Vector) -> Vector:
    """Each entry times its sigmoid."""
    return x * vector_math.sigmoid(x)


def sigmoid_cross_entropy(labels: Vector, scores: Vector) -> Vector:
    """How surprised each score is by its label: softplus of the score less their product."""
    slack = vector_math.log1p(vector_math.exp(-scores.magnitude()))
    return larger(scores, scores.like(0)) - labels * scores + slack


def step(x: Vector) -> Vector:
    """1 for positive numbers, 0 for others."""
    return x.like(1).where(0, x > 0)


def sign(x: Vector) -> Vector:
    """1, -1, or 0; NaN stays."""
    rest = x.like(-1).where(x if x.kind in FLOATS else x.like(0), x < 0)
    rest = x.like(0).where(rest, x.equals(0))
    return x.like(1).where(rest, x > 0)


def magnitude(x: Vector) -> Vector:
    """The distance from 0."""
    return x.magnitude() if x.kind in FLOATS else (-x).where(x, x < 0)


def square(x: Vector) -> Vector:
    """Each entry times itself."""
    return x * x


def squared_difference(x: Vector, y: Vector) -> Vector:
    """The square of a distance."""
    return (x - y) * (x - y)


def sqrt(x: Vector) -> Vector:
    """The square root, rounded right."""
    return x.called("sqrt")


def divide_no_nan(x: Vector, y: Vector) -> Vector:
    """The quotient, and 0 over 0."""
    return y.like(0).where(x / y, y.equals(0))


def multiply_no_nan(x: Vector, y: Vector) -> Vector:
    """The product, and 0 where the second is."""
    return y.like(0).where(x * y, y.equals(0))


def xdivy(x: Vector, y: Vector) -> Vector:
    """The quotient, and 0 where the first is."""
    return x.like(0).where(x / y, x.equals(0))


def xlogy(x: Vector, y: Vector) -> Vector:
    """The first times the logarithm of the second, and 0 where the first is."""
    return x.like(0).where(x * vector_math.log(y), x.equals(0))


def chosen(condition: Vector, x: Vector, y: Vector) -> Vector:
    """The one or the other."""
    return x.where(y, condition)


def is_finite(x: Vector) -> Vector:
    """Neither infinite nor NaN."""
    return x.magnitude() < math.inf


def cast(x: Vector, *, dtype: Any) -> Vector:
    """The same number in another dtype; floats do not become whole here."""
    kind = kind_of(np.dtype(getattr(dtype, "as_numpy_dtype", dtype)))
    if kind is None or (kind not in {*FLOATS, "i1"} and x.kind in FLOATS):
        raise NotImplementedError(f"No cast from {x.kind} to {dtype}.")
    if kind == "i1":
        return x.differs(0) if x.kind != "i1" else x
    if kind == x.kind:
        return x
    return x.turned(_CONVERSIONS[x.kind, kind], kind)


_CONVERSIONS: Final = {
    ("float", "double"): "fpext", ("double", "float"): "fptrunc",
    ("i32", "float"): "sitofp", ("i32", "double"): "sitofp", ("i32", "i64"): "sext",
    ("i64", "float"): "sitofp", ("i64", "double"): "sitofp", ("i64", "i32"): "trunc",
    ("i1", "float"): "uitofp", ("i1", "double"): "uitofp", ("i1", "i32"): "zext",
    ("i1", "i64"): "zext",
}  # fmt: skip

ELEMENTWISE: Final[dict[ProgramOp, Elementwise]] = {
    arithmetic.add: Elementwise(NUMBERS, lambda x, y: x + y),
    arithmetic.subtract: Elementwise(NUMBERS, lambda x, y: x - y),
    arithmetic.multiply: Elementwise(NUMBERS, lambda x, y: x * y),
    arithmetic.divide: Elementwise(FLOATS, lambda x, y: x / y),
    arithmetic.negative: Elementwise(NUMBERS, lambda x: -x),
    arithmetic.add_n: Elementwise(NUMBERS, add_n),
    powers.square: Elementwise(NUMBERS, square),
    powers.squared_difference: Elementwise(NUMBERS, squared_difference, slow_in_numpy=True),
    powers.reciprocal: Elementwise(FLOATS, lambda x: 1 / x),
    powers.sqrt: Elementwise(FLOATS, sqrt),
    powers.rsqrt: Elementwise(FLOATS, lambda x: 1 / sqrt(x)),
    step_functions.abs_: Elementwise(NUMBERS, magnitude),
    step_functions.sign: Elementwise(NUMBERS, sign),
    step_functions.floor: Elementwise(FLOATS, lambda x: x.called("floor")),
    step_functions.ceil: Elementwise(FLOATS, lambda x: x.called("ceil")),
    step_functions.rint: Elementwise(FLOATS, lambda x: x.called("rint")),
    step_functions.round: Elementwise(FLOATS, lambda x: x.called("rint")),
    powers.exp: Elementwise(FLOATS, vector_math.exp),
    powers.expm1: Elementwise(FLOATS, vector_math.expm1, slow_in_numpy=True),
    powers.log: Elementwise(FLOATS, vector_math.log),
    powers.log1p: Elementwise(FLOATS, vector_math.log1p, slow_in_numpy=True),
    trigonometry.sin: Elementwise(FLOATS, vector_math.sin),
    trigonometry.cos: Elementwise(FLOATS, vector_math.cos),
    trigonometry.tan: Elementwise(FLOATS, vector_math.tan, slow_in_numpy=True),
    trigonometry.tanh: Elementwise(FLOATS, vector_math.tanh),
    activation.sigmoid: Elementwise(FLOATS, vector_math.sigmoid, slow_in_numpy=True),
    activation.softplus: Elementwise(FLOATS, vector_math.softplus, slow_in_numpy=True),
    error_function.erf: Elementwise(frozenset({"float"}), vector_math.erf),
    activation.silu: Elementwise(FLOATS, silu, slow_in_numpy=True),
    losses.sigmoid_cross_entropy: Elementwise(FLOATS, sigmoid_cross_entropy),
    activation.softsign: Elementwise(FLOATS, softsign, slow_in_numpy=True),
    activation.relu: Elementwise(NUMBERS, relu),
    activation.relu6: Elementwise(NUMBERS, relu6, slow_in_numpy=True),
    activation.leaky_relu: Elementwise(FLOATS, leaky_relu, slow_in_numpy=True),
    activation.elu: Elementwise(FLOATS, elu, slow_in_numpy=True),
    activation.step: Elementwise(FLOATS, step),
    selection.maximum: Elementwise(NUMBERS, larger),
    selection.minimum: Elementwise(NUMBERS, smaller),
    selection.clip_by_value: Elementwise(NUMBERS, clipped, slow_in_numpy=True),
    arithmetic.divide_no_nan: Elementwise(FLOATS, divide_no_nan, slow_in_numpy=True),
    arithmetic.multiply_no_nan: Elementwise(FLOATS, multiply_no_nan, slow_in_numpy=True),
    arithmetic.xdivy: Elementwise(FLOATS, xdivy, slow_in_numpy=True),
    arithmetic.xlogy: Elementwise(FLOATS, xlogy, slow_in_numpy=True),
    comparison.equal: Elementwise(ALL, lambda x, y: x.equals(y)),
    comparison.not_equal: Elementwise(ALL, lambda x, y: x.differs(y)),
    comparison.less: Elementwise(NUMBERS, lambda x, y: x < y),
    comparison.less_equal: Elementwise(NUMBERS, lambda x, y: x <= y),
    comparison.greater: Elementwise(NUMBERS, lambda x, y: x > y),
    comparison.greater_equal: Elementwise(NUMBERS, lambda x, y: x >= y),
    comparison.is_nan: Elementwise(FLOATS, lambda x: x.is_nan()),
    comparison.is_inf: Elementwise(FLOATS, lambda x: x.magnitude().equals(math.inf)),
    comparison.is_finite: Elementwise(FLOATS, is_finite),
    comparison.logical_and: Elementwise(TRUTHS, lambda x, y: x & y),
    comparison.logical_or: Elementwise(TRUTHS, lambda x, y: x | y),
    comparison.logical_xor: Elementwise(TRUTHS, lambda x, y: x ^ y),
    comparison.logical_not: Elementwise(TRUTHS, lambda x: ~x),
    selection.select: Elementwise(ALL, chosen),
    casts.cast: Elementwise(ALL, cast),
    selection.zeros_like: Elementwise(ALL, lambda x: x.like(0)),
    selection.ones_like: Elementwise(ALL, lambda x: x.like(1)),
}
"""The ops that can be fused."""
