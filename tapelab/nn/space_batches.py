"""Blocks of space moved into the batch or into channels, and back, as dilated windows need it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapelab.array_ops.shape_ops import pad
from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets
from tapelab.errors import invalid_argument
from tapelab.nn.window_arguments import on_channels_last
from tapelab.ops.integer_arguments import number, whole
from tapelab.ops.public import tensor
from tapelab.ops.shapes import reshape, transpose
from tapelab.ops.slices import strided_slice


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
        rearranged: Tensor = reshape(
            turned, shape=(images, rows * side, columns * side, channels // side**2)
        )
        return rearranged

    return on_channels_last(raw, x, 2, data_format, compute)


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
        rearranged: Tensor = reshape(
            turned, shape=(images, rows // side, columns // side, side**2 * channels)
        )
        return rearranged

    return on_channels_last(raw, x, 2, data_format, compute)


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


@public(group=True)
def space_to_batch_nd(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> Tensor:
    """Blocks of space laid out along the batch: each example becomes one per place in a block."""
    raw = "SpaceToBatchND"
    x, blocks = tensor(input), _blocks(raw, block_shape)
    edges = _edges(raw, "paddings", paddings, len(blocks))
    _require_rank(raw, x.ndim, len(blocks))
    space = len(blocks)
    padded = pad(x, [[0, 0], *edges.tolist(), *([[0, 0]] * (x.ndim - 1 - space))])
    batch, *sizes = padded._array.shape
    for at, (size, block) in enumerate(zip(sizes, blocks, strict=False)):
        if size % block:
            raise invalid_argument(
                raw, f"padded_shape[{at}]={size} is not divisible by block_shape[{at}]={block}"
            )
    rest = tuple(sizes[space:])
    cells = [part for n, block in zip(sizes, blocks, strict=False) for part in (n // block, block)]
    apart = reshape(padded, shape=(batch, *cells, *rest))
    inner, outer = range(2, 2 * space + 1, 2), range(1, 2 * space, 2)
    moved = transpose(apart, perm=(*inner, 0, *outer, *range(2 * space + 1, apart.ndim)))
    rearranged: Tensor = reshape(moved, shape=(batch * math.prod(blocks), *cells[::2], *rest))
    return rearranged


space_to_batch = space_to_batch_nd


@public(group=True)
def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Examples of a batch put back as blocks of space; what was padded is cut off again."""
    raw = "BatchToSpaceND"
    sides = whole(block_shape, raw)
    x, blocks = tensor(input), _blocks(raw, sides if sides.ndim else [int(sides)] * 2)
    _require_rank(raw, x.ndim, len(blocks))
    edges = _edges(raw, "crops", crops, len(blocks))
    space, every = len(blocks), math.prod(blocks)
    batch, *sizes = x._array.shape
    if batch % every:
        raise invalid_argument(
            raw, f"Input batch dimension ({batch}) is not divisible by product of block sizes "
            f"({every})",
        )  # fmt: skip
    apart = reshape(x, shape=(*blocks, batch // every, *sizes))
    order = [axis for at in range(space) for axis in (space + 1 + at, at)]
    moved = transpose(apart, perm=(space, *order, *range(2 * space + 1, apart.ndim)))
    lengths = [n * block for n, block in zip(sizes, blocks, strict=False)]
    joined = reshape(moved, shape=(batch // every, *lengths, *sizes[space:]))
    cropped: Tensor = strided_slice(joined, key=(slice(None), *_kept(raw, lengths, edges.tolist())))
    return cropped


def _kept(raw: str, lengths: list[int], edges: list[list[int]]) -> list[slice]:
    kept = []
    for at, (length, (start, end)) in enumerate(zip(lengths, edges, strict=True)):
        left = length - start - end
        if left < 0:
            raise invalid_argument(raw, f"cropped_shape[{at}]={left} must be non-negative")
        kept.append(slice(start, length - end))
    return kept


@public
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings with which blocks fit into a space, and the crops that undo what was added."""
    sizes, blocks = whole(input_shape, "SpaceToBatchND"), whole(block_shape, "SpaceToBatchND")
    given = np.zeros((sizes.size, 2)) if base_paddings is None else whole(base_paddings, "Pad")
    start, end = given[:, 0], given[:, 1]
    extra = (-(sizes + start + end)) % blocks
    pads = np.stack([start, end + extra], axis=1).astype(np.int32)
    crops = np.stack([np.zeros_like(extra), extra], axis=1).astype(np.int32)
    return new_constant(pads, None), new_constant(crops, None)


def _blocks(raw: str, given: Any) -> list[int]:
    sizes: list[int] = np.ravel(whole(given, raw)).tolist()
    for at, each in enumerate(sizes):
        if each < 1:
            raise invalid_argument(
                raw, f"All values in block_shape must be positive, got value, {each} at index {at}."
            )
    return sizes


def _edges(raw: str, word: str, given: Any, count: int) -> Any:
    edges = whole(given, raw)
    if edges.shape != (count, 2):
        raise invalid_argument(
            raw, f"{word} should have shape [{count}, 2] instead of {brackets(edges.shape)}"
        )
    if np.any(edges < 0):
        raise invalid_argument(raw, f"{word.capitalize()} must be non-negative")
    return edges


def _require_rank(raw: str, rank: int, space: int) -> None:
    if rank < 1 + space:
        raise invalid_argument(raw, f"input rank should be >= {1 + space} instead of {rank}")
