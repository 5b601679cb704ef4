"""Normalization layers: by batches, examples or groups, and by statistics of the data."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tapelab import math, nn
from tapelab.array_ops import shape_ops, value_ops
from tapelab.data.dataset import Dataset
from tapelab.keras import backend, initializers
from tapelab.keras.class_settings import Setting, SettingGroup, setting
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import ElementwiseLayer, WeightedLayer, weights
from tapelab.keras.layers.layer_call import in_dtype, in_float
from tapelab.keras.name_scopes import named_group
from tapelab.nn.norm_ops import rows_normalized


class _Normalization(ElementwiseLayer, WeightedLayer):
    """Normalizes to mean 0 and variance 1, then scales by gamma and shifts by beta, if learned."""

    axis: Any = setting(-1)
    epsilon: float = setting(1e-3)
    center: bool = setting(True)
    scale: bool = setting(True)
    beta_and_gamma = weights(beta="zeros", gamma="ones")

    def _make_gamma_and_beta(self, shape: Any) -> None:
        self.gamma = self.make("gamma", shape, autocast=False) if self.scale else None
        self.beta = self.make("beta", shape, autocast=False) if self.center else None

    def _normalized(self, x: Any, mean: Any, variance: Any, shape: list[Any] | None) -> Any:
        """The normalized tensor; gamma and beta are reshaped to a shape first, if there is one."""
        beta, gamma = (_reshaped(in_dtype(w, x.dtype), shape) for w in (self.beta, self.gamma))
        y = nn.batch_normalization(x, mean, variance, beta, gamma, self.epsilon)
        return in_dtype(y, self.compute_dtype)


def _reshaped(x: Any, shape: list[Any] | None) -> Any:
    return x if x is None or shape is None else shape_ops.reshape(x, shape)


def _in_single(inputs: Any, dtype: str) -> Any:
    """The inputs of a layer in its dtype; those in half precision as float32, for their sums."""
    x = in_float(inputs, dtype)
    return in_dtype(x, "float32") if x.dtype.size == 2 else x


class BatchNormalization(_Normalization):
    """Normalizes each channel: by the batch in training, else by moving averages.

    Ioffe and Szegedy (2015). In training the averages move by `1 - momentum` towards the batch.
    """

    momentum: float = setting(0.99, before="epsilon")
    moving_mean_initializer: Any = setting(
        "zeros", before="beta_regularizer", convert=initializers.get
    )
    moving_variance_initializer: Any = setting(
        "ones", before="beta_regularizer", convert=initializers.get
    )

    def build(self, input_shape: Any) -> None:
        """Create gamma, beta and the two moving averages, shape (channels)."""
        size = input_shape[self.axis]
        self._make_gamma_and_beta((size,))
        self.moving_mean = self.make("moving_mean", (size,), trainable=False, autocast=False)
        self.moving_variance = self.make(
            "moving_variance", (size,), trainable=False, autocast=False
        )
        self.input_spec = InputSpec(ndim=len(input_shape), axes={self.axis: size})

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Return the normalized tensor; update the moving averages in training."""
        x = _in_single(inputs, self.compute_dtype)
        mean: Any = in_dtype(self.moving_mean, x.dtype)
        variance: Any = in_dtype(self.moving_variance, x.dtype)
        axis = self.axis % x.ndim
        if mask is not None and mask.ndim != x.ndim - 1:
            raise ValueError(
                "The mask provided should be one dimension less than the inputs. Received: "
                f"mask.shape={mask.shape}, inputs.shape={x.shape}"
            )
        if training and self.trainable:
            axes = [each for each in range(x.ndim) if each != axis]
            mean, variance = nn.moments(x, axes) if mask is None else _shown_moments(x, mask, axes)
            _follow(self.moving_mean, mean, self.momentum)
            _follow(self.moving_variance, variance, self.momentum)
        shape = (
            None if axis == x.ndim - 1 else [-1 if each == axis else 1 for each in range(x.ndim)]
        )
        return self._normalized(x, _reshaped(mean, shape), _reshaped(variance, shape), shape)


@named_group
def _shown_moments(x: Any, mask: Any, axes: list[int]) -> Any:
    """The mean and the variance of what a mask, which has no axis for channels, shows."""
    shown: Any = value_ops.cast(shape_ops.expand_dims(mask, -1), x.dtype)
    count = math.reduce_sum(shape_ops.broadcast_to(shown, x.shape), axes) + backend.epsilon()
    mean = math.reduce_sum(x * shown, axes) / count
    kept = [1 if axis in axes else -1 for axis in range(x.ndim)]
    away = (x - shape_ops.reshape(mean, kept)) * shown
    return mean, math.reduce_sum(math.square(away), axes) / count


@named_group
def _follow(average: Any, value: Any, momentum: float) -> None:
    """Move an average towards a value."""
    average.assign(in_dtype(average, value.dtype) * momentum + value * (1.0 - momentum))


class LayerNormalization(_Normalization):
    """Normalizes each example along its last axis or some axes (Ba, Kiros, Hinton 2016)."""

    def build(self, input_shape: Any) -> None:
        """Create gamma and beta with the sizes of the axes."""
        axes = [self.axis] if isinstance(self.axis, int) else sorted(self.axis)
        self._axes = sorted(axis % len(input_shape) for axis in axes)
        self._make_gamma_and_beta(tuple(input_shape[axis] for axis in axes))

    def call(self, inputs: Any) -> Any:
        """Return the normalized tensor."""
        x: Any = _in_single(inputs, self.compute_dtype)
        gamma, beta = (in_dtype(each, x.dtype) for each in (self.gamma, self.beta))
        fused = rows_normalized(x, self._axes, gamma, beta, self.epsilon)
        if fused is not None:
            return in_dtype(fused, self.compute_dtype)
        mean, variance = nn.moments(x, list(self._axes), keepdims=True)
        shape = [x.shape[axis] if axis in self._axes else 1 for axis in range(x.ndim)]
        last = list(self._axes) == [x.ndim - 1]
        return self._normalized(x, mean, variance, None if last else shape)


class RMSNormalization(ElementwiseLayer, WeightedLayer):
    """Divides by the root of the mean square along an axis, then scales (Zhang, Sennrich 2019)."""

    axis: int = setting(-1)
    epsilon: float = setting(1e-6)
    supports_masking = False

    def build(self, input_shape: Any) -> None:
        """Create the scale with the size of the axis."""
        self.scale = self.add_weight((input_shape[self.axis],), "ones", name="scale")

    def call(self, inputs: Any) -> Any:
        """Return the normalized tensor."""
        x: Any = _in_single(inputs, self.compute_dtype)
        square = math.reduce_mean(math.square(x), axis=self.axis, keepdims=True)
        y = x * math.rsqrt(square + self.epsilon) * in_dtype(self.scale, x.dtype)
        return in_dtype(y, self.compute_dtype)


class GroupNormalization(_Normalization):
    """Normalizes groups of channels of each example (Wu, He 2018); -1 groups: each channel."""

    groups: int = setting(32, before="axis")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.groups, int) or (self.groups <= 0 and self.groups != -1):
            raise ValueError(
                "Received an invalid value for argument `groups`, expected a positive integer, or "
                f"-1. Received: groups={self.groups}"
            )

    def build(self, input_shape: Any) -> None:
        """Create gamma and beta, shape (channels)."""
        size = input_shape[self.axis]
        if self.groups == -1:
            self.groups = size
        if size % self.groups:
            raise ValueError(
                f"Number of groups ({self.groups}) must be a multiple of the number of channels "
                f"({size})."
            )
        self._make_gamma_and_beta((size,))

    def call(self, inputs: Any) -> Any:
        """Return the normalized tensor."""
        x: Any = _in_single(inputs, self.compute_dtype)
        shape, axis = tuple(x.shape), self.axis % x.ndim
        size = shape[axis] // self.groups
        grouped = shape_ops.reshape(x, (*shape[:axis], self.groups, size, *shape[axis + 1 :]))
        axes = [each for each in range(1, x.ndim + 1) if each != axis]
        mean, variance = nn.moments(grouped, axes, keepdims=True)
        even = nn.batch_normalization(grouped, mean, variance, None, None, self.epsilon)
        y: Any = shape_ops.reshape(even, shape)
        of_channels = [shape[each] if each == axis else 1 for each in range(x.ndim)]
        gamma, beta = (in_dtype(each, x.dtype) for each in (self.gamma, self.beta))
        y = y if gamma is None else y * _reshaped(gamma, of_channels)
        y = y if beta is None else y + _reshaped(beta, of_channels)
        return in_dtype(y, self.compute_dtype)


class UnitNormalization(ElementwiseLayer):
    """Divides each example by its Euclidean norm along an axis."""

    stateless = True

    axis: Any = setting(-1)

    def call(self, inputs: Any) -> Any:
        """Return the normalized tensor."""
        return nn.l2_normalize(inputs, self.axis)


def _axes(axis: Any) -> tuple[int, ...]:
    return (axis,) if isinstance(axis, int) else () if axis is None else tuple(axis)


def _first(batch: Any) -> Any:
    """The features of a batch, which stand before labels."""
    return batch[0] if isinstance(batch, tuple) else batch


def _check_statistics(mean: Any, variance: Any, axes: tuple[int, ...]) -> None:
    """Raise ValueError unless a mean and a variance of two shapes fit together and the axes."""
    if mean != variance:
        raise ValueError(
            "When setting values directly, `mean` and `variance` must have the same shape. "
            f"Received: mean shape {mean} and variance shape {variance}"
        )
    if len(mean) > len(axes):
        raise ValueError(
            "The rank of `mean` must be less than or equal to the number of axes "
            f"({len(axes)}). Received: mean shape {mean} for axis {axes}"
        )


class Normalization(ElementwiseLayer, WeightedLayer):
    """Normalizes features with the mean and variance of the data, computed once by `adapt`."""

    axis: Any = setting(-1, convert=_axes)
    statistics = SettingGroup(mean=Setting(None), variance=Setting(None))
    invert: bool = setting(False)

    def _begin(self, arguments: dict[str, Any]) -> None:
        mean, variance = arguments.pop("mean"), arguments.pop("variance")
        super()._begin(arguments)
        self_axes = _axes(arguments["axis"])
        if (mean is None) != (variance is None):
            raise ValueError(
                "When setting values directly, both `mean` and `variance` must be set. Received: "
                f"mean={mean} and variance={variance}"
            )
        if mean is not None:
            _check_statistics(np.shape(mean), np.shape(variance), self_axes)
        self.input_mean, self.input_variance = mean, variance

    def build(self, input_shape: Any) -> None:
        """Create the mean and the variance with the sizes of the axes."""
        rank = len(input_shape)
        if any(not -rank <= axis < rank for axis in self.axis):
            raise ValueError(
                "All `axis` values must be in the range [-ndim, ndim). Received inputs with "
                f"ndim={rank}, while axis={self.axis}"
            )
        self._kept = sorted(axis % rank for axis in self.axis)
        self._shape = [input_shape[axis] if axis in self._kept else 1 for axis in range(rank)]
        sizes = tuple(input_shape[axis] for axis in self._kept)
        if None in sizes:
            raise ValueError(
                "All `axis` values to be kept must have a known shape. Received axis="
                f"{self.axis}, inputs.shape={input_shape}, with unknown axis at index "
                f"{self._kept[sizes.index(None)]}"
            )
        if self.input_mean is None:
            self.adapt_mean = self.add_weight(sizes, "zeros", name="mean", trainable=False)
            self.adapt_variance = self.add_weight(sizes, "ones", name="variance", trainable=False)
            self.count = self.add_weight((), "zeros", "int64", name="count", trainable=False)

    def adapt(self, data: Any, batch_size: Any = None, steps: Any = None) -> None:
        """Compute the mean and the variance of the data, an array or batches of a dataset."""
        if isinstance(data, (int, float)) or not (hasattr(data, "shape") or np.iterable(data)):
            raise TypeError(
                f"Unsupported data type: {type(data)}. `adapt` supports `np.ndarray`, backend "
                "tensors, `tf.data.Dataset`, `keras.utils.PyDataset`, and iterables of batches."
            )
        if isinstance(data, Dataset) and len(_first(data.element_spec).shape) < 2:
            data = data.batch(128)
        if isinstance(data, Dataset) and not self.built:
            self.build(tuple(_first(data.element_spec).shape))
        mean: Any = 0.0
        variance: Any = 0.0
        count = 0
        for batch in [data] if hasattr(data, "shape") else data:
            x = np.asarray(_first(batch), self.compute_dtype)
            self._check_batch(x.shape)
            axes = tuple(axis for axis in range(x.ndim) if axis not in self._kept)
            added = prod(x.shape[axis] for axis in axes)
            count += added
            share = added / count
            before, mean = mean, mean * (1 - share) + x.mean(axes) * share
            variance = (variance + (before - mean) ** 2) * (1 - share) + (
                x.var(axes) + (x.mean(axes) - mean) ** 2
            ) * share
        if not count:
            raise ValueError(
                "adapt() received an empty iterable (no batches). Expected at least one batch."
            )
        self.adapt_mean.assign(mean)
        self.adapt_variance.assign(variance)

    def _check_batch(self, shape: tuple[int, ...]) -> None:
        """Build the layer for the first batch; ValueError for one with other features."""
        if not self.built:
            self.build(shape)
        if any(shape[axis] != self._shape[axis] for axis in self._kept):
            raise ValueError(
                f"The layer was built with input_shape={self._build_shapes}, but adapt() is being "
                f"called with data with an incompatible shape, data.shape={shape}"
            )

    @property
    def mean(self) -> Any:
        """The mean of each feature."""
        return self._broadcast(self.adapt_mean if self.input_mean is None else self.input_mean)

    @property
    def variance(self) -> Any:
        """The variance of each feature."""
        given = self.input_mean is not None
        return self._broadcast(self.input_variance if given else self.adapt_variance)

    def _broadcast(self, statistic: Any) -> Any:
        x: Any = value_ops.cast(statistic, self.compute_dtype)
        if not self.built:
            return x
        sizes = [self._shape[axis] for axis in self._kept]
        return shape_ops.reshape(shape_ops.broadcast_to(x, sizes), self._shape)

    def call(self, inputs: Any) -> Any:
        """Return the normalized features; with `invert` the original ones."""
        x: Any = in_float(value_ops.cast(inputs, self.compute_dtype), self.compute_dtype)
        deviation = math.maximum(math.sqrt(self.variance), 1e-7)
        if self.invert:
            return self.mean + x * deviation
        return (x - self.mean) / deviation

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal layer; the statistics of data are weights."""
        statistics = {"mean": self.input_mean, "variance": self.input_variance}
        listed = {name: np.array(value).tolist() for name, value in statistics.items()}
        return {**super().get_config(), **listed}
