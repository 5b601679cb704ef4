"""The base of layers that change images at random, with what belongs to the images.

A layer is called with images, one image, or a dict of `images`, `labels`, `bounding_boxes` and
`segmentation_masks`. It draws a transformation once, and applies it to all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tapelab.array_ops import shape_ops, value_ops
from tapelab.core.dispatch import public
from tapelab.keras import backend, random
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.layer import BuiltInLayer
from tapelab.keras.layers.window_shapes import layout_of
from tapelab.keras.random import SeedGenerator

Transformation = Any
"""What a layer draws, and applies to images, labels, boxes and masks."""


class ImageLayer(BuiltInLayer):
    """Changes images, and what is in the same dict."""

    data_format: str = setting(None, convert=layout_of)
    bounding_box_format: Any = setting(None)
    factor: Any
    seed: int | None
    value_range: Any
    factor_bounds: ClassVar[tuple[float, float]] = (-1, 1)
    supports_masking = False
    _moves_pixels = False
    _subclass_settings_before = "data_format"

    def __post_init__(self) -> None:
        if "factor" in self._settings:
            self._set_factor(self.factor)
        if "seed" in self._settings:
            self.generator = SeedGenerator(self.seed)

    def _set_factor(self, factor: Any) -> None:
        """Store the range from which a factor is drawn; a number stands for both directions."""
        self.factor = factor_range(factor, "factor", self.factor_bounds)

    def get_random_transformation(
        self, data: Any, training: bool = True, seed: Any = None
    ) -> Transformation:
        """Return what is drawn for the images; None if nothing is."""

    def transform_images(
        self, images: Any, transformation: Transformation, training: bool = True
    ) -> Any:
        """Return the changed images."""
        raise NotImplementedError

    def transform_labels(
        self, labels: Any, transformation: Transformation, training: bool = True
    ) -> Any:
        """Return the labels of the changed images: the same, unless images are mixed."""
        return labels

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Transformation, training: bool = True
    ) -> Any:
        """Return the boxes in the changed images: the same, unless pixels move."""
        return bounding_boxes

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Transformation, training: bool = True
    ) -> Any:
        """Return the masks of the changed images: the same, unless pixels move."""
        if not self._moves_pixels:
            return segmentation_masks
        return self.transform_images(segmentation_masks, transformation, training)

    def transform_single_image(
        self, image: Any, transformation: Transformation, training: bool = True
    ) -> Any:
        """Return a changed image."""
        return _single(self.transform_images, image, transformation, training=training)

    @public(if_shape_is_open=True)
    def call(self, data: Any, training: bool = True) -> Any:
        """Return the changed images, or a dict of all that belongs to them."""
        images = images_in(data)
        rank_of(images)
        single = images.ndim == 3
        drawn = self.get_random_transformation(data, training=training)

        def changed(change: Callable[..., Any], value: Any) -> Any:
            run = _single if single else _whole
            return run(change, value, drawn, training=training)

        if not isinstance(data, dict):
            return changed(self.transform_images, data)
        if "bounding_boxes" in data and not self.bounding_box_format:
            kind = type(self).__name__
            raise ValueError(
                "You passed an input with a 'bounding_boxes' key, but you didn't specify a "
                f"bounding box format. Pass a `bounding_box_format` argument to your {kind} layer, "
                "e.g. `bounding_box_format='xyxy'`."
            )
        changes = {
            "images": self.transform_images,
            "bounding_boxes": self.transform_bounding_boxes,
            "labels": self.transform_labels,
            "segmentation_masks": self.transform_segmentation_masks,
        }
        return {key: changed(changes[key], value) if key in changes else value
                for key, value in data.items()}  # fmt: skip

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of the images."""
        return input_shape

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal layer."""
        config = super().get_config()
        if self.bounding_box_format is None:
            config.pop("bounding_box_format", None)
        return config

    def _uniform(self, data: Any, span: Any, seed: Any, *, axes: int = 0, dtype: Any = None) -> Any:
        """Return a number for each image, with so many axes of size 1 behind."""
        shape = (batch_size_of(images_in(data)), *(1,) * axes)
        low, high = span
        return random.uniform(shape, low, high, dtype, self._seed(seed))

    def _seed(self, seed: Any) -> Any:
        return self.generator if seed is None else seed

    def _cast(self, x: Any) -> Any:
        return backend.convert_to_tensor(x, self.compute_dtype)

    def _channels_last(self, images: Any) -> Any:
        """Return images with the channels as the last axis."""
        return images if self.data_format == "channels_last" else _moved(images, -3, -1)

    def _channels_back(self, images: Any) -> Any:
        """Return images with the channels where the layer has them."""
        return images if self.data_format == "channels_last" else _moved(images, -1, -3)

    def _sizes(self, images: Any) -> tuple[int, int]:
        """Return the height and the width of images."""
        first = -3 if self.data_format == "channels_last" else -2
        return int(images.shape[first]), int(images.shape[first + 1])

    def _in_range(self, images: Any, source: Any, target: Any) -> Any:
        """Return values of a range as those of another one."""
        if tuple(source) == tuple(target):
            return images
        low, high = source
        share = (self._cast(images) - low) / (high - low)
        return share * (target[1] - target[0]) + target[0]

    def _clipped(self, images: Any) -> Any:
        """Return images whose values are in the range of the layer."""
        low, high = (float(each) for each in self.value_range)
        return value_ops.clip_by_value(images, low, high)


def images_in(data: Any) -> Any:
    """Return the images of a dict; images are returned themselves."""
    return data["images"] if isinstance(data, dict) else data


def rank_of(images: Any) -> int:
    """Return the rank of images: 3 for one, 4 for several; ValueError for others."""
    rank = len(images.shape)
    if rank not in {3, 4}:
        raise ValueError(
            "Expected the input image to be rank 3 or 4. Received inputs.shape="
            f"{tuple(images.shape)}"
        )
    return rank


def batch_size_of(images: Any) -> int:
    """Return the number of images."""
    return 1 if rank_of(images) == 3 else int(images.shape[0])


def factor_range(
    factor: Any, name: str, bounds: tuple[float, float], *, says: str = ""
) -> tuple[float, float]:
    """Return a range of factors; a number stands for the range around 0 that the bounds allow."""
    low, high = bounds
    message = says or (
        f"The `{name}` argument should be a number (or a list of two numbers) in the range "
        f"[{low}, {high}]. "
    )
    is_pair = isinstance(factor, (tuple, list))
    pair = tuple(sorted(factor)) if is_pair else (factor,)
    numbers = all(isinstance(each, (int, float)) for each in pair)
    if not numbers or len(pair) != 1 + is_pair or pair[0] < low or pair[-1] > high:
        raise ValueError(f"{message}Received: {name}={factor}")
    return pair if is_pair else (max(-abs(factor), low), abs(factor))


def sorted_range(value_range: Any) -> list[float]:
    """Return the smallest and the largest value of a pixel; ValueError unless there are two."""
    if not isinstance(value_range, (tuple, list)) or len(value_range) != 2:
        raise ValueError(
            "The `value_range` argument should be a list of two numbers. "
            f"Received: value_range={value_range}"
        )
    return sorted(value_range)


def _whole(change: Callable[..., Any], value: Any, drawn: Any, *, training: bool) -> Any:
    return change(_tensors(value), drawn, training=training)


def _single(change: Callable[..., Any], value: Any, drawn: Any, *, training: bool) -> Any:
    """What a change of batches makes of one example."""
    batch = _each(lambda part: shape_ops.expand_dims(part, 0), _tensors(value))
    return _each(lambda part: shape_ops.squeeze(part, 0), change(batch, drawn, training=training))


def _tensors(value: Any) -> Any:
    return _each(backend.convert_to_tensor, value)


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    """A tensor, or the tensors of a dict, after a function."""
    if isinstance(value, dict):
        return {key: function(part) for key, part in value.items()}
    return function(value)


def _moved(images: Any, axis: int, to: int) -> Any:
    order = [*range(images.ndim)]
    order.insert(to % images.ndim, order.pop(axis % images.ndim))
    return shape_ops.transpose(images, order)
