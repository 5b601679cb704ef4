"""`tf.random`: tensors of random numbers, repeatable after `set_seed`.

The numbers are not TensorFlow's own; what is the same is which calls repeat which.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.dtypes import float32, int64
from tapelab.engine.op import op
from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import Variable
from tapelab.errors import invalid_argument
from tapelab.missing import in_module
from tapelab.ops import samples
from tapelab.ops.public import tensor
from tapelab.sampling import Generator
from tapelab.sampling import Source as _Source

_streams: dict[int | None, _Source] = {}
_global: dict[str, Any] = {"seed": None, "generator": None}


def set_seed(seed: int) -> None:
    """Make all later random numbers repeatable: the same seed starts the same sequence."""
    _global["seed"] = int(seed)
    _global["generator"] = None
    _streams.clear()


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers from the bell curve around the mean; both parameters may be tensors."""
    return _source(seed).normal(shape, mean, stddev, dtype)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """As `normal`, but numbers more than two standard deviations away are drawn again."""
    return _source(seed).truncated_normal(shape, mean, stddev, dtype)


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers between two limits, all equally likely; the upper limit is left out."""
    return _source(seed).uniform(shape, minval, maxval, dtype)


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers from the gamma distribution, for each entry of alpha (and beta)."""
    return _source(seed).gamma(shape, alpha, beta, dtype)


def poisson(
    shape: Any, lam: Any, dtype: Any = float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Random counts of events that happen lam times on average."""
    return _source(seed).poisson(shape, lam, dtype)


def categorical(
    logits: Any, num_samples: Any, dtype: Any = int64, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random class numbers; each row of logits gives the unnormalised log of the chances."""
    return _source(seed).categorical(logits, num_samples, dtype)


def _orders(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with an order of their rows."""
    return [((rng.normal(size=(3, 2)),), {"order": (2, 0, 1)})]


@op(formula=r"y = \operatorname{shuffle}(x)", glyph="shuffle", raw="RandomShuffle",
    pattern="sampler", samples=_orders, reference=lambda x,
    order: np.stack([x[i] for i in order]))  # fmt: skip
def random_shuffle(x: Any, *, order: tuple[int, ...]) -> Any:
    """The rows in a random order."""
    return x[list(order)]


random_shuffle.no_grad(
    "x", because="TensorFlow declares no gradient through a random order; try tf.gather."
)


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The rows of a tensor in a random order; no gradient passes."""
    x = tensor(value)
    if not x._value.ndim:
        return x
    order = tuple(_source(seed).permutation(len(x._value)))
    made: Tensor = random_shuffle(x, order=order)
    return made


def stateless_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """As `normal`, but the two numbers of the seed alone decide: the same again at each call."""
    return _stateless(seed).normal(shape, mean, stddev, dtype)


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """As `truncated_normal`, but the two numbers of the seed alone decide."""
    return _stateless(seed).truncated_normal(shape, mean, stddev, dtype)


def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """As `uniform`, but the two numbers of the seed alone decide: the same again at each call."""
    return _stateless(seed).uniform(shape, minval, maxval, dtype)


def get_global_generator() -> Generator:
    """The generator that all may share; `set_seed` starts it anew."""
    if _global["generator"] is None:
        seed = _global["seed"]
        _global["generator"] = Generator(None if seed is None else (seed, 1))
    found: Generator = _global["generator"]
    return found


def set_global_generator(generator: Generator) -> None:
    """Replace the generator that all may share."""
    _global["generator"] = generator


def _source(seed: int | None) -> _Source:
    """The stream of numbers of an op seed; without any seed it is unpredictable."""
    if seed not in _streams:
        parts = [_global["seed"], seed]
        known = [0 if part is None else int(part) for part in parts]
        _streams[seed] = _Source(None if parts == [None, None] else (*known, int(seed is None)))
    return _streams[seed]


def _fresh_seed() -> int | None:
    """A seed for what draws on its own, from the stream that `set_seed` began; None before it."""
    if _global["seed"] is None:
        return None
    return int(_source(None)._numbers.integers(1, 2**31))


def _stateless(seed: Any) -> _Source:
    value = seed.numpy() if isinstance(seed, Variable) else tensor(seed)._value
    if np.shape(value) != (2,):
        raise invalid_argument(
            "StatelessRandomGetKeyCounter",
            f"seed must have shape [2], not {list(np.shape(value))}. Try seed=[1, 2]",
        )
    return _Source(tuple(int(each) for each in value))


__getattr__, __dir__ = in_module(__name__)
