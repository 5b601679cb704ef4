"""Sine and cosine and their relatives, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.engine.op import op
from tapelab.ops import samples
from tapelab.ops.arithmetic import conj, multiply, negative


@op(formula=r"y = \sin x", glyph="sin", title="Sine", samples=samples.anywhere, reference=np.sin)
def sin(x: Any) -> Any:
    """The sine of each entry, in radians."""
    return np.sin(x)


@sin.grad("x", r"\bar x = \bar y \cdot \cos x", local=r"\cos x")
def sin_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return multiply(dy, conj(cos(x)))


@op(formula=r"y = \cos x", glyph="cos", title="Cosine", samples=samples.anywhere, reference=np.cos)
def cos(x: Any) -> Any:
    """The cosine of each entry, in radians."""
    return np.cos(x)


@cos.grad("x", r"\bar x = -\bar y \cdot \sin x", local=r"-\sin x")
def cos_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return negative(multiply(dy, conj(sin(x))))
