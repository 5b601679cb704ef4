"""Where random tensors come from: a place in an endless row of random numbers, and draws there.

Places, and how many numbers a draw uses up, are TensorFlow's, so that equal seeds give equal
numbers; only gamma, Poisson and binomial numbers are others.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np

from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.host_values import compute_on_host
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor
from tapelab.dtypes import DType, as_dtype, float32, int64
from tapelab.errors import invalid_argument
from tapelab.kernels import draws
from tapelab.ops import distributions
from tapelab.ops.integer_arguments import lengths
from tapelab.ops.public import strict_operand, tensor

Drawn = TypeVar("Drawn")
Make = Callable[[draws.Place], Any]


class Source:
    """A place in a row of random numbers; each draw moves it on by what it used up."""

    def __init__(self, place: draws.Place | None) -> None:
        unknown = int.from_bytes(os.urandom(16), "little"), int.from_bytes(os.urandom(8), "little")
        self._counter, self._key = unknown if place is None else place

    def _take(self, steps: int) -> draws.Place:
        """The place to draw from; the next draw begins so many steps behind it."""
        for observer in thread.__dict__["observers"]:
            observer.advanced(self)
        place = self._counter, self._key
        self._counter = (self._counter + steps) % 2**128
        return place

    def _drawn(self, count: int, make: Callable[[draws.Place], Drawn]) -> Drawn:
        """What is made of so many numbers from the next place on."""
        return self._made(count * draws.RESERVED, make)

    def _made(self, steps: int, make: Callable[[draws.Place], Drawn]) -> Drawn:
        result = make(self._take(steps))
        for observer in thread.__dict__["observers"]:
            observer.drew(self, steps, make, result)
        return result

    @public(effect="random", graph_name="random_normal")
    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Random numbers from the bell curve."""
        kind, size = _floating(dtype), sizes(shape)
        return self._moved(draws.normal, size, mean, stddev, kind, "random.normal")

    @public(effect="random", graph_name="truncated_normal")
    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Random numbers from the bell curve, none of them further away than 2."""
        kind, size = _floating(dtype), sizes(shape)
        return self._moved(draws.cut_normal, size, mean, stddev, kind, "random.truncated_normal")

    def _moved(
        self, bell: Any, size: tuple[int, ...], mean: Any, stddev: Any, kind: DType, how: str
    ) -> Tensor:
        """The bell curve moved and stretched, by ops where a parameter has a history."""
        width, middle = strict_operand(stddev, kind), strict_operand(mean, kind)
        plain = _plain(mean, stddev)

        def numbers(place: draws.Place) -> Tensor:
            normal = bell(place, size, kind._numpy)
            return _constant(normal * width._value + middle._value if plain else normal, kind, how)

        drawn: Any = self._drawn(math.prod(size), numbers)
        scaled: Tensor = drawn if plain else drawn * width + middle
        return scaled

    @public(effect="random", graph_name="random_uniform/RandomUniform")
    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Random numbers between two limits; the upper limit is left out."""
        kind, size = as_dtype(dtype), sizes(shape)
        if kind.is_integer:
            return self._whole(size, minval, maxval, kind)
        numpy_kind = _floating(dtype)._numpy
        high = 1.0 if maxval is None else maxval
        low: Any = strict_operand(minval, kind)
        top: Any = strict_operand(high, kind)
        plain = _plain(minval, high)

        def numbers(place: draws.Place) -> Tensor:
            flat = draws.unit(place, size, numpy_kind)
            if plain:
                flat = flat * (top._value - low._value) + low._value
            return _constant(flat, kind, "random.uniform")

        drawn: Any = self._drawn(math.prod(size), numbers)
        scaled: Tensor = drawn if plain else drawn * (top - low) + low
        return scaled

    def _whole(self, size: tuple[int, ...], low: Any, high: Any, kind: DType) -> Tensor:
        count = math.prod(size)
        if low is None and high is None:
            return self._drawn(count, lambda place: _constant(
                draws.whole(place, size, kind._numpy), kind, "random.uniform"))  # fmt: skip
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
        return self._drawn(count, lambda place: _constant(
            draws.below(place, size, kind._numpy, first, last), kind, "random.uniform"
        ))  # fmt: skip

    @public(effect="random")
    def gamma(
        self, shape: Any, alpha: Any, beta: Any = None, dtype: Any = float32, *, whole: bool = False
    ) -> Tensor:
        """Random numbers from the gamma distribution; `whole` means that the shape is all of it."""
        kind = _floating(dtype)
        a = strict_operand(alpha, kind)
        b: Any = None if beta is None else strict_operand(beta, kind)
        each = np.broadcast_shapes(a._array.shape, () if b is None else b._array.shape)
        size = _ending("StatelessRandomGammaV3", shape, each) if whole else (*sizes(shape), *each)
        shares = self._drawn(math.prod(size), lambda place: draws.numpys(place).random(size))
        sample: Any = distributions.gamma_sample(a, share=shares)
        divided: Tensor = sample if b is None else sample / b
        return divided

    @public(effect="random")
    def poisson(
        self, shape: Any, lam: Any, dtype: Any = float32, *, whole: bool = False
    ) -> Tensor:  # fmt: skip
        """Random counts of events that happen `lam` times on average."""
        rate, kind = tensor(lam), as_dtype(dtype)
        each = rate._array.shape
        size = _ending("StatelessRandomPoisson", shape, each) if whole else (*sizes(shape), *each)
        place = self._drawn(math.prod(size), _itself)
        if whole:
            chosen = {"place": place, "size": size, "dtype": kind._numpy}
            counted: Tensor = distributions.stateless_poisson(rate, **chosen)
            return counted
        drawn = compute_on_host(partial(_counts, size=size, dtype=kind._numpy), place, rate)
        counts: Tensor = distributions.random_poisson(rate, drawn=drawn)
        return counts

    @public(effect="random")
    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any, name: str | None = None
    ) -> Tensor:
        """How many of so many trials succeed that succeed with a chance."""
        tries, chances = tensor(counts), tensor(probs)
        each = np.broadcast_shapes(tries._array.shape, chances._array.shape)
        size = _ending("StatelessRandomBinomial", shape, each)
        successes: Tensor = distributions.stateless_binomial(
            chances, place=self._drawn(math.prod(size), _itself),
            tries=compute_on_host(_wide, tries), size=size, dtype=as_dtype(dtype)._numpy,
        )  # fmt: skip
        return successes

    @public(effect="random")
    def categorical(self, logits: Any, num_samples: Any, dtype: Any = int64) -> Tensor:
        """Random class numbers, the more likely the higher their logit."""
        scores = tensor(logits)
        size = scores._array.shape
        if len(size) != 2:
            raise invalid_argument(
                "Multinomial", f"logits should be a matrix, got shape {list(size)}"
            )
        count = int(tensor(num_samples)._value)
        place = self._drawn(size[0] * -(-count // 4) * 4, _itself)
        drawn: Tensor = distributions.random_categorical(
            scores, place=place, count=count, dtype=as_dtype(dtype)._numpy
        )
        return drawn

    def permutation(self, count: int) -> tuple[int, ...]:
        """The numbers from 0 up to the count in a random order."""
        return self._made(-(-count // 4), lambda place: tuple(draws.order(place, count)))


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


def _itself(place: draws.Place) -> draws.Place:
    return place


def _wide(counts: Any) -> Any:
    return np.asarray(counts).astype(np.int64)


def _counts(place: draws.Place, rate: Any, *, size: tuple[int, ...], dtype: Any) -> Any:
    """How many events there are that happen at a rate."""
    return draws.numpys(place).poisson(rate, size).astype(dtype)
