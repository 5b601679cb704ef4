"""`tf.nn`: the parts of neural networks: bends, losses, normalisation, dropout."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapelab import math
from tapelab.array_ops import sort_ops
from tapelab.array_ops.creation import constant
from tapelab.array_ops.shape_ops import concat
from tapelab.array_ops.value_ops import cast as to_dtype
from tapelab.core.dispatch import public
from tapelab.core.execute import composite
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets, spoken
from tapelab.errors import invalid_argument
from tapelab.math import order
from tapelab.namespace.missing_names import in_module
from tapelab.nn import (
    convolutions,
    cross_entropy,
    dropout_ops,
    lookups,
    norm_ops,
    pool_ops,
    space_batches,
)
from tapelab.ops import activation, composites, isotonic, losses
from tapelab.ops.arithmetic import negative
from tapelab.ops.casts import cast
from tapelab.ops.error_function import erf
from tapelab.ops.integer_arguments import one_float
from tapelab.ops.public import matched, one_axis, tensor, unary
from tapelab.ops.shapes import reshape, transpose
from tapelab.ops.trigonometry import tanh as _tanh

log_sigmoid = composites.log_sigmoid
atrous_conv2d = convolutions.atrous_conv2d
atrous_conv2d_transpose = convolutions.atrous_conv2d_transpose
conv1d = convolutions.conv1d
conv1d_transpose = convolutions.conv1d_transpose
conv2d = convolutions.conv2d
conv2d_transpose = convolutions.conv2d_transpose
conv3d = convolutions.conv3d
conv3d_transpose = convolutions.conv3d_transpose
conv_transpose = convolutions.conv_transpose
convolution = convolutions.convolution
depthwise_conv2d = convolutions.depthwise_conv2d
separable_conv2d = convolutions.separable_conv2d
avg_pool = pool_ops.avg_pool
avg_pool1d = pool_ops.avg_pool1d
avg_pool2d = pool_ops.avg_pool2d
avg_pool3d = pool_ops.avg_pool3d
max_pool = pool_ops.max_pool
max_pool1d = pool_ops.max_pool1d
max_pool2d = pool_ops.max_pool2d
max_pool3d = pool_ops.max_pool3d
max_pool_with_argmax = pool_ops.max_pool_with_argmax
pool = pool_ops.pool
depth_to_space = space_batches.depth_to_space
space_to_depth = space_batches.space_to_depth
compute_average_loss = cross_entropy.compute_average_loss
log_poisson_loss = cross_entropy.log_poisson_loss
log_softmax = cross_entropy.log_softmax
embedding_lookup = lookups.embedding_lookup
embedding_lookup_sparse = lookups.embedding_lookup_sparse
scale_regularization_loss = cross_entropy.scale_regularization_loss
sigmoid_cross_entropy_with_logits = cross_entropy.sigmoid_cross_entropy_with_logits
softmax = cross_entropy.softmax
softmax_cross_entropy_with_logits = cross_entropy.softmax_cross_entropy_with_logits
sparse_softmax_cross_entropy_with_logits = cross_entropy.sparse_softmax_cross_entropy_with_logits
weighted_cross_entropy_with_logits = cross_entropy.weighted_cross_entropy_with_logits
batch_norm_with_global_normalization = norm_ops.batch_norm_with_global_normalization
batch_normalization = norm_ops.batch_normalization
l2_normalize = norm_ops.l2_normalize
local_response_normalization = norm_ops.local_response_normalization
lrn = norm_ops.lrn
moments = norm_ops.moments
normalize_moments = norm_ops.normalize_moments
sufficient_statistics = norm_ops.sufficient_statistics
weighted_moments = norm_ops.weighted_moments
zero_fraction = norm_ops.zero_fraction
dropout = dropout_ops.dropout
experimental = dropout_ops.experimental
top_k = sort_ops.top_k
in_top_k = order.in_top_k
approx_max_k = order.approx_max_k
approx_min_k = order.approx_min_k
relu = unary(activation.relu)
relu6 = unary(activation.relu6)
elu = unary(activation.elu)
selu = unary(activation.selu)
sigmoid = math.sigmoid
softplus = math.softplus
softsign = math.softsign
tanh = math.tanh
l2_loss = unary(losses.l2_loss)


@public(elementwise=True, group=True)
def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """Each positive entry as it is, and the others made small instead of cut off."""
    x = tensor(features)
    if x.dtype.is_integer:
        x = cast(x, dtype=np.dtype(np.float32))
    activated: Tensor = activation.leaky_relu(x, alpha=one_float("alpha", alpha))
    return activated


@public(elementwise=True, group=True)
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """Each entry times the share of a normal distribution that lies below it."""
    x: Any = tensor(features)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`features.dtype` must be a floating point tensor. Received: features.dtype={x.dtype}"
        )
    if approximate:
        cubic = float(np.float32(0.044715))  # TensorFlow casts it from float32
        inner = (x + x * x * x * cubic) * float((2 / np.pi) ** 0.5)
        return x * 0.5 * (_tanh(inner) + 1.0)
    return x * 0.5 * (erf(x * np.float32(0.5**0.5)) + 1.0)


@public(elementwise=True)
def silu(features: Any, beta: Any = 1.0, name: str | None = None) -> Any:
    """Each entry times its sigmoid, which is called swish too."""
    x = tensor(features)
    if isinstance(beta, float) and beta == 1.0:
        return activation.silu(x)
    return _swish(x, to_dtype(beta, x.dtype))


swish = silu


@composite
def _swish(x: Any, beta: Any) -> Any:
    return x * activation.sigmoid(x * beta)


@public
def crelu(features: Any, axis: Any = -1, name: str | None = None) -> Any:
    """The positive and the negative parts of the entries, one after the other."""
    x = tensor(features)
    return relu(concat([x, negative(x)], axis))


@public
def bias_add(value: Any, bias: Any, data_format: Any = None, name: str | None = None) -> Any:
    """One number added to each channel: the last axis, or the second one for "NC…"."""
    x, b = matched(value, bias)
    channel = 1 if data_format is not None and data_format.startswith("NC") else x.ndim - 1
    if x.ndim < 2:
        raise invalid_argument(
            "BiasAdd", f"Input tensor must be at least 2D: {brackets(x._array.shape)}"
        )
    if b.ndim != 1 or b._array.size != x._array.shape[channel]:
        raise invalid_argument(
            "BiasAdd", "Must provide as many biases as the last dimension of the input tensor: "
            f"{brackets(b._array.shape)} vs. {brackets(x._array.shape)}",
        )  # fmt: skip
    return _add_to_channel(x, b, channel)


@composite
def _add_to_channel(x: Any, b: Any, channel: int) -> Any:
    after = x.ndim - 1 - channel
    return x + (reshape(b, shape=(-1, *(1,) * after)) if after else b)


class IsotonicRegression(NamedTuple):
    """Entries that never rise, and the number of the block that each belongs to."""

    output: Tensor
    segments: Tensor


@public
def isotonic_regression(
    inputs: Any, decreasing: bool = True, axis: Any = -1, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The nearest entries that never rise (or never fall), and the number of each entry's block.

    The pair is an `IsotonicRegression` where nothing had to be turned, a plain pair otherwise.
    """
    given: Any = tensor(inputs)
    x: Any = cast(given, dtype=_mean_dtype(given)) if given.dtype.is_integer else given
    if not x.dtype.is_floating:
        raise invalid_argument(
            "IsotonicRegression", f"Value for attr 'T' of {spoken(x._array.dtype)} is not in the "
            "list of allowed values: float, double, int32, int64, half. Means are of real numbers",
        )  # fmt: skip
    if not x.ndim and axis == -1:
        return IsotonicRegression(x, constant(0)) if decreasing else (x, constant(0))
    along = one_axis(x, axis, "IsotonicRegression", "axis must be in the range")
    order = (*(at for at in range(x.ndim) if at != along), along)
    last = along == x.ndim - 1
    moved: Any = x if last else transpose(x, perm=order)
    moved = moved if decreasing else negative(moved)
    numbers = constant(isotonic.blocks_of(moved._value))
    fitted: Any = isotonic.isotonic_regression(moved)
    fitted = fitted if decreasing else negative(fitted)
    if last:
        return IsotonicRegression(fitted, numbers) if decreasing else (fitted, numbers)
    back = tuple(int(at) for at in np.argsort(order))
    return transpose(fitted, perm=back), transpose(numbers, perm=back)


def _mean_dtype(x: Tensor) -> str:
    """The floats that hold means of integers: half as wide for up to 16 bits."""
    return "float32" if x.dtype.size <= 2 else "float64"


__getattr__, __dir__ = in_module(__name__)
