"""`tf.image`: the little of it that the lessons on missing gradients need."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.engine.op import op
from tapelab.engine.tensor import Tensor
from tapelab.errors import invalid_argument
from tapelab.missing import in_module
from tapelab.ops import casting, samples
from tapelab.ops.public import tensor


def pictures(rng: np.random.Generator) -> list[samples.Sample]:
    """Pictures (height, width, channels) with a factor."""
    return [((rng.uniform(size=(2, 3, 2)), np.float64(1.5)), {})]


@op(formula=r"y = (x - \operatorname{mean}(x)) \cdot c + \operatorname{mean}(x)", samples=pictures,
    glyph="contrast", raw="AdjustContrastv2", pattern="not implemented", reference=lambda x,
    c: x * c + x.mean((0, 1)) * (1 - c))  # fmt: skip
def adjust_contrast_v2(x: Any, c: Any) -> Any:
    """Each channel stretched around its mean; as in TensorFlow, no gradient is known for it."""
    if x.ndim < 3:
        raise invalid_argument(
            "AdjustContrastv2", f"input must be at least 3-D, got shape{list(x.shape)}"
        )
    count = x.dtype.type(x.shape[-3] * x.shape[-2])
    mean = np.add.reduce(x, axis=(-3, -2), keepdims=True) / count
    return (x - mean) * c.astype(x.dtype) + mean


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Pictures with their contrast changed: each channel stretched around its mean.

    TensorFlow has no gradient for it, so asking for one is a LookupError here as well.
    """
    x, factor = tensor(images), tensor(contrast_factor)
    floats = x if x.dtype.is_floating else _cast(x, np.float32)
    y: Tensor = adjust_contrast_v2(floats, _cast(factor, np.float32))
    return y if x.dtype.is_floating else _cast(y, x._value.dtype)


def _cast(x: Tensor, dtype: Any) -> Tensor:
    made: Tensor = x if x._value.dtype == dtype else casting.cast(x, dtype=np.dtype(dtype))
    return made


__getattr__, __dir__ = in_module(__name__)
