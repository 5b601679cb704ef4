"""A random order: elements wait in a buffer, and chance picks which of them goes on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from tapelab.data.elements import Element
from tapelab.data.stage import UNKNOWN, Stage, whole
from tapelab.errors import invalid_argument
from tapelab.random import uniform


def shuffled(
    stage: Stage, buffer_size: Any, seed: Any, reshuffle_each_iteration: bool | None
) -> Stage:
    """The elements in a random order, as far as the buffer reaches."""
    size = whole(buffer_size)
    if size < 1 and size != UNKNOWN:
        raise invalid_argument(
            "ShuffleDatasetV3", "buffer_size must be greater than zero or UNKNOWN_CARDINALITY"
        )
    size = 2**62 if size == UNKNOWN else size
    first = draws(seed)
    again = int(first.integers(2**62))

    def start() -> Iterator[Element]:
        chance = np.random.default_rng(again) if reshuffle_each_iteration is False else first
        return _from_buffer(stage.start(), size, chance)

    return stage.then("_ShuffleDataset", start)


def _from_buffer(
    elements: Iterator[Element], size: int, chance: np.random.Generator
) -> Iterator[Element]:
    buffer = list(islice(elements, size))
    for element in elements:
        place = int(chance.integers(len(buffer)))
        buffer[place], element = element, buffer[place]  # noqa: PLW2901 - they change places
        yield element
    while buffer:
        place = int(chance.integers(len(buffer)))
        buffer[place], buffer[-1] = buffer[-1], buffer[place]
        yield buffer.pop()


def draws(seed: Any) -> np.random.Generator:
    """Random numbers of a seed; without one `tf.random.set_seed` decides."""
    if seed is not None:
        return np.random.default_rng(whole(seed) % 2**64)
    return np.random.default_rng(int(uniform([], 0, 2**31 - 1, "int32")._value))
