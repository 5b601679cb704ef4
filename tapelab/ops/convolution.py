"""Convolution: one small filter slides over pictures. The op and its two ways back are each
other's ways back, so that convolutions can be differentiated to any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.engine.op import op
from tapelab.kernels.windows import Sliding, added_back, windows_of
from tapelab.ops import samples
from tapelab.ops.rules import FLOATS

Shape = tuple[int, ...]

SLIDES = (
    Sliding((2, 2), (1, 1), (1, 1), ((0, 0), (0, 0))),
    Sliding((2, 3), (2, 1), (1, 1), ((1, 0), (1, 1))),
    Sliding((2, 2), (1, 2), (2, 1), ((0, 1), (0, 0))),
)


def pictures(rng: np.random.Generator) -> list[samples.Sample]:
    """Pictures (image, row, column, channel) and filters (row, column, channel, result)."""
    return [
        ((rng.normal(size=(2, 4, 3, 2)), rng.normal(size=(*how.size, 2, 3))), {"how": how})
        for how in SLIDES
    ]


def results(rng: np.random.Generator) -> list[samples.Sample]:
    """What comes back to the pictures, with the filters."""
    found: list[samples.Sample] = []
    for (x, w), settings in pictures(rng):
        y = conv2d.kernel(x, w, **settings)
        found.append(((rng.normal(size=y.shape), w), {**settings, "shape": x.shape}))
    return found


def filters(rng: np.random.Generator) -> list[samples.Sample]:
    """What comes back to the filters, with the pictures."""
    return [
        ((x, rng.normal(size=conv2d.kernel(x, w, **settings).shape)), settings)
        for (x, w), settings in pictures(rng)
    ]


def by_loops(x: Any, w: Any, how: Sliding) -> Any:
    """The definition of a convolution, one entry of the result at a time."""
    x = np.pad(x, ((0, 0), *how.margins, (0, 0)))
    reach = [(k - 1) * d + 1 for k, d in zip(how.size, how.dilations, strict=True)]
    rows, columns = (range(0, x.shape[at + 1] - reach[at] + 1, how.strides[at]) for at in (0, 1))
    down, right = how.dilations
    pieces = [
        [x[:, i : i + reach[0] : down, j : j + reach[1] : right] for j in columns] for i in rows
    ]
    return np.array(
        [[np.einsum("nijc,ijcf->nf", piece, w) for piece in row] for row in pieces]
    ).transpose(2, 0, 1, 3)


@op(formula=r"y = \operatorname{conv}(x, w)", glyph="∗", title="Convolution", raw="Conv2D",
    samples=pictures, kinds=FLOATS, same_dtype=True, reference=by_loops)  # fmt: skip
def conv2d(x: Any, w: Any, *, how: Sliding) -> Any:
    """Each entry is a window of the picture times the filter, entry by entry, summed."""
    return np.tensordot(windows_of(x, how), w, ((4, 5, 3), (0, 1, 2)))


@conv2d.grad("x", r"\bar x = \operatorname{spread}(\bar y, w)")
def conv2d_grad_x(dy: Any, y: Any, x: Any, w: Any, *, how: Sliding) -> Any:
    return conv2d_input(dy, w, how=how, shape=tuple(x.shape))


@conv2d.grad("w", r"\bar w = \operatorname{collect}(x, \bar y)")
def conv2d_grad_w(dy: Any, y: Any, x: Any, w: Any, *, how: Sliding) -> Any:
    return conv2d_filter(x, dy, how=how)


@op(formula=r"y = \operatorname{spread}(x, w)", glyph="∗ᵀ", title="Convolution back to the picture",
    raw="Conv2DBackpropInput", samples=results, kinds=FLOATS, same_dtype=True)  # fmt: skip
def conv2d_input(x: Any, w: Any, *, how: Sliding, shape: Shape) -> Any:
    """Each entry laid over its window of the picture, times the filter; what overlaps is added."""
    parts = np.tensordot(x, w, ((3,), (3,)))
    return added_back(np.moveaxis(parts, -1, 3), how, shape)


@conv2d_input.grad("x", r"\bar x = \operatorname{conv}(\bar y, w)")
def conv2d_input_grad_x(dy: Any, y: Any, x: Any, w: Any, *, how: Sliding, shape: Shape) -> Any:
    return conv2d(dy, w, how=how)


@conv2d_input.grad("w", r"\bar w = \operatorname{collect}(\bar y, x)")
def conv2d_input_grad_w(dy: Any, y: Any, x: Any, w: Any, *, how: Sliding, shape: Shape) -> Any:
    return conv2d_filter(dy, x, how=how)


@op(formula=r"z = \operatorname{collect}(x, y)", glyph="∗ᵀ", title="Convolution back to the filter",
    raw="Conv2DBackpropFilter", samples=filters, kinds=FLOATS, same_dtype=True)  # fmt: skip
def conv2d_filter(x: Any, y: Any, *, how: Sliding) -> Any:
    """For each entry of the filter, what it met in all windows, times what came of it, summed."""
    met = np.tensordot(windows_of(x, how), y, ((0, 1, 2), (0, 1, 2)))
    return np.ascontiguousarray(np.moveaxis(met, 0, 2))


@conv2d_filter.grad("x", r"\bar x = \operatorname{spread}(y, \bar z)")
def conv2d_filter_grad_x(dz: Any, z: Any, x: Any, y: Any, *, how: Sliding) -> Any:
    return conv2d_input(y, dz, how=how, shape=tuple(x.shape))


@conv2d_filter.grad("y", r"\bar y = \operatorname{conv}(x, \bar z)")
def conv2d_filter_grad_y(dz: Any, z: Any, x: Any, y: Any, *, how: Sliding) -> Any:
    return conv2d(x, dz, how=how)
