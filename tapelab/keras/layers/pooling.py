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
from tapelab.keras.layers.window_shapes import SpatialLayer, of_ranks


class _Pooling(SpatialLayer):
    """Reduces each window of `rank` spatial axes to one element."""

    stateless = True

    pool_size: Any = setting(2)
    strides: Any = setting(None)
    padding: str = setting("valid")
    data_format: str = setting(None, convert=window_shapes.layout_of)
    _pool: Callable[..., Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        steps = self.pool_size if self.strides is None else self.strides
        self.pool_size = window_shapes.sizes(self.pool_size, self.rank, "pool_size")
        self.strides = window_shapes.sizes(steps, self.rank, "strides")
        self.padding = window_shapes.padding_of(self.padding)

    def call(self, inputs: Any) -> Any:
        """Return an element per window and channel."""
        steps, padding = list(self.strides), self.padding.upper()
        return type(self)._pool(inputs, list(self.pool_size), steps, padding, self._layout)

    def _output_lengths(self, lengths: Any) -> Any:
        return window_shapes.window_lengths(lengths, self.pool_size, self.strides, self.padding)


class _MaxPooling(_Pooling):
    """The maximum of each window of {axes}; only it receives the gradient."""

    _pool = staticmethod(nn.max_pool)


class _AveragePooling(_Pooling):
    """The mean of each window of {axes}."""

    _pool = staticmethod(nn.avg_pool)


class _GlobalPooling(BuiltInLayer):
    """Reduces all positions of `rank` spatial axes to one element per channel."""

    stateless = True

    rank: int
    data_format: str = setting(None, convert=window_shapes.layout_of)
    keepdims: bool = setting(False)
    _reduce: Callable[..., Any]

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


class _GlobalMaxPooling(_GlobalPooling):
    """The maximum of each channel over {axes}."""

    _reduce = staticmethod(math.reduce_max)


class _GlobalAveragePooling(_GlobalPooling):
    """The mean of each channel over {axes}."""

    _reduce = staticmethod(math.reduce_mean)


class GlobalAveragePooling1D(_GlobalAveragePooling):
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

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return None: no steps are left."""
        return


MaxPool1D, MaxPool2D, MaxPool3D = of_ranks("MaxPooling{}D", _MaxPooling)
AvgPool1D, AvgPool2D, AvgPool3D = of_ranks("AveragePooling{}D", _AveragePooling)
GlobalMaxPool1D, GlobalMaxPool2D, GlobalMaxPool3D = of_ranks(
    "GlobalMaxPooling{}D", _GlobalMaxPooling
)
GlobalAvgPool2D, GlobalAvgPool3D = of_ranks("GlobalAveragePooling{}D", _GlobalAveragePooling, 2, 3)
GlobalAvgPool1D = GlobalAveragePooling1D
MaxPooling1D, MaxPooling2D, MaxPooling3D = MaxPool1D, MaxPool2D, MaxPool3D
AveragePooling1D, AveragePooling2D, AveragePooling3D = AvgPool1D, AvgPool2D, AvgPool3D
GlobalMaxPooling1D, GlobalMaxPooling2D = GlobalMaxPool1D, GlobalMaxPool2D
GlobalMaxPooling3D, GlobalAveragePooling2D = GlobalMaxPool3D, GlobalAvgPool2D
GlobalAveragePooling3D = GlobalAvgPool3D
