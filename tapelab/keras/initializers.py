"""`tf.keras.initializers`: the initial values of weights.

Random initializers draw Keras's numbers: a seed gives the same weights as on TensorFlow.
"""

from __future__ import annotations

import math
from functools import partial
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.array_ops.shape_ops import reshape
from tapelab.core.tensor import Tensor, constant_of
from tapelab.dtypes import as_dtype
from tapelab.keras import backend, seeded_arrays
from tapelab.keras.class_settings import Configured, setting
from tapelab.keras.seeded_arrays import Seed
from tapelab.keras.serialization import (
    deserialize_keras_object,
    resolver,
    serialize_keras_object,
    serialized,
)
from tapelab.namespace.missing_names import in_module

_TRUNCATED_DEVIATION: Final = 0.87962566103423978
"""The standard deviation of a standard normal distribution truncated at two deviations."""
_MODES: Final = ("fan_avg", "fan_in", "fan_out")
_DISTRIBUTIONS: Final = ("truncated_normal", "uniform", "untruncated_normal")


class Initializer(Configured):
    """Computes the initial value of a weight from its shape: `initializer(shape, dtype)`."""

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """Return a tensor of the shape, float32 by default."""
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def clone(self) -> Any:
        """Return another initializer with the same settings."""
        return type(self).from_config(self.get_config())


class _ArrayInitializer(Initializer):
    """Converts the array that a subclass computes."""

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """Return a tensor of the shape, float32 by default."""
        wanted = as_dtype("float32" if dtype is None else dtype)
        array = self._array(tuple(shape), dtype)
        return constant_of(np.array(array, dtype=wanted.as_numpy_dtype)[()])

    def _array(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        raise NotImplementedError


class Constant(_ArrayInitializer):
    """Sets every element to one value, or to those of an array that is broadcast."""

    value: Any = setting(0.0, convert=deserialize_keras_object)

    def get_config(self) -> dict[str, Any]:
        """Return the value as plain data."""
        return {"value": serialize_keras_object(self.value)}

    def _array(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        return np.broadcast_to(np.asarray(self.value), shape)


class Zeros(_ArrayInitializer):
    """Sets every element to 0, as is usual for a bias."""

    def _array(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        return np.zeros(shape)


class Ones(_ArrayInitializer):
    """Sets every element to 1, as is usual for a scale."""

    def _array(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        return np.ones(shape)


class Identity(_ArrayInitializer):
    """The identity matrix times a factor, the gain."""

    gain: float = setting(1.0)

    def _array(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        if len(shape) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices. "
                f"Received: shape={shape} of rank {len(shape)}."
            )
        return self.gain * np.eye(*shape)


class STFT(_ArrayInitializer):
    """The real or the imaginary part of a Fourier transform, as a kernel of a convolution.

    A kernel (frame length, 1, frequencies) is multiplied by a window, which is divided by its norm
    ("density") or its sum ("spectrum").
    """

    side: str = setting("real")
    window: Any = setting("hann")
    scaling: str | None = setting("density")
    periodic: bool = setting(False)

    def __post_init__(self) -> None:
        if self.side not in {"real", "imag"}:
            raise ValueError(f"side should be 'real' or 'imag', not {self.side}")
        if isinstance(self.window, str):
            _window(self.window, 1)
        if self.scaling not in {None, "density", "spectrum"}:
            raise ValueError(
                "Scaling is invalid, it must be `None`, 'density' or 'spectrum'. Received "
                f"scaling={self.scaling}"
            )

    def _array(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        length, _, frequencies = shape
        times = np.arange(length).reshape(-1, 1, 1)
        shares = np.arange(frequencies).reshape(1, 1, -1) / (2 * (frequencies - 1))
        angles = -2 * np.pi * times * shares
        waves: NDArray[Any] = np.cos(angles) if self.side == "real" else np.sin(angles)
        if self.window is None:
            return waves
        window = np.asarray(
            _window(self.window, length, self.periodic)
            if isinstance(self.window, str)
            else self.window
        )
        if window.shape != (length,):
            raise ValueError(
                "The shape of `window` must be equal to [frame_length]."
                f"Received: window shape={window.shape}"
            )
        sizes = {None: 1.0, "density": np.linalg.norm(window), "spectrum": np.abs(window).sum()}
        kernel: NDArray[Any] = waves * window.reshape(-1, 1, 1) / sizes[self.scaling]
        return kernel


def _window(name: str, length: int, periodic: bool = False) -> Any:
    """A window of SciPy, which is loaded when it is used."""
    return import_module("scipy.signal").get_window(name, length, periodic)


class RandomInitializer(_ArrayInitializer):
    """Draws random numbers from a seed; two calls with one seed return the same numbers.

    A `SeedGenerator` as the seed gives other numbers at each call.
    """

    seed: Any = setting(None, convert=deserialize_keras_object)

    def __post_init__(self) -> None:
        start = seeded_arrays.default_seed() if self.seed is None else self.seed
        self._fixed_seed = None if hasattr(start, "next") else (int(start), 0)

    def _next_seed(self) -> Seed:
        return self.seed.next() if self._fixed_seed is None else self._fixed_seed

    def get_config(self) -> dict[str, Any]:
        """Return the settings by name, the seed first."""
        return {**super().get_config(), "seed": serialize_keras_object(self.seed)}


class RandomNormal(RandomInitializer):
    """Draws from the normal distribution."""

    mean: float = setting(0.0, before="seed")
    stddev: float = setting(0.05, before="seed")

    def _array(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        return seeded_arrays.normal(self._next_seed(), shape, self.mean, self.stddev, dtype)


class TruncatedNormal(RandomNormal):
    """Draws from the normal distribution, truncated at two standard deviations."""

    def _array(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        seed = self._next_seed()
        return seeded_arrays.truncated_normal(seed, shape, self.mean, self.stddev, dtype)


class RandomUniform(RandomInitializer):
    """Draws from the uniform distribution between two limits."""

    minval: float = setting(-0.05, before="seed")
    maxval: float = setting(0.05, before="seed")

    def _array(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        return seeded_arrays.uniform(self._next_seed(), shape, self.minval, self.maxval, dtype)


class VarianceScaling(RandomInitializer):
    """Draws numbers with variance `scale / n`, so that signals keep their size through a layer.

    `mode` says what n is: the number of inputs of the weight ("fan_in"), of outputs ("fan_out"), or
    their mean ("fan_avg").
    """

    scale: float = setting(1.0, before="seed")
    mode: str = setting("fan_in", before="seed")
    distribution: str = setting("truncated_normal", before="seed")
    input_axes: Any = setting(None)
    output_axes: Any = setting(None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale <= 0.0:
            raise ValueError(
                f"Argument `scale` must be positive float. Received: scale={self.scale}"
            )
        if self.distribution == "normal":
            self.distribution = "truncated_normal"
        if self.mode not in _MODES:
            raise ValueError(
                f"Invalid `mode` argument: {self.mode}. Please use one of {set(_MODES)}"
            )
        if self.distribution not in _DISTRIBUTIONS:
            raise ValueError(
                f"Invalid `distribution` argument: {self.distribution}."
                f"Please use one of {set(_DISTRIBUTIONS)}"
            )

    def _array(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        seed = self._next_seed()
        fan_in, fan_out = compute_fans(shape, self.input_axes, self.output_axes)
        fans = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        variance = self.scale / max(1.0, fans[self.mode])
        deviation = math.sqrt(variance)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return seeded_arrays.uniform(seed, shape, -limit, limit, dtype)
        if self.distribution == "truncated_normal":
            before = deviation / _TRUNCATED_DEVIATION
            return seeded_arrays.truncated_normal(seed, shape, 0.0, before, dtype)
        return seeded_arrays.normal(seed, shape, 0.0, deviation, dtype)


class GlorotUniform(VarianceScaling):
    """Uniform between ±√(6 / (inputs + outputs)): the default of a kernel (Glorot, Bengio 2010)."""

    scale, mode, distribution = 1.0, "fan_avg", "uniform"


class GlorotNormal(VarianceScaling):
    """Truncated normal with variance 2 / (inputs + outputs) (Glorot, Bengio 2010)."""

    scale, mode, distribution = 1.0, "fan_avg", "truncated_normal"


class HeNormal(VarianceScaling):
    """Truncated normal with variance 2 / inputs, for relu (He et al. 2015)."""

    scale, mode, distribution = 2.0, "fan_in", "truncated_normal"


class HeUniform(VarianceScaling):
    """Uniform between ±√(6 / inputs), for relu (He et al. 2015)."""

    scale, mode, distribution = 2.0, "fan_in", "uniform"


class LecunNormal(VarianceScaling):
    """Truncated normal with variance 1 / inputs, for selu (LeCun et al. 1998)."""

    scale, mode, distribution = 1.0, "fan_in", "truncated_normal"


class LecunUniform(VarianceScaling):
    """Uniform between ±√(3 / inputs) (LeCun et al. 1998)."""

    scale, mode, distribution = 1.0, "fan_in", "uniform"


class Orthogonal(RandomInitializer):
    """A random matrix with orthonormal rows or columns, as is usual for a recurrent kernel.

    It is the factor Q of the QR decomposition of a normal matrix (Saxe et al. 2014).
    """

    gain: float = setting(1.0, before="seed")

    def _array(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. Received: "
                f"shape={shape} of rank {len(shape)}."
            )
        rows, columns = math.prod(shape[:-1]), shape[-1]
        size = (max(rows, columns), min(rows, columns))
        precise = dtype if dtype in {"float32", "float64"} else "float32"
        q, r = np.linalg.qr(seeded_arrays.normal(self._next_seed(), size, dtype=precise))
        q = q * np.sign(np.diagonal(r))
        oriented: NDArray[Any] = q.T if rows < columns else q
        return np.asarray(self.gain * oriented.reshape(shape))


constant, zeros, ones, identity = Constant, Zeros, Ones, Identity
random_normal, random_uniform, truncated_normal = RandomNormal, RandomUniform, TruncatedNormal
variance_scaling, orthogonal = VarianceScaling, Orthogonal
glorot_uniform, glorot_normal = GlorotUniform, GlorotNormal
he_uniform, he_normal = HeUniform, HeNormal
lecun_uniform, lecun_normal = LecunUniform, LecunNormal
stft, STFTInitializer = STFT, STFT
IdentityInitializer, OrthogonalInitializer = Identity, Orthogonal

_KNOWN: Final[dict[str, Any]] = {
    **{kind.__name__: kind for kind in (
        Constant, Zeros, Ones, Identity, STFT, RandomNormal, RandomUniform, TruncatedNormal,
        VarianceScaling, Orthogonal, GlorotUniform, GlorotNormal, HeNormal, HeUniform,
        LecunNormal, LecunUniform,
    )},
    "normal": RandomNormal,
    "uniform": RandomUniform,
    "IdentityInitializer": Identity,
    "OrthogonalInitializer": Orthogonal,
    "STFTInitializer": STFT,
}  # fmt: skip
_named = resolver("initializer", _KNOWN)
deserialize = _named


def get(identifier: Any) -> Any:
    """Return the initializer of a name, a config or a value; an initializer is returned itself."""
    if isinstance(identifier, (Tensor, np.ndarray, np.generic)):
        return partial(_given_value, identifier)
    return _named(identifier)


def _given_value(value: Any, shape: Any, dtype: Any = None) -> Tensor:
    """A value as the start of a weight; ValueError for another shape."""
    if tuple(shape) != tuple(value.shape):
        raise ValueError(
            f"Expected `shape` to be {value.shape} for direct tensor as initializer. Received "
            f"shape={shape}"
        )
    return backend.convert_to_tensor(value, dtype or backend.floatx())


serialize = serialized


def reshaped(initializer: Any, fans: tuple[int, int]) -> Any:
    """Return an initializer that draws a matrix of inputs and outputs, and reshapes it."""
    if not isinstance(initializer, VarianceScaling):
        return initializer
    return lambda shape, dtype=None: reshape(initializer(fans, dtype), shape)


def compute_fans(
    shape: tuple[int, ...], input_axes: Any = None, output_axes: Any = None
) -> tuple[int, int]:
    """Return how many inputs and outputs a weight of a shape connects, along given axes."""
    if input_axes is not None and output_axes is not None:
        inputs, outputs = (
            math.prod(shape[at] for at in axes) for axes in (input_axes, output_axes)
        )
        return inputs, outputs
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


__getattr__, __dir__ = in_module(__name__)
