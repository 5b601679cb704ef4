"""Edges in images, total variation, and the similarity of two images: PSNR and SSIM."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.array_ops.shape_ops import concat, expand_dims, pad, reshape, squeeze
from tapelab.core.dispatch import public
from tapelab.core.text_forms import brackets
from tapelab.errors import invalid_argument
from tapelab.image.colours import convert_image_dtype
from tapelab.nn.convolutions import depthwise_conv2d
from tapelab.ops import powers, reduce_ops
from tapelab.ops.powers import log
from tapelab.ops.public import matched, tensor

SOBEL: Final = ([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
"""How rows and columns change around a place; Sobel & Feldman (1968)."""


@public(group=True)
def sobel_edges(image: Any) -> Any:
    """How fast each channel changes from row to row and from column to column."""
    x = tensor(image)
    if x.ndim != 4:
        raise invalid_argument(
            "MirrorPad", "The first dimension of paddings must be the rank of inputs[4,2], "
            f"{brackets(x._array.shape)}: pictures have the axes image, row, column and channel. "
            "Try image[tf.newaxis]",
        )  # fmt: skip
    images, rows, columns, channels = x._array.shape
    filters = np.array(SOBEL).astype(x._array.dtype).transpose(1, 2, 0)[:, :, None, :]
    padded = pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    edges = depthwise_conv2d(padded, np.tile(filters, (1, 1, channels, 1)), [1, 1, 1, 1], "VALID")
    return reshape(edges, [images, rows, columns, channels, 2])


@public(group=True)
def image_gradients(image: Any) -> tuple[Any, Any]:
    """The differences of each place to the next row and to the next column; the last are 0."""
    x: Any = tensor(image)
    if x.ndim != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {x.shape}."
        )
    images, rows, columns, channels = x._array.shape
    dtype = x._array.dtype
    down = concat(
        [x[:, 1:] - x[:, :-1], np.zeros((images, min(rows, 1), columns, channels), dtype)], 1
    )
    across = concat(
        [x[:, :, 1:] - x[:, :, :-1], np.zeros((images, rows, min(columns, 1), channels), dtype)], 2
    )
    return down, across


@public(group=True)
def total_variation(images: Any, name: str | None = None) -> Any:
    """The sum of all differences between neighbours: how rough pictures are."""
    x: Any = tensor(images)
    if x.ndim not in {3, 4}:
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    axes = tuple(range(x.ndim - 3, x.ndim))
    down = abs(x[..., 1:, :, :] - x[..., :-1, :, :])
    across = abs(x[..., :, 1:, :] - x[..., :, :-1, :])
    sums: list[Any] = [
        reduce_ops.reduce_sum(each, axis=axes, keepdims=False) for each in (down, across)
    ]
    return sums[0] + sums[1]


@public(group=True)
def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """The ratio of the peak to the mean squared difference of two pictures, in decibels."""
    x, y, peak = _alike(a, b, max_val)
    axes = tuple(range(x.ndim - 3, x.ndim))
    mse: Any = reduce_ops.reduce_mean(powers.squared_difference(x, y), axis=axes, keepdims=False)
    tens = 1.0 / np.log(10.0)
    return log(tensor(peak)) * (20.0 * tens) - log(mse) * (10.0 * tens)


@public(group=True)
def ssim(
    img1: Any, img2: Any, max_val: Any, filter_size: int = 11, filter_sigma: float = 1.5,
    k1: float = 0.01, k2: float = 0.03, return_index_map: bool = False,
) -> Any:  # fmt: skip
    """How like two pictures look, 1 where they are the same.

    Wang, Bovik, Sheikh & Simoncelli, IEEE Trans. Image Processing 13 (2004).
    """
    x, y, peak = _alike(img1, img2, max_val)
    if min(x._array.shape[-3:-1]) < filter_size:
        raise invalid_argument(
            "Assert", f"Each side of the pictures must be at least filter_size={filter_size}; "
            f"these have shape {x.shape}",
        )  # fmt: skip
    window = _bell(filter_size, filter_sigma, x._array.shape[-1], x._array.dtype)

    def local(z: Any) -> Any:
        pictures = z if z.ndim == 4 else expand_dims(z, 0)
        return depthwise_conv2d(pictures, window, [1, 1, 1, 1], "VALID")

    low, high = (k1 * peak) ** 2, (k2 * peak) ** 2
    means = local(x), local(y)
    both, each = means[0] * means[1], powers.square(means[0]) + powers.square(means[1])
    lightness = (both * 2.0 + low) / (each + low)
    spread = local(powers.square(x) + powers.square(y))
    structure = (local(x * y) * 2.0 - both * 2.0 + high) / (spread - each + high)
    index: Any = lightness * structure
    axes = (3,) if return_index_map else (1, 2, 3)
    similarity = reduce_ops.reduce_mean(index, axis=axes, keepdims=False)
    return similarity if x.ndim == 4 else squeeze(similarity, 0)


def _bell(size: int, sigma: float, channels: int, dtype: Any) -> Any:
    row = np.exp(-((np.arange(size) - (size - 1) / 2) ** 2) / (2 * sigma**2))
    window = np.outer(row, row)
    window = (window / window.sum())[:, :, None, None]
    return np.tile(window, (1, 1, channels, 1)).astype(dtype)


def _alike(a: Any, b: Any, max_val: Any) -> tuple[Any, Any, float]:
    """Two pictures of one shape as floats, and the peak in the same measure."""
    x, y = matched(a, b)
    if x._array.shape[-3:] != y._array.shape[-3:]:
        raise ValueError(f"The pictures differ in shape: {x.shape} and {y.shape}.")
    peak = float(tensor(max_val))
    if x.dtype.is_integer:
        peak /= float(x.dtype.max)
    one, other = (
        z if z.dtype.is_floating else convert_image_dtype(z, np.dtype(np.float32)) for z in (x, y)
    )
    return one, other, peak
