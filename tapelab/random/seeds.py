"""Where random numbers begin: the global seed, and the streams of ops that have their own."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tapelab.core.log import thread
from tapelab.dtypes import as_dtype
from tapelab.random.streams import Source

WITHOUT_SEED: Final = 87654321
"""TensorFlow's global seed where only the op has one."""


@dataclass
class Seeds:
    """What all that draw share: the global seed, what was begun with it, and how far it is."""

    seed: int | None = None
    generator: Any = None
    ops: Any = None
    keras: Any = None
    streams: dict[Any, Source] = field(default_factory=dict)


shared: Final = Seeds()


def begin(seed: int) -> None:
    """Let all sequences start at a global seed."""
    shared.seed, shared.generator = seed, None
    shared.ops = random.Random(seed)  # noqa: S311  no secrets: TensorFlow's seeds of ops
    shared.keras = random.Random(seed)  # noqa: S311  as above
    shared.streams.clear()


@contextmanager
def untouched() -> Iterator[None]:
    """Leave all sequences where they are, whatever is drawn inside the block."""
    kept = copy.deepcopy((shared.streams, shared.ops, shared.keras))
    try:
        yield
    finally:
        shared.streams, shared.ops, shared.keras = kept


class Mark(NamedTuple):
    """Where all sequences stand that are shared."""

    ops: Any
    keras: Any
    streams: dict[Any, tuple[Source, int]]


def mark() -> Mark:
    """Where all sequences stand now, to propagate to."""
    ops, keras = (each and each.getstate() for each in (shared.ops, shared.keras))
    return Mark(ops, keras, {key: (each, each._counter) for key, each in shared.streams.items()})


def rewind(to: Mark) -> None:
    """Let all sequences go on from where they stood."""
    for sequence, state in ((shared.ops, to.ops), (shared.keras, to.keras)):
        if sequence is not None and state is not None:
            sequence.setstate(state)
    shared.streams = {key: each for key, (each, _) in to.streams.items()}
    for each, counter in to.streams.values():
        each._counter = counter


def source(raw: str, seed: int | None, dtype: Any) -> Source:
    """The stream of numbers of an op; without any seed it is unpredictable.

    An op with a seed goes on where it left off; one without takes the next seed of the global one.
    """
    stream = _stream(raw, seed, dtype)
    for observer in thread.observers:
        observer.requested(stream, (raw, seed, dtype))
    return stream


def _stream(raw: str, seed: int | None, dtype: Any) -> Source:
    start = shared.seed
    if seed is None:
        if start is None:
            return Source(None)
        return _seeded(start, shared.ops.randint(0, 2**31 - 1))
    key = raw, as_dtype(dtype).name, int(seed)
    if key not in shared.streams:
        shared.streams[key] = _seeded(WITHOUT_SEED if start is None else start, int(seed))
    return shared.streams[key]


def _seeded(start: int, seed: int) -> Source:
    first, second = start % 2**31, seed % 2**31
    if (first, second) == (0, 0):  # which would mean: no seed
        second = 2**31 - 1
    return Source((second << 64, first))


def place_of_generator() -> tuple[int, int] | None:
    """Where the global generator begins: at the next seed of the global one, None without it."""
    if shared.seed is None:
        return None
    words = shared.ops.getrandbits(192)
    return words % 2**128, words >> 128


def fresh_seed() -> int | None:
    """A seed for what draws on its own, from the stream that `set_seed` began; None before it."""
    seed: int | None = None if shared.keras is None else shared.keras.randint(1, 2**31 - 1)
    return seed


def draw_by_python() -> None:
    """Let what draws on its own take its seeds from Python's `random`, as Keras does."""
    shared.keras = None
