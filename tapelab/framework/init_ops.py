"""TensorFlow's own initializers, which modules outside Keras use: `tf.zeros_initializer()`."""

from __future__ import annotations

from typing import Any

from tapelab import random
from tapelab.array_ops.creation import constant, ones, zeros
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype, float32


class _Initializer:
    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same again."""
        return dict(vars(self))


class zeros_initializer(_Initializer):  # noqa: N801 - TensorFlow's name
    """Makes tensors of zeros."""

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """A tensor of the shape."""
        return zeros(shape, dtype)


class ones_initializer(_Initializer):  # noqa: N801 - TensorFlow's name
    """Makes tensors of ones."""

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """A tensor of the shape."""
        return ones(shape, dtype)


class constant_initializer(_Initializer):  # noqa: N801 - TensorFlow's name
    """Makes tensors of one number, or of given numbers in the shape asked for."""

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        """A tensor of the shape; TypeError where the numbers do not fill it."""
        return constant(self.value, dtype=dtype, shape=shape)


class random_normal_initializer(_Initializer):  # noqa: N801 - TensorFlow's name
    """Makes tensors of numbers from the bell curve; a seed gives the same numbers each time."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """A random tensor of the shape."""
        _check_floating(dtype)
        if self.seed is None:
            return random.normal(shape, self.mean, self.stddev, dtype)
        seed = self.seed, 0
        values: Tensor = random.stateless_normal(shape, seed, self.mean, self.stddev, dtype)
        return values


class random_uniform_initializer(_Initializer):  # noqa: N801 - TensorFlow's name
    """Makes tensors of numbers between two limits; a seed gives the same numbers each time."""

    def __init__(
        self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None
    ) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """A random tensor of the shape."""
        if self.seed is None:
            return random.uniform(shape, self.minval, self.maxval, dtype)
        seed = self.seed, 0
        values: Tensor = random.stateless_uniform(shape, seed, self.minval, self.maxval, dtype)
        return values


def _check_floating(dtype: Any) -> None:
    if not as_dtype(dtype).is_floating:
        raise ValueError(
            f"Argument `dtype` is expected to be floating point. Received: {as_dtype(dtype)!s}."
        )
