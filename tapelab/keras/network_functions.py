"""Functions of `tf.keras.ops` that layers are made of: windows, normalization and losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import linalg, math, nn
from tapelab.array_ops import creation, gather_ops, shape_ops, value_ops
from tapelab.keras import backend
from tapelab.keras.keras_tensor import Function, operation
from tapelab.keras.layers.window_shapes import layout_of
from tapelab.keras.op_declarations import as_floats, promoted


def _layout(data_format: Any, rank: int) -> str:
    spatial = "DHW"[-rank:]
    return f"N{spatial}C" if layout_of(data_format) == "channels_last" else f"NC{spatial}"


def _sizes(value: Any, rank: int) -> list[int]:
    return [int(value)] * rank if isinstance(value, (int, np.integer)) else [int(v) for v in value]


@operation
def conv(
    inputs: Any, kernel: Any, strides: Any = 1, padding: str = "valid", data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:  # fmt: skip
    """Return the convolution of inputs with a kernel over 1, 2 or 3 spatial axes."""
    x, filters = promoted(inputs, kernel)
    rank = x.ndim - 2
    return nn.convolution(
        x, filters, _sizes(strides, rank), padding.upper(), _layout(data_format, rank),
        _sizes(dilation_rate, rank),
    )  # fmt: skip


@operation
def conv_transpose(
    inputs: Any, kernel: Any, strides: Any = 1, padding: str = "valid", output_padding: Any = None,
    data_format: Any = None, dilation_rate: Any = 1,
) -> Any:  # fmt: skip
    """Return the transposed convolution of inputs with a kernel."""
    x, filters = promoted(inputs, kernel)
    rank = x.ndim - 2
    layout = _layout(data_format, rank)
    steps, spread = _sizes(strides, rank), _sizes(dilation_rate, rank)
    first = 1 if layout.endswith("C") else 2
    sizes = [
        transposed_length(int(x.shape[first + at]), int(filters.shape[at]), padding,
                          None if output_padding is None else _sizes(output_padding, rank)[at],
                          steps[at], spread[at])
        for at in range(rank)
    ]  # fmt: skip
    shape = [int(x.shape[0]), *sizes]
    shape.insert(len(shape) if layout.endswith("C") else 1, int(filters.shape[-2]))
    return nn.conv_transpose(x, filters, shape, steps, padding.upper(), layout, spread)


def transposed_length(
    length: int, window: int, padding: str, added: int | None, step: int, spread: int
) -> int:
    """Return the size of an axis after a transposed convolution."""
    window = (window - 1) * spread + 1
    if padding == "same":
        return length * step if added is None else (length - 1) * step + window % 2 + added
    whole = length * step + max(window - step, 0)
    return whole if added is None else (length - 1) * step + window + added


@operation
def depthwise_conv(
    inputs: Any, kernel: Any, strides: Any = 1, padding: str = "valid", data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:  # fmt: skip
    """Return convolutions of each channel with filters of its own."""
    x, filters = promoted(inputs, kernel)
    rank = x.ndim - 2
    steps, spread = _sizes(strides, rank), _sizes(dilation_rate, rank)
    layout = _layout(data_format, rank)
    if rank == 1:  # a row is an image of one line
        at = 1 if layout.endswith("C") else 2
        wide = nn.depthwise_conv2d(
            shape_ops.expand_dims(x, at), shape_ops.expand_dims(filters, 0), [1, *steps * 2, 1]
            if layout.endswith("C") else [1, 1, *steps * 2], padding.upper(),
            _layout(data_format, 2), [1, *spread],
        )  # fmt: skip
        return shape_ops.squeeze(wide, [at])
    strides_of_all = [1, *steps, 1] if layout.endswith("C") else [1, 1, *steps]
    return nn.depthwise_conv2d(x, filters, strides_of_all, padding.upper(), layout, spread)


@operation
def separable_conv(
    inputs: Any, depthwise_kernel: Any, pointwise_kernel: Any, strides: Any = 1,
    padding: str = "valid", data_format: Any = None, dilation_rate: Any = 1,
) -> Any:  # fmt: skip
    """Return a convolution of each channel, then one over the channels of each place."""
    by_channel = depthwise_conv(
        inputs, depthwise_kernel, strides, padding, data_format, dilation_rate
    )
    return conv(by_channel, pointwise_kernel, 1, "valid", data_format, 1)


@operation
def max_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid",
    data_format: Any = None,
) -> Any:  # fmt: skip
    """Return the largest elements of windows."""
    return _pooled("MAX", inputs, pool_size, strides, padding, data_format)


@operation
def average_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid",
    data_format: Any = None,
) -> Any:  # fmt: skip
    """Return the means of windows."""
    return _pooled("AVG", inputs, pool_size, strides, padding, data_format)


def _pooled(kind: str, x: Any, window: Any, strides: Any, padding: str, data_format: Any) -> Any:
    given = backend.convert_to_tensor(x)
    rank = given.ndim - 2
    sizes = _sizes(window, rank)
    steps = sizes if strides is None else _sizes(strides, rank)
    return nn.pool(
        given, sizes, kind, steps, padding.upper(), data_format=_layout(data_format, rank)
    )


@operation
def adaptive_average_pool(inputs: Any, output_size: Any, data_format: Any = None) -> Any:
    """Return the means of so many windows along each spatial axis as are wanted."""
    return _adaptive(math.reduce_mean, inputs, output_size, data_format)


@operation
def adaptive_max_pool(inputs: Any, output_size: Any, data_format: Any = None) -> Any:
    """Return the largest elements of so many windows along each spatial axis as are wanted."""
    return _adaptive(math.reduce_max, inputs, output_size, data_format)


def _adaptive(reduce: Function, inputs: Any, output_size: Any, data_format: Any) -> Any:
    x = backend.convert_to_tensor(inputs)
    rank = x.ndim - 2
    first = 1 if layout_of(data_format) == "channels_last" else 2
    for axis, count in enumerate(_sizes(output_size, rank), first):
        length = int(x.shape[axis])
        parts = []
        for at in range(count):
            begin, end = at * length // count, -(-(at + 1) * length // count)
            window = gather_ops.gather(x, np.arange(begin, end), axis=axis)
            parts.append(reduce(window, axis=axis))
        x = shape_ops.stack(parts, axis)
    return x


@operation
def batch_normalization(
    x: Any, mean: Any, variance: Any, axis: int, offset: Any = None, scale: Any = None,
    epsilon: float = 1e-3,
) -> Any:  # fmt: skip
    """Return values with a mean and a variance along all axes but one removed."""
    given = backend.convert_to_tensor(x)
    shape = [1] * given.ndim
    shape[axis] = int(given.shape[axis])

    def along(part: Any) -> Any:
        return None if part is None else shape_ops.reshape(value_ops.cast(part, given.dtype), shape)

    return nn.batch_normalization(
        given, along(mean), along(variance), along(offset), along(scale), epsilon
    )


@operation
def layer_normalization(
    x: Any, gamma: Any = None, beta: Any = None, axis: Any = -1, epsilon: float | None = None,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """Return values with mean 0 and variance 1 along axes, then scaled and shifted."""
    del kwargs
    given: Any = as_floats(x)
    axes = [axis] if isinstance(axis, int) else list(axis)
    mean, variance = nn.moments(given, axes, keepdims=True)
    small: Any = backend.epsilon() if epsilon is None else epsilon
    normal: Any = (given - mean) * math.rsqrt(variance + small)
    if gamma is not None:
        normal = normal * _along(gamma, given, axes)
    return normal if beta is None else normal + _along(beta, given, axes)


def _along(weight: Any, x: Any, axes: list[int]) -> Any:
    """A weight of the sizes of axes, in a shape that is broadcast to a tensor."""
    places = [axis % x.ndim for axis in axes]
    shape = [int(x.shape[at]) if at in places else 1 for at in range(x.ndim)]
    return shape_ops.reshape(value_ops.cast(weight, x.dtype), shape)


@operation
def rms_normalization(
    x: Any, scale: Any = None, axis: Any = -1, epsilon: float | None = None
) -> Any:
    """Return values divided by their root mean square along axes."""
    given = as_floats(x)
    axes = [axis] if isinstance(axis, int) else list(axis)
    small = backend.epsilon() if epsilon is None else epsilon
    size = math.reduce_mean(math.square(given), axis=axes, keepdims=True)
    normal = given * math.rsqrt(size + small)
    return normal if scale is None else normal * value_ops.cast(scale, given.dtype)


@operation
def normalize(x: Any, axis: Any = -1, order: float = 2, epsilon: float | None = None) -> Any:
    """Return vectors along an axis divided by their norm of an order."""
    if not isinstance(order, (int, float)) or order < 1:
        raise ValueError(f"Argument `order` must be >= 1. Received: order={order}")
    given = as_floats(x)
    axes = [*range(given.ndim)] if axis is None else axis
    small = backend.epsilon() if epsilon is None else epsilon
    if order == 2:
        squares = math.reduce_sum(math.square(given), axis=axes, keepdims=True)
        return given * math.rsqrt(math.maximum(squares, small**2))
    sizes = math.pow(math.abs(given), float(order))
    norm = math.pow(math.reduce_sum(sizes, axis=axes, keepdims=True), 1.0 / order)
    return given / math.maximum(norm, small)


@operation
def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """Return the cross entropy of each label, 0 or 1, and each prediction."""
    labels, predicted = _same_shape(target, output)
    if from_logits:
        return nn.sigmoid_cross_entropy_with_logits(labels, predicted)
    p = _inside(predicted)
    return -(labels * math.log(p) + (1.0 - labels) * math.log(1.0 - p))


def _same_shape(target: Any, output: Any) -> tuple[Any, Any]:
    predicted = as_floats(output)
    labels = value_ops.cast(target, predicted.dtype)
    if labels.ndim != predicted.ndim or any(
        a is not None and b is not None and a != b
        for a, b in zip(labels.shape, predicted.shape, strict=True)
    ):
        raise ValueError(
            "Arguments `target` and `output` must have the same shape. Received: "
            f"target.shape={labels.shape}, output.shape={predicted.shape}"
        )
    return labels, predicted


def _inside(probabilities: Any) -> Any:
    return value_ops.clip_by_value(probabilities, backend.epsilon(), 1.0 - backend.epsilon())


@operation
def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """Return the cross entropy of one-hot labels and predictions along an axis."""
    labels, predicted = _same_shape(target, output)
    if not labels.ndim:
        raise ValueError(
            "Arguments `target` and `output` must be at least rank 1. Received: "
            f"target.shape={labels.shape}, output.shape={predicted.shape}"
        )
    if from_logits:
        return nn.softmax_cross_entropy_with_logits(labels, predicted, axis=axis)
    total = math.reduce_sum(predicted, axis=axis, keepdims=True)
    return -math.reduce_sum(labels * math.log(_inside(predicted / total)), axis=axis)


@operation
def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """Return the cross entropy of integer labels and predictions along an axis."""
    predicted, labels = as_floats(output), backend.convert_to_tensor(target, "int64")
    if labels.ndim == predicted.ndim and labels.shape[-1] == 1:
        labels = shape_ops.squeeze(labels, -1)
    if not predicted.ndim:
        raise ValueError(
            f"Argument `output` must be at least rank 1. Received: output.shape={predicted.shape}"
        )
    expected = [size for at, size in enumerate(predicted.shape) if at != axis % predicted.ndim]
    if list(labels.shape) != expected:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape up until the last "
            f"dimension: target.shape={labels.shape}, output.shape={predicted.shape}"
        )
    one_hot = creation.one_hot(labels, predicted.shape[axis], axis=axis, dtype=predicted.dtype)
    return categorical_crossentropy(one_hot, predicted, from_logits, axis)


@operation
def multi_hot(
    inputs: Any, num_classes: int | None = None, axis: int = -1, dtype: Any = None,
    sparse: bool = False, **kwargs: Any,
) -> Any:  # fmt: skip
    """Return which classes occur along an axis, as ones and zeros."""
    count = kwargs.pop("num_tokens", num_classes)
    if count is None:
        raise ValueError("Argument `num_classes` must be specified.")
    del sparse
    numbers = backend.convert_to_tensor(inputs)
    hot = creation.one_hot(numbers, count, axis=axis, dtype=dtype or backend.floatx())
    return math.reduce_max(hot, axis=1 if numbers.ndim > 1 else 0)


@operation
def dot_product_attention(
    query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None,
    scale: float | None = None,
    is_causal: bool = False, flash_attention: Any = None, attn_logits_soft_cap: float | None = None,
) -> Any:  # fmt: skip
    """Return the means of values, weighted by how well their keys fit the queries.

    Tensors are (batch, length, heads, size); `mask` is True where attention is allowed.
    """
    if flash_attention:
        raise ValueError("Flash attention is not supported in tensorflow backend.")
    queries, keys = promoted(query, key)
    queries, values = promoted(queries, value)
    if queries.ndim != 4:
        raise ValueError(
            "`dot_product_attention` only supports 4D inputs. Received: "
            f"query.shape={queries.shape}, key.shape={keys.shape}, value.shape={values.shape}."
        )
    size = int(keys.shape[-1])
    factor: Any = 1.0 / np.sqrt(size) if scale is None else scale
    scores: Any = linalg.einsum("btnh,bsnh->bnts", queries, keys)
    if scores.dtype.name in {"float16", "bfloat16"}:
        scores = value_ops.cast(scores, "float32")
    scores = math.multiply(scores, float(factor))
    if bias is not None:
        scores = scores + value_ops.cast(bias, scores.dtype)
    if attn_logits_soft_cap is not None:
        scores = math.tanh(scores / attn_logits_soft_cap) * attn_logits_soft_cap
    allowed: Any = None if mask is None else value_ops.cast(mask, "bool")
    if is_causal:
        lengths = int(scores.shape[-2]), int(scores.shape[-1])
        causal = backend.convert_to_tensor(np.tril(np.ones(lengths, bool)))
        allowed = causal if allowed is None else math.logical_and(allowed, causal)
    if allowed is not None:
        lowest: Any = value_ops.cast(-0.7 * scores.dtype.max, scores.dtype)
        scores = value_ops.where(allowed, scores, lowest)
    weights = value_ops.cast(nn.softmax(scores, axis=-1), keys.dtype)
    return linalg.einsum("bnts,bsnh->btnh", weights, values)


@operation
def depth_to_space(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    """Return channels as blocks of pixels."""
    return nn.depth_to_space(x, block_size, _layout(data_format, 2))


@operation
def space_to_depth(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    """Return blocks of pixels as channels."""
    return nn.space_to_depth(x, block_size, _layout(data_format, 2))


@operation
def psnr(x1: Any, x2: Any, max_val: float) -> Any:
    """Return the peak signal-to-noise ratio in decibels."""
    one, other = promoted(x1, x2)
    if one.shape != other.shape:
        raise ValueError(
            f"Input shapes {one.shape} and {other.shape} must match for PSNR calculation. "
        )
    error = math.reduce_mean(math.square(as_floats(one) - as_floats(other)))
    peak = value_ops.cast(max_val, error.dtype)
    return (20.0 * math.log(peak) - 10.0 * math.log(error)) / float(np.log(10.0))


def _window_places(lengths: Any, window: list[int], spread: list[int], steps: list[int]) -> Any:
    """For both axes, the index of each element of each window."""
    places = []
    for length, size, dilation, step in zip(lengths, window, spread, steps, strict=True):
        count = (length - dilation * (size - 1) - 1) // step + 1
        places.append(np.arange(size)[:, None] * dilation + np.arange(count) * step)
    return places


@operation
def unfold(x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Return the windows of images (batch, channels, height, width) as columns."""
    given = backend.convert_to_tensor(x)
    window, spread, edge, steps = (_sizes(v, 2) for v in (kernel_size, dilation, padding, stride))
    padded = shape_ops.pad(given, [[0, 0], [0, 0], [edge[0]] * 2, [edge[1]] * 2])
    rows, columns = _window_places([int(s) for s in padded.shape[2:]], window, spread, steps)
    taken = gather_ops.gather(gather_ops.gather(padded, rows, axis=2), columns, axis=4)
    ordered = shape_ops.transpose(taken, [0, 1, 2, 4, 3, 5])
    size = int(given.shape[1]) * window[0] * window[1]
    return shape_ops.reshape(ordered, [given.shape[0], size, rows.shape[1] * columns.shape[1]])


@operation
def fold(
    x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Return images (batch, channels, height, width): the sums of the windows in columns."""
    given = backend.convert_to_tensor(x)
    window, spread, edge, steps = (_sizes(v, 2) for v in (kernel_size, dilation, padding, stride))
    sizes = [size + 2 * e for size, e in zip(_sizes(output_size, 2), edge, strict=True)]
    rows, columns = _window_places(sizes, window, spread, steps)
    channels = int(given.shape[1]) // (window[0] * window[1])
    blocks = shape_ops.reshape(
        given, [given.shape[0], channels, *window, rows.shape[1], columns.shape[1]]
    )
    y = value_ops.cast(np.eye(sizes[0])[rows], given.dtype)
    z = value_ops.cast(np.eye(sizes[1])[columns], given.dtype)
    whole: Any = linalg.einsum("bcijrs,irh,jsw->bchw", blocks, y, z)
    return whole[:, :, edge[0] : sizes[0] - edge[0], edge[1] : sizes[1] - edge[1]]
