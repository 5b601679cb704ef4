"""Where random numbers begin: the global seed, and the streams of ops that have their own.

TensorFlow derives two seeds for an op: the global one, and that of the op. Where the op has none,
eager code draws it from the global one, and a graph counts its ops without one. So does this
module: an op in a graph has an `OpSeed`, with a stream of its own, which `set_seed` starts again.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
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
    elements: ElementSeeds | None = None


shared: Final = Seeds()
_LARGEST: Final = 2**31 - 1
_nodes: Final = count()


@dataclass(frozen=True)
class OpSeed:
    """The seeds of one op of a graph, None for an op that is unpredictable."""

    pair: tuple[int, int] | None
    node: int = field(default_factory=lambda: next(_nodes))


class GraphSeeds:
    """The seeds of a graph: its global one, and how many of its ops had none of their own."""

    def __init__(self, outer: GraphSeeds | None = None) -> None:
        self._start: int | None = shared.seed if outer is None else outer._start
        self._count = 0

    def pair(self, seed: int | None) -> tuple[int, int] | None:
        """The seeds of the next op; None if it is unpredictable."""
        if self._start is None or seed is not None:
            return _explicit_pair(self._start, seed)
        self._count += 1
        return _truncated(self._start, self._count - 1)

    def op_seed(self, seed: Any) -> Any:
        """What stands for the seed of the next op: one that has been counted stays."""
        return seed if isinstance(seed, OpSeed) else OpSeed(self.pair(seed))


class ElementSeeds(GraphSeeds):
    """The seeds of a function that a Dataset calls for each element, as of its graph.

    The ops of a call are known by their order. The streams start again with each iteration.
    """

    def __init__(self, outer: GraphSeeds) -> None:
        super().__init__(outer)
        self._streams: list[Source] = []
        self._place = 0

    def bind(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A function whose ops draw from the streams of this iteration."""

        def seeded(element: Any) -> Any:
            self._place = 0
            outer, shared.elements = shared.elements, self
            try:
                return function(element)
            finally:
                shared.elements = outer

        return seeded

    def stream(self, seed: int | None) -> Source:
        """The stream of the next op of the call."""
        if self._place == len(self._streams):
            pair = self.pair(seed)
            self._streams.append(Source(None if pair is None else place_of(pair)))
        self._place += 1
        return self._streams[self._place - 1]


def op_pair(seed: int | None) -> tuple[int, int] | None:
    """The two seeds of an op that runs now; None if it is unpredictable."""
    if shared.elements is not None:
        return shared.elements.pair(seed)
    if shared.seed is None or seed is not None:
        return _explicit_pair(shared.seed, seed)
    return _truncated(shared.seed, shared.ops.randint(0, _LARGEST))


def place_of(pair: tuple[int, int]) -> tuple[int, int]:
    """The state in which a stream with two seeds starts."""
    first, second = pair
    return (second % 2**64) << 64, first % 2**64


def _explicit_pair(start: int | None, seed: int | None) -> tuple[int, int] | None:
    if seed is None:
        return None
    return _truncated(WITHOUT_SEED if start is None else start, int(seed))


def _truncated(start: int, seed: int) -> tuple[int, int]:
    """Both seeds with 31 bits; both 0 would mean that there is none."""
    pair = start % _LARGEST, seed % _LARGEST
    return pair if any(pair) else (0, _LARGEST)


def begin(seed: int | None) -> None:
    """Let all sequences start at a global seed, or without one."""
    shared.seed, shared.generator = seed, None
    shared.ops = random.Random(seed)  # noqa: S311  no secrets: TensorFlow's seeds of ops
    shared.keras = None if seed is None else random.Random(seed)  # noqa: S311  as above
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


def source(raw: str, seed: int | OpSeed | None, dtype: Any) -> Source:
    """The stream of numbers of an op; without any seed it is unpredictable.

    An op with a seed, or in a graph, goes on where it left off; another one takes the next seed of
    the global one.
    """
    stream = _stream(raw, seed, dtype)
    for observer in thread.observers:
        observer.requested(stream, (raw, seed, dtype))
    return stream


def _stream(raw: str, seed: int | OpSeed | None, dtype: Any) -> Source:
    if isinstance(seed, OpSeed):
        return Source(None) if seed.pair is None else _kept(seed, seed.pair)
    if shared.elements is not None:
        return shared.elements.stream(seed)
    pair = op_pair(seed)
    if pair is None:
        return Source(None)
    if seed is None:
        return Source(place_of(pair))
    return _kept((raw, as_dtype(dtype).name, pair), pair)


def _kept(key: Any, pair: tuple[int, int]) -> Source:
    """The stream of an op that goes on where it left off."""
    if key not in shared.streams:
        shared.streams[key] = Source(place_of(pair))
    return shared.streams[key]


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
