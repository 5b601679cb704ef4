"""Where Keras's random numbers come from: seeds, and arrays that depend on a seed alone.

Seeds and numbers are Keras's on TensorFlow: a network that starts there starts here alike.
"""

from __future__ import annotations

import random
from typing import Any, Final

import numpy as np

from tapelab.dtypes import as_dtype
from tapelab.kernels import draws, philox
from tapelab.random.seeds import fresh_seed

Seed = tuple[int, int]
"""A seed, and how many draws were made from it before."""
_SEEDS: Final = 2**31 - 2
_shared: dict[str, Seed] = {}


def default_seed() -> int:
    """A seed for a thing that got none; repeatable after a global seed was set."""
    found = fresh_seed()
    return random.randint(1, 1_000_000_000) if found is None else found  # noqa: S311 - no secret


def reset_shared_seed() -> None:
    """Let what draws without a seed begin anew."""
    _shared.clear()


def shared_seed() -> Seed:
    """The seed of the next draw that got none; Keras scrambles both numbers after each."""
    found = _shared.get("seed") or (default_seed(), 0)
    first, second = ((each + 1) * 5387 % 933199 for each in found)
    _shared["seed"] = first, second
    return found


def normal(seed: Seed, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None) -> Any:
    """Numbers from the normal distribution."""
    kind = _kind(dtype)
    return _moved(draws.normal(_place(seed), tuple(shape), kind), mean, stddev)


def truncated_normal(
    seed: Seed, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None
) -> Any:
    """Numbers from the normal distribution, none further than two deviations from the mean."""
    kind = _kind(dtype)
    return _moved(draws.cut_normal(_place(seed), tuple(shape), kind), mean, stddev)


def uniform(seed: Seed, shape: Any, low: Any = 0.0, high: Any = 1.0, dtype: Any = None) -> Any:
    """Numbers between two limits, all equally likely."""
    kind = _kind(dtype)
    first, last = kind.type(low), kind.type(high)
    return _moved(draws.unit(_place(seed), tuple(shape), kind), first, last - first)


def integers(seed: Seed, shape: Any, low: int, high: int, dtype: Any) -> Any:
    """Whole numbers from the lower limit up to, not including, the upper one."""
    given = np.dtype(as_dtype(dtype).as_numpy_dtype)
    kind = given if given in (np.int32, np.int64) else np.dtype(np.int64)
    return draws.below(_place(seed), tuple(shape), kind, int(low), int(high)).astype(given)


def _kind(dtype: Any) -> np.dtype[Any]:
    return np.dtype(as_dtype("float32" if dtype is None else dtype).as_numpy_dtype)


def _moved(drawn: Any, start: Any, width: Any) -> Any:
    kind = drawn.dtype.type
    return drawn * kind(width) + kind(start)


def _place(seed: Seed) -> draws.Place:
    return philox.scrambled((seed[0] % _SEEDS, seed[1] % _SEEDS))
