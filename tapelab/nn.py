"""`tf.nn`: the parts of neural networks: bends, losses, normalisation, dropout."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import convolving, math, sorting
from tapelab.engine.composite_tensor import elementwise, takes_composites
from tapelab.engine.dispatch import composite
from tapelab.engine.tensor import Tensor
from tapelab.engine.wording import brackets, spoken
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.missing import in_module
from tapelab.ops import activation, composites, losses, powers, reduction, selection, stops
from tapelab.ops.arithmetic import multiply, negative
from tapelab.ops.casting import cast
from tapelab.ops.comparison import equal, greater_equal
from tapelab.ops.error_function import erf
from tapelab.ops.hyperbolic import tanh as _tanh
from tapelab.ops.public import axes_of, matched, strict_operand, tensor, unary
from tapelab.ops.settings import number, one_float
from tapelab.ops.shape import reshape, squeeze, transpose
from tapelab.picking import gather
from tapelab.random import uniform
from tapelab.shaping import concat

log_sigmoid = composites.log_sigmoid
conv1d = convolving.conv1d
conv2d = convolving.conv2d
conv2d_transpose = convolving.conv2d_transpose
max_pool = max_pool2d = convolving.max_pool2d
avg_pool = avg_pool2d = convolving.avg_pool2d
top_k = sorting.top_k
relu = unary(activation.relu)
relu6 = unary(activation.relu6)
elu = unary(activation.elu)
selu = unary(activation.selu)
sigmoid = math.sigmoid
softplus = math.softplus
softsign = math.softsign
tanh = math.tanh
l2_loss = unary(losses.l2_loss)


@elementwise
@composite
def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """Each positive entry as it is, and the others made small instead of cut off."""
    x = tensor(features)
    if x.dtype.is_integer:
        x = cast(x, dtype=np.dtype(np.float32))
    made: Tensor = activation.leaky_relu(x, alpha=one_float("alpha", alpha))
    return made


@elementwise
@composite
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """Each entry times the share of a normal distribution that lies below it."""
    x: Any = tensor(features)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`features.dtype` must be a floating point tensor. Received: features.dtype={x.dtype}"
        )
    if approximate:
        inner = (x + x * x * x * 0.044715) * 0.7978845608028654
        return x * 0.5 * (_tanh(inner) + 1.0)
    return x * 0.5 * (erf(x / 1.4142135623730951) + 1.0)


@elementwise
def silu(features: Any, beta: Any = 1.0, name: str | None = None) -> Any:
    """Each entry times its sigmoid, which is called swish too."""
    x = tensor(features)
    if beta == 1.0:
        return activation.silu(x)
    return _swish(x, beta)


swish = silu


@composite
def _swish(x: Any, beta: Any) -> Any:
    return x * activation.sigmoid(x * beta)


def crelu(features: Any, axis: Any = -1, name: str | None = None) -> Any:
    """The positive and the negative parts of the entries, one after the other."""
    x = tensor(features)
    return relu(concat([x, negative(x)], axis))


@takes_composites
def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Scores as probabilities: all positive, and 1 in total along the axis."""
    x, along = _scores(logits, axis)
    made: Tensor = losses.softmax(x, axis=along)
    return made


def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The logarithms of the softmax, safe where the probabilities are too small to write down."""
    x, along = _scores(logits, axis)
    made: Tensor = losses.log_softmax(x, axis=along)
    return made


def _scores(logits: Any, axis: Any) -> tuple[Tensor, int]:
    x, along = tensor(logits), -1 if axis is None else number(axis, "Softmax")
    rank = x._value.ndim
    if not -rank <= along < rank:
        raise InvalidArgumentError(
            None, "Softmax", f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the "
            f"number of dimensions in the input. Received: dim={along}",
        )  # fmt: skip
    return x, along


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """How surprised rows of scores are by rows of probabilities: one number for each row."""
    y = tensor(logits)
    _require_floats("SoftmaxCrossEntropyWithLogits", y)
    x = strict_operand(labels, y.dtype)
    x = x if x.dtype is y.dtype else cast(x, dtype=np.dtype(y.dtype.as_numpy_dtype))
    if axis not in {-1, y.ndim - 1}:
        order = (*(at for at in range(y.ndim) if at != axis % y.ndim), axis % y.ndim)
        x, y = transpose(x, perm=order), transpose(y, perm=order)
    made: Tensor = losses.softmax_cross_entropy(x, y)
    return made


def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """How surprised rows of scores are by the right classes, given by number."""
    x, y = tensor(labels), tensor(logits)
    if not x.dtype.is_integer:
        raise invalid_argument(
            "SparseSoftmaxCrossEntropyWithLogits", f"Value for attr 'Tlabels' of {x.dtype.name} is "
            "not in the list of allowed values: int32, int64. For rows of probabilities try "
            "tf.nn.softmax_cross_entropy_with_logits",
        )  # fmt: skip
    _require_floats("SparseSoftmaxCrossEntropyWithLogits", y)
    if not y._value.ndim:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    if x.shape != y.shape[:-1]:
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={x.shape} and logits.shape={y.shape}"
        )
    made: Tensor = losses.sparse_softmax_cross_entropy(x, y)
    return made


def _require_floats(raw: str, logits: Tensor) -> None:
    if not logits.dtype.is_floating:
        raise invalid_argument(
            raw, f"Value for attr 'T' of {spoken(logits._value.dtype)} is not in the list of "
            "allowed values: half, float, double. Scores are floats; try tf.cast(x, tf.float32)",
        )  # fmt: skip


@elementwise
def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """How surprised each score is by its label between 0 and 1."""
    y = tensor(logits)
    x = strict_operand(labels, y.dtype)
    if x.shape != y.shape:
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received ({y.shape} vs {x.shape})."
        )
    made: Tensor = losses.sigmoid_cross_entropy(x, y)
    return made


@composite
def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Any:
    """The sigmoid cross entropy with more weight on the positive labels."""
    given: Any = matched(labels, logits, pos_weight)
    x, y, weight = given
    more = (weight - 1.0) * x + 1.0
    return (1.0 - x) * y + more * activation.softplus(-y)


@composite
def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean of the entries along the axes, and the mean squared distance from it."""
    given = tensor(x)
    along = axes_of(given, axes, "Mean")
    mean = reduction.reduce_mean(given, axis=along, keepdims=True)
    away = powers.squared_difference(given, stops.stop_gradient(mean))
    variance = reduction.reduce_mean(away, axis=along, keepdims=keepdims)
    if not keepdims:
        mean = squeeze(mean, axis=along)
    return mean, variance


@composite
def l2_normalize(x: Any, axis: Any = None, epsilon: Any = 1e-12, name: str | None = None) -> Any:
    """The entries divided by their length along the axes, which is then 1."""
    given: Any = tensor(x)
    total = reduction.reduce_sum(
        powers.square(given), axis=axes_of(given, axis, "Sum"), keepdims=True
    )
    floor = strict_operand(epsilon, given.dtype)
    return given * powers.rsqrt(selection.maximum(total, floor))


@composite
def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The entries moved to mean 0 and variance 1, then scaled and shifted as learned."""
    given: Any = tensor(x)
    centre: Any = strict_operand(mean, given.dtype)
    spread: Any = strict_operand(variance, given.dtype)
    factor = powers.rsqrt(spread + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    shift = -(centre * factor)
    return given * factor + (shift if offset is None else offset + shift)


def bias_add(value: Any, bias: Any, data_format: Any = None, name: str | None = None) -> Any:
    """One number added to each channel: the last axis, or the second one for "NC…"."""
    x, b = matched(value, bias)
    channel = 1 if data_format is not None and data_format.startswith("NC") else x.ndim - 1
    if x.ndim < 2:
        raise invalid_argument(
            "BiasAdd", f"Input tensor must be at least 2D: {brackets(x._value.shape)}"
        )
    if b.ndim != 1 or b._value.size != x._value.shape[channel]:
        raise invalid_argument(
            "BiasAdd", "Must provide as many biases as the last dimension of the input tensor: "
            f"{brackets(b._value.shape)} vs. {brackets(x._value.shape)}",
        )  # fmt: skip
    return _add_to_channel(x, b, channel)


@composite
def _add_to_channel(x: Any, b: Any, channel: int) -> Any:
    after = x.ndim - 1 - channel
    return x + (reshape(b, shape=(-1, *(1,) * after)) if after else b)


@takes_composites
def embedding_lookup(
    params: Any, ids: Any, max_norm: Any = None, name: str | None = None
) -> Tensor:
    """The rows of a table with the given numbers."""
    return gather(params, ids)


@takes_composites
@composite
def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Some entries set to 0 by chance, the others scaled up so that the mean stays."""
    given, share = tensor(x), one_float("rate", rate)
    if not 0 <= share < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    if not given.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. "
            f"Received: x_dtype={given.dtype}"
        )
    if share == 0:
        return stops.identity(given)
    size = given.shape if noise_shape is None else noise_shape
    chance = uniform(size, seed=seed, dtype=given.dtype)
    kept = greater_equal(chance, strict_operand(share, given.dtype))
    scaled = multiply(given, strict_operand(1.0 / (1.0 - share), given.dtype))
    return selection.select(kept, scaled, selection.zeros_like(scaled))


@composite
def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """Which share of the entries is 0."""
    x = tensor(value)
    hits = cast(equal(x, selection.zeros_like(x)), dtype=np.dtype(np.float32))
    made: Tensor = reduction.reduce_mean(hits, axis=None, keepdims=False)
    return made


__getattr__, __dir__ = in_module(__name__)
