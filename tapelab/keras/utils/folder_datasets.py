"""Datasets of the files of a folder: pictures, texts and sounds, labelled by their classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapelab.audio import decoded
from tapelab.data.dataset import Dataset
from tapelab.data.dataset_elements import spec
from tapelab.dtypes import float32, string, uint8
from tapelab.image.interpolation import resize, resize_with_pad
from tapelab.keras import backend
from tapelab.keras.utils.class_folders import (
    FolderRequest,
    LabelledFiles,
    labelled_dataset,
    refuse_grain,
)
from tapelab.keras.utils.pictures import load_img, middle, pillow
from tapelab.ragged.ragged_tensor import RaggedTensor

CHANNELS: Final = {"grayscale": 1, "rgb": 3, "rgba": 4}
METHODS: Final = (
    *("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian"),
    "mitchellcubic",
)
"""How pictures are resized."""


def image_dataset_from_directory(
    directory: Any, labels: Any = "inferred", label_mode: str | None = "int",
    class_names: Any = None, color_mode: str = "rgb", batch_size: int | None = 32,
    image_size: Any = (256, 256), shuffle: bool = True, seed: int | None = None,
    validation_split: float | None = None, subset: str | None = None,
    interpolation: str = "bilinear", follow_links: bool = False,
    crop_to_aspect_ratio: bool = False, pad_to_aspect_ratio: bool = False,
    data_format: str | None = None, format: str = "tf", verbose: bool = True,
) -> Any:  # fmt: skip
    """Return the pictures of a folder as batches (batch, height, width, channels) with labels."""
    request = FolderRequest(
        directory, labels, label_mode, class_names, batch_size, shuffle, seed, validation_split,
        subset, follow_links, verbose, (".bmp", ".gif", ".jpeg", ".jpg", ".png"), "image",
        format,
    )  # fmt: skip
    request.check()
    if color_mode not in CHANNELS:
        raise ValueError(
            '`color_mode` must be one of {"rgb", "rgba", "grayscale"}. '
            f"Received: color_mode={color_mode}"
        )
    size = (image_size, image_size) if isinstance(image_size, int) else image_size
    if not isinstance(size, (list, tuple)) or len(size) != 2:
        raise ValueError(
            "Invalid `image_size` value. Expected a tuple of 2 integers. "
            f"Received: image_size={image_size}"
        )
    if interpolation.lower() not in METHODS:
        raise ValueError(
            f"Argument `interpolation` should be one of {METHODS}. "
            f"Received: interpolation={interpolation.lower()}"
        )
    if crop_to_aspect_ratio and pad_to_aspect_ratio:
        raise ValueError(
            "Only one of `pad_to_aspect_ratio`, `crop_to_aspect_ratio` can be set to `True`."
        )
    pillow()
    first = (data_format or backend.image_data_format()) == "channels_first"

    def load(path: str) -> Any:
        picture = np.asarray(load_img(path, color_mode))
        picture = picture[:, :, None] if picture.ndim == 2 else picture
        if crop_to_aspect_ratio:
            left, top, right, bottom = middle(picture.shape[1::-1], (size[1], size[0]))
            picture = picture[top:bottom, left:right]
        sized = (
            resize_with_pad(picture, size[0], size[1], interpolation)
            if pad_to_aspect_ratio
            else (resize(picture, size, method=interpolation.lower()))
        )
        array = np.asarray(sized._value)
        return array.transpose(2, 0, 1) if first else array

    channels = CHANNELS[color_mode]
    shape = (channels, *size) if first else (*size, channels)
    kind = uint8 if interpolation.lower() == "nearest" else float32
    return _datasets(request, load, spec(shape, kind), _batched)


def text_dataset_from_directory(
    directory: Any, labels: Any = "inferred", label_mode: str | None = "int",
    class_names: Any = None, batch_size: int | None = 32, max_length: int | None = None,
    shuffle: bool = True, seed: int | None = None, validation_split: float | None = None,
    subset: str | None = None, follow_links: bool = False, format: str = "tf",
    verbose: bool = True,
) -> Any:  # fmt: skip
    """Return the text files of a folder as batches of strings with labels.

    `max_length` is the number of bytes that are kept of each.
    """
    request = FolderRequest(
        directory, labels, label_mode, class_names, batch_size, shuffle, seed, validation_split,
        subset, follow_links, verbose, (".txt",), "text", format,
    )  # fmt: skip
    request.check()

    def load(path: str) -> Any:
        return np.array(Path(path).read_bytes()[:max_length], object)

    return _datasets(request, load, spec((), string), _batched)


def audio_dataset_from_directory(
    directory: Any, labels: Any = "inferred", label_mode: str | None = "int",
    class_names: Any = None, batch_size: int | None = 32, sampling_rate: int | None = None,
    output_sequence_length: int | None = None, ragged: bool = False, shuffle: bool = True,
    seed: int | None = None, validation_split: float | None = None, subset: str | None = None,
    follow_links: bool = False, verbose: bool = True,
) -> Any:  # fmt: skip
    """Return the WAV files of a folder as batches (batch, samples, channels) with labels.

    Sounds of different lengths are filled up with zeros, cut to `output_sequence_length`, or rows
    of a ragged tensor.
    """
    request = FolderRequest(
        directory, labels, label_mode, class_names, batch_size, shuffle, seed, validation_split,
        subset, follow_links, verbose, (".wav",), "audio",
    )  # fmt: skip
    request.check()
    if ragged and output_sequence_length is not None:
        raise ValueError("Cannot set both `ragged` and `output_sequence_length`")
    _check_rate(sampling_rate)

    def load(path: str) -> Any:
        sound, _ = decoded(Path(path).read_bytes(), samples=output_sequence_length)
        return sound

    def batches(dataset: Dataset, size: int | None) -> Dataset:
        if ragged:
            dataset = dataset.map(_with_ragged_rows)
        padded = output_sequence_length is None and not ragged
        if size is None:
            return dataset
        return dataset.padded_batch(size) if padded else dataset.batch(size)

    return _datasets(request, load, spec((output_sequence_length, None), float32), batches)


def _with_ragged_rows(sound: Any, *label: Any) -> Any:
    rows = RaggedTensor.from_tensor(sound)
    return (rows, *label) if label else rows


def _check_rate(sampling_rate: Any) -> None:
    if sampling_rate is None:
        return
    if not isinstance(sampling_rate, int):
        raise ValueError(
            f"`sampling_rate` should have an integer value. Received: sampling_rate={sampling_rate}"
        )
    if sampling_rate <= 0:
        raise ValueError(
            f"`sampling_rate` should be higher than 0. Received: sampling_rate={sampling_rate}"
        )
    raise ImportError(
        "To use the argument `sampling_rate`, you should install tensorflow_io. tapelab does not "
        "resample sounds: convert the files before."
    )


def _batched(dataset: Dataset, size: int | None) -> Dataset:
    return dataset if size is None else dataset.batch(size)


def _datasets(
    request: FolderRequest, load: Callable[[str], Any], loaded_spec: Any,
    batches: Callable[[Dataset, int | None], Dataset],
) -> Any:  # fmt: skip
    """The Dataset of the wanted part, or those of both parts."""
    seed = request.start_seed
    results = []
    parts = request.files(seed)
    refuse_grain(request.format)
    for at, files in enumerate(parts):
        order = seed if request.shuffle and at == 0 else None
        dataset = labelled_dataset(files, request, load, loaded_spec, order)
        dataset = batches(dataset, request.batch_size)
        results.append(_described(dataset.prefetch(-1), files))
    if request.subset != "both":
        return results[0]
    return results if request.what == "image" else tuple(results)


def _described(dataset: Dataset, files: LabelledFiles) -> Dataset:
    """The Dataset with the names of the classes and the paths of the files, for a reader."""
    dataset.__dict__.update(class_names=files.class_names, file_paths=files.paths)
    return dataset
