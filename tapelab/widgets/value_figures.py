"""Expected and got side by side, as small pictures: bars for a row of numbers, squares for a
matrix, an image for an image.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.locales import say
from tapelab.recording.previews import is_image, shows_image

Array = NDArray[Any]

MOST: Final = 1024
"""Larger arrays are not drawn: a square would be smaller than a dot."""
WIDTH, HEIGHT = 160, 64


def pictures(arrays: tuple[Array, Array] | None) -> str:
    """Expected and got as two figures of one scale; empty where there is nothing to see in them."""
    if arrays is None:
        return ""
    if is_image(arrays[0]) and all(map(_may_be_image, arrays)):
        return _side_by_side([_image_figure(*each) for each in zip(_titles(), arrays, strict=True)])
    if not all(map(_drawable, arrays)):
        return ""
    finite = [np.abs(each[np.isfinite(each)]) for each in map(_real, arrays)]
    scale = max((float(each.max()) for each in finite if each.size), default=0.0) or 1.0
    description = zip(_titles(), map(_real, arrays), strict=True)
    return _side_by_side([_figure(title, each, scale) for title, each in description])


def _titles() -> tuple[str, str]:
    return say("expected"), say("yours")


def _side_by_side(figures: list[str]) -> str:
    return f"<div class=values>{''.join(figures)}</div>"


def _may_be_image(array: Array) -> bool:
    """Whether it can be seen beside an image; numbers outside of its levels are cut off."""
    return array.ndim == 3 and shows_image(array.shape) and array.dtype.kind in "biuf"


def _image_figure(title: str, array: Array) -> str:
    """One pixel of the picture for one of the array, or for several of a large one."""
    high, wide, _ = array.shape
    description = say("{title}: an image of {shape} pixels", title=title, shape=f"{high} × {wide}")
    data = b64encode(as_png(levels(array))).decode()
    return (
        f"<figure><img class=pixels alt='{escape(description)}' src='data:image/png;base64,{data}'>"
        f"<figcaption>{escape(title)}</figcaption></figure>"
    )


def _drawable(array: Array) -> bool:
    return array.dtype.kind in "biuf" and 1 < array.size <= MOST and array.ndim <= 2


def _real(array: Array) -> Array:
    return np.asarray(array, float)


def _figure(title: str, array: Array, scale: float) -> str:
    shape = " × ".join(map(str, array.shape))
    finite = array[np.isfinite(array)]
    low, high = (f"{each(finite):.4g}" if finite.size else "NaN" for each in (np.min, np.max))
    description = say("{title}: {shape} numbers from {low} to {high}", title=title, shape=shape,
               low=low, high=high)  # fmt: skip
    marks = "".join(_bars(array, scale) if array.ndim == 1 else _squares(array, scale))
    return (
        f"<figure><svg viewBox='0 0 {WIDTH} {HEIGHT}' role=img "
        f"aria-label='{escape(description)}'>{marks}</svg><figcaption>{escape(title)}</figcaption></figure>"
    )


def _bars(array: Array, scale: float) -> Iterator[str]:
    """Bars up and down from the line of zero."""
    wide, zero = WIDTH / len(array), HEIGHT / 2
    yield f"<path class=zero d='M0 {zero}h{WIDTH}'/>"
    for at, number in enumerate(array):
        x = at * wide
        if not np.isfinite(number):
            yield _odd(x, 0, wide, HEIGHT)
            continue
        tall = abs(number) / scale * (zero - 1)
        yield (
            f"<rect class={_sign(number)} x='{x + wide * 0.1:.1f}' width='{wide * 0.8:.1f}' "
            f"y='{zero - tall if number > 0 else zero:.1f}' height='{tall:.1f}'/>"
        )


def _squares(array: Array, scale: float) -> Iterator[str]:
    """One square a number; how full it is tells its size, its colour and outline the sign."""
    rows, columns = array.shape
    side = min(WIDTH / columns, HEIGHT / rows)
    for row, column in np.ndindex(rows, columns):
        number, x, y = float(array[row, column]), column * side, row * side
        if not np.isfinite(number):
            yield _odd(x, y, side, side)
            continue
        yield (
            f"<rect class={_sign(number)} x='{x + 0.5:.1f}' y='{y + 0.5:.1f}' "
            f"width='{side - 1:.1f}' height='{side - 1:.1f}' "
            f"fill-opacity='{abs(number) / scale:.2f}'/>"
        )


def _sign(number: float) -> str:
    return "up" if number >= 0 else "down"


def _odd(x: float, y: float, wide: float, tall: float) -> str:
    """A cross where a number is infinite or none."""
    right, low = x + wide - 1, y + tall - 1
    one, other = f"M{x + 1:.1f} {y + 1:.1f}L{right:.1f} {low:.1f}", f"M{right:.1f} {y + 1:.1f}"
    return f"<path class=odd d='{one}{other}L{x + 1:.1f} {low:.1f}'/>"


SIDE: Final = 128
"""Of a larger image every second pixel is taken, every third, and so on."""
_COLOURS: Final = {1: 0, 3: 2, 4: 6}
"""The numbers that PNG has for grey, for red, green and blue, and for these with an opacity."""


def levels(image: NDArray[Any]) -> NDArray[np.uint8]:
    """Height, width and colours, as bytes or from 0 to 1, as bytes; what is no number is black."""
    step = -(-max(image.shape[:2]) // SIDE)
    some = image[::step, ::step]
    if some.dtype != np.uint8:
        known = np.nan_to_num(some.astype(np.float64), posinf=1.0, neginf=0.0)
        some = np.rint(np.clip(known, 0.0, 1.0) * 255)
    return some.astype(np.uint8)


def as_png(pixels: NDArray[np.uint8]) -> bytes:
    """Height, width and one, three or four colours as a file."""
    high, wide, colours = pixels.shape
    head = struct.pack(">IIBBBBB", wide, high, 8, _COLOURS[colours], 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + row.tobytes() for row in pixels), 9)
    parts = _part(b"IHDR", head), _part(b"IDAT", rows), _part(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _part(name: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(name + content))
    return struct.pack(">I", len(content)) + name + content + check
