"""`tf.random.Generator`: random numbers with a state of their own, and what makes such states."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable
from tapelab.dtypes import as_dtype, int32, uint64
from tapelab.errors import UnimplementedError
from tapelab.kernels import draws
from tapelab.ops.distributions import random_binomial
from tapelab.ops.public import tensor
from tapelab.random.streams import Source, sizes


class Algorithm(Enum):
    """Ways to make random numbers; Philox is the one that runs on processors."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def checked_algorithm(alg: Any) -> None:
    """ValueError for what names no way to make random numbers; only Philox is there."""
    names = {"philox": 1, "threefry": 2, "auto_select": 3}
    algorithm = alg.value if isinstance(alg, Algorithm) else names.get(alg, alg)
    if isinstance(algorithm, str) or algorithm not in {1, 2, 3}:
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are philox for the "
            "Philox algorithm, threefry for the ThreeFry algorithm, and auto_select for "
            "auto-selection."
        )
    if algorithm == 2:
        raise UnimplementedError(
            None, None, "Non-XLA devices don't support the ThreeFry algorithm. Try alg='philox'."
        )


def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state of a generator that begins with a seed."""
    checked_algorithm(alg)
    return new_constant(_state(seed), None)


def _state(seed: Any) -> Any:
    """Three numbers: a lone seed comes first, several come last."""
    given = None if isinstance(seed, int) else np.asarray(tensor(seed)._value)
    if given is None or given.ndim == 0:
        lone = int(seed if given is None else given)
        return np.array([_signed(lone), _signed(lone >> 64), _signed(lone >> 128)])
    whole = np.zeros(3, np.int64)
    kept = given.reshape(-1)[:3]
    whole[3 - kept.size :] = kept
    return whole


class GeneratorState:
    """The state of a generator as the variable that a checkpoint stores."""

    def __init__(self, generator: Generator) -> None:
        self._generator = generator

    def _saved_value(self) -> Any:
        return self._generator._parts()

    def _restore_value(self, state: Any) -> None:
        self._generator.reset(state)


class Generator(Source):
    """Random numbers with a state of their own."""

    _checkpoint_state: GeneratorState | None = None

    def __init__(self, copy_from: Any = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is not None:
            super().__init__((copy_from._counter, copy_from._key))
        elif state is None:
            raise ValueError("Exactly one of `copy_from` and `state` is needed.")
        else:
            checked_algorithm(alg)
            super().__init__(None)
            self.reset(state)

    @classmethod
    def _at(cls, place: draws.Place | None) -> Generator:
        generator = cls.__new__(cls)
        Source.__init__(generator, place)
        return generator

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = "philox") -> Generator:
        """A generator that always starts the same for a seed."""
        return cls(state=_state(seed), alg="philox" if alg is None else alg)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator that goes on from a state of another one."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator that starts at a place in the row of numbers of a key."""
        return cls(state=[*_integers(counter), int(tensor(key)._value)], alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = "philox") -> Generator:
        """A generator that no one can predict."""
        checked_algorithm(alg)
        return cls._at(None)

    def _checkpoint_children(self) -> dict[str, Any]:
        """The object in a checkpoint that has the state."""
        if self._checkpoint_state is None:
            self._checkpoint_state = GeneratorState(self)
        return {"_state_var": self._checkpoint_state}

    @property
    def state(self) -> Variable:
        """The place in the row of numbers: two parts of a counter, and a key."""
        return Variable(self._parts(), name="StateVar", trainable=False)

    @property
    def key(self) -> Tensor:
        """Which of the rows of numbers it is."""
        return new_constant(self._parts()[2], None)

    @property
    def algorithm(self) -> int:
        """The number of the way in which the numbers are made."""
        return Algorithm.PHILOX.value

    def _parts(self) -> Any:
        low, high = self._counter % 2**64, self._counter >> 64
        return np.array([_signed(each) for each in (low, high, self._key)], np.int64)

    def reset(self, state: Any) -> None:
        """Go on from another state."""
        parts = _integers(state)
        if len(parts) != 3:
            raise ValueError(f"Shapes ({len(parts)},) and [3] are incompatible")
        low, high, key = (each % 2**64 for each in parts)
        self._counter, self._key = low | high << 64, key

    @public(effect="random")
    def reset_from_seed(self, seed: Any) -> None:
        """Start again as `from_seed` does."""
        self.reset(_state(seed))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Start again as `from_key_counter` does."""
        self.reset([*_integers(counter), int(tensor(key)._value)])

    @public(effect="random")
    def skip(self, delta: Any) -> Tensor:
        """Leave out so many numbers; the state before is returned."""
        before = new_constant(self._parts(), None)
        self._take(int(tensor(delta)._value) * draws.RESERVED)
        return before

    @public(effect="random")
    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for the stateless functions, one column each."""

        def seeds(place: draws.Place) -> Tensor:
            drawn = draws.whole(place, (int(count),), np.dtype(np.int64))
            both = np.stack([drawn, np.zeros_like(drawn)])
            return new_constant(both, None, "tf.random.make_seeds")

        return self._drawn(int(count), seeds)

    @public(effect="random")
    def uniform_full_int(self, shape: Any, dtype: Any = uint64, name: str | None = None) -> Tensor:
        """Integers over the full range of the dtype."""
        kind, size = as_dtype(dtype), sizes(shape)
        return self._drawn(int(np.prod(size, dtype=int)), lambda place: new_constant(
            draws.whole(place, size, kind._numpy), None, "tf.random.uniform_full_int"
        ))  # fmt: skip

    @public(effect="random")
    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = int32, name: str | None = None
    ) -> Tensor:
        """How many of so many trials succeed that succeed with a chance."""
        drawn = super().binomial(shape, counts, probs, dtype)
        successes: Tensor = random_binomial(tensor(probs), drawn=drawn._value)
        return successes

    def split(self, count: int = 1) -> list[Generator]:
        """Several generators whose numbers have nothing to do with each other."""
        keys = self.make_seeds(count)._value[0].tolist()
        return [Generator._at((0, key % 2**64)) for key in keys]


def _integers(given: Any) -> list[int]:
    array = given if isinstance(given, np.ndarray) else tensor(given)._value
    parts: list[int] = np.asarray(array).reshape(-1).tolist()
    return parts


def _signed(number: int) -> int:
    """64 bits as a number of int64."""
    low = number % 2**64
    return low - 2**64 if low >= 2**63 else low
