"""Colour spaces, brightness, contrast, gamma, hue and saturation of images, and their dtypes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.array_ops.shape_ops import stack, tile, unstack
from tapelab.array_ops.value_ops import cast as to_dtype
from tapelab.array_ops.value_ops import saturate_cast, where
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.execute import composite
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import spoken, unlike
from tapelab.dtypes import DType, as_dtype, float16, float32
from tapelab.errors import invalid_argument
from tapelab.framework.scopes import executing_eagerly
from tapelab.image.geometry import filled_picture
from tapelab.linalg import tensordot
from tapelab.math import divide_no_nan
from tapelab.ops import colour, powers, reduce_ops
from tapelab.ops.casts import cast
from tapelab.ops.colour import require_colours
from tapelab.ops.pass_through import identity, stop_gradient
from tapelab.ops.public import in_default, strict_operand, tensor
from tapelab.ops.selection import maximum, zeros_like

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


@public
def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Any:
    """Pictures in another dtype: floats go from 0 to 1, integers over their whole range."""
    x, wanted = tensor(image), as_dtype(dtype)
    _require_numbers("dtype", wanted)
    if x.dtype is wanted:
        return identity(x)
    _require_numbers("image dtype", x.dtype)
    return _converted(x, wanted, saturate)


def _require_numbers(what: str, dtype: DType) -> None:
    if not (dtype.is_floating or dtype.is_integer):
        raise AttributeError(f"{what} must be either floating point or integer")


@composite
def _converted(x: Any, wanted: DType, saturate: bool) -> Any:
    if x.dtype.is_integer and wanted.is_integer:
        ratio = (int(x.dtype.max) + 1) // (int(wanted.max) + 1)
        if ratio > 1:
            return _in(x // ratio, wanted, saturate)
        return _in(x, wanted, saturate) * ((int(wanted.max) + 1) // (int(x.dtype.max) + 1))
    if x.dtype.is_floating and wanted.is_floating:
        return _in(x, wanted, False)
    if x.dtype.is_integer:
        return _in(x, wanted, False) * (1.0 / x.dtype.max)
    return _in(x * (wanted.max + 0.5), wanted, saturate)


def _in(x: Any, wanted: DType, saturate: bool) -> Any:
    return saturate_cast(x, wanted) if saturate else cast(x, dtype=wanted._numpy)


@public
def adjust_brightness(image: Any, delta: Any) -> Any:
    """Pictures made lighter or darker by the same number everywhere."""
    return _as_floats(image, lambda x: x + to_dtype(delta, x.dtype))


@public
def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Pictures with their contrast changed: each channel stretched around its mean.

    TensorFlow has no gradient for it, so asking for one is a LookupError here as well.
    """
    factor = _float("AdjustContrastv2", contrast_factor)
    adjusted: Tensor = _as_floats(images, lambda x: colour.adjust_contrast_v2(x, factor))
    return adjusted


@public
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """Pictures raised to a power and multiplied: light areas and dark ones change differently."""
    if executing_eagerly() and not gamma >= 0:
        raise ValueError("Gamma should be a non-negative real number.")
    return _as_floats(image, lambda x: (x**gamma) * gain)


@public
def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Any:
    """Pictures with each colour turned around the circle; no gradient is known for it."""
    if executing_eagerly() and (delta < -1 or delta > 1):
        raise ValueError(f"delta must be in the interval [-1, 1]. Received: delta={delta}")
    return _as_floats(image, lambda x: colour.adjust_hue(x, _float("AdjustHue", delta)))


@public
def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Any:
    """Pictures with their colours stronger or paler; no gradient is known for it."""
    factor = _float("AdjustSaturation", saturation_factor)
    return _as_floats(image, lambda x: colour.adjust_saturation(x, factor))


@public(group=True)
def per_image_standardization(image: Any) -> Any:
    """Each picture moved to mean 0 and scaled to variance 1, or less where it hardly varies.

    It is computed in float32, as in TensorFlow.
    """
    x: Any = to_dtype(filled_picture(image), float32)
    axes = (x.ndim - 3, x.ndim - 2, x.ndim - 1)
    mean = reduce_ops.reduce_mean(x, axis=axes, keepdims=True)
    variance = reduce_ops.reduce_mean(
        powers.square(x - mean), axis=axes, keepdims=True
    )  # of the whole picture
    entries = np.prod(x._array.shape[-3:])
    floor = strict_operand(1.0 / np.sqrt(max(entries, 1)), x.dtype)
    return (x - mean) / maximum(powers.sqrt(variance), floor)


@composite
def _as_floats(image: Any, change: Any) -> Any:
    """Change pictures as floats from 0 to 1, and give them back in the dtype they came in.

    As in TensorFlow, float64 pictures are changed in float32.
    """
    x = tensor(image)
    if x.dtype in (float16, float32):
        return change(x)
    floats = convert_image_dtype(x, float32)
    return convert_image_dtype(change(floats), x.dtype, saturate=True)


def _float(raw: str, factor: Any) -> Tensor:
    """One number as float32; InvalidArgumentError for a tensor of another dtype."""
    given = strict_operand(factor, float32)
    if given.dtype is not float32:
        raise unlike(raw, 1, float32.name, given.dtype.name)
    return given
