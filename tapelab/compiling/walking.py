"""Walking through what functions are given and what they return, down to tensors and plain things.

Beyond the nests of `tf.nest`, tensors also stand in slices (`x[i:j]`), in ragged and sparse tensors
and in sparse gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tapelab.engine.composite_tensor import CompositeTensor
from tapelab.engine.indexed_slices import IndexedSlices

Change = Callable[[Any], Any]


def mapped(thing: Any, change: Change) -> Any:
    """The same structure with every leaf changed; what has no parts is a leaf."""
    kind = type(thing)
    if kind is tuple or kind is list:
        return kind([mapped(each, change) for each in thing])
    if isinstance(thing, (str, bytes, int, float)):
        return change(thing)
    return _mapped_rare(thing, change)


def _mapped_rare(thing: Any, change: Change) -> Any:
    if isinstance(thing, Mapping):
        made = {key: mapped(each, change) for key, each in thing.items()}
        return made if type(thing) is dict else type(thing)(made)  # type: ignore[call-arg]
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return type(thing)(*(mapped(each, change) for each in thing))
    if isinstance(thing, (list, tuple)):
        return type(thing)([mapped(each, change) for each in thing])
    if isinstance(thing, slice):
        return slice(*(mapped(each, change) for each in (thing.start, thing.stop, thing.step)))
    if isinstance(thing, IndexedSlices):
        rows = IndexedSlices(mapped(thing.values, change), mapped(thing.indices, change))
        rows._shape = thing._shape
        return rows
    if isinstance(thing, CompositeTensor):
        return thing._with_components([mapped(each, change) for each in thing._components()])
    return change(thing)


def leaves(thing: Any) -> list[Any]:
    """All leaves from left to right, in the order in which `mapped` meets them."""
    found: list[Any] = []

    def keep(leaf: Any) -> Any:
        found.append(leaf)
        return leaf

    mapped(thing, keep)
    return found
