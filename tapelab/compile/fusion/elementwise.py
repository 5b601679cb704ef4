"""What each op does to single entries, on `Lanes`: the ops that can be fused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.compile.fusion import functions
from tapelab.compile.fusion.lanes import BITS_OF, Lanes, kind_of

Elementwise = Callable[..., Lanes]

FLOATS: Final = frozenset(BITS_OF)
NUMBERS: Final = FLOATS | {"i32", "i64"}
ALL: Final = NUMBERS | {"i1"}
TRUTHS: Final = frozenset({"i1"})


def add_n(*x: Lanes) -> Lanes:
    """The sum from the first to the last."""
    total = x[0]
    for each in x[1:]:
        total = total + each
    return total


def larger(x: Lanes, y: Lanes) -> Lanes:
    """The larger of two, the second if they are equal, NaN if one of them is."""
    return x.where(y, (x > y) | x.is_nan() if x.kind in FLOATS else x > y)


def smaller(x: Lanes, y: Lanes) -> Lanes:
    """The smaller of two, the second if they are equal, NaN if one of them is."""
    return x.where(y, (x < y) | x.is_nan() if x.kind in FLOATS else x < y)


def clipped(x: Lanes, low: Lanes, high: Lanes) -> Lanes:
    """No more than the one bound, then no less than the other."""
    return larger(smaller(x, high), low)


def relu(x: Lanes) -> Lanes:
    """The larger of x and 0."""
    return larger(x, x.like(0))


def relu6(x: Lanes) -> Lanes:
    """Between 0 and 6."""
    return smaller(relu(x), x.like(6))


def leaky_relu(x: Lanes, *, alpha: float) -> Lanes:
    """Less steep below 0."""
    return x.where(x * alpha, x > 0)


def elu(x: Lanes) -> Lanes:
    """An exponential below 0."""
    return x.where(functions.expm1(smaller(x, x.like(0))), x > 0)


def softsign(x: Lanes) -> Lanes:
    """The number divided by 1 + its magnitude."""
    return x / (x.magnitude() + 1)


def silu(x: Lanes) -> Lanes:
    """Each entry times its sigmoid."""
    return x * functions.sigmoid(x)


def sigmoid_cross_entropy(labels: Lanes, scores: Lanes) -> Lanes:
    """How surprised each score is by its label: softplus of the score less their product."""
    slack = functions.log1p(functions.exp(-scores.magnitude()))
    return larger(scores, scores.like(0)) - labels * scores + slack


def step(x: Lanes) -> Lanes:
    """1 for positive numbers, 0 for others."""
    return x.like(1).where(0, x > 0)


def sign(x: Lanes) -> Lanes:
    """1, -1, or 0; NaN stays."""
    rest = x.like(-1).where(x if x.kind in FLOATS else x.like(0), x < 0)
    rest = x.like(0).where(rest, x.equals(0))
    return x.like(1).where(rest, x > 0)


def magnitude(x: Lanes) -> Lanes:
    """The distance from 0."""
    return x.magnitude() if x.kind in FLOATS else (-x).where(x, x < 0)


def square(x: Lanes) -> Lanes:
    """Each entry times itself."""
    return x * x


def squared_difference(x: Lanes, y: Lanes) -> Lanes:
    """The square of a distance."""
    return (x - y) * (x - y)


def sqrt(x: Lanes) -> Lanes:
    """The square root, rounded right."""
    return x.called("sqrt")


def divide_no_nan(x: Lanes, y: Lanes) -> Lanes:
    """The quotient, and 0 over 0."""
    return y.like(0).where(x / y, y.equals(0))


def multiply_no_nan(x: Lanes, y: Lanes) -> Lanes:
    """The product, and 0 where the second is."""
    return y.like(0).where(x * y, y.equals(0))


def xdivy(x: Lanes, y: Lanes) -> Lanes:
    """The quotient, and 0 where the first is."""
    return x.like(0).where(x / y, x.equals(0))


def xlogy(x: Lanes, y: Lanes) -> Lanes:
    """The first times the logarithm of the second, and 0 where the first is."""
    return x.like(0).where(x * functions.log(y), x.equals(0))


def chosen(condition: Lanes, x: Lanes, y: Lanes) -> Lanes:
    """The one or the other."""
    return x.where(y, condition)


def is_finite(x: Lanes) -> Lanes:
    """Neither infinite nor NaN."""
    return x.magnitude() < math.inf


def cast(x: Lanes, *, dtype: Any) -> Lanes:
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

ELEMENTWISE: Final[dict[str, tuple[frozenset[str], Elementwise]]] = {
    "add": (NUMBERS, lambda x, y: x + y),
    "subtract": (NUMBERS, lambda x, y: x - y),
    "multiply": (NUMBERS, lambda x, y: x * y),
    "divide": (FLOATS, lambda x, y: x / y),
    "negative": (NUMBERS, lambda x: -x),
    "add_n": (NUMBERS, add_n),
    "square": (NUMBERS, square),
    "squared_difference": (NUMBERS, squared_difference),
    "reciprocal": (FLOATS, lambda x: 1 / x),
    "sqrt": (FLOATS, sqrt),
    "rsqrt": (FLOATS, lambda x: 1 / sqrt(x)),
    "abs": (NUMBERS, magnitude),
    "sign": (NUMBERS, sign),
    "floor": (FLOATS, lambda x: x.called("floor")),
    "ceil": (FLOATS, lambda x: x.called("ceil")),
    "rint": (FLOATS, lambda x: x.called("rint")),
    "round": (FLOATS, lambda x: x.called("rint")),
    "exp": (FLOATS, functions.exp),
    "expm1": (FLOATS, functions.expm1),
    "log": (FLOATS, functions.log),
    "log1p": (FLOATS, functions.log1p),
    "sin": (FLOATS, functions.sin),
    "cos": (FLOATS, functions.cos),
    "tan": (FLOATS, functions.tan),
    "tanh": (FLOATS, functions.tanh),
    "sigmoid": (FLOATS, functions.sigmoid),
    "softplus": (FLOATS, functions.softplus),
    "erf": (frozenset({"float"}), functions.erf),
    "silu": (FLOATS, silu),
    "sigmoid_cross_entropy": (FLOATS, sigmoid_cross_entropy),
    "softsign": (FLOATS, softsign),
    "relu": (NUMBERS, relu),
    "relu6": (NUMBERS, relu6),
    "leaky_relu": (FLOATS, leaky_relu),
    "elu": (FLOATS, elu),
    "step": (FLOATS, step),
    "maximum": (NUMBERS, larger),
    "minimum": (NUMBERS, smaller),
    "clip_by_value": (NUMBERS, clipped),
    "divide_no_nan": (FLOATS, divide_no_nan),
    "multiply_no_nan": (FLOATS, multiply_no_nan),
    "xdivy": (FLOATS, xdivy),
    "xlogy": (FLOATS, xlogy),
    "equal": (ALL, lambda x, y: x.equals(y)),
    "not_equal": (ALL, lambda x, y: x.differs(y)),
    "less": (NUMBERS, lambda x, y: x < y),
    "less_equal": (NUMBERS, lambda x, y: x <= y),
    "greater": (NUMBERS, lambda x, y: x > y),
    "greater_equal": (NUMBERS, lambda x, y: x >= y),
    "is_nan": (FLOATS, lambda x: x.is_nan()),
    "is_inf": (FLOATS, lambda x: x.magnitude().equals(math.inf)),
    "is_finite": (FLOATS, is_finite),
    "logical_and": (TRUTHS, lambda x, y: x & y),
    "logical_or": (TRUTHS, lambda x, y: x | y),
    "logical_xor": (TRUTHS, lambda x, y: x ^ y),
    "logical_not": (TRUTHS, lambda x: ~x),
    "where": (ALL, chosen),
    "cast": (ALL, cast),
    "zeros_like": (ALL, lambda x: x.like(0)),
    "ones_like": (ALL, lambda x: x.like(1)),
}
"""Each op with the kinds of its first operand and its work on lanes."""
