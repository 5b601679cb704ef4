"""Convolution layers: plain, transposed, depthwise and separable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab import nn
from tapelab.array_ops import shape_ops
from tapelab.core.dispatch import public
from tapelab.keras import activations
from tapelab.keras.class_settings import setting
from tapelab.keras.layers import window_shapes
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import WeightedLayer, weights
from tapelab.keras.layers.layer_call import in_float
from tapelab.keras.layers.window_shapes import SpatialLayer, of_ranks


class _Conv(SpatialLayer, WeightedLayer):
    """The settings of all convolutions, and their output shape."""

    filters: int | None = setting()
    kernel_size: Any = setting()
    strides: Any = setting(1)
    padding: str = setting("valid")
    data_format: str = setting(None, convert=window_shapes.layout_of)
    dilation_rate: Any = setting(1)
    groups: int = setting(1)
    activation: Callable[..., Any] = setting(None, convert=activations.get)
    use_bias: bool = setting(True)

    def __post_init__(self) -> None:
        if self.filters is not None and self.filters <= 0:
            raise ValueError(
                "Invalid value for argument `filters`. Expected a strictly positive value. "
                f"Received filters={self.filters}."
            )
        multiplier = getattr(self, "depth_multiplier", None)
        if multiplier is not None and multiplier <= 0:
            raise ValueError(
                "Invalid value for argument `depth_multiplier`. Expected a strictly positive "
                f"value. Received depth_multiplier={multiplier}."
            )
        for name in ("kernel_size", "strides", "dilation_rate"):
            setattr(self, name, window_shapes.sizes(getattr(self, name), self.rank, name))
        self.padding = window_shapes.padding_of(self.padding, causal=self.rank == 1)
        self.input_spec = InputSpec(min_ndim=self.rank + 2)

    def _channels(self, input_shape: Any) -> int:
        channels = input_shape[self._channel_axis]
        if channels is None:
            raise ValueError(
                "The channel dimension of the inputs should be defined. Found None. Full input "
                f"shape received: input_shape={input_shape}"
            )
        axes = {self._channel_axis: channels}
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes=axes)
        return int(channels)

    def _make_bias(self, size: Any) -> None:
        self.bias = self.make("bias", (size,)) if self.use_bias else None

    def _activate(self, x: Any) -> Any:
        if self.bias is not None:
            x = nn.bias_add(x, self.bias, self._layout)
        return self.activation(x)

    def _output_channels(self, channels: Any) -> Any:
        return self.filters

    def _output_lengths(self, lengths: Any) -> Any:
        return window_shapes.window_lengths(
            lengths, self.kernel_size, self.strides, self.padding, self.dilation_rate
        )


class _PlainConv(_Conv):
    """Convolution over {axes}."""

    kernel_and_bias = weights(kernel="glorot_uniform", bias="zeros", activity=True)

    def build(self, input_shape: Any) -> None:
        """Create the kernel (*window, input channels, filters) and the bias (filters)."""
        channels = self._channels(input_shape)
        if channels % self.groups or self.filters % self.groups:  # type: ignore[operator]  # known
            raise ValueError(
                "The number of input channels and of filters must be evenly divisible by the "
                f"number of groups. Received groups={self.groups}, but the input has {channels} "
                f"channels (full input shape is {input_shape}) and filters={self.filters}."
            )
        shape = (*self.kernel_size, channels // self.groups, self.filters)
        self.kernel = self.make("kernel", shape)
        self._make_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        """Return the activations of the filters at each window position."""
        x, padding = in_float(inputs, self.compute_dtype), self.padding
        if padding == "causal":
            before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            x, padding = shape_ops.pad(x, ((0, 0), (before, 0), (0, 0))), "valid"
        return self._activate(nn.convolution(
            x, self.kernel, list(self.strides), padding.upper(), self._layout,
            list(self.dilation_rate),
        ))  # fmt: skip


class Conv1D(_PlainConv):
    """Convolution over one axis; with padding "causal" no step depends on later ones."""

    rank = 1


class _TransposedConv(_PlainConv):
    """Transposed convolution over {axes}: the gradient of a convolution by its input."""

    output_padding: Any = setting(None, before="data_format")
    groups = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.output_padding is not None:
            given = window_shapes.sizes(self.output_padding, self.rank, "output_padding", least=0)
            self.output_padding = given

    def build(self, input_shape: Any) -> None:
        """Create the kernel (*window, filters, input channels) and the bias (filters)."""
        channels = self._channels(input_shape)
        self.kernel = self.make("kernel", (*self.kernel_size, self.filters, channels))
        self._make_bias(self.filters)

    @public(if_shape_is_open=True)
    def call(self, inputs: Any) -> Any:
        """Return the activations: the sum of a window per input position."""
        x = in_float(inputs, self.compute_dtype)
        return self._activate(nn.conv_transpose(
            x, self.kernel, self.compute_output_shape(tuple(x.shape)), list(self.strides),
            self.padding.upper(), self._layout, list(self.dilation_rate),
        ))  # fmt: skip

    def _output_lengths(self, lengths: Any) -> Any:
        return window_shapes.spread_lengths(
            lengths, self.kernel_size, self.strides, self.padding, self.dilation_rate,
            self.output_padding,
        )  # fmt: skip


class _ChannelwiseConv(_Conv):
    """A convolution of each channel by itself, with `depth_multiplier` filters per channel."""

    groups = 1
    depth_multiplier: int

    def _depthwise_shape(self, channels: int) -> tuple[int, ...]:
        return (*self.kernel_size, channels, self.depth_multiplier)

    def _depthwise(self, inputs: Any, kernel: Any) -> Any:
        """The convolution of each channel; that of sequences is one of images of one row."""
        x, kernel = in_float(inputs, self.compute_dtype), shape_ops.identity(kernel)
        strides, rates = [*self.strides], [*self.dilation_rate]
        first = self._channel_axis == 1
        if self.rank == 1:
            x, kernel = shape_ops.expand_dims(x, 2 if first else 1), kernel[None]
            strides, rates = strides * 2, [1, *rates]
        steps = [1, 1, *strides] if first else [1, *strides, 1]
        y = nn.depthwise_conv2d(
            x, kernel, steps, self.padding.upper(), "NCHW" if first else "NHWC", rates
        )
        return shape_ops.squeeze(y, 2 if first else 1) if self.rank == 1 else y


class _DepthwiseConv(_ChannelwiseConv):
    """Convolution of each channel by itself over {axes}."""

    filters = None
    depth_multiplier: int = setting(1, before="data_format")
    kernel_and_bias = weights(depthwise="glorot_uniform", bias="zeros", activity=True)

    def build(self, input_shape: Any) -> None:
        """Create the kernel (*window, input channels, multiplier) and the bias."""
        channels = self._channels(input_shape)
        self.kernel = self.make("depthwise", self._depthwise_shape(channels), name="kernel")
        self._make_bias(channels * self.depth_multiplier)

    def call(self, inputs: Any) -> Any:
        """Return the activations of each channel's filters at each window position."""
        return self._activate(self._depthwise(inputs, self.kernel))

    def _output_channels(self, channels: Any) -> Any:
        return None if channels is None else channels * self.depth_multiplier


class _SeparableConv(_ChannelwiseConv):
    """Depthwise convolution over {axes}, followed by a convolution with windows of size 1."""

    depth_multiplier: int = setting(1, before="activation")
    kernels_and_bias = weights(
        depthwise="glorot_uniform", pointwise="glorot_uniform", bias="zeros", activity=True
    )

    def build(self, input_shape: Any) -> None:
        """Create both kernels and the bias."""
        channels = self._channels(input_shape)
        depthwise = self._depthwise_shape(channels)
        pointwise = (*(1,) * self.rank, channels * self.depth_multiplier, self.filters)
        self.depthwise_kernel = self.make("depthwise", depthwise, name="depthwise_kernel")
        self.pointwise_kernel = self.make("pointwise", pointwise, name="pointwise_kernel")
        self._make_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        """Return the activations of the filters at each window position."""
        alone = self._depthwise(inputs, self.depthwise_kernel)
        mixed = nn.convolution(alone, self.pointwise_kernel, 1, "VALID", self._layout)
        return self._activate(mixed)


Conv2D, Conv3D = of_ranks("Conv{}D", _PlainConv, 2, 3)
Conv1DTranspose, Conv2DTranspose, Conv3DTranspose = of_ranks("Conv{}DTranspose", _TransposedConv)
DepthwiseConv1D, DepthwiseConv2D = of_ranks("DepthwiseConv{}D", _DepthwiseConv, 1, 2)
SeparableConv1D, SeparableConv2D = of_ranks("SeparableConv{}D", _SeparableConv, 1, 2)
Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
Convolution1DTranspose, Convolution2DTranspose = Conv1DTranspose, Conv2DTranspose
Convolution3DTranspose = Conv3DTranspose
SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D
