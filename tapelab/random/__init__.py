"""`tf.random`: tensors of random numbers, repeatable after `set_seed`.

After the same seeds uniform, normal and truncated normal numbers, shuffles and categories are
TensorFlow's own.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from tapelab.dtypes import as_dtype, float32, int64
from tapelab.engine.tensor import Tensor
from tapelab.missing import in_module
from tapelab.ops.distributions import random_shuffle as _random_shuffle
from tapelab.ops.public import tensor
from tapelab.random.generating import Generator
from tapelab.random.sampling import Source as _Source

_DRAWN: Final = ("float16", "bfloat16", "float32", "float64", "int32", "int64")
_WITHOUT_SEED: Final = 87654321
"""TensorFlow's global seed where only the op has one."""

_streams: dict[Any, _Source] = {}
_global: dict[str, Any] = {"seed": None, "generator": None, "ops": None, "keras": None}


@contextmanager
def untouched() -> Iterator[None]:
    """Leave all sequences where they are, whatever is drawn inside the block."""
    streams = copy.deepcopy(_streams)
    seeds = {name: copy.deepcopy(_global[name]) for name in ("ops", "keras")}
    try:
        yield
    finally:
        _streams.clear()
        _streams.update(streams)
        _global.update(seeds)


def set_seed(seed: int) -> None:
    """Make all later random numbers repeatable: the same seed starts the same sequence."""
    _global["seed"] = int(seed)
    _global["generator"] = None
    _global["ops"] = random.Random(int(seed))  # noqa: S311  no secrets: TensorFlow's seeds of ops
    _global["keras"] = random.Random(int(seed))  # noqa: S311  as above
    _streams.clear()


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers from the bell curve around the mean; both parameters may be tensors."""
    return _source("RandomStandardNormal", seed, dtype).normal(shape, mean, stddev, dtype)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """As `normal`, but numbers more than two standard deviations away are drawn again."""
    return _source("TruncatedNormal", seed, dtype).truncated_normal(shape, mean, stddev, dtype)


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
    return _source(raw, seed, kind).uniform(shape, minval, maxval, kind)


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers from the gamma distribution, for each entry of alpha (and beta)."""
    return _source("RandomGamma", seed, dtype).gamma(shape, alpha, beta, dtype)


def poisson(
    shape: Any, lam: Any, dtype: Any = float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Random counts of events that happen lam times on average."""
    return _source("RandomPoissonV2", seed, dtype).poisson(shape, lam, dtype)


def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random class numbers; each row of logits gives the unnormalised log of the chances."""
    kind = int64 if dtype is None else as_dtype(dtype)
    return _source("Multinomial", seed, kind).categorical(logits, num_samples, kind)


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The rows of a tensor in a random order; no gradient passes."""
    x = tensor(value)
    if not x._value.ndim:
        return x
    order = tuple(_source("RandomShuffle", seed, x.dtype).permutation(len(x._value)))
    made: Tensor = _random_shuffle(x, order=order)
    return made


def get_global_generator() -> Generator:
    """The generator that all may share; `set_seed` starts it anew."""
    if _global["generator"] is None:
        seeded = _global["seed"] is not None
        words = _global["ops"].getrandbits(192) if seeded else None
        place = None if words is None else (words % 2**128, words >> 128)
        _global["generator"] = Generator._at(place)
    found: Generator = _global["generator"]
    return found


def set_global_generator(generator: Generator) -> None:
    """Replace the generator that all may share."""
    _global["generator"] = generator


def _source(raw: str, seed: int | None, dtype: Any) -> _Source:
    """The stream of numbers of an op; without any seed it is unpredictable.

    An op with a seed goes on where it left off; one without takes the next seed of the global one.
    """
    start = _global["seed"]
    if seed is None:
        if start is None:
            return _Source(None)
        return _seeded(start, _global["ops"].randint(0, 2**31 - 1))
    key = raw, as_dtype(dtype).name, int(seed)
    if key not in _streams:
        _streams[key] = _seeded(_WITHOUT_SEED if start is None else start, int(seed))
    return _streams[key]


def _seeded(start: int, seed: int) -> _Source:
    first, second = start % 2**31, seed % 2**31
    if (first, second) == (0, 0):  # which would mean: no seed
        second = 2**31 - 1
    return _Source((second << 64, first))


def _fresh_seed() -> int | None:
    """A seed for what draws on its own, from the stream that `set_seed` began; None before it."""
    made: int | None = None if _global["keras"] is None else _global["keras"].randint(1, 2**31 - 1)
    return made


def draw_by_python() -> None:
    """Let what draws on its own take its seeds from Python's `random`, as Keras does."""
    _global["keras"] = None


__getattr__, __dir__ = in_module(__name__)
