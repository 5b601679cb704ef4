"""`tf.random`: tensors of random numbers, repeatable after `set_seed`.

After the same seeds uniform, normal and truncated normal numbers, shuffles and categories are
TensorFlow's own.
"""

from __future__ import annotations

from typing import Any, Final

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype, float32, int64
from tapelab.namespace.missing_names import in_module
from tapelab.ops.distributions import random_shuffle as _random_shuffle
from tapelab.ops.public import tensor
from tapelab.random import seeds
from tapelab.random.generator import Generator

_DRAWN: Final = ("float16", "bfloat16", "float32", "float64", "int32", "int64")


def set_seed(seed: int | None) -> None:
    """Make all later random numbers repeatable: the same seed starts the same sequence.

    None makes them unpredictable again.
    """
    seeds.begin(None if seed is None else int(seed))


@public(effect="random", graph_name="random_normal", has_op_seed=True)
def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers from the bell curve around the mean; both parameters may be tensors."""
    return seeds.source("RandomStandardNormal", seed, dtype).normal(shape, mean, stddev, dtype)


@public(effect="random", graph_name="truncated_normal", has_op_seed=True)
def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """As `normal`, but numbers more than two standard deviations away are drawn again."""
    return seeds.source("TruncatedNormal", seed, dtype).truncated_normal(shape, mean, stddev, dtype)


@public(effect="random", graph_name="random_uniform/RandomUniform", has_op_seed=True)
def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers between two limits, all equally likely; the upper limit is left out."""
    kind = as_dtype(dtype)
    if kind.name not in _DRAWN:
        raise ValueError(
            f"Argument `dtype` got invalid value {kind}. Accepted dtypes are "
            f"({', '.join(f'tf.{each}' for each in _DRAWN)})."
        )
    if kind.is_integer and maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
    raw = "RandomUniformInt" if kind.is_integer else "RandomUniform"
    return seeds.source(raw, seed, kind).uniform(shape, minval, maxval, kind)


@public(effect="random", has_op_seed=True)
def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers from the gamma distribution, for each entry of alpha (and beta)."""
    return seeds.source("RandomGamma", seed, dtype).gamma(shape, alpha, beta, dtype)


@public(effect="random", has_op_seed=True)
def poisson(
    shape: Any, lam: Any, dtype: Any = float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Random counts of events that happen lam times on average."""
    return seeds.source("RandomPoissonV2", seed, dtype).poisson(shape, lam, dtype)


@public(effect="random", has_op_seed=True)
def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random class numbers; each row of logits gives the unnormalised log of the chances."""
    kind = int64 if dtype is None else as_dtype(dtype)
    return seeds.source("Multinomial", seed, kind).categorical(logits, num_samples, kind)


@public(effect="random", graph_name="RandomShuffle", has_op_seed=True)
def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The rows of a tensor in a random order; no gradient passes."""
    x = tensor(value)
    if not x._array.ndim:
        return x
    order = seeds.source("RandomShuffle", seed, x.dtype).permutation(x._array.shape[0])
    shuffled: Tensor = _random_shuffle(x, order=order)
    return shuffled


def get_global_generator() -> Generator:
    """The generator that all may share; `set_seed` starts it again."""
    if seeds.shared.generator is None:
        seeds.shared.generator = Generator._at(seeds.place_of_generator())
    generator: Generator = seeds.shared.generator
    return generator


def set_global_generator(generator: Generator) -> None:
    """Replace the generator that all may share."""
    seeds.shared.generator = generator


__getattr__, __dir__ = in_module(__name__)
