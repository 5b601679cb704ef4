"""The bends of neural networks: functions of one number that make a layer more than a matrix."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.core.op import op
from tapelab.kernels import elementwise_kernels
from tapelab.kernels.where_kernels import chosen
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.comparison import less
from tapelab.ops.rules import CONTINUOUS, FLOATS, REALS
from tapelab.ops.selection import select, zeros_like

SELU_ALPHA: Final = 1.6732632423543772
SELU_SCALE: Final = 1.0507009873554805


def leaks(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays of both signs with the derivative on the negative side."""
    return [(arrays, {"alpha": 0.2}) for arrays, _ in samples.off_zero(rng)]


@op(formula=r"y = 1 \text{ if } x > 0 \text{ else } 0", glyph="x>0", title="Unit step",
    kinds=FLOATS, samples=samples.off_zero, reference=lambda x: np.heaviside(x, 0))  # fmt: skip
def step(x: Any) -> Any:
    """1 for positive entries, 0 for the others: the derivative of a rectifier."""
    return np.asarray(x > 0).astype(x.dtype)[()]


@step.grad("x", r"\bar x = 0", local="0")
def step_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return zeros_like(dy)


@op(formula=r"y = \max(x, 0)", glyph="relu", title="Rectified linear", samples=samples.off_zero,
    kinds=REALS, reference=lambda x: x * (x > 0))  # fmt: skip
def relu(x: Any) -> Any:
    """Each positive entry as it is, and 0 for the others."""
    return np.maximum(x, x.dtype.type(0))


@relu.grad(
    "x", r"\bar x = \bar y \text{ if } x > 0 \text{ else } 0",
    local=r"1 \text{ if } x > 0 \text{ else } 0",
)  # fmt: skip
def relu_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """Where its input was above 0 the gradient passes; elsewhere it stops."""
    return dy * step(y)


@relu.grad_on_floats("x")
def relu_floats_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (y > 0)


@op(formula=r"y = \min(\max(x, 0), 6)", glyph="relu6", title="Rectified linear up to 6",
    samples=samples.off_zero, kinds=REALS, reference=lambda x: np.clip(x, 0, 6))  # fmt: skip
def relu6(x: Any) -> Any:
    """Each entry between 0 and 6 as it is, and the nearer bound for the others."""
    return np.minimum(np.maximum(x, x.dtype.type(0)), x.dtype.type(6))


@relu6.grad("x", r"\bar x = \bar y \text{ if } 0 < x < 6 \text{ else } 0")
def relu6_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * (step(y) * step(6 - y))


@op(formula=r"y = x \text{ if } x > 0 \text{ else } \alpha x", glyph="leaky", samples=leaks,
    title="Leaky rectified linear", kinds=FLOATS, reference=lambda x,
    alpha: x * (x > 0) + alpha * x * (x <= 0))  # fmt: skip
def leaky_relu(x: Any, *, alpha: float) -> Any:
    """Each positive entry as it is, and the others made small instead of cut off."""
    return chosen(x > 0, x, alpha * x)


@leaky_relu.grad("x", r"\bar x = \bar y \text{ if } x > 0 \text{ else } \alpha \bar y")
def leaky_relu_grad_x(dy: Any, y: Any, x: Any, *, alpha: float) -> Any:
    return dy * (alpha + (1 - alpha) * step(x))


@op(formula=r"y = x \text{ if } x > 0 \text{ else } e^x - 1", glyph="elu", samples=samples.off_zero,
    title="Exponential linear", kinds=FLOATS,
    reference=lambda x: np.maximum(x, 0) + np.minimum(np.exp(x) - 1, 0))  # fmt: skip
def elu(x: Any) -> Any:
    """Each positive entry as it is; the others bend smoothly towards -1."""
    return chosen(x > 0, x, np.expm1(np.minimum(x, x.dtype.type(0))))


@elu.grad("x", r"\bar x = \bar y \text{ if } x > 0 \text{ else } \bar y \cdot (y + 1)")
def elu_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return select(less(x, zeros_like(x)), dy * (y + 1), dy)


@op(formula=r"y = s x \text{ if } x > 0 \text{ else } s \alpha (e^x - 1)", glyph="selu",
    title="Scaled exponential linear", samples=samples.off_zero, kinds=FLOATS,
    reference=lambda x: SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * (np.exp(x) - 1)))  # fmt: skip
def selu(x: Any) -> Any:
    """Like elu, scaled by the two constants that keep mean 0 and variance 1 from layer to layer."""
    below = SELU_ALPHA * np.expm1(np.minimum(x, x.dtype.type(0)))
    return SELU_SCALE * chosen(x > 0, x, below)


@selu.grad("x", r"\bar x = s \bar y \text{ if } x > 0 \text{ else } \bar y \cdot (y + s \alpha)")
def selu_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return select(less(x, zeros_like(x)), dy * (y + SELU_SCALE * SELU_ALPHA), SELU_SCALE * dy)


@op(formula=r"y = \frac{1}{1 + e^{-x}}", glyph="σ", samples=samples.anywhere, kinds=CONTINUOUS,
    reference=lambda x: 1 / (1 + np.exp(-x)))  # fmt: skip
def sigmoid(x: Any) -> Any:
    """Each entry squeezed between 0 and 1, one half at 0."""
    if x.dtype.kind == "c":
        return 1 / (1 + np.exp(-x))
    if x.size < elementwise_kernels.COMPILED_FROM:
        return elementwise_kernels.sigmoid(x)
    y = elementwise_kernels.compiled("sigmoid", x)
    return elementwise_kernels.by_slices(elementwise_kernels.sigmoid, x) if y is None else y


@sigmoid.grad("x", r"\bar x = \bar y \cdot y (1 - y)", local="y (1 - y)")
def sigmoid_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The derivative of a sigmoid is y times (1 − y), never more than a quarter."""
    dx = elementwise_kernels.compiled_vjp("sigmoid_vjp", dy, y)
    if dx is not None:
        return dx
    value = conjugated(y)
    return dy * value * (1 - value)


@op(formula=r"y = \ln(1 + e^x)", glyph="softplus", samples=samples.anywhere, kinds=FLOATS,
    reference=lambda x: np.log(1 + np.exp(x)))  # fmt: skip
def softplus(x: Any) -> Any:
    """A smooth relu: close to 0 far below 0, close to x far above."""
    if x.size < elementwise_kernels.FEW:
        return np.logaddexp(x, x.dtype.type(0))
    y = elementwise_kernels.compiled("softplus", x)
    return elementwise_kernels.by_slices(elementwise_kernels.softplus, x) if y is None else y


@softplus.grad("x", r"\bar x = \bar y \cdot \sigma(x)", local=r"\sigma(x)")
def softplus_grad_x(dy: Any, y: Any, x: Any) -> Any:
    """The derivative of softplus is the sigmoid."""
    dx = elementwise_kernels.compiled_vjp("softplus_vjp", dy, x)
    return dy * sigmoid(x) if dx is None else dx


@op(formula=r"y = \frac{x}{1 + |x|}", glyph="softsign", samples=samples.off_zero, kinds=FLOATS,
    reference=lambda x: x / (1 + np.abs(x)))  # fmt: skip
def softsign(x: Any) -> Any:
    """Each entry squeezed between -1 and 1, more slowly than by tanh."""
    return x / (1 + np.abs(x))


@softsign.grad("x", r"\bar x = \frac{\bar y}{(1 + |x|)^2}", local=r"\frac{1}{(1 + |x|)^2}")
def softsign_grad_x(dy: Any, y: Any, x: Any) -> Any:
    width = abs(x) + 1
    return dy / (width * width)


@op(formula=r"y = x \cdot \sigma(x)", glyph="silu", title="Sigmoid linear", kinds=FLOATS,
    samples=samples.anywhere, reference=lambda x: x / (1 + np.exp(-x)))  # fmt: skip
def silu(x: Any) -> Any:
    """Each entry times its sigmoid, which is called swish too."""
    y = (
        elementwise_kernels.compiled("silu", x)
        if x.size >= elementwise_kernels.COMPILED_FROM
        else None
    )
    return x * sigmoid.kernel(x) if y is None else y


@silu.grad(
    "x", r"\bar x = \bar y \cdot (\sigma(x) + y - y \cdot \sigma(x))",
    local=r"\sigma(x) + y - y \cdot \sigma(x)",
)  # fmt: skip
def silu_grad_x(dy: Any, y: Any, x: Any) -> Any:
    dx = elementwise_kernels.compiled_vjp("silu_vjp", dy, x)
    if dx is not None:
        return dx
    gate = sigmoid(x)
    return dy * (gate + y - y * gate)
