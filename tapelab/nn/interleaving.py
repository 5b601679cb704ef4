"""Blocks of a picture as channels of one place, and back."""

from __future__ import annotations

from typing import Any

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.errors import invalid_argument
from tapelab.nn.sliding import slid
from tapelab.ops.public import tensor
from tapelab.ops.settings import number
from tapelab.ops.shape import reshape, transpose


@public(group=True)
def depth_to_space(
    input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """The channels of each place laid out as a block of places with fewer channels."""
    raw = "DepthToSpace"
    x, side = _checked(raw, input, block_size)

    def compute(pictures: Tensor) -> Tensor:
        images, rows, columns, channels = pictures._array.shape
        if channels % side**2:
            raise invalid_argument(
                raw, f"Input depth dimension {channels} should be divisible by: {side**2}"
            )
        parts = reshape(pictures, shape=(images, rows, columns, side, side, channels // side**2))
        turned = transpose(parts, perm=(0, 1, 3, 2, 4, 5))
        made: Tensor = reshape(
            turned, shape=(images, rows * side, columns * side, channels // side**2)
        )
        return made

    return slid(raw, x, 2, data_format, compute)


@public(group=True)
def space_to_depth(
    input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Each block of places gathered into the channels of one place."""
    raw = "SpaceToDepth"
    x, side = _checked(raw, input, block_size)

    def compute(pictures: Tensor) -> Tensor:
        images, rows, columns, channels = pictures._array.shape
        if rows % side or columns % side:
            raise invalid_argument(
                raw, f"Image width {columns} and height {rows} should be divisible by "
                f"block_size: {side}",
            )  # fmt: skip
        parts = reshape(
            pictures, shape=(images, rows // side, side, columns // side, side, channels)
        )
        turned = transpose(parts, perm=(0, 1, 3, 2, 4, 5))
        made: Tensor = reshape(
            turned, shape=(images, rows // side, columns // side, side**2 * channels)
        )
        return made

    return slid(raw, x, 2, data_format, compute)


def _side(raw: str, block_size: Any) -> int:
    """The length of a block; a fraction is cut off, as TensorFlow does."""
    if isinstance(block_size, float):
        return int(block_size)
    if block_size is None or isinstance(block_size, (str, list, tuple)):
        raise TypeError(f"Expected int for argument 'block_size' not {block_size!r}.")
    return number(block_size, raw)


def _checked(raw: str, input: Any, block_size: Any) -> tuple[Tensor, int]:
    x, side = tensor(input), _side(raw, block_size)
    if side < 2:
        raise invalid_argument(
            raw, f"Value for attr 'block_size' of {side} must be at least minimum 2"
        )
    if x.ndim != 4:
        raise invalid_argument(raw, f"Input rank should be 4 instead of {x.ndim}")
    return x, side
