"""Exponentials and logarithms, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.kernels.elements import LARGE, by_numpy
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.rules import CONTINUOUS


@op(formula="y = e^x", glyph="eˣ", title="Exponential", samples=samples.anywhere, kinds=CONTINUOUS,
    reference=lambda x: np.e**x)  # fmt: skip
def exp(x: Any) -> Any:
    """The number e raised to each entry; its slope is its own value."""
    return np.exp(x) if x.size < LARGE else by_numpy(np.exp, x)


@exp.grad("x", r"\bar x = \bar y \cdot y", local="y")
def exp_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """An exponential is its own slope."""
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
    """The slope of a logarithm is one over its argument."""
    return dy / conjugated(x)


@op(formula=r"y = \ln(1 + x)", glyph="ln(1+x)", title="Logarithm of 1 plus", kinds=CONTINUOUS,
    samples=samples.within_one, reference=lambda x: np.log(1 + x))  # fmt: skip
def log1p(x: Any) -> Any:
    """The logarithm of 1 plus each entry, exact also where the entry is close to 0."""
    return np.log1p(x) if x.size < LARGE else by_numpy(np.log1p, x)


@log1p.grad("x", r"\bar x = \frac{\bar y}{1 + x}", local=r"\frac{1}{1 + x}")
def log1p_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy / conjugated(x + 1)
