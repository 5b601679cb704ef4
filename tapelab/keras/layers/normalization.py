"""Layers that move entries to mean 0 and variance 1, then scale and shift them as learned."""

from __future__ import annotations

from math import prod
from typing import Any

from tapelab import math, nn
from tapelab.array_ops import shape_ops, value_ops
from tapelab.keras.layers.activation import Elementwise
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer_call import in_float
from tapelab.keras.layers.weighing import Weighted
from tapelab.keras.name_scopes import named_group
from tapelab.nn.norm_ops import rows_normalized


class _Normalization(Weighted):
    """What the learned normalizations share: gamma, which scales, and beta, which shifts."""

    def __init__(
        self, axis: Any = -1, epsilon: float = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Any = "zeros", gamma_initializer: Any = "ones",
        beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None,
        gamma_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale
        self.plan("gamma", gamma_initializer, gamma_regularizer, gamma_constraint)
        self.plan("beta", beta_initializer, beta_regularizer, beta_constraint)
        self.supports_masking = True

    def _make_both(self, shape: Any) -> None:
        self.gamma = self.make("gamma", shape) if self.scale else None
        self.beta = self.make("beta", shape) if self.center else None

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the input."""
        return input_shape


class BatchNormalization(_Normalization):
    """Normalizes each channel: in training by the batch, else by averages of past batches."""

    def __init__(
        self, axis: int = -1, momentum: float = 0.99, epsilon: float = 1e-3, center: bool = True,
        scale: bool = True, beta_initializer: Any = "zeros", gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros", moving_variance_initializer: Any = "ones",
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            axis, epsilon, center, scale, beta_initializer, gamma_initializer, **kwargs
        )
        self.momentum = momentum
        self.plan("moving_mean", moving_mean_initializer)
        self.plan("moving_variance", moving_variance_initializer)

    def build(self, input_shape: Any) -> None:
        """Make gamma, beta and the two moving averages, one number for each channel."""
        size = input_shape[self.axis]
        self._make_both((size,))
        self.moving_mean = self.make("moving_mean", (size,), trainable=False)
        self.moving_variance = self.make("moving_variance", (size,), trainable=False)
        self.input_spec = InputSpec(ndim=len(input_shape), axes={self.axis: size})

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The channels normalized; in training the moving averages follow."""
        x = in_float(inputs, self.compute_dtype)
        mean: Any = self.moving_mean
        variance: Any = self.moving_variance
        if training and self.trainable:
            axes = [at for at in range(x.ndim) if at != self.axis % x.ndim]
            mean, variance = nn.moments(x, axes)
            _follow(self.moving_mean, mean, self.momentum)
            _follow(self.moving_variance, variance, self.momentum)
        shape = [1] * x.ndim
        shape[self.axis] = -1
        place = (lambda part: part) if self.axis % x.ndim == x.ndim - 1 else _placing(shape)
        beta, gamma = (None if each is None else place(each) for each in (self.beta, self.gamma))
        return nn.batch_normalization(x, place(mean), place(variance), beta, gamma, self.epsilon)


def _placing(shape: list[int]) -> Any:
    return lambda part: shape_ops.reshape(part, shape)


@named_group
def _follow(average: Any, value: Any, momentum: float) -> None:
    """Let a moving average take a step towards a value."""
    average.assign(average * momentum + value * (1.0 - momentum))


class LayerNormalization(_Normalization):
    """Normalizes each example by itself, along its last axis or the axes given."""

    def build(self, input_shape: Any) -> None:
        """Make gamma and beta, one number for each place along the axes."""
        axes = [self.axis] if isinstance(self.axis, int) else sorted(self.axis)
        self._axes = sorted(axis % len(input_shape) for axis in axes)
        self._make_both(tuple(input_shape[axis] for axis in axes))

    def call(self, inputs: Any) -> Any:
        """The entries normalized, scaled and shifted."""
        x: Any = in_float(inputs, self.compute_dtype)
        whole = rows_normalized(x, self._axes, self.gamma, self.beta, self.epsilon)
        if whole is not None:
            return whole
        mean, variance = nn.moments(x, list(self._axes), keepdims=True)
        shape = [x.shape[at] if at in self._axes else 1 for at in range(x.ndim)]
        last = list(self._axes) == [x.ndim - 1]
        place = (lambda part: part) if last else _placing(shape)
        beta, gamma = (None if each is None else place(each) for each in (self.beta, self.gamma))
        return nn.batch_normalization(x, mean, variance, beta, gamma, self.epsilon)


class RMSNormalization(Weighted):
    """Divides by the root of the mean square along an axis, then scales as learned."""

    def __init__(self, axis: int = -1, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis, self.epsilon = axis, epsilon

    def build(self, input_shape: Any) -> None:
        """Make the scale, one number for each place along the axis."""
        self.scale = self.add_weight((input_shape[self.axis],), "ones", name="scale")

    def call(self, inputs: Any) -> Any:
        """The entries divided and scaled."""
        x: Any = in_float(inputs, self.compute_dtype)
        square = math.reduce_mean(math.square(x), axis=self.axis, keepdims=True)
        return x * math.rsqrt(square + self.epsilon) * self.scale

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the input."""
        return input_shape


class GroupNormalization(_Normalization):
    """Normalizes groups of channels of each example by themselves; -1 groups: each channel."""

    def __init__(
        self, groups: int = 32, axis: int = -1, epsilon: float = 1e-3, **kwargs: Any
    ) -> None:
        super().__init__(axis, epsilon, **kwargs)
        self.groups = groups

    def build(self, input_shape: Any) -> None:
        """Make gamma and beta, one number for each channel."""
        size = input_shape[self.axis]
        if self.groups == -1:
            self.groups = size
        if size % self.groups:
            raise ValueError(
                f"Number of groups ({self.groups}) must be a multiple of the number of channels "
                f"({size})."
            )
        self._make_both((size,))

    def call(self, inputs: Any) -> Any:
        """The groups normalized, then each channel scaled and shifted."""
        x: Any = in_float(inputs, self.compute_dtype)
        shape, axis = tuple(x.shape), self.axis % x.ndim
        each = shape[axis] // self.groups
        apart = shape_ops.reshape(x, (*shape[:axis], self.groups, each, *shape[axis + 1 :]))
        axes = [at for at in range(1, x.ndim + 1) if at != axis]
        mean, variance = nn.moments(apart, axes, keepdims=True)
        even = nn.batch_normalization(apart, mean, variance, None, None, self.epsilon)
        whole: Any = shape_ops.reshape(even, shape)
        place = _placing([shape[at] if at == axis else 1 for at in range(x.ndim)])
        whole = whole if self.gamma is None else whole * place(self.gamma)
        return whole if self.beta is None else whole + place(self.beta)


class UnitNormalization(Elementwise):
    """Divides each example by its length along an axis, which is then 1."""

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        """The entries over their length."""
        return nn.l2_normalize(inputs, self.axis)


class Normalization(Weighted):
    """Moves features to mean 0 and variance 1 by numbers found once, by `adapt`, in the data."""

    def __init__(
        self, axis: Any = -1, mean: Any = None, variance: Any = None, invert: bool = False,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if (mean is None) != (variance is None):
            raise ValueError(
                "When setting values directly, both `mean` and `variance` must be set. Received: "
                f"mean={mean} and variance={variance}"
            )
        self.axis = (axis,) if isinstance(axis, int) else () if axis is None else tuple(axis)
        self.invert = invert
        self.input_mean, self.input_variance = mean, variance

    def build(self, input_shape: Any) -> None:
        """Make the mean and the variance, one number for each place along the axes."""
        rank = len(input_shape)
        self._kept = sorted(axis % rank for axis in self.axis)
        self._shape = [input_shape[at] if at in self._kept else 1 for at in range(rank)]
        size = tuple(input_shape[at] for at in self._kept)
        if self.input_mean is None:
            self.adapt_mean = self.add_weight(size, "zeros", name="mean", trainable=False)
            self.adapt_variance = self.add_weight(size, "ones", name="variance", trainable=False)
            self.count = self.add_weight((), "zeros", "int64", name="count", trainable=False)

    def adapt(self, data: Any, batch_size: Any = None, steps: Any = None) -> None:
        """Find the mean and the variance of the data, an array or batches of a dataset."""
        whole: Any = data
        if not hasattr(data, "shape"):
            whole = shape_ops.concat(list(data), 0)
        x: Any = in_float(value_ops.cast(whole, self.compute_dtype), self.compute_dtype)
        if not self.built:
            self.build((None, *x.shape[1:]))
        axes = [at for at in range(x.ndim) if at not in self._kept]
        mean, variance = nn.moments(x, axes)
        self.adapt_mean.assign(mean)
        self.adapt_variance.assign(variance)
        self.count.assign(prod(x.shape[axis] for axis in axes))

    @property
    def mean(self) -> Any:
        """The means that are taken away."""
        found = self.adapt_mean if self.input_mean is None else self.input_mean
        return self._spread(found)

    @property
    def variance(self) -> Any:
        """The variances that are divided out."""
        found = self.adapt_variance if self.input_mean is None else self.input_variance
        return self._spread(found)

    def _spread(self, found: Any) -> Any:
        given: Any = value_ops.cast(found, self.compute_dtype)
        if not self.built:
            return given
        return shape_ops.reshape(shape_ops.broadcast_to(given, self._sizes()), self._shape)

    def _sizes(self) -> list[Any]:
        return [self._shape[at] for at in self._kept]

    def call(self, inputs: Any) -> Any:
        """The features normalized, or put back where they were."""
        x: Any = in_float(value_ops.cast(inputs, self.compute_dtype), self.compute_dtype)
        deviation = math.maximum(math.sqrt(self.variance), 1e-7)
        if self.invert:
            return self.mean + x * deviation
        return (x - self.mean) / deviation

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the input."""
        return input_shape
