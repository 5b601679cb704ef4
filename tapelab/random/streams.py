"""Streams of random numbers: a counter and a key of a counter-based generator, and draws from it.

A stream holds the state of Philox, the counter-based generator of TensorFlow. A draw computes its
numbers from the counter where it begins, and then advances the counter past those that it used.

- Counters, and how far each draw advances them, are TensorFlow's: equal seeds give equal numbers.
- A draw is an effect: recorders of a trace observe it (`advanced`, `drew`) and repeat it in each
  call of the traced function.
- Where a parameter such as the mean has a history on a tape, the draw is of the standard
  distribution, and recorded ops scale and shift it, so that a gradient reaches the parameter.
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
from tapelab.kernels import draws, rejection
from tapelab.ops import distributions
from tapelab.ops.error_function import from_scipy
from tapelab.ops.integer_arguments import lengths
from tapelab.ops.public import strict_operand, tensor

Drawn = TypeVar("Drawn")
Make = Callable[[draws.Place], Any]


class Source:
    """A stream of random numbers from a state `(counter, key)`, or from a random one."""

    def __init__(self, place: draws.Place | None) -> None:
        unknown = int.from_bytes(os.urandom(16), "little"), int.from_bytes(os.urandom(8), "little")
        self._counter, self._key = unknown if place is None else place

    def _take(self, steps: int) -> draws.Place:
        """Advance the counter by some steps; return the state before."""
        for observer in thread.__dict__["observers"]:
            observer.advanced(self)
        place = self._counter, self._key
        self._counter = (self._counter + steps) % 2**128
        return place

    def _drawn(self, count: int, make: Callable[[draws.Place], Drawn]) -> Drawn:
        """The result of a function that draws `count` numbers from the present state."""
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
        """Normally distributed numbers of a shape; TypeError for a dtype that is no float."""
        kind, size = _floating(dtype), sizes(shape)
        return self._scaled_normal(draws.normal, size, mean, stddev, kind, "random.normal")

    @public(effect="random", graph_name="truncated_normal")
    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Normally distributed numbers within 2 standard deviations of their mean."""
        kind, size = _floating(dtype), sizes(shape)
        return self._scaled_normal(
            draws.cut_normal, size, mean, stddev, kind, "random.truncated_normal"
        )

    def _scaled_normal(
        self, draw_normal: Any, size: tuple[int, ...], mean: Any, stddev: Any, kind: DType, how: str
    ) -> Tensor:
        """Standard normal numbers, scaled and shifted; by ops where a parameter is a tensor."""
        scale, shift = strict_operand(stddev, kind), strict_operand(mean, kind)
        constant = _are_numbers(mean, stddev)

        def numbers(place: draws.Place) -> Tensor:
            normal = draw_normal(place, size, kind._numpy)
            return _constant(
                normal * scale._value + shift._value if constant else normal, kind, how
            )

        drawn: Any = self._drawn(math.prod(size), numbers)
        scaled: Tensor = drawn if constant else drawn * scale + shift
        return scaled

    @public(effect="random", graph_name="random_uniform/RandomUniform")
    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Uniformly distributed numbers in [minval, maxval), floats or integers.

        Integers without limits are of the whole range; InvalidArgumentError for an empty interval.
        """
        kind, size = as_dtype(dtype), sizes(shape)
        if kind.is_integer:
            return self._integers(size, minval, maxval, kind)
        numpy_kind = _floating(dtype)._numpy
        high = 1.0 if maxval is None else maxval
        low: Any = strict_operand(minval, kind)
        top: Any = strict_operand(high, kind)
        constant = _are_numbers(minval, high)

        def numbers(place: draws.Place) -> Tensor:
            flat = draws.unit(place, size, numpy_kind)
            if constant:
                flat = flat * (top._value - low._value) + low._value
            return _constant(flat, kind, "random.uniform")

        drawn: Any = self._drawn(math.prod(size), numbers)
        scaled: Tensor = drawn if constant else drawn * (top - low) + low
        return scaled

    def _integers(self, size: tuple[int, ...], low: Any, high: Any, kind: DType) -> Tensor:
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
        """Gamma-distributed numbers with shape `alpha` and rate `beta`.

        The result has the shape `shape + alpha.shape`, or, if `whole`, `shape`.
        """
        kind = _floating(dtype)
        a = strict_operand(alpha, kind)
        b: Any = None if beta is None else strict_operand(beta, kind)
        parameter_shape = np.broadcast_shapes(a._array.shape, () if b is None else b._array.shape)
        size = (
            _full_shape("StatelessRandomGammaV3", shape, parameter_shape)
            if whole
            else (*sizes(shape), *parameter_shape)
        )
        place = self._drawn(math.prod(size), _same_state)
        whole_shape = partial(_gamma_shares, parameter_shape=parameter_shape, size=size)
        sample: Any = distributions.gamma_sample(a, share=compute_on_host(whole_shape, place, a))
        divided: Tensor = sample if b is None else sample / b
        return divided

    @public(effect="random")
    def poisson(
        self, shape: Any, lam: Any, dtype: Any = float32, *, whole: bool = False
    ) -> Tensor:  # fmt: skip
        """Poisson-distributed counts with mean `lam`.

        The result has the shape `shape + lam.shape`, or, if `whole`, `shape`.
        """
        rate, kind = tensor(lam), as_dtype(dtype)
        parameter_shape = rate._array.shape
        size = (
            _full_shape("StatelessRandomPoisson", shape, parameter_shape)
            if whole
            else (*sizes(shape), *parameter_shape)
        )
        place = self._drawn(math.prod(size), _same_state)
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
        """How many of `counts` trials succeed, each with probability `probs`."""
        chances = tensor(probs)
        tries = strict_operand(counts, chances.dtype)
        parameter_shape = np.broadcast_shapes(tries._array.shape, chances._array.shape)
        size = _full_shape("StatelessRandomBinomial", shape, parameter_shape)
        parameters = math.prod(parameter_shape)
        each = math.prod(size) // max(parameters, 1)
        reserved = parameters * 200 * (each + 3) // 4
        successes: Tensor = distributions.stateless_binomial(
            chances, place=self._drawn(reserved, _same_state),
            tries=compute_on_host(_unchanged, tries), size=size, dtype=as_dtype(dtype)._numpy,
        )  # fmt: skip
        return successes

    @public(effect="random")
    def categorical(self, logits: Any, num_samples: Any, dtype: Any = int64) -> Tensor:
        """Class indices (batch, num_samples) drawn with probabilities softmax(logits)."""
        scores = tensor(logits)
        size = scores._array.shape
        if len(size) != 2:
            raise invalid_argument(
                "Multinomial", f"logits should be a matrix, got shape {list(size)}"
            )
        count = int(tensor(num_samples)._value)
        place = self._drawn(size[0] * -(-count // 4) * 8, _same_state)
        drawn: Tensor = distributions.random_categorical(
            scores, place=place, count=count, dtype=as_dtype(dtype)._numpy
        )
        return drawn

    def permutation(self, count: int) -> tuple[int, ...]:
        """The integers 0 … count − 1 in a random order."""
        return self._made(max(count + 2, 0) // 4, lambda place: tuple(draws.order(place, count)))


def sizes(shape: Any) -> tuple[int, ...]:
    """A shape as a tuple of ints; InvalidArgumentError if a length is negative."""
    wanted = lengths(shape, "Random")
    if min(wanted, default=0) < 0:
        raise invalid_argument("Random", f"Dimension {min(wanted)} must be >= 0")
    return wanted


def _full_shape(raw: str, shape: Any, parameter_shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a draw; InvalidArgumentError unless it ends with the shape of the parameters."""
    size = sizes(shape)
    if parameter_shape and size[-len(parameter_shape) :] != parameter_shape:
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


def _are_numbers(*parameters: Any) -> bool:
    """Whether parameters are Python numbers, which have no history on a tape."""
    return all(isinstance(each, (int, float)) for each in parameters)


def _constant(array: Any, kind: DType, how: str) -> Tensor:
    return new_constant(np.asarray(array).astype(kind.as_numpy_dtype)[()], None, f"tf.{how}")


def _same_state(place: draws.Place) -> draws.Place:
    return place


def _unchanged(values: Any) -> Any:
    return np.asarray(values)


def _gamma_shares(
    place: draws.Place, shapes: Any, *, parameter_shape: tuple[int, ...], size: tuple[int, ...]
) -> Any:  # fmt: skip
    """The shares of gamma distributions that lie below the numbers drawn from them, in float64."""
    numbers = rejection.gamma(place, np.broadcast_to(shapes, parameter_shape), size)
    least = np.finfo(shapes.dtype).tiny if shapes.dtype.kind == "f" else 0
    return from_scipy("gammainc")(shapes.astype(np.float64), np.maximum(numbers, least))


def _counts(place: draws.Place, rate: Any, *, size: tuple[int, ...], dtype: Any) -> Any:
    """Poisson-distributed counts of some rates, as an array."""
    return rejection.poisson(place, np.asarray(rate), size).astype(dtype)
