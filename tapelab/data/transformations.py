"""The stages that call a function of the user for each element, as methods of a pipeline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import islice, takewhile
from typing import Any, Self

import numpy as np

from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.type_spec import TensorSpec
from tapelab.data.dataset_elements import (
    Element,
    call,
    common,
    mapped,
    parts_of,
    raw_of,
    returned,
    tensors_of,
)
from tapelab.data.dataset_sources import spec_of_element
from tapelab.data.stage import AUTOTUNE, UNKNOWN, Stage, whole
from tapelab.framework.scopes import off_tape
from tapelab.random.seeds import ElementSeeds, GraphSeeds

Function = Callable[..., Any]


def _spec_of_state(dataset: Stage, initial_state: Any, *_: Any, **__: Any) -> Any:
    return mapped(_spec_of_part, initial_state)


def _spec_of_part(part: Any) -> TensorSpec:
    part = to_tensor(part)
    return TensorSpec(part.shape, part.dtype)


class FunctionStage(Stage):
    """A stage that functions of the user can transform; each method returns the next stage.

    The functions get tensors without a history: no tape of the caller records what they compute.
    A method raises ValueError for an argument that cannot be called.
    """

    def map(
        self, map_func: Function, num_parallel_calls: Any = None,
        deterministic: bool | None = None, synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False, name: str | None = None,
    ) -> Self:  # fmt: skip
        """Apply a function to each element; the parts of a tuple are its arguments."""
        _require_function(map_func)

        seeds = GraphSeeds()

        def start() -> Iterator[Element]:
            seeded = ElementSeeds(seeds).bind(lambda element: returned(call(map_func, element)))
            return map(seeded, self.start())

        kind = "_MapDataset" if num_parallel_calls is None else "_ParallelMapDataset"
        return self.then(kind, start, spec_of=lambda: _spec_after(self, map_func))

    def flat_map(self, map_func: Function, name: str | None = None) -> Self:
        """Return the elements of the Datasets that a function returns, one after the other."""
        _require_function(map_func)

        def start() -> Iterator[Element]:
            for element in self.start():
                yield from _inner(map_func, element).start()

        return self.then(
            "_FlatMapDataset", start, size=UNKNOWN, spec_of=lambda: _inner_spec(self, map_func)
        )

    def interleave(
        self, map_func: Function, cycle_length: Any = None, block_length: Any = None,
        num_parallel_calls: Any = None, deterministic: bool | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """As `flat_map`, with `cycle_length` Datasets open at once, which take turns.

        A turn yields `block_length` elements.
        """
        cycle = -1 if cycle_length is None else whole(cycle_length)
        block_size = 1 if block_length is None else whole(block_length)
        cycle = (os.cpu_count() or 1) if cycle == AUTOTUNE else cycle
        _require_function(map_func)

        def start() -> Iterator[Element]:
            elements = self.start()
            turns: list[Iterator[Element] | None] = [None] * cycle
            at, more = 0, True
            while more or any(turns):
                turn = turns[at]
                if turn is None and more:
                    element = next(elements, None)
                    more = element is not None
                    turns[at] = _inner(map_func, element).start() if more else None
                    continue
                if turn is not None:
                    block = list(islice(turn, block_size))
                    yield from block
                    turns[at] = turn if len(block) == block_size else None
                at = (at + 1) % cycle

        kind = "_InterleaveDataset" if num_parallel_calls is None else "_ParallelInterleaveDataset"
        return self.then(kind, start, size=UNKNOWN, spec_of=lambda: _inner_spec(self, map_func))

    def filter(self, predicate: Function, name: str | None = None) -> Self:
        """Return the elements for which a function returns True."""
        _require_function(predicate)

        def start() -> Iterator[Element]:
            return filter(lambda each: _says(predicate, each), self.start())

        return self.then("_FilterDataset", start, size=UNKNOWN)

    def take_while(self, predicate: Function, name: str | None = None) -> Self:
        """Return the elements up to the first for which a function returns False."""
        _require_function(predicate)

        def start() -> Iterator[Element]:
            return takewhile(lambda each: _says(predicate, each), self.start())

        return self.then("_TakeWhileDataset", start, size=UNKNOWN)

    def scan(self, initial_state: Any, scan_func: Function, name: str | None = None) -> Self:
        """Return the outputs of a function of a state and an element.

        `scan_func(state, element)` returns the next state and the output.
        """
        _require_function(scan_func)

        def start() -> Iterator[Element]:
            state = raw_of(initial_state)
            for element in self.start():
                with off_tape():
                    new, out = scan_func(tensors_of(state), tensors_of(element))
                state = returned(new)
                yield returned(out)

        return self.then("_ScanDataset", start, spec_of=lambda: spec_of_element(next(start())))

    @public(effect="host", result_spec=_spec_of_state)
    def reduce(self, initial_state: Any, reduce_func: Function, name: str | None = None) -> Any:
        """Return the last state, where `reduce_func(state, element)` returns the next one."""
        state = raw_of(initial_state)
        for element in self.start():
            with off_tape():
                state = returned(reduce_func(tensors_of(state), tensors_of(element)))
        return tensors_of(state, self.sources)

    def group_by_window(
        self, key_func: Function, reduce_func: Function, window_size: Any = None,
        window_size_func: Function | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """Group the elements by key; a function turns each full group into a Dataset.

        A group is full at `window_size` elements, or `window_size_func(key)`. The incomplete
        groups follow at the end, by key.
        """
        limit = None if window_size is None else whole(window_size)

        def start() -> Iterator[Element]:
            groups: dict[int, list[Element]] = {}
            for element in self.start():
                key = int(raw_of(call(key_func, element)))
                group = groups.setdefault(key, [])
                group.append(element)
                if len(group) >= _limit(limit, window_size_func, key):
                    yield from _group(self, reduce_func, key, groups.pop(key)).start()
            for key, group in sorted(groups.items()):
                yield from _group(self, reduce_func, key, group).start()

        def spec_of() -> Any:
            element = next(self.start())
            key = int(raw_of(call(key_func, element)))
            return _group(self, reduce_func, key, [element]).element_spec

        return self.then("_GroupByWindowDataset", start, size=UNKNOWN, spec_of=spec_of)


def _spec_after(stage: Stage, function: Function) -> Any:
    """The spec of the results, found by trying the function on the first two elements.

    A length that an element does not fix is tried with one more, to see which results change.
    """
    elements = list(islice(stage.start(), 2))
    if not elements:
        raise ValueError("An empty Dataset cannot tell what a function would make of its elements.")
    if any(_is_open(each) for each in parts_of(stage.element_spec)):
        elements.append(mapped(_one_longer, elements[0], stage.element_spec))
    specs = [spec_of_element(returned(call(function, element))) for element in elements]
    return reduce(lambda one, other: mapped(common, one, other), specs)


def _is_open(each: Any) -> bool:
    return hasattr(each, "shape") and (each.shape.rank is None or None in each.shape.as_list())


def _one_longer(part: Any, each: Any) -> Any:
    """An array with its last entry twice along the axes of unknown length."""
    if not _is_open(each) or not isinstance(part, np.ndarray):
        return part
    lengths = each.shape.as_list() if each.shape.rank is not None else [None] * part.ndim
    for axis, length in enumerate(lengths):
        if length is None and part.shape[axis]:
            part = np.concatenate([part, part.take([-1], axis)], axis)
    return part


def _says(predicate: Function, element: Element) -> bool:
    answer = raw_of(call(predicate, element))
    if not isinstance(answer, np.ndarray) or answer.dtype != bool or answer.ndim:
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
            f"return type is {spec_of_element(answer)}."
        )
    return bool(answer)


def _inner(function: Function, element: Element) -> Stage:
    stage = call(function, element)
    if not isinstance(stage, Stage):
        raise TypeError(
            f"The function must return a tf.data.Dataset object, and it returned {stage!r}. "
            "Try map() where each element becomes one other."
        )
    return stage


def _inner_spec(stage: Stage, function: Function) -> Any:
    element = next(stage.start(), None)
    if element is None:
        raise ValueError("An empty Dataset cannot tell what a function would make of its elements.")
    return _inner(function, element).element_spec


def _limit(limit: int | None, window_size_func: Function | None, key: int) -> int:
    if limit is not None:
        return limit
    if window_size_func is None:
        raise ValueError("Must pass either `window_size` or `window_size_func`.")
    return whole(window_size_func(tensors_of(np.asarray(key))))


def _group(stage: Stage, reduce_func: Function, key: int, group: list[Element]) -> Stage:
    window = stage.then("_VariantDataset", lambda: iter(group), size=len(group))
    with off_tape():
        reduced = reduce_func(tensors_of(np.asarray(key)), window)
    assert isinstance(reduced, Stage)
    return reduced


def _require_function(function: Any) -> None:
    if not callable(function):
        raise ValueError(
            f"Argument `func` must be a callable. Received func={function!r} "
            f"(of type {type(function)})"
        )
