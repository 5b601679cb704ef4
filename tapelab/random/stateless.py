"""The random functions of `tf.random` whose numbers follow from a seed of two numbers alone."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import numpy as np

from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import spoken
from tapelab.core.variable import Variable
from tapelab.dtypes import as_dtype, float32, int32, int64
from tapelab.errors import UnimplementedError, invalid_argument
from tapelab.kernels import draws, philox
from tapelab.kernels.index_shuffle import shuffled_index
from tapelab.ops import distributions
from tapelab.ops.error_function import from_scipy
from tapelab.ops.integer_arguments import number
from tapelab.ops.public import strict_operand, tensor
from tapelab.random.generator import checked_algorithm
from tapelab.random.streams import Source, sizes

_PAD: Final = 498247692
"""What TensorFlow puts before the seed of a permutation."""


@public
def stateless_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32,
    name: str | None = None, alg: Any = "auto_select",
) -> Tensor:  # fmt: skip
    """As `normal`, but the two numbers of the seed alone decide: the same again at each call."""
    return _source(seed, alg).normal(shape, mean, stddev, dtype)


@public
def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32,
    name: str | None = None, alg: Any = "auto_select",
) -> Tensor:  # fmt: skip
    """As `truncated_normal`, but the two numbers of the seed alone decide."""
    return _source(seed, alg).truncated_normal(shape, mean, stddev, dtype)


@public
def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32,
    name: str | None = None, alg: Any = "auto_select",
) -> Tensor:  # fmt: skip
    """As `uniform`, but the two numbers of the seed alone decide: the same again at each call."""
    kind = as_dtype(dtype)
    if kind.is_integer and (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {kind}, argument `minval` and `maxval` must be both "
            f"None or not None. Got `minval`={minval} and `maxval`={maxval}."
        )
    return _source(seed, alg).uniform(shape, minval, maxval, kind)


@public
def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """As `gamma`, but the seed alone decides; the shape must end as alpha and beta are shaped."""
    return _source(seed).gamma(shape, alpha, beta, dtype, whole=True)


@public
def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = int32, name: str | None = None
) -> Tensor:
    """As `poisson`, but the seed alone decides; the shape must end as lam is shaped."""
    return _source(seed).poisson(shape, lam, dtype, whole=True)


@public
def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = int32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """How many of so many trials succeed that succeed with a chance; the seed alone decides."""
    return _source(seed).binomial(shape, counts, probs, output_dtype)


@public
def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = int64, name: str | None = None
) -> Tensor:
    """As `categorical`, but the two numbers of the seed alone decide."""
    return _source(seed).categorical(logits, num_samples, int64 if dtype is None else dtype)


@public
def stateless_parameterized_truncated_normal(
    shape: Any, seed: Any, means: Any = 0.0, stddevs: Any = 1.0, minvals: Any = -2.0,
    maxvals: Any = 2.0, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Numbers from bell curves between limits, each with parameters of its own."""
    centre = tensor(means)
    width = strict_operand(stddevs, centre.dtype)
    middle, spread = centre._value, width._value
    low, high = (strict_operand(each, centre.dtype)._value for each in (minvals, maxvals))
    shares = draws.unit(_place(seed), sizes(shape), np.dtype(np.float64))
    ends = [from_scipy("ndtr")((each - middle) / spread) for each in (low, high)]
    bell = from_scipy("ndtri")(ends[0] + shares * (ends[1] - ends[0]))
    inside = np.clip(bell, (low - middle) / spread, (high - middle) / spread)
    drawn: Any = new_constant(inside.astype(middle.dtype), None)
    scaled: Tensor = drawn * width + centre
    return scaled


@public
def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Tensor:
    """Several seeds from one, one a row, whose numbers have nothing to do with each other."""
    _check(alg)
    size = number(num, "Split"), 2
    seeds = draws.whole(_place(seed), size, _seed(seed).dtype)
    return new_constant(seeds, None, "tf.random.split")


@public
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """A seed that also depends on a number, such as that of the step."""
    _check(alg)
    given = tensor(data)._value
    first = draws.whole(_place(seed), (1,), given.dtype)
    return new_constant(np.array([first[0], given], given.dtype), None, "tf.random.fold_in")


def stateless_shuffle(value: Any, seed: Any, alg: Any = "auto_select") -> Tensor:
    """The rows in a random order that follows from the seed alone."""
    _check(alg)
    x = tensor(value)
    order = tuple(draws.order(_place(seed), len(x._value)))
    shuffled: Tensor = distributions.stateless_shuffle(x, order=order)
    return shuffled


@public
def index_shuffle(index: Any, seed: Any, max_index: Any) -> Tensor:
    """The places of indices in the permutation of 0 … max_index that a seed of two integers is."""
    at = tensor(index)
    last, parts = strict_operand(max_index, at.dtype), tensor(seed)
    if parts.shape != (2,):
        raise invalid_argument(
            "RandomIndexShuffle",
            "Seed must be a vector of size [3] or a matrix of size [1, 3] but got "
            f"{list(parts.shape)}.",
        )  # fmt: skip
    first, second = (int(part) % 2**32 for part in parts._value)
    places = np.frompyfunc(
        lambda where, limit: shuffled_index(int(where), (_PAD, first, second), int(limit)), 2, 1
    )(at._value, last._value)
    return new_constant(
        np.asarray(places, at.dtype._numpy)[()], None, "tf.random.experimental.index_shuffle"
    )


@public
def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Points that fill a cube evenly, after Sobol; they only look random."""
    count, start = number(num_results, "SobolSample"), 1 + number(skip, "SobolSample")
    row = import_module("scipy.stats.qmc").Sobol(number(dim, "SobolSample"), scramble=False)
    points = row.fast_forward(start).random(count)
    kind = as_dtype(dtype)
    return new_constant(points.astype(kind.as_numpy_dtype), None, "tf.math.sobol_sample")


def _check(alg: Any) -> None:
    """As `checked_algorithm`; the stateless functions refuse ThreeFry for its short counter."""
    try:
        checked_algorithm(alg)
    except UnimplementedError:
        raise invalid_argument(
            "StatelessRandomUniformV2", "counter must be a vector with length at least 2; got "
            "shape: [1]. (Note that batched counters are not supported yet.) Try alg='philox'.",
        ) from None  # fmt: skip


def _source(seed: Any, alg: Any = "auto_select") -> Source:
    _check(alg)
    return Source(_place(seed))


def _place(seed: Any) -> draws.Place:
    """Where in the row of random numbers a seed leads to."""
    first, second = _seed(seed).tolist()
    return philox.scrambled((first, second))


def _seed(seed: Any) -> Any:
    value = seed.numpy() if isinstance(seed, Variable) else tensor(seed)._value
    if value.dtype.kind not in "iu":
        raise invalid_argument(
            "StatelessRandomGetKeyCounter", f"Value for attr 'Tseed' of {spoken(value.dtype)} is "
            "not in the list of allowed values: int32, int64",
        )  # fmt: skip
    if np.shape(value) != (2,):
        raise invalid_argument(
            "StatelessRandomGetKeyCounter",
            f"seed must have shape [2], not {list(np.shape(value))}. Try seed=[1, 2]",
        )
    return value
