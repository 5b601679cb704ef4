"""Contrast, hue and saturation of pictures, and the colours red-green-blue as hue, saturation and
value. Most have no gradient, here as in TensorFlow: lessons show what asking for one says.

The hexcone model; Smith, "Color gamut transform pairs", SIGGRAPH 1978.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.core.text_forms import brackets
from tapelab.errors import FailedPreconditionError, invalid_argument
from tapelab.ops import samples
from tapelab.ops.rules import FLOATS


def pictures(rng: np.random.Generator) -> list[samples.Sample]:
    """Pictures (height, width, channels) with a factor."""
    return [((rng.uniform(size=(2, 3, 2)), np.float64(1.5)), {})]


def colours(rng: np.random.Generator) -> list[samples.Sample]:
    """Pictures of three channels with a factor."""
    return [((rng.uniform(size=(2, 2, 3)), np.float64(0.25)), {})]


def alone(rng: np.random.Generator) -> list[samples.Sample]:
    """Pictures of three channels."""
    return [((rng.uniform(size=(2, 2, 3)),), {})]


def hsv_of(x: Any) -> Any:
    """Hue, saturation and value, each from 0 to 1, of red, green and blue along the last axis."""
    red, green, blue = np.moveaxis(x, -1, 0)
    value = x.max(-1)
    span = value - x.min(-1)
    saturation = _share(span, value)
    sixth = _share(np.ones_like(span), span * 6)
    hue = np.where(
        red == value,
        sixth * (green - blue),
        np.where(green == value, sixth * (blue - red) + 2 / 6, sixth * (red - green) + 4 / 6),
    )
    hue = np.where(span > 0, np.where(hue < 0, hue + 1, hue), 0)
    return np.stack([hue, saturation, value], -1).astype(x.dtype)


def rgb_of(x: Any) -> Any:
    """Red, green and blue of hue, saturation and value along the last axis."""
    hue, saturation, value = np.moveaxis(x, -1, 0)
    pure = np.moveaxis(_pure((hue * 6)[..., None]), -1, 0)
    channels = [((1 - saturation) + saturation * each) * value for each in pure]
    return np.stack(channels, -1).astype(x.dtype)


def _pure(turn: Any) -> Any:
    """Red, green and blue of the strongest colour at each place of the circle, from 0 to 6."""
    ramps = [abs(turn - 3) - 1, 2 - abs(turn - 2), 2 - abs(turn - 4)]
    return np.clip(np.concatenate(ramps, -1), 0, 1)


def _share(part: Any, whole: Any) -> Any:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def require_colours(raw: str, x: Any) -> None:
    """FailedPreconditionError unless the last axis has three channels."""
    if not x.ndim:
        raise invalid_argument(raw, "input must be at least 1D[]")
    if x.shape[-1] != 3:
        raise FailedPreconditionError(
            None, raw, f"input must have 3 channels but input only has {x.shape[-1]} channels. "
            f"[Op:{raw}]",
        )  # fmt: skip


def _require_pictures(raw: str, x: Any, what: str, factor: Any) -> None:
    if x.ndim < 3:
        raise invalid_argument(raw, f"input must be at least 3-D, got shape{brackets(x.shape)}")
    if factor.ndim:
        raise invalid_argument(raw, f"{what} must be scalar: {brackets(factor.shape)}")


def _require_three(raw: str, x: Any) -> None:
    if x.shape[-1] != 3:
        raise invalid_argument(
            raw, f"input must have 3 channels but instead has {x.shape[-1]} channels."
        )


@op(formula=r"y = (x - \operatorname{mean}(x)) \cdot c + \operatorname{mean}(x)", samples=pictures,
    glyph="contrast", raw="AdjustContrastv2", pattern="not implemented", reference=lambda x,
    c: x * c + x.mean((0, 1)) * (1 - c))  # fmt: skip
def adjust_contrast_v2(x: Any, c: Any) -> Any:
    """Each channel stretched around its mean; as in TensorFlow, no gradient is known for it."""
    _require_pictures("AdjustContrastv2", x, "contrast_factor", c)
    count = x.dtype.type(x.shape[-3] * x.shape[-2])
    mean = np.add.reduce(x, axis=(-3, -2), keepdims=True) / count
    return (x - mean) * c.astype(x.dtype) + mean


@op(formula=r"y = \operatorname{turn}_c(x)", samples=colours, glyph="hue", raw="AdjustHue",
    pattern="not implemented")  # fmt: skip
def adjust_hue(x: Any, c: Any) -> Any:
    """Each colour turned around the circle; as in TensorFlow, no gradient is known for it."""
    _require_pictures("AdjustHue", x, "delta", c)
    _require_three("AdjustHue", x)
    value, least = x.max(-1, keepdims=True), x.min(-1, keepdims=True)
    turn = (hsv_of(x)[..., :1] * 6 + c.astype(x.dtype) * 6) % 6
    turned = least + (value - least) * _pure(turn)
    last = np.concatenate([value, least, turn], -1)  # NaN lies in no sixth of the circle
    return np.where(np.isnan(turn), last, turned).astype(x.dtype)


@op(formula=r"y = \operatorname{saturate}_c(x)", samples=colours, glyph="saturation",
    raw="AdjustSaturation", pattern="not implemented")  # fmt: skip
def adjust_saturation(x: Any, c: Any) -> Any:
    """Each colour stronger or paler; as in TensorFlow, no gradient is known for it."""
    _require_pictures("AdjustSaturation", x, "scale", c)
    _require_three("AdjustSaturation", x)
    hue, saturation, value = np.split(hsv_of(x), 3, -1)
    # NaN, which is not above 0, leaves no colour.
    span = np.minimum(np.fmax(saturation * c.astype(x.dtype), 0), 1) * value
    return ((value - span) + span * _pure(hue * 6)).astype(x.dtype)


@op(formula=r"y = \operatorname{rgb}(x)", samples=alone, glyph="rgb", raw="HSVToRGB",
    pattern="flat", kinds=FLOATS)  # fmt: skip
def hsv_to_rgb(x: Any) -> Any:
    """Red, green and blue from hue, saturation and value."""
    require_colours("HSVToRGB", x)
    return rgb_of(x)


hsv_to_rgb.no_grad(
    "x", because="TensorFlow lets no gradient through from colours to hue, saturation and value."
)
