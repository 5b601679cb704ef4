"""Pooling layers: the maximum or the mean of each window, or of all positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab import math, nn
from tapelab.array_ops import shape_ops, value_ops
from tapelab.keras.class_settings import setting
from tapelab.keras.layers import window_shapes
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import BuiltInLayer


class _Pooling(BuiltInLayer):
    """Reduces each window of `rank` spatial axes to one element."""

    rank = 2
    pool_size: Any = setting(2)
    strides: Any = setting(None)
    padding: str = setting("valid")
    data_format: str = setting(None, convert=lambda layout: layout or "channels_last")
    _pool: Callable[..., Any] = staticmethod(nn.max_pool)

    def __post_init__(self) -> None:
        steps = self.pool_size if self.strides is None else self.strides
        self.pool_size = window_shapes.sizes(self.pool_size, self.rank, "pool_size")
        self.strides = window_shapes.sizes(steps, self.rank, "strides")
        self.padding = window_shapes.padding_of(self.padding)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        """Return an element per window and channel."""
        spatial = "DHW"[-self.rank :]
        layout = f"N{spatial}C" if self.data_format == "channels_last" else f"NC{spatial}"
        steps, padding = list(self.strides), self.padding.upper()
        return type(self)._pool(inputs, list(self.pool_size), steps, padding, layout)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with the number of window positions."""
        first = 1 if self.data_format == "channels_last" else 2
        end = first + self.rank
        lengths = window_shapes.window_lengths(
            input_shape[first:end], self.pool_size, self.strides, self.padding
        )
        return (*input_shape[:first], *lengths, *input_shape[end:])


class MaxPooling1D(_Pooling):
    """The maximum of each window of an axis; only it receives the gradient."""

    rank = 1


class MaxPooling2D(_Pooling):
    """The maximum of each window of two spatial axes; only it receives the gradient."""


class MaxPooling3D(_Pooling):
    """The maximum of each window of three spatial axes; only it receives the gradient."""

    rank = 3


class _AveragePooling(_Pooling):
    _pool = staticmethod(nn.avg_pool)


class AveragePooling2D(_AveragePooling):
    """The mean of each window of two spatial axes."""


class AveragePooling1D(_AveragePooling):
    """The mean of each window of an axis."""

    rank = 1


class AveragePooling3D(_AveragePooling):
    """The mean of each window of three spatial axes."""

    rank = 3


class _GlobalPooling(BuiltInLayer):
    """Reduces all positions of `rank` spatial axes to one element per channel."""

    rank = 2
    data_format: str = setting(None, convert=lambda layout: layout or "channels_last")
    keepdims: bool = setting(False)
    _reduce: Callable[..., Any] = staticmethod(math.reduce_mean)

    def __post_init__(self) -> None:
        self.input_spec = InputSpec(ndim=self.rank + 2)

    @property
    def _axes(self) -> tuple[int, ...]:
        first = 1 if self.data_format == "channels_last" else 2
        return tuple(range(first, first + self.rank))

    def call(self, inputs: Any) -> Any:
        """Return an element per channel."""
        return type(self)._reduce(inputs, axis=self._axes, keepdims=self.keepdims)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the batch and the channels."""
        sizes = enumerate(input_shape)
        if self.keepdims:
            return tuple(1 if axis in self._axes else size for axis, size in sizes)
        return tuple(size for axis, size in sizes if axis not in self._axes)


class GlobalAveragePooling1D(_GlobalPooling):
    """The mean over the steps of a sequence that are not masked."""

    rank = 1
    supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Return the mean per channel; masked steps do not count."""
        if mask is None:
            return super().call(inputs)
        axis = self._axes[0]
        counted = shape_ops.expand_dims(value_ops.cast(mask, inputs.dtype), 3 - axis)
        total = math.reduce_sum(inputs * counted, axis=axis, keepdims=self.keepdims)
        return total / math.reduce_sum(counted, axis=axis, keepdims=self.keepdims)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """Return None: no steps are left."""
        return


class GlobalAveragePooling2D(_GlobalPooling):
    """The mean of each channel over two spatial axes."""


class GlobalAveragePooling3D(_GlobalPooling):
    """The mean of each channel over three spatial axes."""

    rank = 3


class _GlobalMaxPooling(_GlobalPooling):
    _reduce = staticmethod(math.reduce_max)


class GlobalMaxPooling2D(_GlobalMaxPooling):
    """The maximum of each channel over two spatial axes."""


class GlobalMaxPooling1D(_GlobalMaxPooling):
    """The maximum of each channel over all steps."""

    rank = 1


class GlobalMaxPooling3D(_GlobalMaxPooling):
    """The maximum of each channel over three spatial axes."""

    rank = 3


MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
GlobalAvgPool1D, GlobalAvgPool2D = GlobalAveragePooling1D, GlobalAveragePooling2D
GlobalMaxPool1D, GlobalMaxPool2D = GlobalMaxPooling1D, GlobalMaxPooling2D
GlobalAvgPool3D, GlobalMaxPool3D = GlobalAveragePooling3D, GlobalMaxPooling3D
