"""Several tensors made one, and one taken apart: stack and unstack, concat and split."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.batching import along_axis
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.op import op
from tapelab.core.text_forms import brackets, require_one_dtype
from tapelab.errors import invalid_argument
from tapelab.ops import samples

stacks = samples.normals(
    ((), (), {"axis": 0}),
    ((3,), (3,), {"axis": 0}),
    ((3,), (3,), (3,), {"axis": -1}),
    ((2, 3), (2, 3), {"axis": 1}),
)
"""Arrays of one shape, with the place of the axis along which they are stacked."""
rows = samples.normals(
    ((2,), (3,), {"axis": 0}), ((1, 2), (3, 2), {"axis": 0}), ((2, 1), (2, 3), (2, 2), {"axis": -1})
)
"""Arrays that differ in length along one axis at most."""
piles = samples.normals(((3,), {"axis": 0}), ((2, 3), {"axis": 1}))
"""Arrays with an axis to take them apart along."""
strips = samples.normals(
    ((5,), {"sizes": (2, 3), "axis": 0}), ((2, 4), {"sizes": (1, 1, 2), "axis": -1})
)
"""Arrays with the lengths of the pieces to cut them into."""


@op(formula=r"y = \operatorname{stack}(x)", glyph="stack", raw="Pack", samples=stacks, linear=True,
    batching=along_axis)  # fmt: skip
def stack(*x: Any, axis: int = 0) -> Any:
    """Tensors of one shape laid side by side along a new axis."""
    require_one_dtype("Pack", x)
    first = x[0].shape
    for i, each in enumerate(x):
        if each.shape != first:
            raise invalid_argument(
                "Pack", f"Shapes of all inputs must match: values[0].shape = {brackets(first)} != "
                f"values[{i}].shape = {brackets(each.shape)}",
            )  # fmt: skip
    return np.stack(x, axis)


@stack.grads({"x": r"\bar x = \operatorname{unstack}(\bar y)"})
def stack_grads(dy: Any, y: Any, *x: Any, axis: int = 0) -> Any:
    """Each part receives its own slice of the gradient."""
    return unstack(dy, axis=axis)


@op(formula=r"y = \operatorname{unstack}(x)", glyph="unstack", raw="Unpack", samples=piles,
    multi=True, linear=True, batching=along_axis)  # fmt: skip
def unstack(x: Any, *, axis: int = 0) -> Any:
    """The slices of a tensor along an axis, each a tensor of its own without that axis."""
    return tuple(np.moveaxis(x, axis, 0))


@unstack.grad("x", r"\bar x = \operatorname{stack}(\bar y)")
def unstack_grad_x(dy: Any, y: Any, x: Any, *, axis: int = 0) -> Any:
    return stack(*dy, axis=axis)


@op(formula=r"y = \operatorname{concat}(x)", glyph="concat", raw="ConcatV2", samples=rows,
    propagates_slices=True, linear=True, batching=along_axis)  # fmt: skip
def concat(*x: Any, axis: int) -> Any:
    """Tensors joined end to end along an axis they all have."""
    require_one_dtype("ConcatV2", x)
    rank = x[0].ndim
    if not rank:
        raise invalid_argument(
            "ConcatV2", "ConcatOp : Can't concatenate scalars (use tf.stack instead)"
        )
    if not -rank <= axis < rank:
        raise invalid_argument(
            "ConcatV2",
            f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), "
            f"but got {axis}",
        )
    for i, each in enumerate(x):
        _check_joint("ConcatV2", x[0].shape, each.shape, i, axis % rank)
    return np.concatenate(x, axis)


def _check_joint(
    raw: str, first: tuple[int, ...], other: tuple[int, ...], position: int, axis: int
) -> None:
    if len(first) != len(other):
        raise invalid_argument(
            raw, "ConcatOp : Ranks of all input tensors should match: shape[0] = "
            f"{brackets(first)} vs. shape[{position}] = {brackets(other)}",
        )  # fmt: skip
    for at, (ours, theirs) in enumerate(zip(first, other, strict=True)):
        if ours != theirs and at != axis:
            raise invalid_argument(
                raw, f"ConcatOp : Dimension {at} in both shapes must be equal: shape[0] = "
                f"{brackets(first)} vs. shape[{position}] = {brackets(other)}",
            )  # fmt: skip


@concat.grads({"x": r"\bar x = \operatorname{split}(\bar y)"})
def concat_grads(dy: Any, y: Any, *x: Any, axis: int) -> Any:
    """Each part receives its own stretch of the gradient."""
    sizes = tuple(each.shape[axis] for each in x)
    if isinstance(dy, IndexedSlices):
        return _sparse_parts(dy, sizes, axis % len(x[0].shape))
    return split(dy, sizes=sizes, axis=axis)


def _sparse_parts(dy: IndexedSlices, sizes: tuple[int, ...], axis: int) -> list[IndexedSlices]:
    """The rows of a sparse gradient that belong to each part, or each part's piece of every row."""
    stops = np.cumsum(sizes)
    if not axis:
        ends = zip(stops - np.array(sizes), stops, strict=True)
        return [dy.between(int(start), int(stop)) for start, stop in ends]
    return dy.cut(sizes, axis)


@op(formula=r"y = \operatorname{split}(x)", glyph="split", raw="SplitV", samples=strips, multi=True,
    linear=True, batching=along_axis)  # fmt: skip
def split(x: Any, *, sizes: tuple[int, ...], axis: int = 0) -> Any:
    """Consecutive pieces of a tensor along an axis, of the given lengths."""
    if sum(sizes) != x.shape[axis]:
        raise invalid_argument(
            "SplitV", "Determined shape must either match input shape along split_dim exactly if "
            "fully specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {sum(sizes)}",
        )  # fmt: skip
    return tuple(np.split(x, np.cumsum(sizes)[:-1], axis))


@split.grad("x", r"\bar x = \operatorname{concat}(\bar y)")
def split_grad_x(dy: Any, y: Any, x: Any, *, sizes: tuple[int, ...], axis: int = 0) -> Any:
    return concat(*dy, axis=axis)
