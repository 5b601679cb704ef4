"""Layers that act by chance, and only in training."""

from __future__ import annotations

from math import sqrt
from typing import Any

from tapelab.array_ops.value_ops import cast
from tapelab.core.dispatch import public
from tapelab.keras import random
from tapelab.keras.layers.activation import Elementwise
from tapelab.keras.name_scopes import named_group
from tapelab.keras.random import SeedGenerator
from tapelab.keras.regularizers import L1L2


class _Chance(Elementwise):
    """Holds a rate and a seed; does nothing outside training."""

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not 0 <= rate <= 1:
            raise ValueError(
                "Invalid value received for argument `rate`. Expected a float value between 0 and "
                f"1. Received: rate={rate}"
            )
        self.rate, self.seed = rate, seed
        if rate > 0:
            self.seed_generator = SeedGenerator(seed)

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The entries changed by chance in training; else as they are."""
        if not training or self.rate == 0:
            return inputs
        return self._changed(inputs)

    def _changed(self, x: Any) -> Any:
        raise NotImplementedError


class Dropout(_Chance):
    """Sets a share of the entries to 0 in training, and scales up the others to make up for it."""

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(rate, seed, **kwargs)
        self.noise_shape = noise_shape

    @public(if_shape_is_open=True)
    def _changed(self, x: Any) -> Any:
        shape = self._noise(tuple(x.shape))
        return dropped(x, self.rate, random.uniform(shape, dtype=x.dtype.name,
                                                    seed=self.seed_generator))  # fmt: skip

    def _noise(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        if self.noise_shape is None:
            return shape
        pairs = zip(self.noise_shape, shape, strict=True)
        return tuple(there if wanted is None else wanted for wanted, there in pairs)


@named_group
def dropped(x: Any, rate: float, chance: Any) -> Any:
    """The entries whose chance is above the rate, scaled up; the others are 0."""
    if rate == 1:
        return x * 0.0
    return x * cast(chance >= rate, x.dtype) / (1.0 - rate)


class SpatialDropout1D(Dropout):
    """Sets whole channels to 0."""

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(rate, seed=seed, **kwargs)

    def _noise(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return (shape[0], *(1 for _ in shape[1:-1]), shape[-1])


class SpatialDropout2D(SpatialDropout1D):
    """Sets whole channels of pictures to 0."""


class SpatialDropout3D(SpatialDropout1D):
    """Sets whole channels of blocks to 0."""


class GaussianNoise(Elementwise):
    """Adds random numbers in training."""

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not 0 <= stddev <= 1:
            raise ValueError(
                "Invalid value received for argument `stddev`. Expected a float value between 0 "
                f"and 1. Received: stddev={stddev}"
            )
        self.stddev, self.seed = stddev, seed
        if stddev > 0:
            self.seed_generator = SeedGenerator(seed)

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The entries and noise in training; else as they are."""
        return inputs if not training or self.stddev == 0 else self._changed(inputs)

    @public(if_shape_is_open=True)
    def _changed(self, x: Any) -> Any:
        return x + random.normal(x.shape, 0.0, self.stddev, x.dtype.name, self.seed_generator)


class GaussianDropout(_Chance):
    """Multiplies by random numbers around 1 in training."""

    @public(if_shape_is_open=True)
    def _changed(self, x: Any) -> Any:
        width = sqrt(self.rate / (1.0 - self.rate))
        return x * random.normal(x.shape, 1.0, width, x.dtype.name, self.seed_generator)


class ActivityRegularization(Elementwise):
    """Adds to the loss what the entries cost, and hands them on."""

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=L1L2(l1, l2), **kwargs)
        self.l1, self.l2 = l1, l2

    def call(self, inputs: Any) -> Any:
        """The entries as they are."""
        return inputs
