"""Layers that mix images with others at random, or erase a part of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import math
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.array_ops.gather_ops import gather
from tapelab.keras import random
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.image_colors import BYTE
from tapelab.keras.layers.image_layers import ImageLayer, batch_size_of, factor_range, images_in


class MixUp(ImageLayer):
    """Averages each image with another one, and their labels with the same weights."""

    alpha: float = setting(0.2)
    seed: int | None = setting(None, before="bounding_box_format")

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return the partner of each image, and the weight of the image itself."""
        count = batch_size_of(images_in(data))
        order = random.shuffle(creation.range(count, dtype="int64"), seed=self._seed(seed))
        weight = random.beta((count,), self.alpha, self.alpha, seed=self._seed(seed))
        return {"mix_weight": weight, "permutation_order": order}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return the means of images."""
        if not training:
            return images
        return _mixed(self._cast(images), transformation, (-1, 1, 1, 1))

    def transform_labels(self, labels: Any, transformation: Any, training: bool = True) -> Any:
        """Return the means of labels."""
        return _mixed(labels, transformation, (-1, 1)) if training else labels

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        """Return the boxes of both images."""
        if not training:
            return bounding_boxes
        order = transformation["permutation_order"]
        return {
            key: shape_ops.concat([value, gather(value, order)], 1 if key == "boxes" else 0)
            for key, value in bounding_boxes.items()
        }


def _mixed(values: Any, transformation: Any, shape: tuple[int, ...]) -> Any:
    """Weighted means of examples and their partners; `shape` is that of the weights."""
    x: Any = values if values.dtype.is_floating else value_ops.cast(values, "float32")
    weight: Any = shape_ops.reshape(value_ops.cast(transformation["mix_weight"], x.dtype), shape)
    others = gather(x, transformation["permutation_order"])
    return weight * x + (1.0 - weight) * others


class _Cut(ImageLayer):
    """Replaces a box in images; what replaces it is up to a subclass."""

    factor_bounds = (0, 1)

    def _bounds(self, count: int, size: int, share: Any, seed: Any) -> tuple[Any, Any]:
        """The first and the last place of boxes that cover a share of an axis."""
        length: Any = self._cast(share * float(size))
        drawn: Any = random.uniform([count], 0, 1, self.compute_dtype, self._seed(seed))
        start = drawn * (float(size) - length)
        return start, start + length

    def _box(self, images: Any, x: tuple[Any, Any], y: tuple[Any, Any]) -> Any:
        """Where the boxes are, in the shape of the images."""
        height, width = self._sizes(images)
        last = self.data_format == "channels_last"
        inside: Any = None
        for size, (start, end), axis in ((height, y, 1), (width, x, 2)):
            shape = [1, 1, 1, 1]
            shape[axis if last else axis + 1] = size
            place: Any = shape_ops.reshape(self._cast(creation.range(size)), shape)
            first, behind = (shape_ops.reshape(each, (-1, 1, 1, 1)) for each in (start, end))
            fits = math.logical_and(place >= first, place < behind)
            inside = fits if inside is None else math.logical_and(inside, fits)
        repeats = [1, 1, 1, 1]
        channels = -1 if last else -3
        repeats[channels] = int(images.shape[channels])
        return shape_ops.tile(inside, repeats)


class CutMix(_Cut):
    """Puts a box of another image into each image, and mixes their labels by its size."""

    factor: Any = setting(1.0)
    seed: int | None = setting(None)
    _moves_pixels = True

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return the partners, the boxes, and the share of each image that stays."""
        images = images_in(data)
        if not training or images.ndim == 3:
            return None
        count, (height, width) = int(images.shape[0]), self._sizes(images)
        dtype, source = self.compute_dtype, self._seed(seed)
        low, high = self.factor
        drawn: Any = random.uniform((), low, high, dtype, source)
        alpha = drawn + 1e-6
        weight: Any = random.beta((count,), alpha, alpha, dtype, source)
        share = math.sqrt(1.0 - weight)
        x = self._bounds(count, width, share, seed)
        y = self._bounds(count, height, share, seed)
        area = (x[1] - x[0]) * (y[1] - y[0])
        kept = shape_ops.reshape(1.0 - area / float(width * height), (-1, 1, 1, 1))
        order = random.shuffle(creation.range(count, dtype="int32"), seed=source)
        return {"permutation_order": order, "batch_masks": self._box(images, x, y),
                "mix_weight": kept}  # fmt: skip

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return images with a box of another one."""
        x = self._cast(images)
        if not training or transformation is None:
            return x
        others = gather(x, transformation["permutation_order"])
        return value_ops.where(transformation["batch_masks"], others, x)

    def transform_labels(self, labels: Any, transformation: Any, training: bool = True) -> Any:
        """Return the means of labels, by the sizes of the boxes."""
        if not training or transformation is None:
            return labels
        return _mixed(labels, transformation, (-1, 1))

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        """Raise NotImplementedError: a box of a mixed image may be cut in two."""
        raise NotImplementedError


class RandomErasing(_Cut):
    """Replaces a box in some images by noise, or by a value."""

    factor: Any = setting(1.0)
    scale: Any = setting((0.02, 0.33))
    fill_value: Any = setting(None)
    value_range: Any = setting(BYTE)
    seed: int | None = setting(None)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.scale = factor_range(self.scale, "scale", self.factor_bounds)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return which images get a box, the boxes, and what is in them."""
        if not training:
            return None
        images = images_in(data)
        count, (height, width) = batch_size_of(images), self._sizes(images)
        low, high = self.scale
        drawn = random.uniform((count, 2), low, high, self.compute_dtype, self._seed(seed))
        share: Any = math.sqrt(drawn)
        x = self._bounds(count, width, share[:, 0], seed)
        y = self._bounds(count, height, share[:, 1], seed)
        box = self._box(images, x, y)
        probability: Any = self._uniform(data, self.factor, seed)
        chosen = self._uniform(data, (0.0, 1.0), seed) < probability
        fill = self._fill(images, seed)
        return {"apply_erasing": chosen, "batch_masks": box, "fill_value": fill}

    def _fill(self, images: Any, seed: Any) -> Any:
        value, shape = self.fill_value, tuple(images.shape)
        if value is None:
            noise: Any = random.normal(shape, dtype=self.compute_dtype, seed=self._seed(seed))
            return self._clipped(noise * float(self.value_range[1]))
        sizes = np.shape(value) if isinstance(value, (tuple, list, int, float)) else None
        if sizes not in {(), (3,)}:
            raise ValueError(
                "The `fill_value` argument should be a number (or a list of three numbers) "
            )
        return self._clipped(shape_ops.broadcast_to(self._cast(value), shape))

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return the images, some of them with a box."""
        x = self._cast(images)
        if not training:
            return x
        erased = value_ops.where(transformation["batch_masks"], transformation["fill_value"], x)
        chosen = shape_ops.reshape(transformation["apply_erasing"], (-1, 1, 1, 1))
        return value_ops.where(chosen, erased, x)
