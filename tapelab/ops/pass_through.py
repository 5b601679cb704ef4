"""Ops that pass a value on: unchanged, read from a variable, without its gradient, if finite."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.batching import on_last_axes
from tapelab.core.op import op
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.rules import FLOATS


@op(formula="y = x", glyph="id", samples=samples.anywhere, propagates_slices=True, linear=True)
def identity(x: Any) -> Any:
    """The same value as a tensor of its own."""
    return np.positive(x) if x.dtype.kind in "fciu" else x.copy()


@identity.grad("x", r"\bar x = \bar y", local="1")
def identity_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy


@op(formula="y = x", glyph="id", title="Identity of several", raw="IdentityN",
    samples=samples.several, multi=True, batching=on_last_axes)  # fmt: skip
def identity_n(*x: Any) -> Any:
    """The same values as tensors of their own."""
    return tuple(np.positive(each) if each.dtype.kind in "fciu" else each.copy() for each in x)


@identity_n.grads({"x": r"\bar x = \bar y"})
def identity_n_grads(dy: Any, y: Any, *x: Any) -> Any:
    return dy


@op(formula="y = x", glyph="read", raw="ReadVariableOp", samples=samples.anywhere,
    propagates_slices=True, linear=True)  # fmt: skip
def read_value(x: Any) -> Any:
    """The present value of a variable as a tensor of its own."""
    return x


@read_value.grad("x", r"\bar x = \bar y", local="1")
def read_value_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy


@op(formula="y = x", glyph="stop", pattern="stop", samples=samples.anywhere, batching=on_last_axes)
def stop_gradient(x: Any) -> Any:
    """The same value; no gradient passes through it."""
    return x


stop_gradient.no_grad(
    "x", because="stop_gradient lets the value through and holds the gradient back."
)


@op(formula="y = x", glyph="finite!", raw="CheckNumerics", samples=samples.anywhere, kinds=FLOATS,
    reference=np.positive)  # fmt: skip
def check_finite(x: Any, *, message: str = "") -> Any:
    """The same value, or an error where an entry is NaN or infinite."""
    for occurs, called in ((np.isnan(x).any(), "NaN"), (np.isinf(x).any(), "Inf")):
        if occurs:
            raise invalid_argument("CheckNumerics", f"{message} : Tensor had {called} values")
    return x


@check_finite.grad("x", r"\bar x = \bar y", local="1")
def check_finite_grad_x(dy: Any, y: Any, x: Any, *, message: str = "") -> Any:
    return dy
