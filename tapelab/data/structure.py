"""The nests that a Dataset keeps apart: tuples and dicts; a list is one tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tapelab.core.tensor_shape import TensorShape


def is_structure(value: Any) -> bool:
    """Whether a value holds parts, and is not one part."""
    return isinstance(value, (tuple, Mapping))


def parts_of(value: Any) -> list[Any]:
    """The parts from left to right; those of a dict in the order of its sorted keys."""
    if isinstance(value, Mapping):
        return [part for key in sorted(value) for part in parts_of(value[key])]
    if isinstance(value, tuple):
        return [part for each in value for part in parts_of(each)]
    return [value]


def mapped(function: Callable[..., Any], *values: Any) -> Any:
    """Apply a function to the parts of nests that are built alike."""
    first = values[0]
    if isinstance(first, Mapping):
        made = {key: mapped(function, *(value[key] for value in values)) for key in first}
        return made if type(first) is dict else type(first)(made)  # type: ignore[call-arg]  # its kind
    if isinstance(first, tuple):
        rows = [mapped(function, *row) for row in zip(*values, strict=True)]
        return type(first)(*rows) if hasattr(first, "_fields") else tuple(rows)
    return function(*values)


def rebuilt(like: Any, parts: Iterator[Any]) -> Any:
    """A nest that is built as another, of new parts in the order of `parts_of`."""
    if isinstance(like, Mapping):
        made = {key: rebuilt(like[key], parts) for key in sorted(like)}
        return {key: made[key] for key in like}
    if isinstance(like, tuple):
        rows = [rebuilt(each, parts) for each in like]
        return type(like)(*rows) if hasattr(like, "_fields") else tuple(rows)
    return next(parts)


def spec(shape: Any, dtype: Any) -> Any:
    """The specification of tensors of one shape and dtype."""
    from tapelab.core.type_spec import TensorSpec

    return TensorSpec(shape, dtype)


def lengthened(each: Any, length: int | None) -> Any:
    """The specification of several such tensors stacked."""
    if not hasattr(each, "shape"):
        return each
    if hasattr(each, "_batched"):  # of a ragged tensor
        return each._batched(length)
    if each.shape.rank is None:
        return spec(None, each.dtype)
    return spec([length, *each.shape.as_list()], each.dtype)


def shortened(each: Any) -> Any:
    """The specification of one row of such tensors."""
    if hasattr(each, "_of_row"):  # of a ragged tensor
        return each._of_row()
    return spec(None if each.shape.rank is None else each.shape[1:], each.dtype)


def common(one: Any, other: Any) -> Any:
    """The specification that fits both: unknown where their shapes differ."""
    if not hasattr(one, "shape"):
        return one
    if hasattr(one, "_batched"):  # of a ragged tensor
        return one._of_row()._batched(None) if one.ragged_rank else one
    if one.shape.rank is None or one.shape.rank != other.shape.rank:
        return spec(None, one.dtype)
    pairs = zip(one.shape.as_list(), other.shape.as_list(), strict=True)
    return spec([a if a == b else None for a, b in pairs], one.dtype)


def fits(shape: Any, wanted: Any) -> bool:
    """Whether an array of a shape is what a specification promises."""
    return TensorShape(wanted).is_compatible_with(TensorShape(shape))
