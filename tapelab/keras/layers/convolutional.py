"""Layers that slide a small window over rows and pictures."""

from __future__ import annotations

from typing import Any

from tapelab import nn
from tapelab.array_ops import shape_ops
from tapelab.core.dispatch import public
from tapelab.keras import activations
from tapelab.keras.layers import window_shapes
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer_call import in_float
from tapelab.keras.layers.weighing import Weighted


class _Conv(Weighted):
    """What all convolutions share: their settings, and a kernel for windows of a size."""

    rank = 2

    def __init__(
        self, filters: int | None, kernel_size: Any, strides: Any = 1, padding: str = "valid",
        data_format: Any = None, dilation_rate: Any = 1, groups: int = 1, activation: Any = None,
        use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, bias_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        if filters is not None and filters <= 0:
            raise ValueError(
                "Invalid value for argument `filters`. Expected a strictly positive value. "
                f"Received filters={filters}."
            )
        self.filters, self.groups, self.use_bias = filters, groups, use_bias
        self.kernel_size = window_shapes.sizes(kernel_size, self.rank, "kernel_size")
        self.strides = window_shapes.sizes(strides, self.rank, "strides")
        self.dilation_rate = window_shapes.sizes(dilation_rate, self.rank, "dilation_rate")
        self.padding = window_shapes.padding_of(padding, causal=self.rank == 1)
        self.data_format = data_format or "channels_last"
        self.activation = activations.get(activation)
        self.plan("kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        self.plan("bias", bias_initializer, bias_regularizer, bias_constraint)
        self.input_spec = InputSpec(min_ndim=self.rank + 2)

    @property
    def _channel_axis(self) -> int:
        return -1 if self.data_format == "channels_last" else 1

    def build(self, input_shape: Any) -> None:
        """Make the kernel (window, input channels, filters) and the bias (filters)."""
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

    def call(self, inputs: Any) -> Any:
        """The windows times the kernel, plus the bias, bent."""
        x = in_float(inputs, self.compute_dtype)
        padding = self.padding
        if padding == "causal":
            before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            x, padding = shape_ops.pad(x, ((0, 0), (before, 0), (0, 0))), "valid"
        made = nn.convolution(
            x, self.kernel, list(self.strides), padding.upper(), self._layout,
            list(self.dilation_rate),
        )  # fmt: skip
        return self._finished(made)

    @property
    def _layout(self) -> str:
        middle = "DHW"[-self.rank :]
        return f"N{middle}C" if self._channel_axis == -1 else f"NC{middle}"

    def _finished(self, made: Any) -> Any:
        if self.bias is not None:
            made = nn.bias_add(made, self.bias, self._layout)
        return self.activation(made)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """As many places as the window fits, and the filters."""
        return self._around(input_shape, self.filters, window_shapes.window_lengths(
            self._middle(input_shape), self.kernel_size, self.strides, self.padding,
            self.dilation_rate,
        ))  # fmt: skip

    def _middle(self, input_shape: Any) -> Any:
        return input_shape[1:-1] if self._channel_axis == -1 else input_shape[2:]

    def _around(self, input_shape: Any, channels: Any, middle: Any) -> Any:
        if self._channel_axis == -1:
            return (input_shape[0], *middle, channels)
        return (input_shape[0], channels, *middle)


class Conv1D(_Conv):
    """A window slides along each row; padding may be "causal": no step sees those after it."""

    rank = 1


class Conv2D(_Conv):
    """A window slides over each picture."""


class Conv3D(_Conv):
    """A window slides through each block."""

    rank = 3


class Conv2DTranspose(_Conv):
    """The way back of a convolution: each entry is laid over its window."""

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
        output_padding: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(filters, kernel_size, strides, padding, **kwargs)
        if output_padding is not None:
            raise ValueError("tapelab's transposed convolutions have no output_padding.")
        self.output_padding = output_padding

    def build(self, input_shape: Any) -> None:
        """Make the kernel (window, filters, input channels) and the bias (filters)."""
        channels = self._channels(input_shape)
        self.kernel = self.make("kernel", (*self.kernel_size, self.filters, channels))
        self._make_bias(self.filters)

    @public(if_shape_is_open=True)
    def call(self, inputs: Any) -> Any:
        """The windows laid over one another, plus the bias, bent."""
        x = in_float(inputs, self.compute_dtype)
        made = nn.conv_transpose(
            x, self.kernel, self.compute_output_shape(tuple(x.shape)), list(self.strides),
            self.padding.upper(), self._layout, list(self.dilation_rate),
        )  # fmt: skip
        return self._finished(made)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape from which a convolution would come here, and the filters."""
        return self._around(input_shape, self.filters, window_shapes.spread_lengths(
            self._middle(input_shape), self.kernel_size, self.strides, self.padding,
            self.dilation_rate,
        ))  # fmt: skip


class Conv1DTranspose(Conv2DTranspose):
    """The way back of a convolution over rows."""

    rank = 1


class Conv3DTranspose(Conv2DTranspose):
    """The way back of a convolution through blocks."""

    rank = 3


class DepthwiseConv2D(_Conv):
    """A window slides over each channel by itself."""

    def __init__(
        self, kernel_size: Any, strides: Any = 1, padding: str = "valid",
        depth_multiplier: int = 1, data_format: Any = None, dilation_rate: Any = 1,
        activation: Any = None, use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None, depthwise_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            None, kernel_size, strides, padding, data_format, dilation_rate, 1, activation,
            use_bias, depthwise_initializer, bias_initializer, depthwise_regularizer,
            kernel_constraint=depthwise_constraint, **kwargs,
        )  # fmt: skip
        self.depthwise_initializer = self.kernel_initializer
        self.depth_multiplier = depth_multiplier

    def build(self, input_shape: Any) -> None:
        """Make the kernel (window, input channels, multiplier) and the bias."""
        channels = self._channels(input_shape)
        self.kernel = self.make("kernel", (*self.kernel_size, channels, self.depth_multiplier))
        self._make_bias(channels * self.depth_multiplier)

    def call(self, inputs: Any) -> Any:
        """The windows of each channel times its kernel, plus the bias, bent."""
        steps = [1, *self.strides, 1] if self._channel_axis == -1 else [1, 1, *self.strides]
        made = nn.depthwise_conv2d(
            in_float(inputs, self.compute_dtype), self.kernel, steps, self.padding.upper(),
            self._layout, list(self.dilation_rate),
        )  # fmt: skip
        return self._finished(made)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """As many places as the window fits, and the channels times the multiplier."""
        shape = super().compute_output_shape(input_shape)
        channels = input_shape[self._channel_axis] * self.depth_multiplier
        return self._around(input_shape, channels, self._middle(shape))


class SeparableConv2D(_Conv):
    """First a window over each channel by itself, then the channels of each place together."""

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
        data_format: Any = None, dilation_rate: Any = 1, depth_multiplier: int = 1,
        activation: Any = None, use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform", depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None, depthwise_constraint: Any = None,
        pointwise_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, 1, activation,
            use_bias, **kwargs,
        )  # fmt: skip
        self.depth_multiplier = depth_multiplier
        self.plan("depthwise", depthwise_initializer, depthwise_regularizer, depthwise_constraint)
        self.plan("pointwise", pointwise_initializer, pointwise_regularizer, pointwise_constraint)

    def build(self, input_shape: Any) -> None:
        """Make both kernels and the bias."""
        channels = self._channels(input_shape)
        middle = channels * self.depth_multiplier
        alone = (*self.kernel_size, channels, self.depth_multiplier)
        self.depthwise_kernel = self.make("depthwise", alone, name="depthwise_kernel")
        together = (*(1,) * self.rank, middle, self.filters)
        self.pointwise_kernel = self.make("pointwise", together, name="pointwise_kernel")
        self._make_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        """Both steps, plus the bias, bent."""
        made = nn.separable_conv2d(
            in_float(inputs, self.compute_dtype), self.depthwise_kernel, self.pointwise_kernel,
            [1, *self.strides, 1], self.padding.upper(), self._layout, list(self.dilation_rate),
        )  # fmt: skip
        return self._finished(made)


Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
Convolution1DTranspose, Convolution2DTranspose = Conv1DTranspose, Conv2DTranspose
Convolution3DTranspose, SeparableConvolution2D = Conv3DTranspose, SeparableConv2D
