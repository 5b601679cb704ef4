"""Arguments of sliding windows: strides, dilations, paddings and data formats as in TensorFlow.

Convolutions, pooling and `space_to_batch` share them. Kernels know one layout: (batch, places…,
channels), with one batch axis. `on_channels_last` brings an input into it and the result back, so
that each public function computes for that layout only.

A window slides over `rank` spatial axes, 1 to 3. `raw` is the name of TensorFlow's op, which its
error messages begin with.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets
from tapelab.errors import InvalidArgumentError, UnimplementedError, invalid_argument
from tapelab.kernels.sliding_windows import Lengths, Margins, Sliding, same_margins
from tapelab.ops.integer_arguments import lengths
from tapelab.ops.shapes import reshape, transpose

FORMATS: Final = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}
"""The letters for channels last and channels first, by the number of axes to slide along."""


def on_channels_last(
    raw: str, x: Tensor, rank: int, data_format: str | None, compute: Callable[[Tensor], Tensor]
) -> Tensor:
    """Compute on images with one batch axis and channels last, in whatever format they are given.

    `compute` maps (batch, places…, channels) to the same layout; the result has the batch axes and
    the format of x. InvalidArgumentError if x has fewer than `rank + 2` axes.
    """
    first = channels_first(raw, rank, data_format)
    if x.ndim < rank + 2:
        raise invalid_argument(
            raw, f"input must be {rank + 2}-dimensional: {brackets(x._array.shape)}: picture, "
            f"{rank} ax{'i' if rank == 1 else 'e'}s to slide along, channel. Try tf.expand_dims",
        )  # fmt: skip
    batch = x._array.shape[: -rank - 1]
    flat = x if len(batch) == 1 else reshape(x, shape=(math.prod(batch), *x.shape[-rank - 1 :]))
    y = compute(channels_moved_last(flat) if first else flat)
    y = channels_moved_first(y) if first else y
    return y if len(batch) == 1 else reshape(y, shape=(*batch, *y._array.shape[1:]))


def channels_first(raw: str, rank: int, data_format: str | None) -> bool:
    """Whether a data format puts channels before the places; InvalidArgumentError if unknown."""
    last, first = FORMATS[rank]
    if data_format not in {None, last, first}:
        raise invalid_argument(
            raw, f"Value for attr 'data_format' of \"{data_format}\" is not in the list of "
            f'allowed values: "{last}", "{first}"',
        )  # fmt: skip
    return data_format == first


def channels_moved_last(x: Tensor) -> Tensor:
    """Transpose (batch, channels, places…) to (batch, places…, channels)."""
    moved: Tensor = transpose(x, perm=(0, *range(2, x.ndim), 1))
    return moved


def channels_moved_first(x: Tensor) -> Tensor:
    """Transpose (batch, places…, channels) to (batch, channels, places…)."""
    moved: Tensor = transpose(x, perm=(0, x.ndim - 1, *range(1, x.ndim - 1)))
    return moved


def sliding(
    raw: str, length: Lengths, size: Lengths, strides: Any, padding: Any, dilations: Any = None,
    *, first: bool = False,
) -> Sliding:  # fmt: skip
    """How a window slides over axes of some lengths; InvalidArgumentError if it does not fit."""
    rank = len(length)
    steps = per_axis(raw, "strides", strides, rank, first=first)
    apart = per_axis(raw, "dilations", 1 if dilations is None else dilations, rank, first=first)
    how = Sliding(size, steps, apart, _margins(raw, length, size, steps, apart, padding, first))
    for reach, n, margin in zip(how.reach, length, how.margins, strict=True):
        if reach > n + sum(margin):
            raise invalid_argument(
                raw, f"Computed output size would be negative: a window of {brackets(size)} "
                f"does not fit into a picture of {brackets(length)}. Try a smaller window, or "
                'padding="SAME"',
            )  # fmt: skip
    return how


def per_axis(raw: str, what: str, value: Any, rank: int, *, first: bool = False) -> Lengths:
    """The strides or dilations of the spatial axes.

    TensorFlow takes one number for all of them, one for each, or `rank + 2` with those of batch and
    channels, which must be 1 (UnimplementedError). ValueError for another length.
    """
    given = lengths(value, raw)
    if len(given) not in {1, rank, rank + 2}:
        raise ValueError(
            f"{what} should be of length 1, {rank} or {rank + 2}. Received: {what}={value} of "
            f"length {len(given)}"
        )
    if len(given) == rank + 2:
        outside = (given[0], given[1 if first else -1])
        given = given[2:] if first else given[1:-1]
        if outside != (1, 1):
            raise UnimplementedError(
                None, raw, f"Current implementation does not yet support {what} in the batch and "
                f"depth dimensions. There {what} must be 1, not {outside}. [Op:{raw}]",
            )  # fmt: skip
    if min(given) < 1:
        word = "Stride" if what == "strides" else what
        raise invalid_argument(raw, f"{word} must be > 0, but got {min(given)}")
    return tuple(given) * rank if len(given) == 1 else tuple(given)


def _margins(
    raw: str, length: Lengths, size: Lengths, strides: Lengths, dilations: Lengths, padding: Any,
    first: bool,
) -> Margins:  # fmt: skip
    if not isinstance(padding, str):
        pairs = [lengths(each, raw) for each in padding]
        inside = pairs[2:] if first else pairs[1:-1]
        return tuple((before, after) for before, after in inside)
    if padding == "SAME":
        return same_margins(length, size, strides, dilations)
    if padding == "VALID":
        return tuple((0, 0) for _ in length)
    raise InvalidArgumentError(
        None, raw, f"Value for attr 'padding' of \"{padding}\" is not in the list of allowed "
        'values: "SAME", "VALID", "EXPLICIT". To say the margins yourself, give a list of pairs.',
    )  # fmt: skip
