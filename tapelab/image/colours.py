"""Pictures in other colours: grey, hue and saturation, luma and chroma."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.array_ops.choosing import where
from tapelab.array_ops.shaping import stack, tile, unstack
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.execute import composite
from tapelab.core.tensor import Tensor
from tapelab.core.wording import spoken
from tapelab.dtypes import float32
from tapelab.errors import invalid_argument
from tapelab.image.adjusting import convert_image_dtype
from tapelab.linalg import tensordot
from tapelab.math import divide_no_nan
from tapelab.ops import colour
from tapelab.ops.colour import require_colours
from tapelab.ops.public import in_default, tensor
from tapelab.ops.selection import zeros_like
from tapelab.ops.stops import stop_gradient

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


@public(group=True)
def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """How light each place is: a weighted sum of red, green and blue, computed in float32."""
    x = tensor(images)
    floats: Any = convert_image_dtype(x, float32)
    weights = np.array(GREY, np.float32)[:, None]
    return convert_image_dtype(tensordot(floats, weights, [[-1], [0]]), x.dtype)


@public(group=True)
def grayscale_to_rgb(images: Any, name: str | None = None) -> Any:
    """Grey as equal parts of red, green and blue."""
    x = tensor(images)
    if x.ndim < 2:
        raise ValueError(
            f"A grayscale image (shape {x.shape}) must be at least two-dimensional. "
            "Its last axis is the channel."
        )
    if x._array.shape[-1] != 1:
        raise ValueError(
            f"Last dimension of a grayscale image should be size 1. These have shape {x.shape}."
        )
    return tile(x, [1] * (x.ndim - 1) + [3])


@public(group=True)
def rgb_to_hsv(images: Any, name: str | None = None) -> Any:
    """Hue, saturation and value of red, green and blue.

    Where channels are equal, the gradient flows to one of them; from the saturation it flows to
    positive channels only, and from the hue where the value is positive.
    """
    x: Any = _floats("RGBToHSV", images)
    require_colours("RGBToHSV", x._array)
    red, green, blue = unstack(x, axis=-1)
    value: Any = _largest(red, green, blue)
    bright: Any = value > 0.0
    turned: Any = _sixths(
        *(where(bright, each, stop_gradient(each)) for each in (red, green, blue))
    )
    hue: Any = where(turned < 0.0, turned + 6.0, turned)
    seen: list[Any] = [_positive(each) for each in (red, green, blue)]
    whole: Any = _largest(*seen)
    share: Any = divide_no_nan(whole - _smallest(*seen), whole)
    return stack([hue / 6.0, where(bright, share, zeros_like(share)), value], axis=-1)


def _positive(channel: Any) -> Any:
    """A channel through which gradients flow where it is positive."""
    return where(channel > 0.0, channel, stop_gradient(channel))


def _largest(red: Any, green: Any, blue: Any) -> Any:
    rest = where(green >= blue, green, blue)
    return where(red >= rest, red, rest)


def _smallest(red: Any, green: Any, blue: Any) -> Any:
    rest = where(green <= red, green, red)
    return where(blue <= rest, blue, rest)


def _sixths(red: Any, green: Any, blue: Any) -> Any:
    """The way around the circle of colours, from -1 to 5; 0 for greys."""
    value = _largest(red, green, blue)
    span: Any = value - _smallest(red, green, blue)
    first = divide_no_nan(green - blue, span)
    second: Any = divide_no_nan(blue - red, span) + 2.0
    third: Any = divide_no_nan(red - green, span) + 4.0
    turned: Any = where(red == value, first, where(green == value, second, third))
    return where(span > 0.0, turned, zeros_like(span))


@public
def hsv_to_rgb(images: Any, name: str | None = None) -> Any:
    """Red, green and blue of hue, saturation and value; no gradient flows back."""
    return colour.hsv_to_rgb(_floats("HSVToRGB", images))


@public
def rgb_to_yuv(images: Any) -> Any:
    """How light each place is, and two differences of colour (PAL)."""
    return _mixed(images, TO_YUV)


@public
def yuv_to_rgb(images: Any) -> Any:
    """Red, green and blue of lightness and two differences of colour (PAL)."""
    return _mixed(images, FROM_YUV)


@public
def rgb_to_yiq(images: Any) -> Any:
    """How light each place is, and two differences of colour (NTSC)."""
    return _mixed(images, TO_YIQ)


@public
def yiq_to_rgb(images: Any) -> Any:
    """Red, green and blue of lightness and two differences of colour (NTSC)."""
    return _mixed(images, FROM_YIQ)


@composite
def _mixed(images: Any, weights: Any) -> Any:
    x = tensor(images)
    mixture = to_tensor([list(row) for row in weights], x.dtype)
    return tensordot(x, mixture, [[x.ndim - 1], [0]])


def _floats(raw: str, images: Any) -> Tensor:
    """Pictures as floats: Python and NumPy data as float32, tensors as they are.

    InvalidArgumentError for tensors of other dtypes.
    """
    x = in_default(images, float32)
    if not x.dtype.is_floating:
        raise invalid_argument(
            raw, f"Value for attr 'T' of {spoken(x.dtype.name)} is not in the list of allowed "
            "values: half, bfloat16, float, double. Try tf.image.convert_image_dtype(images, "
            "tf.float32)",
        )  # fmt: skip
    return x
