"""Pictures in other colours: grey, hue and saturation, luma and chroma."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.arrays.choosing import where
from tapelab.arrays.shaping import stack, tile, unstack
from tapelab.engine.dispatch import composite
from tapelab.engine.tensor import Tensor
from tapelab.errors import invalid_argument
from tapelab.image.adjusting import convert_image_dtype
from tapelab.linalg import tensordot
from tapelab.math import divide_no_nan
from tapelab.ops import colour, reduction
from tapelab.ops.public import tensor
from tapelab.ops.selection import zeros_like

GREY: Final = (0.2989, 0.587, 0.114)
TO_YUV: Final = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
FROM_YUV: Final = ((1, 1, 1), (0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0))
TO_YIQ: Final = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
FROM_YIQ: Final = (
    (1, 1, 1),
    (0.95598634, -0.27201283, -1.10674021),
    (0.6208248, -0.64720424, 1.70423049),
)
"""ITU-R BT.601 luma, and the colour differences of PAL (YUV) and NTSC (YIQ)."""


@composite
def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """How light each place is: a weighted sum of red, green and blue."""
    x = _coloured(images, 3)
    floats: Any = convert_image_dtype(x, np.dtype(np.float32)) if x.dtype.is_integer else x
    weights = np.array(GREY, floats.dtype.as_numpy_dtype)[:, None]
    return convert_image_dtype(tensordot(floats, weights, [[-1], [0]]), x.dtype)


@composite
def grayscale_to_rgb(images: Any, name: str | None = None) -> Any:
    """Grey as equal parts of red, green and blue."""
    x = _coloured(images, 1)
    return tile(x, [1] * (x.ndim - 1) + [3])


@composite
def rgb_to_hsv(images: Any, name: str | None = None) -> Any:
    """Hue, saturation and value of red, green and blue."""
    x: Any = _coloured(images, 3)
    channels: Any = unstack(x, axis=-1)
    red, green, blue = channels
    value: Any = reduction.reduce_max(x, axis=(x.ndim - 1,), keepdims=False)
    span = value - reduction.reduce_min(x, axis=(x.ndim - 1,), keepdims=False)
    turned = where(
        red == value,
        divide_no_nan(green - blue, span),
        where(
            green == value,
            divide_no_nan(blue - red, span) + 2.0,
            divide_no_nan(red - green, span) + 4.0,
        ),
    )
    sixths: Any = where(span > 0.0, turned, zeros_like(span))
    hue: Any = where(sixths < 0.0, sixths + 6.0, sixths)
    return stack([hue / 6.0, divide_no_nan(span, value), value], axis=-1)


def hsv_to_rgb(images: Any, name: str | None = None) -> Any:
    """Red, green and blue of hue, saturation and value; no gradient flows back."""
    return colour.hsv_to_rgb(tensor(images))


def rgb_to_yuv(images: Any) -> Any:
    """How light each place is, and two differences of colour (PAL)."""
    return _mixed(images, TO_YUV)


def yuv_to_rgb(images: Any) -> Any:
    """Red, green and blue of lightness and two differences of colour (PAL)."""
    return _mixed(images, FROM_YUV)


def rgb_to_yiq(images: Any) -> Any:
    """How light each place is, and two differences of colour (NTSC)."""
    return _mixed(images, TO_YIQ)


def yiq_to_rgb(images: Any) -> Any:
    """Red, green and blue of lightness and two differences of colour (NTSC)."""
    return _mixed(images, FROM_YIQ)


@composite
def _mixed(images: Any, weights: Any) -> Any:
    x = tensor(images)
    return tensordot(x, np.array(weights, x._value.dtype), [[x.ndim - 1], [0]])


def _coloured(images: Any, channels: int) -> Tensor:
    x = tensor(images)
    if not x.ndim or x._value.shape[-1] != channels:
        kind = "grayscale" if channels == 1 else "RGB"
        raise invalid_argument(
            "Assert", f"Last dimension of a {kind} image should be size {channels}: "
            f"these have shape {x.shape}",
        )  # fmt: skip
    return x
