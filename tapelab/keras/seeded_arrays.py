"""Arrays that depend on a seed alone, with Keras's numbers on TensorFlow.

A network that starts from a seed there starts with the same weights here. A seed is a pair: the
number that was given, and the count of earlier draws. Draws without a seed share one,
which `tf.keras.backend.clear_session` and a new global seed reset.
"""

from __future__ import annotations

import random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.dtypes import as_dtype
from tapelab.kernels import draws, philox
from tapelab.random.seeds import fresh_seed

Seed = tuple[int, int]
_SEEDS: Final = 2**31 - 2
_shared: dict[str, Seed] = {}


def default_seed() -> int:
    """Return a seed for an object without one; it is repeatable after a global seed was set."""
    seed = fresh_seed()
    return random.randint(1, 1_000_000_000) if seed is None else seed  # noqa: S311 - no secret


def reset_shared_seed() -> None:
    """Start the shared sequence of draws without a seed again."""
    _shared.clear()


def shared_seed() -> Seed:
    """Return the seed of the next draw without one; Keras hashes both numbers after each draw."""
    seed = _shared.get("seed") or (default_seed(), 0)
    first, second = ((number + 1) * 5387 % 933199 for number in seed)
    _shared["seed"] = first, second
    return seed


def normal(
    seed: Seed, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None
) -> NDArray[Any]:
    """Return numbers from the normal distribution."""
    return _scaled(draws.normal(_key(seed), tuple(shape), _float_type(dtype)), mean, stddev)


def truncated_normal(
    seed: Seed, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None
) -> NDArray[Any]:
    """Return numbers from the normal distribution, truncated at two standard deviations."""
    return _scaled(draws.cut_normal(_key(seed), tuple(shape), _float_type(dtype)), mean, stddev)


def uniform(
    seed: Seed, shape: Any, low: Any = 0.0, high: Any = 1.0, dtype: Any = None
) -> NDArray[Any]:
    """Return numbers from the uniform distribution over `[low, high)`."""
    kind = _float_type(dtype)
    first, last = kind.type(low), kind.type(high)
    return _scaled(draws.unit(_key(seed), tuple(shape), kind), first, last - first)


def integers(seed: Seed, shape: Any, low: int, high: int, dtype: Any) -> NDArray[Any]:
    """Return integers from the uniform distribution over `low` to `high - 1`."""
    wanted = np.dtype(as_dtype(dtype).as_numpy_dtype)
    kind = wanted if wanted in (np.int32, np.int64) else np.dtype(np.int64)
    numbers: NDArray[Any] = draws.below(_key(seed), tuple(shape), kind, int(low), int(high))
    return numbers.astype(wanted)


def _float_type(dtype: Any) -> np.dtype[Any]:
    return np.dtype(as_dtype("float32" if dtype is None else dtype).as_numpy_dtype)


def _scaled(numbers: NDArray[Any], start: Any, width: Any) -> NDArray[Any]:
    kind = numbers.dtype.type
    scaled: NDArray[Any] = numbers * kind(width) + kind(start)
    return scaled


def stateless_seed(seed: Seed) -> NDArray[Any]:
    """Return the seed with which Keras calls TensorFlow's stateless functions."""
    return np.array([number % _SEEDS for number in seed], np.int32)


def _key(seed: Seed) -> draws.Place:
    first, second = stateless_seed(seed).tolist()
    return philox.scrambled((first, second))
