"""`tf.nn`: convolutions over one, two and three spatial axes, forward and transposed.

Inputs are (batch, places…, channels), or channels first by `data_format`; filters are (places…,
input channels, output channels). Padding is "SAME", "VALID" or a list of (before, after) pairs.
What does not fit raises InvalidArgumentError with TensorFlow's message. A transposed convolution is
the VJP of a convolution with respect to its input, as an op of the forward pass.
"""

from __future__ import annotations

from typing import Any

from tapelab.core.dispatch import public
from tapelab.core.op_declaration import Op
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets
from tapelab.errors import UnimplementedError, invalid_argument
from tapelab.nn.window_arguments import (
    FORMATS,
    channels_first,
    channels_moved_first,
    channels_moved_last,
    on_channels_last,
    sliding,
)
from tapelab.ops import convolution as ops
from tapelab.ops.integer_arguments import lengths
from tapelab.ops.public import matched, tensor
from tapelab.ops.shapes import reshape


@public
def conv1d(
    input: Any, filters: Any, stride: Any, padding: Any, data_format: str = "NWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The cross-correlation of sequences (batch, place, channel) with filters.

    Filters are (place, input channel, output channel).
    """
    x, w = tensor(input), tensor(filters)
    return _convolved("Conv1D", 1, x, w, stride, padding, data_format, dilations)


@public
def conv2d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The cross-correlation of images (batch, row, column, channel) with filters.

    Filters are (row, column, input channel, output channel).
    """
    return _convolved("Conv2D", 2, input, filters, strides, padding, data_format, dilations)


@public
def conv3d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: str = "NDHWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The cross-correlation of volumes (batch, depth, row, column, channel) with filters.

    Filters are (depth, row, column, input channel, output channel).
    """
    _require_lists("conv3d", strides=strides, dilations=dilations or [1] * 5)
    return _convolved("Conv3D", 3, input, filters, strides, padding, data_format, dilations)


@public
def convolution(
    input: Any, filters: Any, strides: Any = None, padding: Any = "VALID",
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution over as many spatial axes as the filters have: 1, 2 or 3, else ValueError."""
    x, w = tensor(input), tensor(filters)
    steps = 1 if strides is None else strides
    return _convolved(f"Conv{_axes_of(w)}D", _axes_of(w), x, w, steps, padding, data_format,
                      dilations)  # fmt: skip


@public
def conv(
    input: Any, filter: Any, strides: Any, padding: str, explicit_paddings: Any = (),
    data_format: str = "CHANNELS_LAST", dilations: Any = (), batch_dims: int = 1, groups: int = 1,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution over two or three axes, without a gradient: for one take `tf.nn.conv2d`."""
    x, w = matched(input, filter)
    rank = _axes_of(w)
    if len(strides) != x.ndim or batch_dims != x.ndim - rank - 1:
        raise invalid_argument(
            "Conv", f"Sliding window strides field must specify {rank + 1 + batch_dims} dimensions"
        )
    if groups != 1:
        raise UnimplementedError(
            None, "Conv", "Grouped/Depthwise Convolutions are not supported yet. Try tf.nn.conv2d, "
            "which finds the groups by the depth of the filters. [Op:Conv]",
        )  # fmt: skip
    pairs = list(zip(explicit_paddings[::2], explicit_paddings[1::2], strict=True))
    layout = FORMATS[rank][data_format == "CHANNELS_FIRST"]
    return _convolved("Conv", rank, x, w, strides, pairs if padding == "EXPLICIT" else padding,
                      layout, dilations or None, ops.conv)  # fmt: skip


@public(group=True)
def depthwise_conv2d(
    input: Any, filter: Any, strides: Any, padding: Any, data_format: str | None = None,
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of each channel by itself.

    Filters are (row, column, channel, m): channel `c` gives the outputs `c * m` to `c * m + m`.
    """
    _require_lists("depthwise_conv2d_native", strides=strides)
    x, w = matched(input, filter)
    raw = "DepthwiseConv2dNative"
    rows, columns, channels, each = _filters(raw, w, 2)
    there = x._array.shape[1 if channels_first(raw, 2, data_format) else -1]
    if there != channels:
        raise _depths(raw, there, channels)
    apart = reshape(w, shape=(rows, columns, 1, channels * each))
    return _convolved(raw, 2, x, apart, strides, padding, data_format, dilations)


@public(group=True)
def separable_conv2d(
    input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any, padding: Any,
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """A depthwise convolution, then a pointwise one that mixes the channels of each place."""
    alone = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(alone, pointwise_filter, 1, "VALID", data_format or "NHWC")


@public
def atrous_conv2d(
    value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """A convolution whose filter skips `rate - 1` places between two of its own."""
    return conv2d(value, filters, 1, padding, dilations=rate)


@public
def conv1d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str = "NWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The VJP of `conv1d` with respect to its input; `output_shape` is the shape of that input."""
    x, w = tensor(input), tensor(filters)
    return _spread(1, x, w, output_shape, strides, padding, data_format, dilations)


@public
def conv2d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str = "NHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The VJP of `conv2d` with respect to its input; `output_shape` is the shape of that input."""
    return _spread(2, input, filters, output_shape, strides, padding, data_format, dilations)


@public
def conv3d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str = "NDHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The VJP of `conv3d` with respect to its input; `output_shape` is the shape of that input."""
    return _spread(3, input, filters, output_shape, strides, padding, data_format, dilations)


@public
def conv_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The VJP of `convolution` with respect to its input, of shape `output_shape`."""
    if output_shape is None:
        raise ValueError(
            f"`output_shape` must be a tensor or sized collection. Received: "
            f"output_shape={output_shape}"
        )
    x, w = matched(input, filters)
    return _spread(_axes_of(w), x, w, output_shape, strides, padding, data_format, dilations)


@public
def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """The VJP of `atrous_conv2d` with respect to its input, of shape `output_shape`."""
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate)


def _convolved(
    raw: str, rank: int, input: Any, filters: Any, strides: Any, padding: Any,
    data_format: str | None, dilations: Any, op: Op = ops.convolution,
) -> Tensor:  # fmt: skip
    x, w = matched(input, filters)
    *size, depth, results = _filters(raw, w, rank)
    first = channels_first(raw, rank, data_format)

    def compute(pictures: Tensor) -> Tensor:
        _, *length, channels = pictures._array.shape
        if not depth or channels % depth:
            raise _depths(raw, channels, depth)
        if results % (channels // depth or 1):
            raise invalid_argument(
                raw, "output depth must be evenly divisible by number of groups: "
                f"{results} vs {channels // depth}",
            )  # fmt: skip
        how = sliding(raw, tuple(length), tuple(size), strides, padding, dilations, first=first)
        convolved: Tensor = op(pictures, w, how=how)
        return convolved

    return on_channels_last(raw, x, rank, data_format, compute)


def _spread(
    rank: int, input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any,
    data_format: str | None, dilations: Any,
) -> Tensor:  # fmt: skip
    raw = f"Conv{rank}DBackpropInput"
    x, w = matched(input, filters)
    first = channels_first(raw, rank, data_format)
    pictures = channels_moved_last(x) if first else x
    *size, channels, results = _filters(raw, w, rank)
    length = _wanted(raw, output_shape, rank, channels, pictures, first)
    how = sliding(raw, length, tuple(size), strides, padding, dilations, first=first)
    shape = (pictures._array.shape[0], *length, channels)
    counts = [
        (n + sum(margin) - reach) // stride + 1
        for n, reach, stride, margin in zip(
            length, how.reach, how.strides, how.margins, strict=True
        )
    ]
    expected = (*counts, results)
    if pictures._array.shape[1:] != expected:
        raise invalid_argument(
            raw, f"Size of out_backprop doesn't match computed: actual = "
            f"{brackets(pictures._array.shape[1:])}, computed = {brackets(expected)}: a picture "
            f"of {brackets(shape)} gives that under these filters. Change output_shape",
        )  # fmt: skip
    upsampled: Tensor = ops.convolution_input(pictures, w, how=how, shape=shape)
    return channels_moved_first(upsampled) if first else upsampled


def _wanted(
    raw: str, output_shape: Any, rank: int, channels: int, x: Tensor, first: bool
) -> tuple[int, ...]:
    """The lengths along the sliding axes that `output_shape` asks for."""
    given = lengths(output_shape, raw)
    if len(given) == rank:
        return tuple(given)
    if len(given) != rank + 2:
        raise ValueError(
            f"output_shape should be of length {rank} or {rank + 2}. Received: "
            f"output_shape={output_shape} of length {len(given)}"
        )
    depth = given[1] if first else given[-1]
    if depth != channels:
        raise _depths(raw, depth, channels)
    if given[0] != x._array.shape[0]:
        raise invalid_argument(
            raw, f"output_shape asks for {given[0]} pictures, the input has {x._array.shape[0]}"
        )
    return tuple(given[2:] if first else given[1:-1])


def _filters(raw: str, w: Tensor, rank: int) -> tuple[int, ...]:
    if w.ndim != rank + 2:
        raise invalid_argument(
            raw, f"filter must be {rank + 2}-dimensional: {brackets(w._array.shape)}"
        )
    shape: tuple[int, ...] = w._array.shape
    return shape


def _axes_of(w: Tensor) -> int:
    if w.ndim - 2 not in {1, 2, 3}:
        raise ValueError(
            f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={w.ndim - 2}; "
            "filters are (places…, channel, result)."
        )
    return w.ndim - 2


def _depths(raw: str, there: int, wanted: int) -> Exception:
    return invalid_argument(
        raw, f"input depth must be evenly divisible by filter depth: {there} vs {wanted}"
    )


def _require_lists(function: str, **given: Any) -> None:
    for name, value in given.items():
        if not isinstance(value, (list, tuple)):
            raise TypeError(
                f"Expected list for '{name}' argument to '{function}' Op, not {value!r}."
            )
