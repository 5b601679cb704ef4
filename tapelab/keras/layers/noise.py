"""Regularization layers: dropout, noise and penalties, which act in training only."""

from __future__ import annotations

from math import sqrt
from typing import Any

from tapelab.array_ops.value_ops import cast
from tapelab.core.dispatch import public
from tapelab.keras import random
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import ElementwiseLayer
from tapelab.keras.layers.window_shapes import layout_of, of_ranks
from tapelab.keras.name_scopes import named_group
from tapelab.keras.random import SeedGenerator
from tapelab.keras.regularizers import L1L2
from tapelab.ops.activation import SELU_ALPHA, SELU_SCALE


class _Noise(ElementwiseLayer):
    """Applies `_noisy` in training, unless its amount is 0; the identity otherwise."""

    stateless = True

    amount_name = "rate"
    seed: int | None

    def __post_init__(self) -> None:
        amount = getattr(self, self.amount_name)
        if not 0 <= amount <= 1:
            raise ValueError(
                f"Invalid value received for argument `{self.amount_name}`. Expected a float value "
                f"between 0 and 1. Received: {self.amount_name}={amount}"
            )
        if amount > 0:
            self.seed_generator = SeedGenerator(self.seed)

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Return the inputs with noise in training, the inputs themselves otherwise."""
        return self._noisy(inputs) if training and getattr(self, self.amount_name) else inputs

    def _noisy(self, x: Any) -> Any:
        raise NotImplementedError


class _Dropout(_Noise):
    """Sets a share of the elements, or of larger parts, to 0 in training."""

    rate: float = setting()

    @public(if_shape_is_open=True)
    def _noisy(self, x: Any) -> Any:
        shape = self._noise_shape(tuple(x.shape))
        return dropped(
            x, self.rate, random.uniform(shape, dtype=x.dtype.name, seed=self.seed_generator)
        )

    def _noise_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        raise NotImplementedError


class Dropout(_Dropout):
    """Sets a share of the elements to 0 in training, and scales the others (Srivastava 2014).

    The scale `1 / (1 - rate)` keeps the mean. A 1 in `noise_shape` drops all along that axis.
    """

    noise_shape: Any = setting(None)
    seed: int | None = setting(None)

    def __post_init__(self) -> None:
        super().__post_init__()
        shape = self.noise_shape
        if shape is None:
            return
        if not isinstance(shape, (tuple, list)):
            expected = "a tuple or list of integers"
        elif any(size is not None and not isinstance(size, int) for size in shape):
            expected = "all elements to be integers or None"
        elif any(size is not None and size <= 0 for size in shape):
            expected = "all dimensions to be positive integers or None"
        else:
            return
        raise ValueError(
            f"Invalid value received for argument `noise_shape`. Expected {expected}. "
            f"Received: noise_shape={shape}"
        )

    def _noise_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        if self.noise_shape is None:
            return shape
        pairs = zip(self.noise_shape, shape, strict=True)
        return tuple(size if wanted is None else wanted for wanted, size in pairs)


@named_group
def dropped(x: Any, rate: float, draws: Any) -> Any:
    """Return the elements whose draw is at least the rate, scaled; 0 for the others."""
    if rate == 1:
        return x * 0.0
    return x * cast(draws >= rate, x.dtype) / (1.0 - rate)


class _SpatialDropout(_Dropout):
    """Drops whole channels over {axes} in training (Tompson et al. 2015)."""

    rank: int
    data_format: Any = setting(None, convert=layout_of)
    seed: int | None = setting(None)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _noise_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        spatial = (1,) * self.rank
        if self.data_format == "channels_first":
            return (*shape[:2], *spatial)
        return (shape[0], *spatial, shape[-1])


class SpatialDropout1D(_SpatialDropout):
    """Drops whole channels of sequences in training (Tompson et al. 2015)."""

    rank = 1
    data_format = "channels_last"


SpatialDropout2D, SpatialDropout3D = of_ranks("SpatialDropout{}D", _SpatialDropout, 2, 3)


class AlphaDropout(Dropout):
    """Sets elements to SELU's lowest value in training, and keeps mean and variance.

    Klambauer et al. (2017).
    """

    @public(if_shape_is_open=True)
    def _noisy(self, x: Any) -> Any:
        shape = self._noise_shape(tuple(x.shape))
        draws: Any = random.uniform(shape, seed=self.seed_generator)
        kept: Any = cast(draws >= self.rate, x.dtype)
        lowest = -SELU_SCALE * SELU_ALPHA
        scale = ((1 - self.rate) * (1 + self.rate * lowest**2)) ** -0.5
        return (x * kept + lowest * (1 - kept)) * scale - scale * lowest * self.rate


class GaussianNoise(_Noise):
    """Adds normal noise in training."""

    amount_name = "stddev"
    stddev: float = setting()
    seed: int | None = setting(None)

    @public(if_shape_is_open=True)
    def _noisy(self, x: Any) -> Any:
        return x + random.normal(x.shape, 0.0, self.stddev, x.dtype.name, self.seed_generator)


class GaussianDropout(_Noise):
    """Multiplies by normal noise with mean 1 in training."""

    rate: float = setting()
    seed: int | None = setting(None)

    @public(if_shape_is_open=True)
    def _noisy(self, x: Any) -> Any:
        stddev = sqrt(self.rate / (1.0 - self.rate))
        return x * random.normal(x.shape, 1.0, stddev, x.dtype.name, self.seed_generator)


class ActivityRegularization(ElementwiseLayer):
    """Returns its input, and adds the penalty `l1 · Σ|x| + l2 · Σx²` to the loss."""

    stateless = True

    l1: float = setting(0.0)
    l2: float = setting(0.0)

    def _begin(self, arguments: dict[str, Any]) -> None:
        penalty = L1L2(arguments["l1"], arguments["l2"])
        super()._begin({**arguments, "activity_regularizer": penalty})
        for name in arguments.keys() - self._settings.keys():
            del arguments[name]

    def call(self, inputs: Any) -> Any:
        """Return the inputs."""
        return inputs
