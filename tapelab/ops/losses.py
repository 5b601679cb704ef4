"""Scores to probabilities, and how far they are from the labels."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.core.batching import along_axis
from tapelab.core.op import op
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets
from tapelab.errors import invalid_argument
from tapelab.kernels import elementwise_kernels
from tapelab.kernels import softmax as kernels
from tapelab.ops import samples
from tapelab.ops.activation import sigmoid
from tapelab.ops.broadcasting import sum_to
from tapelab.ops.mask_ops import marked
from tapelab.ops.rules import FLOATS, numpy_dtype
from tapelab.ops.shapes import expand_dims

_UNSIGNED: Final = {np.dtype(f"{kind}{width}"): np.dtype(f"u{width}")
                    for kind in "iu" for width in (1, 2, 4, 8)}  # fmt: skip
_largest: Final[Any] = np.maximum.reduce


scores = samples.normals(((4,), {"axis": -1}), ((2, 3), {"axis": -1}), ((2, 3), {"axis": 0}))
"""Scores with the axis along which they compete."""
upstreams = samples.normals(((2, 3), (2, 3), {"axis": -1}), ((2, 3), (2, 3), {"axis": 0}))
"""Pairs of arrays of one shape with an axis."""


def labelled(rng: np.random.Generator) -> list[samples.Sample]:
    """Rows of probabilities and of scores."""
    labels = rng.uniform(0.1, 1.0, size=(2, 3))
    return [((labels / labels.sum(-1, keepdims=True), rng.normal(size=(2, 3))), {})]


numbered = samples.normals((np.array([2, 0]), (2, 3)))
"""The number of the right class of each row, and its scores."""


@op(formula=r"y = \frac{e^x}{\sum e^x}", glyph="softmax", samples=scores, kinds=FLOATS,
    batching=along_axis)  # fmt: skip
def softmax(x: Any, *, axis: int = -1) -> Any:
    """Scores as probabilities: all positive, and 1 in total along the axis."""
    return kernels.softmax(x, axis)


@softmax.grad("x", r"\bar x = y \cdot (\bar y - \sum \bar y \cdot y)")
def softmax_grad_x(dy: Any, y: Any, x: Any, *, axis: int = -1) -> Any:
    return softmax_vjp(dy, y, axis=axis)


@op(formula=r"z = y \cdot (x - \sum x \cdot y)", glyph="softmax VJP", title="Softmax VJP",
    samples=upstreams, batching=along_axis)  # fmt: skip
def softmax_vjp(x: Any, y: Any, *, axis: int) -> Any:
    """The VJP of softmax: what comes in, less its mean under the probabilities, times them."""
    return kernels.softmax_vjp(x, y, axis)


@softmax_vjp.grad("x", r"\bar x = y \cdot (\bar z - \sum \bar z \cdot y)")
def softmax_vjp_grad_x(dz: Any, z: Any, x: Any, y: Any, *, axis: int) -> Any:
    return softmax_vjp(dz, y, axis=axis)


@softmax_vjp.grad("y", r"\bar y = \bar z \cdot (x - \sum x \cdot y) - x \cdot \sum \bar z \cdot y")
def softmax_vjp_grad_y(dz: Any, z: Any, x: Any, y: Any, *, axis: int) -> Any:
    return dz * (x - _total(x * y, axis)) - x * _total(dz * y, axis)


@op(formula=r"y = x - \log(\sum e^x)", glyph="log softmax", samples=scores, kinds=FLOATS,
    batching=along_axis)  # fmt: skip
def log_softmax(x: Any, *, axis: int = -1) -> Any:
    """The logarithms of the softmax, safe where the probabilities are too small to write down."""
    return kernels.log_softmax(x, axis)


@log_softmax.grad("x", r"\bar x = \bar y - e^y \cdot \sum \bar y")
def log_softmax_grad_x(dy: Any, y: Any, x: Any, *, axis: int = -1) -> Any:
    dx = kernels.log_softmax_vjp(dy, y, axis)
    return dy - softmax(x, axis=axis) * _total(dy, axis) if dx is None else dx


@op(formula=r"z = -\sum x \cdot \log(\operatorname{softmax}(y))", glyph="cross entropy",
    title="Softmax cross entropy", raw="SoftmaxCrossEntropyWithLogits", samples=labelled,
    same_dtype=True)  # fmt: skip
def softmax_cross_entropy(x: Any, y: Any) -> Any:
    """How surprised the scores y are by the labels x: 0 if they were sure and right."""
    if x.shape != y.shape:
        raise invalid_argument(
            "SoftmaxCrossEntropyWithLogits", "logits and labels must be broadcastable: "
            f"logits_size={brackets(y.shape)} labels_size={brackets(x.shape)}",
        )  # fmt: skip
    return kernels.cross_entropy(x, y)


@softmax_cross_entropy.grad("x", r"\bar x = -\bar z \cdot \log(\operatorname{softmax}(y))")
def softmax_cross_entropy_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return -(expand_dims(dz, axis=-1) * log_softmax(y))


@softmax_cross_entropy.grad("y", r"\bar y = \bar z \cdot (\operatorname{softmax}(y) - x)")
def softmax_cross_entropy_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    dy = kernels.cross_entropy_vjp(dz, x, y)
    return expand_dims(dz, axis=-1) * (softmax(y) - x) if dy is None else dy


@op(formula=r"z = -\log(\operatorname{softmax}(y)_x)", glyph="cross entropy",
    title="Sparse softmax cross entropy", raw="SparseSoftmaxCrossEntropyWithLogits",
    samples=numbered)  # fmt: skip
def sparse_softmax_cross_entropy(x: Any, y: Any) -> Any:
    """How surprised the scores y are by the right classes, given by number."""
    classes, count = x.reshape(-1), y.shape[-1]
    # As unsigned numbers those below 0 are large.
    if _largest(classes.view(_UNSIGNED[classes.dtype]), initial=0) >= count:
        outside = (classes < 0) | (classes >= count)
        raise invalid_argument(
            "SparseSoftmaxCrossEntropyWithLogits", "Received a label value of "
            f"{classes[outside][0]} which is outside the valid range of [0, {count}).  "
            f"Label values: {' '.join(map(str, classes))}",
        )  # fmt: skip
    return kernels.numbered_cross_entropy(classes, y).reshape(x.shape)[()]


sparse_softmax_cross_entropy.no_grad(
    "x", because="A class is a number by name only; half a class further means nothing."
)


@sparse_softmax_cross_entropy.grad("y", r"\bar y = \bar z \cdot (\operatorname{softmax}(y) - x)")
def sparse_softmax_cross_entropy_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    if type(x) is Tensor:
        one, nothing = np.eye(1, 2, dtype=numpy_dtype(y))[0]
        right = marked(x, depth=int(y.shape[-1]), on=one, off=nothing, axis=-1)
    else:
        classes = np.asarray(x)
        dy = kernels.numbered_cross_entropy_vjp(dz, classes, y)
        if dy is not None:
            return dy
        if type(dz) is type(y) is np.ndarray:
            return kernels.numbered_softmax_vjp(dz, classes, y)
        right = (np.arange(y.shape[-1]) == classes[..., None]).astype(numpy_dtype(y))
    return expand_dims(dz, axis=-1) * (softmax(y) - right)


@op(formula=r"z = \max(y, 0) - x \cdot y + \log(1 + e^{-|y|})", glyph="cross entropy",
    title="Sigmoid cross entropy", raw="SigmoidCrossEntropyWithLogits", samples=samples.pairs,
    broadcasts=True, same_dtype=True)  # fmt: skip
def sigmoid_cross_entropy(x: Any, y: Any) -> Any:
    """How surprised each score y is by its label x between 0 and 1."""
    if y.size >= elementwise_kernels.COMPILED_FROM:
        z = elementwise_kernels.compiled("sigmoid_cross_entropy", x, y)
        if z is not None:
            return z
    return np.maximum(y, y.dtype.type(0)) - x * y + np.log1p(np.exp(-np.abs(y)))


@sigmoid_cross_entropy.grad("x", r"\bar x = -\bar z \cdot y", local="-y")
def sigmoid_cross_entropy_grad_x(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return -(dz * y)


@sigmoid_cross_entropy.grad("y", r"\bar y = \bar z \cdot (\sigma(y) - x)", local=r"\sigma(y) - x")
def sigmoid_cross_entropy_grad_y(dz: Any, z: Any, x: Any, y: Any) -> Any:
    return dz * (sigmoid(y) - x)


@op(formula=r"y = \frac{\sum x^2}{2}", glyph="½Σx²", title="Half the squared length", raw="L2Loss",
    samples=samples.anywhere, kinds=FLOATS)  # fmt: skip
def l2_loss(x: Any) -> Any:
    """Half the sum of the squares: its derivative is the tensor itself."""
    return np.sum(x * x) / x.dtype.type(2)


@l2_loss.grad("x", r"\bar x = \bar y \cdot x")
def l2_loss_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * x


def _total(x: Any, axis: int) -> Any:
    """The sum along an axis, which stays as an axis of length 1."""
    shape = list(x.shape)
    shape[axis] = 1
    return sum_to(x, shape=tuple(shape))
