"""`tf.keras.random`: seed generators of layers, and random tensors."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.array_ops.value_ops import cast
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.keras import seeded_arrays
from tapelab.keras.name_scopes import automatic_name, name_scope
from tapelab.keras.variables import Variable
from tapelab.namespace.missing_names import in_module
from tapelab.ops.integer_arguments import lengths


class SeedGenerator:
    """A seed and the number of its draws, in a variable of the layer."""

    def __init__(self, seed: int | None = None, name: str | None = None) -> None:
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
        """Return the seed as it was given."""
        return {"seed": self._given_seed}


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
    return _tensor(
        seeded_arrays.uniform(_draw_seed(seed), _size(shape), minval, maxval, dtype), dtype
    )


@public(effect="random")
def randint(shape: Any, minval: int, maxval: int, dtype: Any = "int32", seed: Any = None) -> Tensor:
    """Return random integers from `minval` to `maxval - 1`."""
    drawn = seeded_arrays.integers(_draw_seed(seed), _size(shape), minval, maxval, dtype)
    return _tensor(drawn, dtype)


@public(effect="random")
def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Return the inputs with a random share set to 0, and the others divided by the rest."""
    if rate == 0:
        return inputs
    sizes = zip(inputs.shape, noise_shape or inputs.shape, strict=True)
    chance: Any = uniform([there if each is None else each for there, each in sizes], seed=seed)
    return inputs * cast(chance >= rate, inputs.dtype) / (1.0 - rate)


def _draw_seed(seed: Any) -> seeded_arrays.Seed:
    """The seed of a draw: a generator returns a new one each time, a number is always the same."""
    if isinstance(seed, SeedGenerator):
        return seed.next()
    return seeded_arrays.shared_seed() if seed is None else (int(seed), 0)


def _size(shape: Any) -> tuple[int, ...]:
    return lengths(shape, "Random")


def _tensor(array: Any, dtype: Any) -> Tensor:
    return constant_of(np.asarray(array, dtype=dtype or "float32")[()])


__getattr__, __dir__ = in_module(__name__)
