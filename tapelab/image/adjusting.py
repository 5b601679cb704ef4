"""Brightness, contrast, gamma, hue and saturation of pictures, and their dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.array_ops.choosing import cast as to_dtype
from tapelab.array_ops.choosing import saturate_cast
from tapelab.core.dispatch import public
from tapelab.core.execute import composite
from tapelab.core.tensor import Tensor
from tapelab.core.wording import unlike
from tapelab.dtypes import DType, as_dtype, float16, float32
from tapelab.framework.scopes import executing_eagerly
from tapelab.image.turning import filled_picture
from tapelab.ops import colour, powers, reduction
from tapelab.ops.casting import cast
from tapelab.ops.public import strict_operand, tensor
from tapelab.ops.selection import maximum
from tapelab.ops.stops import identity


@public
def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Any:
    """Pictures in another dtype: floats go from 0 to 1, whole numbers over their whole range."""
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
    made: Tensor = _as_floats(images, lambda x: colour.adjust_contrast_v2(x, factor))
    return made


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
    mean = reduction.reduce_mean(x, axis=axes, keepdims=True)
    variance = reduction.reduce_mean(
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
