"""Pictures of Pillow from arrays and files, and back. Pillow is needed, as in Keras."""

from __future__ import annotations

import io
import os
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapelab.array_ops.shape_ops import transpose
from tapelab.image.interpolation import resize
from tapelab.keras import backend

MODES: Final = {"grayscale": "L", "rgb": "RGB", "rgba": "RGBA"}
"""Pillow's names of Keras's color modes."""
GRAY: Final = ("L", "I;16", "I")
"""The modes of Pillow that are gray already."""
METHODS: Final = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")
"""The ways to resize a picture while it is loaded."""


def pillow() -> Any:
    """Return the module PIL.Image; ImportError with the command that installs it."""
    try:
        return import_module("PIL.Image")
    except ImportError as error:
        raise ImportError(
            "Picture files are read and written by the package Pillow, which is not installed. "
            "Try: pip install pillow"
        ) from error


def array_to_img(
    x: Any, data_format: str | None = None, scale: bool = True, dtype: Any = None
) -> Any:
    """Return an array (height, width, channels) as a picture.

    With `scale` its smallest value becomes 0 and its largest one 255.
    """
    image = pillow()
    array = np.asarray(x, dtype=dtype or backend.floatx())
    if array.ndim != 3:
        raise ValueError(
            "Expected image array to have rank 3 (single image). "
            f"Got array with shape: {array.shape}"
        )
    if (data_format or backend.image_data_format()) == "channels_first":
        array = array.transpose(1, 2, 0)
    if scale:
        array = array - array.min()
        array = array / (array.max() or 1) * 255
    channels = array.shape[2]
    if channels not in {1, 3, 4}:
        raise ValueError(f"Unsupported channel number: {channels}")
    if channels == 1:
        gray = array[:, :, 0]
        return image.fromarray(gray.astype("int32" if gray.max() > 255 else "uint8"))
    return image.fromarray(array.astype("uint8"))


def img_to_array(img: Any, data_format: str | None = None, dtype: Any = None) -> Any:
    """Return a picture as an array (height, width, channels)."""
    array = np.asarray(img, dtype=dtype or backend.floatx())
    if array.ndim not in {2, 3}:
        raise ValueError(f"Unsupported image shape: {array.shape}")
    if array.ndim == 2:
        array = array[:, :, None]
    layout = data_format or backend.image_data_format()
    return array.transpose(2, 0, 1) if layout == "channels_first" else array


def save_img(
    path: Any, x: Any, data_format: str | None = None, file_format: str | None = None,
    scale: bool = True, **kwargs: Any,
) -> None:  # fmt: skip
    """Write an array as a picture; the format follows from the name of the file."""
    if file_format is None and isinstance(path, (str, Path)):
        file_format = Path(path).suffix[1:]
    kind = (file_format or "").lower().replace("jpg", "jpeg") or None
    picture = array_to_img(x, data_format=data_format, scale=scale)
    if picture.mode == "RGBA" and kind == "jpeg":
        warnings.warn(
            "The JPEG format does not support RGBA images, converting to RGB.", stacklevel=2
        )
        picture = picture.convert("RGB")
    picture.save(path, format=kind, **kwargs)


def load_img(
    path: Any, color_mode: str = "rgb", target_size: Any = None, interpolation: str = "nearest",
    keep_aspect_ratio: bool = False,
) -> Any:  # fmt: skip
    """Return the picture of a file, in another size (height, width) if one is given."""
    if not isinstance(path, (io.BytesIO, bytes, str, os.PathLike)):
        raise TypeError(f"path should be path-like or io.BytesIO, not {type(path)}")
    if color_mode not in MODES:
        raise ValueError('color_mode must be "grayscale", "rgb", or "rgba"')
    content = (
        path if isinstance(path, io.BytesIO) else io.BytesIO(Path(os.fsdecode(path)).read_bytes())
    )
    picture = pillow().open(content)
    if picture.mode not in (GRAY if color_mode == "grayscale" else (MODES[color_mode],)):
        picture = picture.convert(MODES[color_mode])
    size = picture.size if target_size is None else (target_size[1], target_size[0])
    if size == picture.size:
        return picture
    if interpolation not in METHODS:
        raise ValueError(
            f"Invalid interpolation method {interpolation} specified. Supported methods are "
            f"{', '.join(METHODS)}"
        )
    method = getattr(pillow().Resampling, interpolation.upper())
    box = middle(picture.size, size) if keep_aspect_ratio else None
    return picture.resize(size, method, box=box)


def smart_resize(
    x: Any, size: Any, interpolation: str = "bilinear", data_format: str = "channels_last"
) -> Any:
    """Return pictures in another size (height, width), cut to its proportions first."""
    if len(size) != 2:
        raise ValueError(f"Expected `size` to be a tuple of 2 integers, but got: {size}.")
    rank = len(np.shape(x))
    if rank not in {3, 4}:
        raise ValueError(
            "Expected an image array with shape `(height, width, channels)`, or `(batch_size, "
            "height, width, channels)`, but got input with incorrect rank, of shape "
            f"{np.shape(x)}."
        )
    first = data_format == "channels_first"
    image: Any = backend.convert_to_tensor(x)
    height, width = image.shape[-2:] if first else image.shape[-3:-1]
    left, top, right, bottom = middle((width, height), (size[1], size[0]))
    rows, columns = slice(top, bottom), slice(left, right)
    part = image[..., rows, columns] if first else image[..., rows, columns, :]
    order = [*range(rank - 3), rank - 2, rank - 1, rank - 3]  # the channels last
    resized: Any = resize(transpose(part, order) if first else part, size, method=interpolation)
    if first:
        resized = transpose(resized, [*range(rank - 3), rank - 1, rank - 3, rank - 2])
    return np.asarray(resized) if isinstance(x, np.ndarray) else resized


def middle(size: tuple[int, int], target: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return the largest box in the middle of a picture that has the proportions of another."""
    width, height = size
    across = max(min(width, height * target[0] // target[1]), 1)
    down = max(min(height, width * target[1] // target[0]), 1)
    left, top = (width - across) // 2, (height - down) // 2
    return left, top, left + across, top + down
