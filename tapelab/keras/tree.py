"""`tf.keras.tree`: nests of lists, tuples and dicts, flattened, mapped and compared."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final

from tapelab import nest
from tapelab.namespace.missing_names import in_module

Path = tuple[Any, ...]


class _MapToNone:
    """Stands for None as the result of `traverse`."""


MAP_TO_NONE: Final = _MapToNone()
"""Returned by the function of `traverse` to put None there."""


def is_nested(structure: Any) -> bool:
    """Return whether it is a list, a tuple or a dict."""
    return nest.is_nested(structure)


def flatten(structure: Any) -> list[Any]:
    """Return the leaves from left to right; a dict's in the order of its sorted keys."""
    return [leaf for _, leaf in flatten_with_path(structure)]


def flatten_with_path(structure: Any) -> list[tuple[Path, Any]]:
    """Return the leaves with the keys and positions that lead to them."""
    if not nest.is_nested(structure):
        return [((), structure)]
    return [
        ((key, *path), leaf)
        for key, child in _items(structure)
        for path, leaf in flatten_with_path(child)
    ]


def _items(structure: Any) -> list[tuple[Any, Any]]:
    if isinstance(structure, OrderedDict):
        return list(structure.items())
    if isinstance(structure, Mapping):
        return [(key, structure[key]) for key in sorted(structure)]
    return list(enumerate(structure))


def _with_children(structure: Any, children: dict[Any, Any]) -> Any:
    """A nest of the same type with other children."""
    if isinstance(structure, Mapping):
        if hasattr(structure, "default_factory"):
            return type(structure)(structure.default_factory, {k: children[k] for k in structure})  # type: ignore[call-arg]  # a defaultdict
        return type(structure)((key, children[key]) for key in structure)  # type: ignore[call-arg]  # a dict
    values = [children[at] for at in range(len(structure))]
    return type(structure)(*values) if hasattr(structure, "_fields") else type(structure)(values)


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """Return a nest like `structure` that holds other leaves."""
    if not nest.is_nested(flat_sequence):
        raise TypeError(
            "flat_sequence must be a sequence. Received: "
            f"{flat_sequence} (of type {type(flat_sequence)})"
        )
    leaves = list(flat_sequence)
    if not nest.is_nested(structure) and len(leaves) != 1:
        raise ValueError(
            f"The target structure is not a sequence, but it is paired with {len(leaves)} leaves."
        )
    count = len(flatten(structure))
    if count != len(leaves):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had "
            f"{len(leaves)} items. Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    remaining = iter(leaves)

    def packed(part: Any) -> Any:
        if not nest.is_nested(part):
            return next(remaining)
        return _with_children(part, {key: packed(child) for key, child in _items(part)})

    return packed(structure)


def traverse(func: Callable[[Any], Any], structure: Any, top_down: bool = True) -> Any:
    """Return a nest of what a function returns for each nest and leaf, None to go on inside.

    With `top_down` parents come before their children, else behind them.
    """
    if not callable(func):
        raise TypeError(f"`func` must be callable, received: {func} of type {type(func)}")
    if top_down:
        result = func(structure)
        if result is not None:
            return None if result is MAP_TO_NONE else result
    inside = structure
    if nest.is_nested(structure):
        children = {key: traverse(func, child, top_down) for key, child in _items(structure)}
        inside = _with_children(structure, children)
    if top_down:
        return inside
    result = func(inside)
    if result is None:
        return inside
    return None if result is MAP_TO_NONE else result


def map_structure(func: Callable[..., Any], *structures: Any, none_is_leaf: bool = True) -> Any:
    """Return a nest of a function's results for the leaves of nests of one structure."""
    if not callable(func):
        raise TypeError(f"`func` must be callable. Received: func={func}")
    if not structures:
        raise ValueError("Must provide at least one structure")
    for other in structures[1:]:
        assert_same_structure(structures[0], other)
    rows = zip(*(flatten(each) for each in structures), strict=True)
    results = [
        None if not none_is_leaf and all(leaf is None for leaf in row) else func(*row)
        for row in rows
    ]
    return pack_sequence_as(structures[0], results)


def map_structure_up_to(shallow_structure: Any, func: Callable[..., Any], *structures: Any) -> Any:
    """Return a nest like the shallow one of a function's results for what stands at its leaves."""
    if not structures:
        raise ValueError("Must provide at least one structure")
    rows = zip(*(_cut_at(shallow_structure, each) for each in structures), strict=True)
    return pack_sequence_as(shallow_structure, [func(*row) for row in rows])


def _cut_at(shallow: Any, structure: Any) -> list[Any]:
    """The parts of a nest at the leaves of a shallower one."""
    if not nest.is_nested(shallow):
        return [structure]
    if not nest.is_nested(structure):
        raise ValueError(
            f"The two structures don't have the same nested structure: {shallow} and {structure}."
        )
    keys, others = ([key for key, _ in _items(each)] for each in (shallow, structure))
    if keys != others:
        raise ValueError(
            f"The two structures don't have the same nested structure: {shallow} and {structure}."
        )
    pairs = zip(_items(shallow), _items(structure), strict=True)
    return [part for (_, a), (_, b) in pairs for part in _cut_at(a, b)]


def assert_same_structure(a: Any, b: Any, check_types: Any = None) -> None:
    """Raise ValueError unless two nests have the same types, lengths and keys."""
    del check_types
    if nest.is_nested(a) != nest.is_nested(b):
        raise ValueError(f"`a` and `b` don't have the same structure: a={a}, b={b}")
    if not nest.is_nested(a):
        return
    both_mappings = isinstance(a, Mapping) and isinstance(b, Mapping)
    if not both_mappings and type(a) is not type(b):
        raise ValueError(f"`a` and `b` don't have the same structure: {type(a)} is not {type(b)}.")
    keys, others = ({key for key, _ in _items(each)} for each in (a, b))
    if keys != others:
        raise ValueError(f"`a` and `b` don't have the same structure: a={a}, b={b}")
    other_children = dict(_items(b))
    for key, child in _items(a):
        assert_same_structure(child, other_children[key])


def assert_same_paths(a: Any, b: Any) -> None:
    """Raise ValueError unless the leaves of two nests stand at the same paths."""
    paths = [{path for path, _ in flatten_with_path(each)} for each in (a, b)]
    if paths[0] != paths[1]:
        only_a, only_b = paths[0] - paths[1], paths[1] - paths[0]
        raise ValueError(
            f"`a` and `b` don't have the same paths. Paths in `a` alone: {only_a}; in `b` alone: "
            f"{only_b}."
        )


def lists_to_tuples(structure: Any) -> Any:
    """Return a nest with tuples in place of its lists."""
    if isinstance(structure, list):
        return tuple(lists_to_tuples(child) for child in structure)
    if not nest.is_nested(structure):
        return structure
    children = {key: lists_to_tuples(child) for key, child in _items(structure)}
    return _with_children(structure, children)


def map_shape_structure(func: Callable[[Any], Any], structure: Any) -> Any:
    """Return a nest of a function's results for its shapes: tuples or lists of sizes and None."""
    if not callable(func):
        raise TypeError(f"`func` must be callable. Received: func={func}")
    if isinstance(structure, (list, tuple)) and all(
        size is None or isinstance(size, int) for size in structure
    ):
        return func(tuple(structure))
    if not nest.is_nested(structure):
        raise ValueError(f"Cannot map function to unknown objects {structure}")
    children = {key: map_shape_structure(func, child) for key, child in _items(structure)}
    return _with_children(structure, children)


__getattr__, __dir__ = in_module(__name__)
