"""`tf.keras.random`: seed generators of layers, and random tensors."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.array_ops.creation import zeros_like
from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.shape_ops import broadcast_to
from tapelab.array_ops.sort_ops import argsort
from tapelab.array_ops.value_ops import cast
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.dtypes import as_dtype, bfloat16, float32
from tapelab.keras import backend, seeded_arrays
from tapelab.keras.backend import convert_to_tensor
from tapelab.keras.name_scopes import automatic_name, name_scope
from tapelab.keras.variables import Variable
from tapelab.namespace.missing_names import in_module
from tapelab.ops.integer_arguments import lengths
from tapelab.random import stateless


class SeedGenerator:
    """A seed and the number of its draws, in a variable of the layer."""

    def __init__(self, seed: int | None = None, name: str | None = None, **kwargs: Any) -> None:
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {kwargs}")
        if seed is not None and not isinstance(seed, int):
            raise ValueError(f"Argument `seed` must be an integer. Received: seed={seed}")
        self.name = name or automatic_name(type(self))
        self._given_seed = seed
        start = seeded_arrays.default_seed() if seed is None else seed
        with name_scope(self.name, caller=self):
            self.state = Variable(
                np.array([start, 0], np.int64), name="seed_generator_state", trainable=False
            )

    def next(self) -> seeded_arrays.Seed:
        """Return the seed of the next draw."""
        seed, count = self.state._cell.state._value.tolist()
        self.state._value.assign(np.array([seed, count + 1], np.int64))
        return seed, count

    def copy_with_state(self, stand_in: Callable[[Any], Any]) -> SeedGenerator:
        """Return the generator with another variable for its state."""
        clone = copy.copy(self)
        clone.state = copy.copy(self.state)
        clone.state._value = stand_in(self.state)
        clone.state._cell = clone.state._value._cell
        return clone

    def get_config(self) -> dict[str, Any]:
        """Return the seed as it was given, and the name."""
        return {"seed": self._given_seed, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SeedGenerator:
        """Construct a generator from its config."""
        return cls(**config)


@public(effect="random", graph_name="random_normal")
def normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Tensor:
    """Return random numbers from the normal distribution."""
    return _tensor(seeded_arrays.normal(_draw_seed(seed), _size(shape), mean, stddev, dtype), dtype)


@public(effect="random", graph_name="truncated_normal")
def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Tensor:
    """Return random numbers from the normal distribution, truncated at two deviations."""
    return _tensor(
        seeded_arrays.truncated_normal(_draw_seed(seed), _size(shape), mean, stddev, dtype), dtype
    )


@public(effect="random", graph_name="random_uniform/RandomUniform")
def uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None
) -> Tensor:
    """Return random numbers from the uniform distribution over `[minval, maxval)`."""
    if not as_dtype(dtype or backend.floatx()).is_floating:
        raise ValueError(
            f"`keras.random.uniform` requires a floating point `dtype`. Received: dtype={dtype} "
        )
    return _tensor(
        seeded_arrays.uniform(_draw_seed(seed), _size(shape), minval, maxval, dtype), dtype
    )


@public(effect="random")
def randint(shape: Any, minval: int, maxval: int, dtype: Any = "int32", seed: Any = None) -> Tensor:
    """Return random integers from `minval` to `maxval - 1`."""
    if not as_dtype(dtype).is_integer:
        raise ValueError(
            f"`keras.random.randint` requires an integer `dtype`. Received: dtype={dtype} "
        )
    drawn = seeded_arrays.integers(_draw_seed(seed), _size(shape), minval, maxval, dtype)
    return _tensor(drawn, dtype)


@public(effect="random")
def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Return the inputs with a random share set to 0, and the others divided by the rest."""
    if rate == 0:
        return inputs
    sizes = zip(inputs.shape, noise_shape or inputs.shape, strict=True)
    chance: Any = uniform([there if each is None else each for there, each in sizes], seed=seed)
    if rate == 1:
        return zeros_like(inputs)
    return inputs * cast(chance >= rate, inputs.dtype) / (1.0 - rate)


@public(effect="random")
def categorical(logits: Any, num_samples: int, dtype: Any = "int32", seed: Any = None) -> Tensor:
    """Return class indices drawn with probabilities softmax(logits), for each row of logits."""
    scores = convert_to_tensor(logits)
    if len(scores.shape) != 2:
        raise ValueError(
            "`logits` should be a 2-D tensor with shape [batch_size, num_classes]. "
            f"Received: logits={logits}"
        )
    drawn = stateless.stateless_categorical(scores, num_samples, _stateless_seed(seed))
    return cast(drawn, dtype)


@public(effect="random")
def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """Return random numbers from the gamma distribution with shape `alpha` and rate 1."""
    kind, precise = _dtypes(dtype)
    drawn = stateless.stateless_gamma(shape, _stateless_seed(seed), alpha, dtype=precise)
    return cast(drawn, kind)


@public(effect="random")
def binomial(
    shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None
) -> Tensor:
    """Return how many of `counts` trials succeed, each with its probability."""
    kind, precise = _dtypes(dtype)
    start = _stateless_seed(seed)
    drawn = stateless.stateless_binomial(shape, start, counts, probabilities, precise)
    return cast(drawn, kind)


@public(effect="random")
def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """Return random numbers from the beta distribution: shares of two gamma numbers."""
    kind, precise = _dtypes(dtype)
    start = _stateless_seed(seed)

    def part(parameter: Any, start: Any) -> Any:
        spread = broadcast_to(convert_to_tensor(parameter, precise), shape)
        return cast(stateless.stateless_gamma(shape, start, spread, dtype=precise), kind)

    one, other = part(alpha, start), part(beta, start + 12)
    share: Tensor = one / (one + other)
    return share


@public(effect="random")
def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Tensor:
    """Return the parts of a tensor along an axis in a random order."""
    values = convert_to_tensor(x)
    order = argsort(stateless.stateless_uniform([values.shape[axis]], _stateless_seed(seed)))
    return gather(values, order, axis=axis)


def _stateless_seed(seed: Any) -> Any:
    return seeded_arrays.stateless_seed(_draw_seed(seed))


def _dtypes(dtype: Any) -> tuple[Any, Any]:
    """The dtype of the result, and that in which TensorFlow draws it."""
    kind = as_dtype(dtype or backend.floatx())
    return kind, float32 if kind == bfloat16 else kind


def _draw_seed(seed: Any) -> seeded_arrays.Seed:
    """The seed of a draw: a generator returns a new one each time, a number is always the same."""
    if isinstance(seed, SeedGenerator):
        return seed.next()
    return seeded_arrays.shared_seed() if seed is None else (int(seed), 0)


def _size(shape: Any) -> tuple[int, ...]:
    return lengths(shape, "Random")


def _tensor(array: Any, dtype: Any) -> Tensor:
    return constant_of(np.asarray(array, dtype=dtype or backend.floatx())[()])


__getattr__, __dir__ = in_module(__name__)
