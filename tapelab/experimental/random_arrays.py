"""`tf.experimental.numpy.random`: NumPy's names for random tensors, from `tf.random`'s numbers."""

from __future__ import annotations

from typing import Any

from tapelab import random as draws
from tapelab.experimental.array_conversion import asarray

__all__ = ["poisson", "rand", "randint", "randn", "random", "seed", "standard_normal", "uniform"]


def seed(s: int) -> None:
    """Begin the random numbers at a seed, as `tf.random.set_seed`."""
    draws.set_seed(s)


def randn(*args: int) -> Any:
    """Normal numbers in the shape that the arguments give."""
    return standard_normal(args)


def standard_normal(size: Any = None) -> Any:
    """Normal numbers."""
    return asarray(draws.normal(_shape(size), dtype="float32"), float)


def rand(*size: int) -> Any:
    """Numbers from 0 to 1 in the shape that the arguments give."""
    return uniform(0.0, 1.0, size)


def random(size: Any = None) -> Any:
    """Numbers from 0 to 1."""
    return uniform(0.0, 1.0, size)


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Numbers between two bounds."""
    kind = asarray(0.0).dtype
    return draws.uniform(_shape(size), asarray(low, kind), asarray(high, kind), kind)


def randint(low: int, high: int | None = None, size: Any = None, dtype: Any = int) -> Any:
    """Integers from `low` up to, and without, `high`."""
    first, last = (0, low) if high is None else (low, high)
    kind = asarray(0, dtype).dtype
    return draws.uniform(_shape(size), asarray(first, kind), asarray(last, kind), kind)


def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Counts of events of which so many are expected."""
    return draws.poisson(_shape(size), asarray(lam, "float64"), "int64")


def _shape(size: Any) -> Any:
    return () if size is None else (size,) if isinstance(size, int) else size
