"""Layers that take the largest entry or the mean of each window, or of all there is."""

from __future__ import annotations

from typing import Any

from tapelab import math, nn
from tapelab.array_ops import shape_ops, value_ops
from tapelab.keras.layers import window_shapes
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import Layer


class _Pooling(Layer):
    """What pooling over windows shares."""

    rank = 2
    largest = True

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid",
        data_format: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.pool_size = window_shapes.sizes(pool_size, self.rank, "pool_size")
        steps = pool_size if strides is None else strides
        self.strides = window_shapes.sizes(steps, self.rank, "strides")
        self.padding = window_shapes.padding_of(padding)
        self.data_format = data_format or "channels_last"
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        """One entry for each window."""
        middle = "DHW"[-self.rank :]
        layout = f"N{middle}C" if self.data_format == "channels_last" else f"NC{middle}"
        pool = nn.max_pool if self.largest else nn.avg_pool
        return pool(inputs, list(self.pool_size), list(self.strides), self.padding.upper(), layout)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """As many places as the window fits."""
        last = self.data_format == "channels_last"
        middle = window_shapes.window_lengths(
            input_shape[1:-1] if last else input_shape[2:], self.pool_size, self.strides,
            self.padding,
        )  # fmt: skip
        if last:
            return (input_shape[0], *middle, input_shape[-1])
        return (*input_shape[:2], *middle)


class MaxPooling1D(_Pooling):
    """The largest entry of each window of a row; it alone receives the gradient."""

    rank = 1


class MaxPooling2D(_Pooling):
    """The largest entry of each window of a picture; it alone receives the gradient."""


class MaxPooling3D(_Pooling):
    """The largest entry of each window of a block; it alone receives the gradient."""

    rank = 3


class AveragePooling1D(_Pooling):
    """The mean of each window of a row."""

    rank = 1
    largest = False


class AveragePooling2D(_Pooling):
    """The mean of each window of a picture."""

    largest = False


class AveragePooling3D(_Pooling):
    """The mean of each window of a block."""

    rank = 3
    largest = False


class _GlobalPooling(Layer):
    """What pooling over all places shares."""

    rank = 2
    largest = False

    def __init__(self, data_format: Any = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format or "channels_last"
        self.keepdims = keepdims
        self.input_spec = InputSpec(ndim=self.rank + 2)

    @property
    def _axes(self) -> tuple[int, ...]:
        first = 1 if self.data_format == "channels_last" else 2
        return tuple(range(first, first + self.rank))

    def call(self, inputs: Any) -> Any:
        """One entry for each channel."""
        reduce = math.reduce_max if self.largest else math.reduce_mean
        return reduce(inputs, axis=self._axes, keepdims=self.keepdims)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The batch and the channels."""
        kept = [1 if at in self._axes else each for at, each in enumerate(input_shape)]
        if self.keepdims:
            return tuple(kept)
        return tuple(each for at, each in enumerate(input_shape) if at not in self._axes)


class GlobalAveragePooling1D(_GlobalPooling):
    """The mean over all steps that count."""

    rank = 1

    def __init__(self, data_format: Any = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(data_format, keepdims, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """One mean for each channel; steps that a mask hides do not count."""
        if mask is None:
            return super().call(inputs)
        axis = self._axes[0]
        weights = shape_ops.expand_dims(value_ops.cast(mask, inputs.dtype), 3 - axis)
        total = math.reduce_sum(inputs * weights, axis=axis, keepdims=self.keepdims)
        return total / math.reduce_sum(weights, axis=axis, keepdims=self.keepdims)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """None: no steps are left."""
        return


class GlobalAveragePooling2D(_GlobalPooling):
    """The mean over each channel of a picture."""


class GlobalAveragePooling3D(_GlobalPooling):
    """The mean over each channel of a block."""

    rank = 3


class GlobalMaxPooling1D(_GlobalPooling):
    """The largest entry of each channel over all steps."""

    rank = 1
    largest = True


class GlobalMaxPooling2D(_GlobalPooling):
    """The largest entry of each channel of a picture."""

    largest = True


class GlobalMaxPooling3D(_GlobalPooling):
    """The largest entry of each channel of a block."""

    rank = 3
    largest = True


MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
GlobalAvgPool1D, GlobalAvgPool2D = GlobalAveragePooling1D, GlobalAveragePooling2D
GlobalMaxPool1D, GlobalMaxPool2D = GlobalMaxPooling1D, GlobalMaxPooling2D
GlobalAvgPool3D, GlobalMaxPool3D = GlobalAveragePooling3D, GlobalMaxPooling3D
