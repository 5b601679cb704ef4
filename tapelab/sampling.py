"""Where random tensors come from: a stream of numbers, and TensorFlow's `Generator` around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapelab.dtypes import DType, as_dtype, float32, int64, uint64
from tapelab.engine.convert import new_constant
from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import Variable
from tapelab.errors import invalid_argument
from tapelab.ops.public import strict_operand, tensor
from tapelab.ops.settings import lengths


class Source:
    """A stream of random numbers that becomes tensors; without a seed it is unpredictable."""

    def __init__(self, seed: Sequence[int] | None) -> None:
        whole = None if seed is None else [each % 2**64 for each in seed]
        self._numbers = np.random.default_rng(whole)

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Random numbers from the bell curve."""
        kind = _floating(dtype)
        bell = self._numbers.standard_normal(_size(shape))
        return _moved(bell, mean, stddev, kind, "random.normal")

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Random numbers from the bell curve, none of them further away than 2."""
        kind = _floating(dtype)
        bell = np.asarray(self._numbers.standard_normal(_size(shape)))
        while (far := np.abs(bell) > 2).any():
            bell[far] = self._numbers.standard_normal(int(far.sum()))
        return _moved(bell, mean, stddev, kind, "random.truncated_normal")

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Random numbers between two limits."""
        kind, size = as_dtype(dtype), _size(shape)
        if kind.is_integer:
            return new_constant(self._whole(size, minval, maxval, kind), None, "tf.random.uniform")
        flat = self._numbers.random(size)
        high = 1.0 if maxval is None else maxval
        low, top = strict_operand(minval, kind), strict_operand(high, kind)
        if _plain(minval, high):
            return _constant(low._value + flat * (top._value - low._value), kind, "random.uniform")
        made: Tensor = _constant(flat, kind, "random.uniform") * (top - low) + low  # type: ignore[operator]
        return made

    def _whole(self, size: tuple[int, ...], low: Any, high: Any, kind: DType) -> Any:
        if high is None:
            raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
        first, last = (int(strict_operand(each, kind)._value) for each in (low, high))
        if first >= last:
            raise invalid_argument(
                "RandomUniformInt", f"Need minval < maxval, got {first} >= {last}"
            )
        return np.asarray(self._numbers.integers(first, last, size)).astype(kind.as_numpy_dtype)

    def gamma(self, shape: Any, alpha: Any, beta: Any, dtype: Any) -> Tensor:
        """Random numbers from the gamma distribution."""
        kind = _floating(dtype)
        a = strict_operand(alpha, kind)._value
        b = strict_operand(1.0 if beta is None else beta, kind)._value
        size = (*_size(shape), *np.broadcast_shapes(np.shape(a), np.shape(b)))
        return _constant(self._numbers.standard_gamma(a, size) / b, kind, "random.gamma")

    def poisson(self, shape: Any, lam: Any, dtype: Any) -> Tensor:
        """Random counts."""
        rate = strict_operand(lam, float32)._value
        size = (*_size(shape), *np.shape(rate))
        return _constant(self._numbers.poisson(rate, size), as_dtype(dtype), "random.poisson")

    def categorical(self, logits: Any, num_samples: Any, dtype: Any) -> Tensor:
        """Random class numbers, by adding Gumbel noise to the logits and taking the largest."""
        scores = tensor(logits)._value
        if np.ndim(scores) != 2:
            raise invalid_argument(
                "Multinomial", f"logits should be a matrix, got shape {list(np.shape(scores))}"
            )
        rows, classes = scores.shape
        noise = self._numbers.gumbel(size=(rows, int(num_samples), classes))
        drawn = np.argmax(scores[:, None, :] + noise, axis=-1)
        return _constant(drawn, as_dtype(dtype), "random.categorical")

    def permutation(self, count: int) -> list[int]:
        """The numbers from 0 up to the count in a random order."""
        order: list[int] = self._numbers.permutation(count).tolist()
        return order


class Generator(Source):
    """Random numbers with a state of their own."""

    @classmethod
    def from_seed(cls, seed: int, alg: Any = None) -> Generator:
        """A generator that always starts the same for a seed."""
        return cls((int(seed),))

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator that nobody can predict."""
        return cls(None)

    def reset_from_seed(self, seed: int) -> None:
        """Start again as `from_seed` does."""
        self._numbers = np.random.default_rng([int(seed) % 2**64])

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for the stateless functions, one column each."""
        drawn = self._numbers.integers(0, 2**63 - 1, (2, int(count)))
        return _constant(drawn, int64, "random.Generator.make_seeds")

    def uniform_full_int(self, shape: Any, dtype: Any = uint64, name: str | None = None) -> Tensor:
        """Whole numbers over the full range of the dtype."""
        kind = as_dtype(dtype)
        drawn = self._numbers.integers(
            kind.min, kind.max, _size(shape), dtype=kind.as_numpy_dtype, endpoint=True
        )
        return _constant(drawn, kind, "random.Generator.uniform_full_int")

    def split(self, count: int = 1) -> list[Generator]:
        """Several generators whose numbers have nothing to do with each other."""
        seeds = self._numbers.integers(0, 2**63 - 1, int(count)).tolist()
        return [type(self)((seed,)) for seed in seeds]


def _floating(dtype: Any) -> DType:
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise TypeError(
            f"Cannot convert 0.0 to EagerTensor of dtype {kind.name}: these random numbers are "
            "floats. Try tf.random.uniform(shape, maxval=…, dtype=…) for whole ones."
        )
    return kind


def _size(shape: Any) -> tuple[int, ...]:
    wanted = lengths(shape, "Random")
    if min(wanted, default=0) < 0:
        raise invalid_argument("Random", f"Dimension {min(wanted)} must be >= 0")
    return wanted


def _plain(*parameters: Any) -> bool:
    return not any(isinstance(each, (Tensor, Variable)) for each in parameters)


def _constant(array: Any, kind: DType, how: str) -> Tensor:
    return new_constant(np.asarray(array).astype(kind.as_numpy_dtype), None, f"tf.{how}")


def _moved(bell: Any, mean: Any, stddev: Any, kind: DType, how: str) -> Tensor:
    """The bell curve moved and stretched, by ops where a parameter has a history."""
    width, middle = strict_operand(stddev, kind), strict_operand(mean, kind)
    if _plain(mean, stddev):
        return _constant(bell * width._value + middle._value, kind, how)
    made: Tensor = _constant(bell, kind, how) * width + middle  # type: ignore[operator]
    return made
