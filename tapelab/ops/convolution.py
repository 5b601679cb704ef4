"""Convolution: one small filter slides over pictures of one, two or three axes. The op and its two
VJPs are each other's VJPs, so that convolutions can be differentiated to any order.

Where a filter is less deep than the pictures, the channels fall into groups with a filter each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.batching import joined_with_first_axis
from tapelab.core.op import op
from tapelab.kernels import convolution as kernels
from tapelab.kernels.convolution import groups_of
from tapelab.kernels.sliding_windows import Sliding
from tapelab.ops import samples
from tapelab.ops.rules import FLOATS

Shape = tuple[int, ...]

SLIDES = (
    Sliding((2, 2), (1, 1), (1, 1), ((0, 0), (0, 0))),
    Sliding((2, 3), (2, 1), (1, 1), ((1, 0), (1, 1))),
    Sliding((2, 2), (1, 2), (2, 1), ((0, 1), (0, 0))),
)
DEEP = Sliding((1, 2, 2), (1, 1, 1), (1, 1, 1), ((0, 0), (0, 1), (0, 0)))


def pictures(rng: np.random.Generator) -> list[samples.Sample]:
    """Pictures (image, row, column, channel) and filters (row, column, channel, result)."""
    flat = [
        ((rng.normal(size=(2, 4, 3, 2)), rng.normal(size=(*how.size, depth, 4))), {"how": how})
        for how, depth in zip(SLIDES, (2, 2, 1), strict=True)
    ]
    deep = rng.normal(size=(1, 2, 2, 3, 1)), rng.normal(size=(1, 2, 2, 1, 2))
    return [*flat, (deep, {"how": DEEP})]


def results(rng: np.random.Generator) -> list[samples.Sample]:
    """What comes back to the pictures, with the filters."""
    cases: list[samples.Sample] = []
    for (x, w), settings in pictures(rng):
        y = convolution.kernel(x, w, **settings)
        cases.append(((rng.normal(size=y.shape), w), {**settings, "shape": x.shape}))
    return cases


def filters(rng: np.random.Generator) -> list[samples.Sample]:
    """What comes back to the filters, with the pictures."""
    return [
        ((x, rng.normal(size=convolution.kernel(x, w, **settings).shape)),
         {**settings, "groups": groups_of(x.shape, w.shape)})
        for (x, w), settings in pictures(rng)
    ]  # fmt: skip


def ungrouped(rng: np.random.Generator) -> list[samples.Sample]:
    """Pictures and filters as deep as they are."""
    return pictures(rng)[:1]


def by_loops(x: Any, w: Any, how: Sliding) -> Any:
    """The definition of a convolution, one entry of the result at a time."""
    x = np.pad(x, ((0, 0), *how.margins, (0, 0)))
    depth, each = w.shape[-2], w.shape[-1] // groups_of(x.shape, w.shape)
    counts = [
        (n - reach) // step + 1
        for n, reach, step in zip(x.shape[1:-1], how.reach, how.strides, strict=True)
    ]
    y = np.zeros((x.shape[0], *counts, w.shape[-1]))
    for n, *place, f in np.ndindex(*y.shape):
        cut = tuple(
            slice(at * step, at * step + reach, apart)
            for at, step, reach, apart in zip(
                place, how.strides, how.reach, how.dilations, strict=True
            )
        )
        first = f // each * depth
        y[(n, *place, f)] = np.sum(x[(n, *cut)][..., first : first + depth] * w[..., f])
    return y


@op(formula=r"y = \operatorname{conv}(x, w)", glyph="∗", title="Convolution", raw="Conv2D",
    samples=pictures, kinds=FLOATS, same_dtype=True, reference=by_loops,
    batching=joined_with_first_axis)  # fmt: skip
def convolution(x: Any, w: Any, *, how: Sliding) -> Any:
    """Each entry is a window of the picture times the filter, entry by entry, summed."""
    return kernels.convolved(x, w, how)


@convolution.grad("x", r"\bar x = \operatorname{spread}(\bar y, w)")
def convolution_grad_x(dy: Any, y: Any, x: Any, w: Any, *, how: Sliding) -> Any:
    return convolution_input(dy, w, how=how, shape=tuple(x.shape))


@convolution.grad("w", r"\bar w = \operatorname{collect}(x, \bar y)")
def convolution_grad_w(dy: Any, y: Any, x: Any, w: Any, *, how: Sliding) -> Any:
    return convolution_filter(x, dy, how=how, groups=groups_of(tuple(x.shape), tuple(w.shape)))


@op(formula=r"y = \operatorname{spread}(x, w)", glyph="∗ᵀ", title="Convolution back to the picture",
    raw="Conv2DBackpropInput", samples=results, kinds=FLOATS, same_dtype=True,
    batching=joined_with_first_axis)  # fmt: skip
def convolution_input(x: Any, w: Any, *, how: Sliding, shape: Shape) -> Any:
    """Each entry laid over its window of the picture, times the filter; what overlaps is added."""
    return kernels.laid_over(x, w, how, shape)


@convolution_input.grad("x", r"\bar x = \operatorname{conv}(\bar y, w)")
def convolution_input_grad_x(dy: Any, y: Any, x: Any, w: Any, *, how: Sliding, shape: Shape) -> Any:
    return convolution(dy, w, how=how)


@convolution_input.grad("w", r"\bar w = \operatorname{collect}(\bar y, x)")
def convolution_input_grad_w(dy: Any, y: Any, x: Any, w: Any, *, how: Sliding, shape: Shape) -> Any:
    return convolution_filter(dy, x, how=how, groups=groups_of(shape, tuple(w.shape)))


@op(formula=r"z = \operatorname{collect}(x, y)", glyph="∗ᵀ", title="Convolution back to the filter",
    raw="Conv2DBackpropFilter", samples=filters, kinds=FLOATS, same_dtype=True)  # fmt: skip
def convolution_filter(x: Any, y: Any, *, how: Sliding, groups: int) -> Any:
    """For each entry of the filter, what it met in all windows, times what came of it, summed."""
    return kernels.collected(x, y, how, groups)


@convolution_filter.grad("x", r"\bar x = \operatorname{spread}(y, \bar z)")
def convolution_filter_grad_x(dz: Any, z: Any, x: Any, y: Any, *, how: Sliding, groups: int) -> Any:
    return convolution_input(y, dz, how=how, shape=tuple(x.shape))


@convolution_filter.grad("y", r"\bar y = \operatorname{conv}(x, \bar z)")
def convolution_filter_grad_y(dz: Any, z: Any, x: Any, y: Any, *, how: Sliding, groups: int) -> Any:
    return convolution(x, dz, how=how)


@op(formula=r"y = \operatorname{conv}(x, w)", glyph="∗", title="Convolution of any rank",
    raw="Conv", samples=ungrouped, kinds=FLOATS, same_dtype=True, pattern="not implemented",
    reference=by_loops)  # fmt: skip
def conv(x: Any, w: Any, *, how: Sliding) -> Any:
    """The convolution of `tf.conv`, for which TensorFlow knows no gradient; take tf.nn.conv2d."""
    return convolution.kernel(x, w, how=how)
