"""Where random tensors come from: a place in an endless row of random numbers, and draws there.

Places, and how many numbers a draw uses up, are TensorFlow's, so that equal seeds give equal
numbers; only gamma, Poisson and binomial numbers are others.
"""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from tapelab.dtypes import DType, as_dtype, float32, int64
from tapelab.engine.convert import new_constant
from tapelab.engine.tensor import Tensor
from tapelab.errors import invalid_argument
from tapelab.kernels import draws
from tapelab.ops import distributions
from tapelab.ops.public import strict_operand, tensor
from tapelab.ops.settings import lengths


class Source:
    """A place in a row of random numbers; each draw moves it on by what it used up."""

    def __init__(self, place: draws.Place | None) -> None:
        unknown = int.from_bytes(os.urandom(16), "little"), int.from_bytes(os.urandom(8), "little")
        self._counter, self._key = unknown if place is None else place

    def _take(self, count: int) -> draws.Place:
        """The place to draw so many numbers from; the next draw begins behind them."""
        place = self._counter, self._key
        self._counter = (self._counter + count * draws.RESERVED) % 2**128
        return place

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Random numbers from the bell curve."""
        kind, size = _floating(dtype), sizes(shape)
        bell = draws.normal(self._take(math.prod(size)), size, kind._numpy)
        return _moved(bell, mean, stddev, kind, "random.normal")

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Random numbers from the bell curve, none of them further away than 2."""
        kind, size = _floating(dtype), sizes(shape)
        bell = draws.cut_normal(self._take(math.prod(size)), size, kind._numpy)
        return _moved(bell, mean, stddev, kind, "random.truncated_normal")

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Random numbers between two limits; the upper limit is left out."""
        kind, size = as_dtype(dtype), sizes(shape)
        if kind.is_integer:
            return self._whole(size, minval, maxval, kind)
        flat = draws.unit(self._take(math.prod(size)), size, _floating(dtype)._numpy)
        high = 1.0 if maxval is None else maxval
        low: Any = strict_operand(minval, kind)
        top: Any = strict_operand(high, kind)
        if _plain(minval, high):
            return _constant(flat * (top._value - low._value) + low._value, kind, "random.uniform")
        drawn: Any = _constant(flat, kind, "random.uniform")
        made: Tensor = drawn * (top - low) + low
        return made

    def _whole(self, size: tuple[int, ...], low: Any, high: Any, kind: DType) -> Tensor:
        place = self._take(math.prod(size))
        if low is None and high is None:
            return _constant(draws.whole(place, size, kind._numpy), kind, "random.uniform")
        if low is None or high is None:
            raise ValueError(
                f"For integer dtype {kind}, minval and maxval must be both `None` or both "
                f"non-`None`; got minval={low} and maxval={high}"
            )
        first, last = (int(strict_operand(each, kind)._value) for each in (low, high))
        if first >= last:
            raise invalid_argument(
                "RandomUniformInt", f"Need minval < maxval, got {first} >= {last}"
            )
        drawn = draws.below(place, size, kind._numpy, first, last)
        return _constant(drawn, kind, "random.uniform")

    def gamma(
        self, shape: Any, alpha: Any, beta: Any = None, dtype: Any = float32, *, whole: bool = False
    ) -> Tensor:
        """Random numbers from the gamma distribution; `whole` means that the shape is all of it."""
        kind = _floating(dtype)
        a = strict_operand(alpha, kind)
        b: Any = None if beta is None else strict_operand(beta, kind)
        each = np.broadcast_shapes(a._value.shape, () if b is None else b._value.shape)
        size = _ending("StatelessRandomGammaV3", shape, each) if whole else (*sizes(shape), *each)
        shares = draws.numpys(self._take(math.prod(size))).random(size)
        made: Any = distributions.gamma_sample(a, share=shares)
        divided: Tensor = made if b is None else made / b
        return divided

    def poisson(
        self, shape: Any, lam: Any, dtype: Any = float32, *, whole: bool = False
    ) -> Tensor:  # fmt: skip
        """Random counts of events that happen `lam` times on average."""
        rate, kind = tensor(lam), as_dtype(dtype)
        each = rate._value.shape
        size = _ending("StatelessRandomPoisson", shape, each) if whole else (*sizes(shape), *each)
        place = self._take(math.prod(size))
        if whole:
            chosen = {"place": place, "size": size, "dtype": kind._numpy}
            counted: Tensor = distributions.stateless_poisson(rate, **chosen)
            return counted
        drawn = draws.numpys(place).poisson(rate._value, size)
        made: Tensor = distributions.random_poisson(rate, drawn=drawn.astype(kind._numpy))
        return made

    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any, name: str | None = None
    ) -> Tensor:
        """How many of so many trials succeed that succeed with a chance."""
        tries, chances = tensor(counts)._value, tensor(probs)
        each = np.broadcast_shapes(np.shape(tries), np.shape(chances._value))
        size = _ending("StatelessRandomBinomial", shape, each)
        made: Tensor = distributions.stateless_binomial(
            chances, place=self._take(math.prod(size)), tries=np.asarray(tries).astype(np.int64),
            size=size, dtype=as_dtype(dtype)._numpy,
        )  # fmt: skip
        return made

    def categorical(self, logits: Any, num_samples: Any, dtype: Any = int64) -> Tensor:
        """Random class numbers, the more likely the higher their logit."""
        scores = tensor(logits)
        size = np.shape(scores._value)
        if len(size) != 2:
            raise invalid_argument(
                "Multinomial", f"logits should be a matrix, got shape {list(size)}"
            )
        count = int(tensor(num_samples)._value)
        place = self._take(size[0] * -(-count // 4) * 4)
        drawn: Tensor = distributions.random_categorical(
            scores, place=place, count=count, dtype=as_dtype(dtype)._numpy
        )
        return drawn

    def permutation(self, count: int) -> list[int]:
        """The numbers from 0 up to the count in a random order."""
        place = self._counter, self._key
        self._counter += -(-count // 4)
        return draws.order(place, count)


def sizes(shape: Any) -> tuple[int, ...]:
    """A shape to draw; InvalidArgumentError if a length is below 0."""
    wanted = lengths(shape, "Random")
    if min(wanted, default=0) < 0:
        raise invalid_argument("Random", f"Dimension {min(wanted)} must be >= 0")
    return wanted


def _ending(raw: str, shape: Any, each: tuple[int, ...]) -> tuple[int, ...]:
    """The whole shape of a draw, which must end as the parameters are shaped."""
    size = sizes(shape)
    if each and size[-len(each) :] != each:
        raise invalid_argument(raw, "Shape passed in must end with broadcasted shape.")
    return size


def _floating(dtype: Any) -> DType:
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise TypeError(
            f"Cannot convert 0.0 to EagerTensor of dtype {kind.name}: these random numbers are "
            "floats. Try tf.random.uniform(shape, maxval=…, dtype=…) for whole ones."
        )
    return kind


def _plain(*parameters: Any) -> bool:
    """Whether parameters are mere numbers, without a history or a shape of their own."""
    return all(isinstance(each, (int, float)) for each in parameters)


def _constant(array: Any, kind: DType, how: str) -> Tensor:
    return new_constant(np.asarray(array).astype(kind.as_numpy_dtype)[()], None, f"tf.{how}")


def _moved(bell: Any, mean: Any, stddev: Any, kind: DType, how: str) -> Tensor:
    """The bell curve moved and stretched, by ops where a parameter has a history."""
    width, middle = strict_operand(stddev, kind), strict_operand(mean, kind)
    if _plain(mean, stddev):
        return _constant(bell * width._value + middle._value, kind, how)
    drawn: Any = _constant(bell, kind, how)
    made: Tensor = drawn * width + middle
    return made
