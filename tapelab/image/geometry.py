"""Images flipped, rotated, cropped and padded."""

from __future__ import annotations

from typing import Any

from tapelab.array_ops.gather_ops import slice as cut
from tapelab.array_ops.shape_ops import pad, reshape, reverse
from tapelab.array_ops.shape_ops import transpose as permuted
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.linalg import eye
from tapelab.nn.convolutions import conv2d
from tapelab.ops.integer_arguments import number
from tapelab.ops.public import tensor


@public(group=True)
def flip_left_right(image: Any) -> Tensor:
    """Pictures mirrored: what was on the left is on the right."""
    return reverse(picture(filled_picture(image)), [-2])


@public(group=True)
def flip_up_down(image: Any) -> Tensor:
    """Pictures upside down."""
    return reverse(picture(filled_picture(image)), [-3])


@public(group=True)
def transpose(image: Any, name: str | None = None) -> Tensor:
    """Pictures with rows and columns exchanged."""
    x = picture(filled_picture(image))
    return permuted(x, (1, 0, 2) if x.ndim == 3 else (0, 2, 1, 3))


@public(group=True)
def rot90(image: Any, k: Any = 1, name: str | None = None) -> Any:
    """Pictures turned counter-clockwise by quarters."""
    x, quarters = picture(filled_picture(image)), number(k, "rot90") % 4
    if quarters == 0:
        return x
    if quarters == 2:
        return reverse(x, [-3, -2])
    return flip_up_down(transpose(x)) if quarters == 1 else transpose(flip_up_down(x))


@public(group=True)
def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """The part of a picture from a place on, of a height and a width."""
    x = picture(image)
    top, left, height, width = (
        number(each, "Slice") for each in (offset_height, offset_width, target_height, target_width)
    )
    rows, columns = x._array.shape[-3:-1]
    _require(top >= 0, "offset_height must be >= 0.")
    _require(left >= 0, "offset_width must be >= 0.")
    _require(target_height > 0, "target_height must be > 0.")
    _require(target_width > 0, "target_width must be > 0.")
    _require(left + width <= columns, "width must be >= target + offset.")
    _require(top + height <= rows, "height must be >= target + offset.")
    whole = [0] * (x.ndim - 3)
    return cut(x, [*whole, top, left, 0], [*(-1 for _ in whole), height, width, -1])


@public(group=True)
def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """A picture in a larger frame of zeros, from a place in it on."""
    x = picture(image)
    top, left, height, width = (
        number(each, "Pad") for each in (offset_height, offset_width, target_height, target_width)
    )
    rows, columns = x._array.shape[-3:-1]
    _require(top >= 0, "offset_height must be >= 0")
    _require(left >= 0, "offset_width must be >= 0")
    _require(left + columns <= width, "width must be <= target - offset")
    _require(top + rows <= height, "height must be <= target - offset")
    frame = [[top, height - rows - top], [left, width - columns - left], [0, 0]]
    return pad(x, [*([0, 0] for _ in range(x.ndim - 3)), *frame])


@public(group=True)
def central_crop(image: Any, central_fraction: Any) -> Any:
    """The middle of pictures: a share of their height and width."""
    share = float(central_fraction)
    if not 0.0 < share <= 1.0:
        raise ValueError("central_fraction must be within (0, 1]")
    x = picture(image)
    if share == 1.0:
        return x
    rows, columns = x._array.shape[-3:-1]
    top, left = (int((length - length * share) / 2) for length in (rows, columns))
    return crop_to_bounding_box(x, top, left, rows - 2 * top, columns - 2 * left)


@public(group=True)
def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Any:
    """The middle of pictures that are too large, and a frame of zeros around those too small."""
    x = picture(image)
    rows, columns = x._array.shape[-3:-1]
    height, width = number(target_height, "Pad"), number(target_width, "Pad")
    _require(height > 0, "target_height must be > 0.")
    _require(width > 0, "target_width must be > 0.")
    cropped = crop_to_bounding_box(
        x, max((rows - height) // 2, 0), max((columns - width) // 2, 0),
        min(height, rows), min(width, columns),
    )  # fmt: skip
    above, before = max((height - rows) // 2, 0), max((width - columns) // 2, 0)
    return pad_to_bounding_box(cropped, above, before, height, width)


def picture(image: Any) -> Tensor:
    """A picture (height, width, channels) or several as a tensor; ValueError for anything else."""
    x = _channelled(image)
    if x.ndim > 4:
        raise ValueError(
            f"'image' (shape {x.shape}) must have either 3 or 4 dimensions: "
            "(height, width, channels), or several of them."
        )
    return x


def _channelled(image: Any) -> Tensor:
    x = tensor(image)
    if x.ndim < 3:
        raise ValueError(
            f"'image' (shape {x.shape}) must be at least three-dimensional. "
            "Its axes are height, width and channel."
        )
    return x


def filled_picture(image: Any) -> Tensor:
    """A picture or any number of them, of one place and channel or more; ValueError for others."""
    x = _channelled(image)
    if not all(x._array.shape[-3:]):
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {x.shape}")
    return x


def _require(holds: bool, words: str) -> None:
    if not holds:
        raise ValueError(words)


@public(group=True)
def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, name: str | None = None
) -> Tensor:
    """Every window of the pictures, its entries laid out as channels of one place."""
    x = tensor(images)
    rows, columns = sizes[1:3]
    channels = x._array.shape[-1]
    each = rows * columns * channels
    filters = reshape(eye(each, dtype=x.dtype), [rows, columns, channels, each])
    return conv2d(x, filters, strides, padding, dilations=rates)
