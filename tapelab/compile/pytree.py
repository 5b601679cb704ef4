"""Pytrees: nests of arguments and results, walked down to their leaves.

Beyond the nests of `tf.nest`, tensors also occur in slices (`x[i:j]`) and in `IndexedSlices`.
Ragged and sparse tensors are leaves: they are handled as one value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from tapelab.compile.call_graph import Graph, Slot
from tapelab.core.composite_tensor import Walked
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


class Bundle(Walked):
    """Something of ours that holds a graph and tensors for it, which are walked into."""

    graph: Graph


def mapped(structure: Leaf, change: Change) -> Any:
    """The same structure with every leaf changed; what has no parts is a leaf."""
    kind = type(structure)
    if kind in _LEAVES:
        return change(structure)
    if kind is tuple or kind is list:
        return kind([mapped(each, change) for each in structure])
    if kind is dict:
        return {key: mapped(each, change) for key, each in structure.items()}
    return _mapped_rare(structure, change)


def _mapped_rare(structure: Leaf, change: Change) -> Any:
    if isinstance(structure, Mapping):
        changed = {key: mapped(each, change) for key, each in structure.items()}
        return type(structure)(changed)  # type: ignore[call-arg]  # a mapping of its kind
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(mapped(each, change) for each in structure))
    if isinstance(structure, (list, tuple)):
        return type(structure)([mapped(each, change) for each in structure])
    if isinstance(structure, slice):
        return slice(
            *(mapped(each, change) for each in (structure.start, structure.stop, structure.step))
        )
    if isinstance(structure, IndexedSlices):
        raw = (np.ndarray, np.generic)
        parts = (
            structure.values if isinstance(structure._rows, raw) else structure._rows,
            structure.indices if isinstance(structure._indices, raw) else structure._indices,
        )
        rows = IndexedSlices(*(mapped(each, change) for each in parts))
        rows._shape, rows._lengths = structure._shape, structure._lengths
        return rows
    if isinstance(structure, Walked):
        return structure._with_parts([mapped(each, change) for each in structure._parts()])
    return change(structure)


def leaves(structure: Leaf) -> list[Any]:
    """All leaves from left to right, in the order in which `mapped` meets them."""
    flat: list[Any] = []

    def keep(leaf: Leaf) -> Any:
        flat.append(leaf)
        return leaf

    mapped(structure, keep)
    return flat
