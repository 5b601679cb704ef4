"""`tf.keras.initializers`: what the weights of a layer begin with.

The random ones draw Keras's numbers: a seed gives the weights that it gives there.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapelab.core.tensor import Tensor, constant_of
from tapelab.dtypes import as_dtype
from tapelab.keras import seeded_arrays
from tapelab.keras.serialization import Configured, resolver, serialized
from tapelab.namespace.missing_names import in_module

_CUT_DEVIATION: Final = 0.87962566103423978
"""The standard deviation of a normal distribution that is cut off at two deviations."""
_MODES: Final = ("fan_avg", "fan_in", "fan_out")
_DISTRIBUTIONS: Final = ("truncated_normal", "uniform", "untruncated_normal")


class Initializer(Configured):
    """Makes the first value of a weight from its shape: `initializer(shape, dtype)`."""

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """A tensor of the shape."""
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def clone(self) -> Any:
        """Another one with the same settings."""
        return type(self).from_config(self.get_config())


class Constant(Initializer):
    """The same number everywhere."""

    _settings: tuple[str, ...] = ("value",)

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """A tensor that repeats the value."""
        return _tensor(np.broadcast_to(np.asarray(self.value), tuple(shape)), dtype)


class Zeros(Initializer):
    """All zeros, as for a bias."""

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """A tensor of zeros."""
        return _tensor(np.zeros(tuple(shape)), dtype)


class Ones(Initializer):
    """All ones, as for a scale."""

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """A tensor of ones."""
        return _tensor(np.ones(tuple(shape)), dtype)


class Identity(Initializer):
    """The identity matrix times a factor."""

    _settings: tuple[str, ...] = ("gain",)

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """A matrix with the factor on its diagonal."""
        if len(shape) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices. "
                f"Received: shape={shape} of rank {len(shape)}."
            )
        return _tensor(self.gain * np.eye(*shape), dtype)


class RandomInitializer(Initializer):
    """Draws from a seed; called twice it gives the same numbers twice."""

    def __init__(self, seed: Any = None) -> None:
        self._given_seed = seed
        start = seeded_arrays.default_seed() if seed is None else seed
        self._fixed = None if hasattr(start, "next") else (int(start), 0)

    @property
    def seed(self) -> Any:
        """The seed as it was given."""
        return self._given_seed

    def _seed(self) -> seeded_arrays.Seed:
        """The seed of a draw: a number's is always the same, a generator's another each time."""
        return self._given_seed.next() if self._fixed is None else self._fixed


class RandomNormal(RandomInitializer):
    """Numbers from the normal distribution."""

    _settings: tuple[str, ...] = ("seed", "mean", "stddev")

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev = mean, stddev
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """A random tensor."""
        return _tensor(
            seeded_arrays.normal(self._seed(), shape, self.mean, self.stddev, dtype), dtype
        )


class TruncatedNormal(RandomNormal):
    """Numbers from the normal distribution, none further than two deviations from the mean."""

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """A random tensor."""
        return _tensor(
            seeded_arrays.truncated_normal(self._seed(), shape, self.mean, self.stddev, dtype),
            dtype,
        )


class RandomUniform(RandomInitializer):
    """Numbers between two limits, all equally likely."""

    _settings: tuple[str, ...] = ("seed", "minval", "maxval")

    def __init__(
        self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None
    ) -> None:
        self.minval, self.maxval = minval, maxval
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """A random tensor."""
        return _tensor(
            seeded_arrays.uniform(self._seed(), shape, self.minval, self.maxval, dtype), dtype
        )


class VarianceScaling(RandomInitializer):
    """Random numbers as large as it takes for signals to keep their size through the layer."""

    _settings: tuple[str, ...] = ("seed", "scale", "mode", "distribution")

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal",
        seed: int | None = None,
    ) -> None:  # fmt: skip
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be positive float. Received: scale={scale}")
        if mode not in _MODES:
            raise ValueError(f"Invalid `mode` argument: {mode}. Please use one of {set(_MODES)}")
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(
                f"Invalid `distribution` argument: {distribution}."
                f"Please use one of {set(_DISTRIBUTIONS)}"
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """A random tensor whose variance is the scale over the number of inputs or outputs."""
        fan_in, fan_out = compute_fans(tuple(shape))
        fans = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        variance = self.scale / max(1.0, fans[self.mode])
        size = tuple(shape)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return _tensor(seeded_arrays.uniform(self._seed(), size, -limit, limit, dtype), dtype)
        deviation = math.sqrt(variance)
        if self.distribution == "truncated_normal":
            drawn = seeded_arrays.truncated_normal(
                self._seed(), size, 0.0, deviation / _CUT_DEVIATION, dtype
            )
            return _tensor(drawn, dtype)
        return _tensor(seeded_arrays.normal(self._seed(), size, 0.0, deviation, dtype), dtype)


class _Scaled(VarianceScaling):
    """A variance scaling with a name of its own."""

    _settings: tuple[str, ...] = ("seed",)
    _rule: tuple[float, str, str] = (1.0, "fan_in", "truncated_normal")

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(*self._rule, seed=seed)


class GlorotUniform(_Scaled):
    """Between ±sqrt(6 / (inputs + outputs)): the usual start of a kernel."""

    _rule = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Scaled):
    """A cut normal distribution with variance 2 / (inputs + outputs)."""

    _rule = (1.0, "fan_avg", "truncated_normal")


class HeNormal(_Scaled):
    """A cut normal distribution with variance 2 / inputs, for relu."""

    _rule = (2.0, "fan_in", "truncated_normal")


class HeUniform(_Scaled):
    """Between ±sqrt(6 / inputs), for relu."""

    _rule = (2.0, "fan_in", "uniform")


class LecunNormal(_Scaled):
    """A cut normal distribution with variance 1 / inputs, for selu."""

    _rule = (1.0, "fan_in", "truncated_normal")


class LecunUniform(_Scaled):
    """Between ±sqrt(3 / inputs)."""

    _rule = (1.0, "fan_in", "uniform")


class Orthogonal(RandomInitializer):
    """A random matrix with orthonormal rows or columns, as for a recurrent kernel."""

    _settings: tuple[str, ...] = ("seed", "gain")

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        self.gain = gain
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """A random tensor that is orthogonal as a matrix of its last axis."""
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. Received: "
                f"shape={shape} of rank {len(shape)}."
            )
        rows, columns = math.prod(shape[:-1]), shape[-1]
        size = (max(rows, columns), min(rows, columns))
        drawn = seeded_arrays.normal(self._seed(), size, dtype=dtype)
        q, r = np.linalg.qr(drawn)
        q = q * np.sign(np.diagonal(r))
        return _tensor(self.gain * (q.T if rows < columns else q).reshape(shape), dtype)


constant, zeros, ones, identity = Constant, Zeros, Ones, Identity
random_normal, random_uniform, truncated_normal = RandomNormal, RandomUniform, TruncatedNormal
variance_scaling, orthogonal = VarianceScaling, Orthogonal
glorot_uniform, glorot_normal = GlorotUniform, GlorotNormal
he_uniform, he_normal = HeUniform, HeNormal
lecun_uniform, lecun_normal = LecunUniform, LecunNormal
IdentityInitializer, OrthogonalInitializer = Identity, Orthogonal

_KNOWN: Final[dict[str, Any]] = {
    **{kind.__name__: kind for kind in (
        Constant, Zeros, Ones, Identity, RandomNormal, RandomUniform, TruncatedNormal,
        VarianceScaling, Orthogonal, GlorotUniform, GlorotNormal, HeNormal, HeUniform,
        LecunNormal, LecunUniform,
    )},
    "normal": RandomNormal,
    "uniform": RandomUniform,
    "IdentityInitializer": Identity,
    "OrthogonalInitializer": Orthogonal,
}  # fmt: skip
get = resolver("initializer", _KNOWN)
deserialize = get
serialize = serialized


def compute_fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """How many inputs and outputs a weight connects."""
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


def _tensor(array: Any, dtype: Any) -> Tensor:
    wanted = as_dtype("float32" if dtype is None else dtype)
    return constant_of(np.array(array, dtype=wanted.as_numpy_dtype)[()])


__getattr__, __dir__ = in_module(__name__)
