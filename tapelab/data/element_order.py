"""Which elements come, how often, and in which order: take, skip, filter, repeat, shuffle."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count, islice, repeat
from typing import Any

import numpy as np

from tapelab.data.dataset_elements import Element, common, mapped, parts_of, raw_of
from tapelab.data.stage import INFINITE, UNKNOWN, Stage, counted, whole
from tapelab.errors import OpError, invalid_argument
from tapelab.random import uniform


def first(stage: Stage, amount: Any) -> Stage:
    """The first elements; -1 takes all."""
    wanted = whole(amount)
    if wanted < 0:
        return stage.then("_TakeDataset", stage.start)
    size = wanted if stage.size == INFINITE else counted(stage.size, lambda n: min(n, wanted))
    return stage.then("_TakeDataset", lambda: islice(stage.start(), wanted), size=size)


def rest(stage: Stage, amount: Any) -> Stage:
    """What follows the first elements; -1 skips all."""
    skipped = whole(amount)
    if skipped < 0:
        return stage.then("_SkipDataset", lambda: iter(()), size=0)
    size = counted(stage.size, lambda n: max(0, n - skipped))
    return stage.then("_SkipDataset", lambda: islice(stage.start(), skipped, None), size=size)


def repeated(stage: Stage, times: Any) -> Stage:
    """The elements again and again; without a number for ever."""
    rounds = -1 if times is None else whole(times)

    def start() -> Iterator[Element]:
        for _ in repeat(None) if rounds < 0 else range(rounds):
            empty = True
            for element in stage.start():
                empty = False
                yield element
            if empty:
                return

    if rounds == 0:
        size = 0
    elif rounds < 0:
        size = INFINITE if stage.size else 0
    else:
        size = counted(stage.size, lambda n: n * rounds)
    return stage.then("_RepeatDataset", start, size=size)


def part(stage: Stage, num_shards: Any, index: Any) -> Stage:
    """Every so many-th element, from a place on."""
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
    size = counted(stage.size, lambda n: len(range(place, n, shards)))
    return stage.then(
        "_ShardDataset", lambda: islice(stage.start(), place, None, shards), size=size
    )


def distinct(stage: Stage) -> Stage:
    """Each element once, when it comes first."""

    def start() -> Iterator[Element]:
        seen: set[Any] = set()
        for element in stage.start():
            array = np.asarray(element)
            key = array.tolist() if array.ndim == 0 else array.tobytes()
            if key not in seen:
                seen.add(key)
                yield element

    return stage.then("_UniqueDataset", start, size=UNKNOWN)


def remembered(stage: Stage) -> Stage:
    """The elements kept from the first complete round on."""
    memory: list[list[Element]] = []

    def start() -> Iterator[Element]:
        if memory:
            yield from memory[0]
            return
        kept: list[Element] = []
        for element in stage.start():
            kept.append(element)
            yield element
        memory[:] = [kept]

    return stage.then("CacheDataset", start)


def unfailing(stage: Stage) -> Stage:
    """The elements that can be made without an error."""

    def start() -> Iterator[Element]:
        source = stage.start()
        while True:
            try:
                yield next(source)
            except StopIteration:
                return
            except OpError:
                continue

    return stage.then("_IgnoreErrorsDataset", start, size=UNKNOWN)


def joined(stage: Stage, other: Stage) -> Stage:
    """The elements of one Dataset, then those of another with the same structure."""
    one, two = stage.element_spec, other.element_spec
    kinds = [[getattr(each, "dtype", None) for each in parts_of(spec)] for spec in (one, two)]
    if kinds[0] != kinds[1]:
        raise TypeError(f"Incompatible dataset elements:\n  {one} vs.   {two}")
    sizes = stage.size, other.size
    unending = [special for special in (INFINITE, UNKNOWN) if special in sizes]
    size = unending[0] if unending else sum(sizes)
    return stage.then(
        "_ConcatenateDataset", lambda: chain(stage.start(), other.start()), size=size,
        spec_of=lambda: mapped(common, one, two), others=(other,),
    )  # fmt: skip


def zipped(structure: Any, stages: list[Stage]) -> Stage:
    """Elements of several Datasets side by side, as long as all have one."""
    from tapelab.data.dataset_elements import rebuilt

    def start() -> Iterator[Element]:
        for row in zip(*(stage.start() for stage in stages), strict=False):
            yield rebuilt(structure, iter(row))

    sizes = [stage.size for stage in stages]
    finite = [size for size in sizes if size != INFINITE]
    size = UNKNOWN if UNKNOWN in sizes else min(finite, default=INFINITE)
    return stages[0].then(
        "_ZipDataset", start, size=size, others=tuple(stages[1:]),
        spec_of=lambda: mapped(lambda stage: stage.element_spec, structure),
    )  # fmt: skip


def chosen(stages: list[Stage], choices: Stage, *, stop_on_empty: bool) -> Stage:
    """Elements of several Datasets, from the one that another Dataset names each time."""

    def start() -> Iterator[Element]:
        sources: list[Iterator[Element] | None] = [stage.start() for stage in stages]
        for choice in choices.start():
            source = sources[int(choice)]
            element = None if source is None else next(source, None)
            if element is not None:
                yield element
                continue
            sources[int(choice)] = None
            if stop_on_empty or not any(sources):
                return

    return stages[0].then(
        "_DirectedInterleaveDataset", start, size=UNKNOWN, others=tuple(stages[1:])
    )


def choices(draws: np.random.Generator, count_of: int, weights: Any) -> Iterator[Element]:
    """Numbers of Datasets by chance, without an end."""
    chances = None if weights is None else np.asarray(raw_of(weights), float)
    if chances is not None:
        chances = chances / chances.sum()
    for _ in count():
        yield np.asarray(draws.choice(count_of, p=chances))


def structure_of(args: tuple[Any, ...], datasets: Any) -> Any:
    """The structure of Datasets to zip; several arguments are a tuple of them."""
    if not args and datasets is None:
        raise TypeError("Must pass at least one dataset to `zip`.")
    if datasets is not None:
        return datasets
    return args[0] if len(args) == 1 else args


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
