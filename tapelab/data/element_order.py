"""Which elements come, how often and in which order, as methods of a pipeline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any, Self

import numpy as np

from tapelab.data.dataset_batches import BatchStage
from tapelab.data.dataset_elements import Element, common, mapped, parts_of
from tapelab.data.stage import INFINITE, UNKNOWN, Options, Stage, counted, whole
from tapelab.errors import OpError, invalid_argument
from tapelab.kernels.draws import word_sequence
from tapelab.random.seeds import op_pair, place_of
from tapelab.random.streams import Source


class OrderStage(BatchStage):
    """A stage whose elements can be selected, repeated, shuffled and joined with others."""

    def take(self, count: Any, name: str | None = None) -> Self:
        """Return the first elements; -1 takes all."""
        wanted = whole(count)
        if wanted < 0:
            return self.then("_TakeDataset", self.start)
        size = wanted if self.size == INFINITE else counted(self.size, lambda n: min(n, wanted))
        return self.then("_TakeDataset", lambda: islice(self.start(), wanted), size=size)

    def skip(self, count: Any, name: str | None = None) -> Self:
        """Return what follows the first elements; -1 skips all."""
        skipped = whole(count)
        if skipped < 0:
            return self.then("_SkipDataset", lambda: iter(()), size=0)
        size = counted(self.size, lambda n: max(0, n - skipped))
        return self.then("_SkipDataset", lambda: islice(self.start(), skipped, None), size=size)

    def repeat(self, count: Any = None, name: str | None = None) -> Self:
        """Repeat the elements `count` times; without end for None and -1."""
        rounds = -1 if count is None else whole(count)

        def start() -> Iterator[Element]:
            for _ in repeat(None) if rounds < 0 else range(rounds):
                empty = True
                for element in self.start():
                    empty = False
                    yield element
                if empty:
                    return

        if rounds == 0:
            size = 0
        elif rounds < 0:
            size = INFINITE if self.size else 0
        else:
            size = counted(self.size, lambda n: n * rounds)
        return self.then("_RepeatDataset", start, size=size)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Self:
        """Return every `num_shards`-th element, starting at an index."""
        shards, place = whole(num_shards), whole(index)
        if shards < 1:
            raise invalid_argument(
                "ShardDataset",
                f"Number of shards must be greater than zero (currently num_shards = {shards}).",
            )
        if not 0 <= place < shards:
            raise invalid_argument(
                "ShardDataset",
                f"Index must be between 0 and {shards - 1} (currently index = {place}).",
            )
        size = counted(self.size, lambda n: len(range(place, n, shards)))
        return self.then(
            "_ShardDataset", lambda: islice(self.start(), place, None, shards), size=size
        )

    def unique(self, name: str | None = None) -> Self:
        """Return each different element once, where it occurs first."""

        def start() -> Iterator[Element]:
            seen: set[Any] = set()
            for element in self.start():
                array = np.asarray(element)
                key = array.tolist() if array.ndim == 0 else array.tobytes()
                if key not in seen:
                    seen.add(key)
                    yield element

        return self.then("_UniqueDataset", start, size=UNKNOWN)

    def cache(self, filename: str = "", name: str | None = None) -> Self:
        """Keep the elements after the first complete iteration, in memory or in a file."""
        if filename:
            return self._cached_in_file(os.fspath(filename))
        memory: list[list[Element]] = []

        def start() -> Iterator[Element]:
            if memory:
                yield from memory[0]
                return
            kept: list[Element] = []
            for element in self.start():
                kept.append(element)
                yield element
            memory[:] = [kept]

        return self.then("CacheDataset", start)

    def _cached_in_file(self, prefix: str) -> Self:
        """Read the elements from a file; write it in the first iteration, if there is none."""
        from tapelab.data import element_files  # with tf.io, loaded where files are used

        elements, index = Path(f"{prefix}.data-00000-of-00001"), Path(f"{prefix}.index")

        def start() -> Iterator[Element]:
            if not index.exists():
                element_files.write_elements(elements, self.start())
                element_files.write_spec(index, self.element_spec)
            return element_files.read_elements(elements, element_files.read_spec(index))

        return self.then("CacheDataset", start)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Self:
        """Return the same elements; nothing is computed in advance here."""
        return self.then("_PrefetchDataset", self.start)

    def with_options(self, options: Options, name: str | None = None) -> Self:
        """Return the same elements; no setting changes them here."""
        return replace(self.then("_OptionsDataset", self.start), settings=options)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Self:
        """Return the elements that can be computed without an error."""

        def start() -> Iterator[Element]:
            source = self.start()
            while True:
                try:
                    yield next(source)
                except StopIteration:
                    return
                except OpError:
                    continue

        return self.then("_IgnoreErrorsDataset", start, size=UNKNOWN)

    def concatenate(self, dataset: Stage, name: str | None = None) -> Self:
        """Return the elements, then those of another Dataset; TypeError if the dtypes differ."""
        own, other = self.element_spec, dataset.element_spec
        kinds = [[getattr(each, "dtype", None) for each in parts_of(spec)] for spec in (own, other)]
        if kinds[0] != kinds[1]:
            raise TypeError(f"Incompatible dataset elements:\n  {own} vs.   {other}")
        sizes = self.size, dataset.size
        unending = [special for special in (INFINITE, UNKNOWN) if special in sizes]
        return self.then(
            "_ConcatenateDataset", lambda: chain(self.start(), dataset.start()),
            size=unending[0] if unending else sum(sizes),
            spec_of=lambda: mapped(common, own, other), others=(dataset,),
        )  # fmt: skip

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """Return the elements in a random order, drawn from a buffer of `buffer_size` elements.

        The order differs between iterations unless `reshuffle_each_iteration` is False.
        """
        size = whole(buffer_size)
        if size < 1 and size != UNKNOWN:
            raise invalid_argument(
                "ShuffleDatasetV3", "buffer_size must be greater than zero or UNKNOWN_CARDINALITY"
            )
        size = 2**62 if size == UNKNOWN else size
        words = iteration_words(seed, changing=reshuffle_each_iteration is not False)
        return self.then(
            "_ShuffleDataset", lambda: _shuffled(self.start(), size, words()), skips=(words,)
        )


def _shuffled(elements: Iterator[Element], size: int, words: Iterator[int]) -> Iterator[Element]:
    """Return elements of a ring of places, each refilled before the next is drawn."""
    ring = list(islice(elements, size))
    first, end = 0, len(ring)
    while first < end:
        at = (first + next(words) % (end - first)) % len(ring)
        element = ring[at]
        ring[at] = ring[first % len(ring)]
        first += 1
        yield element
        for more in islice(elements, 1):
            ring[end % len(ring)] = more
            end += 1


def iteration_words(seed: Any, *, changing: bool) -> Callable[[], Iterator[int]]:
    """Return what gives each iteration its random words: the same ones, or others each time.

    The words of an iteration are those of TensorFlow after equal seeds.
    """
    pair = op_pair(None if seed is None else whole(seed))
    place = Source(None)._take(0) if pair is None else place_of(pair)
    if not changing:
        return lambda: word_sequence(place)
    seeds = word_sequence(place)
    return lambda: word_sequence(place_of((next(seeds), next(seeds))))
