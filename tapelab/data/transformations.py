"""Stages that call a function of the user for each element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from itertools import islice, takewhile
from typing import Any

import numpy as np

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
from tapelab.data.stage import UNKNOWN, Stage, whole
from tapelab.errors import invalid_argument
from tapelab.framework.scopes import off_tape

Function = Callable[..., Any]


def applied(stage: Stage, function: Function, kind: str) -> Stage:
    """What a function gives for each element."""
    _require_function(function)

    def start() -> Iterator[Element]:
        return map(lambda element: returned(call(function, element)), stage.start())  # noqa: C417 - unlike a generator it goes on after an error

    return stage.then(kind, start, spec_of=lambda: _spec_after(stage, function))


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


def kept(stage: Stage, predicate: Function) -> Stage:
    """The elements for which a function says True."""
    _require_function(predicate)

    def start() -> Iterator[Element]:
        return (each for each in stage.start() if _says(predicate, each))

    return stage.then("_FilterDataset", start, size=UNKNOWN)


def kept_while(stage: Stage, predicate: Function) -> Stage:
    """The elements up to the first for which a function says False."""
    _require_function(predicate)

    def start() -> Iterator[Element]:
        return takewhile(lambda each: _says(predicate, each), stage.start())

    return stage.then("_TakeWhileDataset", start, size=UNKNOWN)


def _says(predicate: Function, element: Element) -> bool:
    answer = raw_of(call(predicate, element))
    if not isinstance(answer, np.ndarray) or answer.dtype != bool or answer.ndim:
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
            f"return type is {spec_of_element(answer)}."
        )
    return bool(answer)


def flattened(stage: Stage, function: Function) -> Stage:
    """The elements of the Datasets that a function gives, one Dataset after the other."""
    _require_function(function)

    def start() -> Iterator[Element]:
        for element in stage.start():
            yield from _inner(function, element).start()

    return stage.then(
        "_FlatMapDataset", start, size=UNKNOWN, spec_of=lambda: _inner_spec(stage, function)
    )


def interleaved(
    stage: Stage, function: Function, cycle_length: int, block_length: int, kind: str
) -> Stage:
    """As `flattened`, with several of the Datasets open at once and taking turns."""
    _require_function(function)

    def start() -> Iterator[Element]:
        elements = stage.start()
        turns: list[Iterator[Element] | None] = [None] * cycle_length
        at, more = 0, True
        while more or any(turns):
            turn = turns[at]
            if turn is None and more:
                element = next(elements, None)
                more = element is not None
                turns[at] = _inner(function, element).start() if more else None
                continue
            if turn is not None:
                block = list(islice(turn, block_length))
                yield from block
                turns[at] = turn if len(block) == block_length else None
            at = (at + 1) % cycle_length

    return stage.then(kind, start, size=UNKNOWN, spec_of=lambda: _inner_spec(stage, function))


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


def scanned(stage: Stage, initial_state: Any, function: Function) -> Stage:
    """What a function gives for each element and a state that it passes on."""
    _require_function(function)

    def start() -> Iterator[Element]:
        state = raw_of(initial_state)
        for element in stage.start():
            state, out = _with_state(function, state, element)
            yield out

    def spec_of() -> Any:
        first = next(start())
        return spec_of_element(first)

    return stage.then("_ScanDataset", start, spec_of=spec_of)


def _with_state(function: Function, state: Element, element: Element) -> tuple[Element, Element]:
    with off_tape():
        new, out = function(tensors_of(state), tensors_of(element))
    return returned(new), returned(out)


def reduced(stage: Stage, initial_state: Any, function: Function) -> Any:
    """The last state, after a function took each element into it."""
    state = raw_of(initial_state)
    for element in stage.start():
        with off_tape():
            state = returned(function(tensors_of(state), tensors_of(element)))
    return tensors_of(state, stage.sources)


def grouped(
    stage: Stage, key_func: Function, reduce_func: Function, window_size: Any,
    window_size_func: Function | None,
) -> Stage:  # fmt: skip
    """The elements gathered by key; each full group becomes a Dataset that a function reduces."""
    limit = None if window_size is None else whole(window_size)

    def start() -> Iterator[Element]:
        groups: dict[int, list[Element]] = {}
        for element in stage.start():
            key = int(raw_of(call(key_func, element)))
            group = groups.setdefault(key, [])
            group.append(element)
            if len(group) >= _limit(limit, window_size_func, key):
                yield from _reduced(stage, reduce_func, key, groups.pop(key))
        for key, group in sorted(groups.items()):
            yield from _reduced(stage, reduce_func, key, group)

    def spec_of() -> Any:
        element = next(stage.start())
        key = int(raw_of(call(key_func, element)))
        return _group(stage, reduce_func, key, [element]).element_spec

    return stage.then("_GroupByWindowDataset", start, size=UNKNOWN, spec_of=spec_of)


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


def _reduced(
    stage: Stage, reduce_func: Function, key: int, group: list[Element]
) -> Iterator[Element]:
    return _group(stage, reduce_func, key, group).start()


def single(stage: Stage) -> Any:
    """The only element; an error if there are more, or none."""
    first = list(islice(stage.start(), 2))
    if len(first) != 1:
        problem = "Dataset had more than one element." if first else "Dataset was empty."
        raise invalid_argument("DatasetToSingleElement", problem)
    return tensors_of(first[0], stage.sources)


def _require_function(function: Any) -> None:
    if not callable(function):
        raise ValueError(
            f"Argument `func` must be a callable. Received func={function!r} "
            f"(of type {type(function)})"
        )
