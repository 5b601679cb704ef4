"""Repeating, padding, reversing and rolling: entries are copied and moved, never changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.batching import BatchedCall, along_axes, along_axis, axes_behind_batch
from tapelab.core.op import op
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.broadcasting import sum_to
from tapelab.ops.shapes import reshape
from tapelab.ops.slices import strided_slice

Shape = tuple[int, ...]


def tiles(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with how often to lay them along each axis."""
    cases = [((3,), (2,)), ((2, 3), (1, 2)), ((2, 1), (3, 2)), ((), ())]
    return [((rng.normal(size=shape),), {"multiples": times}) for shape, times in cases]


def repeats(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with how often to repeat the entries along an axis."""
    cases = [((3,), (2,), 0), ((2, 3), (2, 1), 0), ((2, 3), (0, 1, 3), 1)]
    return [((rng.normal(size=s),), {"repeats": times, "axis": axis}) for s, times, axis in cases]


pads = samples.normals(
    ((2, 3), {"paddings": ((1, 2), (0, 1)), "mode": "CONSTANT"}),
    ((2, 3), {"paddings": ((1, 2), (0, 1)), "mode": "SYMMETRIC"}),
    ((3,), {"paddings": ((2, 1),), "mode": "REFLECT"}),
)
"""Arrays with how much to put before and after along each axis, and what."""


def turns(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with the axes to turn round."""
    return [((rng.normal(size=(2, 3)),), {"axis": axis}) for axis in ((0,), (-1,), (0, 1), ())]


rolls = samples.normals(
    ((2, 3), {"shift": (1,), "axis": (0,)}), ((2, 3), {"shift": (-2, 1), "axis": (1, 0)})
)
"""Arrays with how far to roll them along which axes."""


@op(formula=r"y = \operatorname{tile}(x)", glyph="tile", samples=tiles, linear=True)
def tile(x: Any, *, multiples: Shape) -> Any:
    """The whole array laid side by side, so many times along each axis."""
    if len(multiples) != x.ndim:
        raise invalid_argument(
            "Tile", f"Expected multiples argument to be a vector of length {x.ndim} but got length "
            f"{len(multiples)}",
        )  # fmt: skip
    return np.tile(x, multiples) if multiples else x


@tile.batch
def tile_batch(call: BatchedCall) -> Any:
    (x,) = call.operands
    return call.run(x.value, multiples=(1, *call.settings["multiples"]))


@tile.grad("x", r"\bar x = \sum \bar y")
def tile_grad_x(dy: Any, y: Any, x: Any, *, multiples: Shape) -> Any:
    shape = tuple(x.shape)
    laid = [n for pair in zip(multiples, shape, strict=True) for n in pair]
    once = [n for length in shape for n in (1, length)]
    return reshape(sum_to(reshape(dy, shape=tuple(laid)), shape=tuple(once)), shape=shape)


@op(formula=r"y = \operatorname{repeat}(x)", glyph="repeat", samples=repeats, batching=along_axis)
def repeat(x: Any, *, repeats: Shape, axis: int) -> Any:
    """Each entry several times in a row along an axis: the same number for all, or one for each."""
    return np.repeat(x, np.array(repeats, np.intp), axis)


@repeat.grad("x", r"\bar x = \sum \bar y")
def repeat_grad_x(dy: Any, y: Any, x: Any, *, repeats: Shape, axis: int) -> Any:
    if len(repeats) == 1:
        at = axis % x.ndim + 1
        apart = (*x.shape[:at], repeats[0], *x.shape[at:])
        once = (*x.shape[:at], 1, *x.shape[at:])
        summed = sum_to(reshape(dy, shape=apart), shape=once)
        return reshape(summed, shape=tuple(x.shape))
    return sum_runs(dy, repeats=repeats, axis=axis)


runs = samples.normals(((2, 4), {"repeats": (0, 1, 3), "axis": 1}))
"""Arrays with the lengths of the runs to sum."""


@op(formula=r"y = \sum x", glyph="Σ", title="Sum runs", samples=runs, batching=along_axis)
def sum_runs(x: Any, *, repeats: Shape, axis: int) -> Any:
    """The sums of consecutive runs of the given lengths along an axis."""
    totals = np.cumsum(np.moveaxis(x, axis, 0), axis=0)
    totals = np.concatenate([np.zeros((1, *totals.shape[1:]), x.dtype), totals])
    lengths = np.array(repeats, np.intp)
    stops = np.cumsum(lengths)
    return np.moveaxis(totals[stops] - totals[stops - lengths], 0, axis)


@sum_runs.grad("x", r"\bar x = \operatorname{repeat}(\bar y)")
def sum_runs_grad_x(dy: Any, y: Any, x: Any, *, repeats: Shape, axis: int) -> Any:
    return repeat(dy, repeats=repeats, axis=axis)


@op(formula=r"y = \operatorname{pad}(x)", glyph="pad", samples=pads)
def pad(x: Any, *, paddings: tuple[Shape, ...], mode: str = "CONSTANT", value: Any = 0) -> Any:
    """The array with a margin: of one value, or of its own entries mirrored."""
    if len(paddings) != x.ndim:
        raise invalid_argument(
            "Pad", "The first dimension of paddings must be the rank of inputs"
            f"[{len(paddings)},2] [{','.join(map(str, x.shape))}]",
        )  # fmt: skip
    for before, after in paddings:
        if min(before, after) < 0:
            raise invalid_argument("Pad", f"Paddings must be non-negative: {before} {after}")
    if not x.ndim:
        return x
    if mode == "CONSTANT":
        return np.pad(x, paddings, constant_values=value)[()]
    _check_mirror(x, paddings, mode)
    return _mirrored_pad(x, paddings, mode)


@pad.batch
def pad_batch(call: BatchedCall) -> Any:
    (x,) = call.operands
    return call.run(x.value, paddings=((0, 0), *call.settings["paddings"]))


@pad.grad("x", r"\bar x = \operatorname{slice}(\bar y)")
def pad_grad_x(
    dy: Any, y: Any, x: Any, *, paddings: tuple[Shape, ...], mode: str = "CONSTANT", value: Any = 0
) -> Any:
    if mode == "CONSTANT":
        ends = zip(paddings, x.shape, strict=True)
        key = tuple(slice(before, before + length) for (before, _), length in ends)
        return strided_slice(dy, key=key) if key else dy
    return unmirror(dy, paddings=paddings, mode=mode, shape=tuple(x.shape))


mirrored = samples.normals(((6,), {"paddings": ((2, 1),), "mode": "REFLECT", "shape": (3,)}))
"""Padded arrays with the shape they had before."""


@op(formula=r"y = \sum x", glyph="Σ", title="Sum mirrored", raw="MirrorPadGrad", samples=mirrored)
def unmirror(x: Any, *, paddings: tuple[Shape, ...], mode: str, shape: Shape) -> Any:
    """Each entry summed with its mirror images in the margin: the VJP of mirrored padding."""
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    places = _mirrored_pad(numbers, paddings, mode)
    sums = np.zeros(numbers.size, x.dtype)
    np.add.at(sums, places.ravel(), x.ravel())
    return sums.reshape(shape)


@unmirror.grad("x", r"\bar x = \operatorname{pad}(\bar y)")
def unmirror_grad_x(
    dy: Any, y: Any, x: Any, *, paddings: tuple[Shape, ...], mode: str, shape: Shape
) -> Any:
    return pad(dy, paddings=paddings, mode=mode)


def _mirrored_pad(x: Any, paddings: Any, mode: str) -> Any:
    return np.pad(x, paddings, "reflect" if mode == "REFLECT" else "symmetric")


def _check_mirror(x: Any, paddings: tuple[Shape, ...], mode: str) -> None:
    least = 1 if mode == "REFLECT" else 0
    for axis, (before, after) in enumerate(paddings):
        if max(before, after) > x.shape[axis] - least:
            raise invalid_argument(
                "MirrorPad", "paddings must be " + ("less than" if least else "no greater than")
                + f" the dimension size: {before}, {after} {'not less' if least else 'greater'} "
                f"than {x.shape[axis]}",
            )  # fmt: skip


@op(formula=r"y = \operatorname{reverse}(x)", glyph="reverse", raw="ReverseV2", samples=turns,
    linear=True, batching=along_axes)  # fmt: skip
def reverse(x: Any, *, axis: Shape) -> Any:
    """The entries in the opposite order along some axes."""
    for each in axis:
        if not -x.ndim <= each < x.ndim:
            raise invalid_argument(
                "ReverseV2", f"'axis'[{axis.index(each)}] = {each} is out of valid range "
                f"[0, {x.ndim - 1}]",
            )  # fmt: skip
    places = [each % x.ndim for each in axis]
    twice = next((at for at in places if places.count(at) > 1), None)
    if twice is not None:
        raise invalid_argument("ReverseV2", f"axis {twice} specified more than once.")
    return np.flip(x, axis) if axis else x


@reverse.grad("x", r"\bar x = \operatorname{reverse}(\bar y)")
def reverse_grad_x(dy: Any, y: Any, x: Any, *, axis: Shape) -> Any:
    return reverse(dy, axis=axis)


@op(formula=r"y = \operatorname{roll}(x)", glyph="roll", samples=rolls, linear=True)
def roll(x: Any, *, shift: Shape, axis: Shape) -> Any:
    """The entries moved along some axes; what falls off at the end comes in at the start."""
    return np.roll(x, shift, axis)


@roll.batch
def roll_batch(call: BatchedCall) -> Any:
    (x,) = call.operands
    return call.run(x.value, axis=axes_behind_batch(call.settings["axis"], len(x.shape)))


@roll.grad("x", r"\bar x = \operatorname{roll}(\bar y)")
def roll_grad_x(dy: Any, y: Any, x: Any, *, shift: Shape, axis: Shape) -> Any:
    return roll(dy, shift=tuple(-by for by in shift), axis=axis)
