"""Projective transformations of images, as TensorFlow's kernel computes them.

Each output pixel reads the input at the place to which its own place is mapped. What lies outside
is filled: with a value, with the nearest pixel, or with the mirrored or repeated image.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tapelab import math
from tapelab.array_ops import gather_ops, shape_ops, value_ops
from tapelab.array_ops.creation import range as sequence

FILL_MODES: Final = ("reflect", "wrap", "constant", "nearest")
"""How pixels outside an image are filled."""
INTERPOLATIONS: Final = ("nearest", "bilinear")
"""How values between pixels are read."""


def affine_transform(
    images: Any, transforms: Any, interpolation: str, fill_mode: str, fill_value: float, layout: str
) -> Any:
    """Return images, or one image, of which each pixel is read at the place it is mapped to.

    `transforms` has the shape (batch, 8): the place (x, y) is mapped to `(a0 x + a1 y + a2) / k`
    and `(b0 x + b1 y + b2) / k` with `k = c0 x + c1 y + 1`. `layout` is "NHWC" or "NCHW".
    """
    single = images.ndim == 3
    x: Any = shape_ops.expand_dims(images, 0) if single else images
    if layout == "NCHW":
        x = shape_ops.transpose(x, (0, 2, 3, 1))
    matrix: Any = value_ops.cast(transforms, "float32")
    if matrix.ndim == 1:
        matrix = shape_ops.expand_dims(matrix, 0)
    batch, height, width = (int(size) for size in x.shape[:3])
    a0, a1, a2, b0, b1, b2, c0, c1 = (matrix[:, at, None, None] for at in range(8))
    across: Any = value_ops.cast(sequence(width), "float32")
    down: Any = shape_ops.reshape(value_ops.cast(sequence(height), "float32"), (-1, 1))
    k = c0 * across + c1 * down + 1.0
    fill = _FILLS[fill_mode]
    shape = (batch, height, width)
    columns = fill(shape_ops.broadcast_to((a0 * across + a1 * down + a2) / k, shape), float(width))
    rows = fill(shape_ops.broadcast_to((b0 * across + b1 * down + b2) / k, shape), float(height))
    read = _nearest if interpolation == "nearest" else _bilinear
    y = value_ops.cast(read(x, rows, columns, fill_value), images.dtype)
    if layout == "NCHW":
        y = shape_ops.transpose(y, (0, 3, 1, 2))
    return shape_ops.squeeze(y, 0) if single else y


def _nearest(x: Any, rows: Any, columns: Any, fill_value: float) -> Any:
    """The nearest pixels; halves are rounded away from 0."""
    return _pixels(x, math.floor(rows + 0.5), math.floor(columns + 0.5), fill_value)


def _bilinear(x: Any, rows: Any, columns: Any, fill_value: float) -> Any:
    """The means of the four pixels around, weighted by how near they are."""
    top, left = math.floor(rows), math.floor(columns)
    down: Any = shape_ops.expand_dims(rows - top, -1)
    across: Any = shape_ops.expand_dims(columns - left, -1)
    corners = [
        value_ops.cast(_pixels(x, top + row, left + column, fill_value), "float32")
        for row in (0.0, 1.0)
        for column in (0.0, 1.0)
    ]
    upper: Any = (1.0 - across) * corners[0] + across * corners[1]
    lower: Any = (1.0 - across) * corners[2] + across * corners[3]
    return (1.0 - down) * upper + down * lower


def _pixels(x: Any, rows: Any, columns: Any, fill_value: float) -> Any:
    """The pixels at whole places; a value for places outside."""
    inside: Any = None
    places = []
    for given, size in ((rows, int(x.shape[1])), (columns, int(x.shape[2]))):
        fits = math.logical_and(given >= 0.0, given < float(size))
        inside = fits if inside is None else math.logical_and(inside, fits)
        places.append(value_ops.cast(value_ops.clip_by_value(given, 0.0, size - 1.0), "int32"))
    values = gather_ops.gather_nd(x, shape_ops.stack(places, -1), batch_dims=1)
    outside = value_ops.cast(fill_value, x.dtype)
    return value_ops.where(shape_ops.expand_dims(inside, -1), values, outside)


def _reflected(place: Any, size: float) -> Any:
    """Places in the image that is mirrored again and again: d c b a | a b c d | d c b a."""
    period = 2.0 * size
    below = period * _whole(-place / period) + place
    below = value_ops.where(below < -size, below + period, -below - 1.0)
    above = place - period * _whole(place / period)
    above = value_ops.where(above >= size, period - above - 1.0, above)
    return _between(place, below, above, size)


def _wrapped(place: Any, size: float) -> Any:
    """Places in the image that is repeated: a b c d | a b c d | a b c d."""
    period = max(size - 1.0, 1.0)
    below = place + size * (_whole(-place / period) + 1.0)
    above = place - size * _whole(place / period)
    return _between(place, below, above, size)


def _whole(x: Any) -> Any:
    """The integers without what follows the point."""
    return math.sign(x) * math.floor(math.abs(x))


def _between(place: Any, below: Any, above: Any, size: float) -> Any:
    """The places inside, and those that stand for places before and behind."""
    inside = value_ops.where(place > size - 1.0, above, place)
    return _clipped(value_ops.where(place < 0.0, below, inside), size)


def _clipped(place: Any, size: float) -> Any:
    return value_ops.clip_by_value(place, 0.0, size - 1.0)


_FILLS: Final[dict[str, Callable[[Any, float], Any]]] = {
    "reflect": _reflected,
    "wrap": _wrapped,
    "nearest": _clipped,
    "constant": lambda place, size: place,
}
