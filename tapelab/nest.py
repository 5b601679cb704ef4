"""Nests: lists, tuples, named tuples and dicts of anything, walked in one fixed order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

_MISMATCH = "The two structures don't have the same nested structure."


def is_nested(structure: Any) -> bool:
    """Whether it is a list, a tuple or a dict; strings and tensors are atoms."""
    return isinstance(structure, (list, tuple)) or _is_mapping(structure)


def _is_mapping(structure: Any) -> bool:
    """Whether it is a dict or the like; a value without `keys` is ruled out first."""
    return hasattr(type(structure), "keys") and isinstance(structure, Mapping)


def is_composite(structure: Any) -> bool:
    """Whether it is made of several tensors, as ragged and sparse ones are."""
    return hasattr(type(structure), "_with_components")


def _children(structure: Any) -> list[Any]:
    if _is_mapping(structure):
        return [structure[key] for key in sorted(structure)]
    return list(structure)


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The atoms of a nest from left to right; a dict's in the order of its sorted keys.

    With `expand_composites` a ragged or sparse tensor counts as the tensors it is made of.
    """
    atoms: list[Any] = []
    pending = [structure]
    while pending:
        current = pending.pop()
        if is_nested(current):
            pending.extend(reversed(_children(current)))
        elif expand_composites and is_composite(current):
            atoms.extend(current._components())
        else:
            atoms.append(current)
    return atoms


def pack_sequence_as(
    structure: Any, flat_sequence: Iterable[Any], expand_composites: bool = False
) -> Any:
    """A nest shaped like `structure` that holds the given atoms; ValueError on a wrong count."""
    atoms = list(flat_sequence)
    wanted = len(flatten(structure, expand_composites))
    if len(atoms) != wanted:
        raise ValueError(
            f"Could not pack sequence. Structure had {wanted} atoms, but flat_sequence had "
            f"{len(atoms)} items. Structure: {structure}, flat_sequence: {atoms}."
        )
    return _rebuild(structure, iter(atoms), expand_composites)


def _rebuild(structure: Any, atoms: Iterator[Any], expand: bool) -> Any:
    if _is_mapping(structure):
        packed = {key: _rebuild(structure[key], atoms, expand) for key in sorted(structure)}
        return type(structure)((key, packed[key]) for key in structure)
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(_rebuild(child, atoms, expand) for child in structure))
    if isinstance(structure, (list, tuple)):
        return type(structure)(_rebuild(child, atoms, expand) for child in structure)
    if expand and is_composite(structure):
        return structure._with_components([next(atoms) for _ in structure._components()])
    return next(atoms)


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """TypeError on different container types, ValueError on different depths, lengths or keys.

    With `expand_composites` ragged and sparse tensors are containers of their parts.
    """
    pending = [(nest1, nest2)]
    while pending:
        a, b = pending.pop()
        if is_nested(a) != is_nested(b):
            raise ValueError(
                f"{_MISMATCH}\n\nFirst structure: {nest1}\n\nSecond structure: {nest2}\n\n"
                f"Where one has {a!r}, the other has {b!r}."
            )
        if expand_composites and (is_composite(a) or is_composite(b)):
            _assert_same_composites(a, b)
        if not is_nested(a):
            continue
        if check_types and type(a) is not type(b):
            raise TypeError(
                f"{_MISMATCH} The first has {type(a).__name__}, the second {type(b).__name__}."
            )
        keys = isinstance(a, Mapping) and isinstance(b, Mapping) and set(a) != set(b)
        if len(a) != len(b) or keys:
            raise ValueError(f"{_MISMATCH}\n\nFirst structure: {a}\n\nSecond structure: {b}")
        pending.extend(zip(_children(a), _children(b), strict=True))


def _assert_same_composites(a: Any, b: Any) -> None:
    """ValueError unless both are composites of one kind with as many parts."""
    if type(a) is not type(b) or len(a._components()) != len(b._components()):
        raise ValueError(f"{_MISMATCH}\n\nFirst structure: {a}\n\nSecond structure: {b}")


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Apply a function to the atoms of nests of equal structure; the result is such a nest."""
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=check_types)
    rows = zip(*(flatten(each, expand) for each in structure), strict=True)
    return pack_sequence_as(structure[0], [func(*row) for row in rows], expand)
