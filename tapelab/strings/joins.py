"""Strings joined: elementwise, along axes, by segment, and formatted into a template."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets
from tapelab.errors import OutOfRangeError, invalid_argument
from tapelab.framework.logging_ops import array_text
from tapelab.ops.integer_arguments import lengths, number, whole
from tapelab.ops.public import tensor
from tapelab.strings.string_op import declared, one_text, text, texts


@declared("StringJoin", "string_join", ((texts(["a", "b"]), texts(["x", ""])), {"separator": b"-"}))
def _join(x: Any, *more: Any, separator: bytes = b"") -> Any:
    """The texts at one place, one after the other with the separator between them."""
    parts = (x, *more)
    shape = next((part.shape for part in parts if part.ndim), ())
    rows = zip(*(np.broadcast_to(part, shape).ravel() for part in parts), strict=True)
    return texts([separator.join(row) for row in rows], shape)


_GRID: Final = (texts(["a", "b", "c", "d"], (2, 2)),)


@declared(
    "ReduceJoin", "reduce_join", (_GRID, {"axes": (0,), "keepdims": True, "separator": b"+"}),
    (_GRID, {"axes": (0,), "keepdims": False, "separator": b"+"}),
)  # fmt: skip
def _reduce_join(x: Any, *, axes: tuple[int, ...], keepdims: bool, separator: bytes) -> Any:
    """The texts along the axes as one, the first of the axes running fastest."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    outer = tuple(x.shape[axis] for axis in kept)
    inner = tuple(x.shape[axis] for axis in reversed(axes))
    rows = x.transpose([*kept, *reversed(axes)]).reshape(prod(outer), prod(inner))
    whole = tuple(1 if axis in axes else length for axis, length in enumerate(x.shape))
    return texts([separator.join(row) for row in rows], whole if keepdims else outer)


@declared(
    "UnsortedSegmentJoin", "segment_join",
    ((texts(["a", "b", "c"]), np.array([1, 0, 1])), {"count": 3, "separator": b" "}),
)  # fmt: skip
def _segment_join(x: Any, segment_ids: Any, *, count: int, separator: bytes) -> Any:
    """The texts of one group as one; a group without texts gives an empty one."""
    rest = x.shape[segment_ids.ndim :]
    rows = x.reshape(segment_ids.size, -1)
    groups = [[rows[at] for at in np.flatnonzero(segment_ids == each)] for each in range(count)]
    width = rows.shape[1] if rows.size else int(np.prod(rest, dtype=int))
    joined = [separator.join(row[at] for row in group) for group in groups for at in range(width)]
    return texts(joined, (count, *rest))


@declared(
    "ReduceJoinRows", "join_rows",
    ((texts(["a", "b", "c"]), np.array([0, 2, 2, 3])), {"separator": b"-"}),
)  # fmt: skip
def join_rows(x: Any, row_splits: Any, *, separator: bytes) -> Any:
    """The texts of each ragged row as one."""
    ends = zip(row_splits[:-1].tolist(), row_splits[1:].tolist(), strict=True)
    return texts([separator.join(x[start:stop]) for start, stop in ends])


@public
def join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """The texts at one place of several tensors, one after the other; scalars go with each."""
    between = one_text(separator, "StringJoin", "separator")
    parts = [text(part, "StringJoin", at) for at, part in enumerate(inputs)]
    if not parts:
        return tensor(b"")
    shapes = [part._array.shape for part in parts if part._array.ndim]
    for shape in shapes:
        if shape != shapes[0]:
            both = f"{brackets(shapes[0])} vs. {brackets(shape)}"
            raise invalid_argument("StringJoin", f"Input shapes do not match: {both}")
    return _join(*parts, separator=between)


@public
def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The texts along axes as one, in the order in which the axes are given."""
    x = text(inputs, "ReduceJoin")
    rank = x._array.ndim
    given = tuple(reversed(range(rank))) if axis is None else lengths(axis, "ReduceJoin")
    for each in given:
        if not -rank <= each < rank:
            raise OutOfRangeError(
                None, "ReduceJoin", f"Invalid reduction dimension {each} for input with {rank} "
                "dimension(s) [Op:ReduceJoin]",
            )  # fmt: skip
    axes = tuple(each % rank for each in given)
    if len(set(axes)) != len(axes):
        twice = next(each for each in axes if axes.count(each) > 1)
        raise invalid_argument("ReduceJoin", f"Duplicate reduction dimension {twice}")
    between = one_text(separator, "ReduceJoin", "separator")
    if not axes:
        return x
    return _reduce_join(x, axes=axes, keepdims=bool(keepdims), separator=between)


@public
def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """The texts with one id as one text; an id that no one has gives an empty one."""
    x, ids = text(inputs, "UnsortedSegmentJoin"), tensor(whole(segment_ids, "UnsortedSegmentJoin"))
    count, places = number(num_segments, "UnsortedSegmentJoin"), np.asarray(ids._value)
    for axis, (ours, theirs) in enumerate(zip(places.shape, x._array.shape, strict=False)):
        if ours != theirs:
            raise invalid_argument(
                "UnsortedSegmentJoin", f"Segment dimension is {ours} while input dimension is "
                f"{theirs} in rank {axis}",
            )  # fmt: skip
    if places.size and not 0 <= places.min() <= places.max() < count:
        raise invalid_argument(
            "UnsortedSegmentJoin",
            "segment_ids are not allowed to exceed num_segments or to have negative values. "
            f"The ids go from {places.min()} to {places.max()}, num_segments is {count}",
        )
    between = one_text(separator, "UnsortedSegmentJoin", "separator")
    return _segment_join(x, ids, count=count, separator=between)


@declared(
    "StringFormat", "string_format",
    ((np.array([0.25, -1.5]), np.arange(9)), {"pieces": ("", " and ", "."), "summarize": 3}),
)  # fmt: skip
def _format(x: Any, *more: Any, pieces: tuple[str, ...], summarize: int) -> Any:
    """The pieces of a template with tensors in the gaps between them."""
    head, *rest = pieces
    gaps = zip((x, *more), rest, strict=True)
    parts = (array_text(np.asarray(value), summarize) + after for value, after in gaps)
    return texts([head + "".join(parts)], ())


@public
def format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """A text with tensors in the gaps of a template, printed as by `tf.print`.

    ValueError unless there is one tensor for each gap.
    """
    given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    return filled(template.split(placeholder), given, summarize)


def filled(pieces: list[str], values: list[Any], summarize: int) -> Tensor:
    """The pieces of a template with values between them; ValueError unless their numbers fit."""
    given = [tensor(each) for each in values]
    gaps = len(pieces) - 1
    if gaps != len(given):
        raise ValueError(
            f"The template expects {gaps} tensors, but the inputs only has {len(given)}. Please "
            "ensure the number of placeholders in template matches inputs length."
        )
    if not given:
        return tensor(pieces[0])
    return _format(*given, pieces=tuple(pieces), summarize=int(summarize))
