"""Pytrees: nests of arguments and results, walked down to their leaves.

Beyond the nests of `tf.nest`, tensors also occur in slices (`x[i:j]`) and in `IndexedSlices`.
Ragged and sparse tensors are leaves: they are handled as one value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Self, TypeAlias

import numpy as np

from tapelab.compile.call_graph import Graph, Slot
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable

Leaf: TypeAlias = Any
"""A tensor, a variable, a plain value or an object: what a nest holds."""
Tree: TypeAlias = Any
"""A leaf, or a nest of leaves in lists, tuples, dicts and slices."""
Change = Callable[[Leaf], Leaf]
_LEAVES: Final = frozenset({Tensor, Variable, Slot, str, bytes, int, float, bool, type(None)})
"""What most leaves are."""


class Bundle:
    """Something of ours that holds a graph and tensors for it, which are walked into."""

    graph: Graph

    def parts(self) -> Sequence[Any]:
        """The tensors inside."""
        raise NotImplementedError

    def with_parts(self, parts: Sequence[Any]) -> Self:
        """The same around other tensors."""
        raise NotImplementedError


def mapped(thing: Leaf, change: Change) -> Any:
    """The same structure with every leaf changed; what has no parts is a leaf."""
    kind = type(thing)
    if kind in _LEAVES:
        return change(thing)
    if kind is tuple or kind is list:
        return kind([mapped(each, change) for each in thing])
    if kind is dict:
        return {key: mapped(each, change) for key, each in thing.items()}
    return _mapped_rare(thing, change)


def _mapped_rare(thing: Leaf, change: Change) -> Any:
    if isinstance(thing, Mapping):
        made = {key: mapped(each, change) for key, each in thing.items()}
        return type(thing)(made)  # type: ignore[call-arg]  # a mapping of its kind
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return type(thing)(*(mapped(each, change) for each in thing))
    if isinstance(thing, (list, tuple)):
        return type(thing)([mapped(each, change) for each in thing])
    if isinstance(thing, slice):
        return slice(*(mapped(each, change) for each in (thing.start, thing.stop, thing.step)))
    if isinstance(thing, IndexedSlices):
        raw = (np.ndarray, np.generic)
        parts = (
            thing.values if isinstance(thing._rows, raw) else thing._rows,
            thing.indices if isinstance(thing._indices, raw) else thing._indices,
        )
        rows = IndexedSlices(*(mapped(each, change) for each in parts))
        rows._shape, rows._lengths = thing._shape, thing._lengths
        return rows
    if isinstance(thing, Bundle):
        return thing.with_parts([mapped(each, change) for each in thing.parts()])
    return change(thing)


def leaves(thing: Leaf) -> list[Any]:
    """All leaves from left to right, in the order in which `mapped` meets them."""
    found: list[Any] = []

    def keep(leaf: Leaf) -> Any:
        found.append(leaf)
        return leaf

    mapped(thing, keep)
    return found
