"""Which elements come, how often, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count, islice, repeat
from typing import Any

import numpy as np

from tapelab.data.elements import Element, raw_of
from tapelab.data.stage import INFINITE, UNKNOWN, Stage, counted, whole
from tapelab.data.structure import common, mapped, parts_of
from tapelab.errors import OpError, invalid_argument


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
    from tapelab.data.structure import rebuilt

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
