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
    data_format: str = setting(None, convert=lambda layout: layout or "channels_last")
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
            raise ValueError("tapelab's transposed convolutions have no output_padding.")

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
            lengths, self.kernel_size, self.strides, self.padding, self.dilation_rate
        )


class DepthwiseConv2D(_Conv):
    """Convolution of each channel by itself, with `depth_multiplier` filters per channel."""

    filters = None
    groups = 1
    depth_multiplier: int = setting(1, before="data_format")
    kernel_and_bias = weights(depthwise="glorot_uniform", bias="zeros", activity=True)

    def build(self, input_shape: Any) -> None:
        """Create the kernel (*window, input channels, multiplier) and the bias."""
        channels = self._channels(input_shape)
        shape = (*self.kernel_size, channels, self.depth_multiplier)
        self.kernel = self.make("depthwise", shape, name="kernel")
        self._make_bias(channels * self.depth_multiplier)

    def call(self, inputs: Any) -> Any:
        """Return the activations of each channel's filters at each window position."""
        steps = [1, *self.strides, 1] if self._channel_axis == -1 else [1, 1, *self.strides]
        return self._activate(nn.depthwise_conv2d(
            in_float(inputs, self.compute_dtype), self.kernel, steps, self.padding.upper(),
            self._layout, list(self.dilation_rate),
        ))  # fmt: skip

    def _output_channels(self, channels: Any) -> Any:
        return channels * self.depth_multiplier


class SeparableConv2D(_Conv):
    """Depthwise convolution, followed by a convolution with windows of size 1."""

    groups = 1
    depth_multiplier: int = setting(1, before="activation")
    kernels_and_bias = weights(
        depthwise="glorot_uniform", pointwise="glorot_uniform", bias="zeros", activity=True
    )

    def build(self, input_shape: Any) -> None:
        """Create both kernels and the bias."""
        channels = self._channels(input_shape)
        depthwise = (*self.kernel_size, channels, self.depth_multiplier)
        pointwise = (*(1,) * self.rank, channels * self.depth_multiplier, self.filters)
        self.depthwise_kernel = self.make("depthwise", depthwise, name="depthwise_kernel")
        self.pointwise_kernel = self.make("pointwise", pointwise, name="pointwise_kernel")
        self._make_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        """Return the activations of the filters at each window position."""
        return self._activate(nn.separable_conv2d(
            in_float(inputs, self.compute_dtype), self.depthwise_kernel, self.pointwise_kernel,
            [1, *self.strides, 1], self.padding.upper(), self._layout, list(self.dilation_rate),
        ))  # fmt: skip


Conv2D, Conv3D = of_ranks("Conv{}D", _PlainConv, 2, 3)
Conv1DTranspose, Conv2DTranspose, Conv3DTranspose = of_ranks("Conv{}DTranspose", _TransposedConv)
Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
Convolution1DTranspose, Convolution2DTranspose = Conv1DTranspose, Conv2DTranspose
Convolution3DTranspose, SeparableConvolution2D = Conv3DTranspose, SeparableConv2D
