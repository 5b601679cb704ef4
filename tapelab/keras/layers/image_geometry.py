"""Layers that move the pixels of images at random: flips, crops, rotations, shifts, zooms."""

from __future__ import annotations

from math import pi
from typing import Any

from tapelab import math
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.keras import projective_images, random
from tapelab.keras.class_settings import END, setting
from tapelab.keras.layers.image_layers import (
    ImageLayer,
    batch_size_of,
    factor_range,
    images_in,
)
from tapelab.keras.layers.image_sizes import resized
from tapelab.keras.utils import bounding_boxes as boxes


class RandomFlip(ImageLayer):
    """Flips some images from left to right, from top to bottom, or both."""

    mode: str = setting("horizontal_and_vertical")
    seed: int | None = setting(None)
    _moves_pixels = True

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return which images are flipped."""
        if not training:
            return None
        images = images_in(data)
        ones = (1,) * 3
        shape = ones if images.ndim == 3 else (int(images.shape[0]), *ones)
        drawn: Any = random.uniform(shape, seed=self._seed(seed))
        return {"flips": drawn <= 0.5, "input_shape": tuple(images.shape)}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return the images, some of them flipped."""
        x = self._cast(images)
        if not training or transformation is None:
            return x
        first = -3 if self.data_format == "channels_last" else -2
        for name, axis in (("horizontal", first + 1), ("vertical", first)):
            if name in self.mode:
                flipped = shape_ops.reverse(x, [axis % x.ndim])
                x = value_ops.where(transformation["flips"], flipped, x)
        return x

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        """Return the boxes of the flipped images."""
        if not training:
            return bounding_boxes
        first = -3 if self.data_format == "channels_last" else -2
        shape = transformation["input_shape"]
        size = {"height": shape[first], "width": shape[first + 1]}
        flips = shape_ops.squeeze(transformation["flips"], -1)
        own = self.bounding_box_format
        relative: Any = boxes.convert_format(bounding_boxes, own, "rel_xyxy", **size)
        corners: Any = relative["boxes"]
        for name, axis in (("horizontal", 0), ("vertical", 1)):
            if name in self.mode:
                corners = value_ops.where(flips, _mirrored(corners, axis), corners)
        flipped = {**relative, "boxes": corners}
        clipped = boxes.clip_to_image_size(flipped, **size, bounding_box_format="xyxy")
        return boxes.convert_format(clipped, "rel_xyxy", own, **size)


def _mirrored(corners: Any, axis: int) -> Any:
    """Boxes in the mirrored image: left and right, or top and bottom, change places."""
    parts: list[Any] = [corners[..., at : at + 1] for at in range(4)]
    parts[axis], parts[axis + 2] = 1.0 - parts[axis + 2], 1.0 - parts[axis]
    return shape_ops.concat(parts, -1)


class RandomCrop(ImageLayer):
    """Cuts a part of a height and a width out of images, at a random place."""

    height: int = setting()
    width: int = setting()
    seed: int | None = setting(None)
    _moves_pixels = True

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return the first row and the first column of the part."""
        height, width = self._sizes(images_in(data))
        if training and height > self.height and width > self.width:
            return tuple(
                value_ops.cast(
                    random.uniform((), 0, float(size - part + 1), seed=self._seed(seed)), "int32"
                )
                for size, part in ((height, self.height), (width, self.width))
            )
        rows = max(min(height, int(float(width * self.height) / self.width)), 1)
        columns = max(min(width, int(float(height * self.width) / self.height)), 1)
        return int(float(height - rows) / 2), int(float(width - columns) / 2)

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return the part of images; it is enlarged if they are too small."""
        if not training:
            return images
        x = self._cast(images)
        first = (-3 if self.data_format == "channels_last" else -2) % x.ndim
        parts = [slice(None)] * x.ndim
        for axis, start, size in zip(
            (first, first + 1), transformation, (self.height, self.width), strict=True
        ):
            parts[axis] = slice(start, start + size)
        x = x[tuple(parts)]
        if self._sizes(x) == (self.height, self.width):
            return x
        layout = "NHWC" if self.data_format == "channels_last" else "NCHW"
        whole = x if x.ndim == 4 else shape_ops.expand_dims(x, 0)
        enlarged = resized(whole, (self.height, self.width), "bilinear", layout)
        return self._cast(enlarged if x.ndim == 4 else shape_ops.squeeze(enlarged, 0))

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        """Return the boxes in the part."""
        if not training:
            return bounding_boxes
        size: dict[str, Any] = {"height": self.height, "width": self.width}
        own = self.bounding_box_format
        corners: Any = boxes.convert_format(bounding_boxes["boxes"], own, "xyxy", **size)
        top, left = (value_ops.cast(each, corners.dtype) for each in transformation)
        moved = math.maximum(corners - shape_ops.stack([top, left, top, left]), 0.0)
        return {**bounding_boxes, "boxes": boxes.convert_format(moved, "xyxy", own, **size)}

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with the height and the width of the part."""
        shape = list(input_shape)
        first = -3 if self.data_format == "channels_last" else -2
        shape[first], shape[first + 1] = self.height, self.width
        return tuple(shape)


class _Projection(ImageLayer):
    """Reads each pixel at another place; a subclass computes the matrices of the places."""

    fill_mode: str = setting("reflect")
    interpolation: str = setting("bilinear")
    seed: int | None = setting(None)
    fill_value: float = setting(0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        supported = {
            "fill_mode": projective_images.FILL_MODES,
            "interpolation": projective_images.INTERPOLATIONS,
        }
        for name, known in supported.items():
            value = getattr(self, name)
            if value not in known:
                raise NotImplementedError(f"Unknown `{name}` {value}. Expected of one {known}.")

    def _matrices(self, images: Any, transformation: Any) -> Any:
        """The matrix of each image, shape (batch, 8); see `projective_images`."""
        raise NotImplementedError

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return the images with moved pixels."""
        x = self._cast(images)
        return self._moved(x, transformation, self.interpolation) if training else x

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: bool = True
    ) -> Any:
        """Return the masks with moved pixels, of which none is mixed with others."""
        if not training:
            return segmentation_masks
        return self._moved(segmentation_masks, transformation, "nearest")

    def _moved(self, images: Any, transformation: Any, interpolation: str) -> Any:
        if transformation is None:
            return images
        layout = "NHWC" if self.data_format == "channels_last" else "NCHW"
        matrices = self._matrices(images, transformation)
        return projective_images.affine_transform(
            images, matrices, interpolation, self.fill_mode, self.fill_value, layout
        )

    def _shape_of(self, data: Any) -> tuple[Any, ...]:
        return tuple(images_in(data).shape)

    def _pair(self, data: Any, span: Any, seed: Any, dtype: Any = None) -> Any:
        """A number for each image, shape (batch, 1)."""
        low, high = span
        return random.uniform((batch_size_of(images_in(data)), 1), low, high, dtype,
                              self._seed(seed))  # fmt: skip


def _rows(*columns: Any) -> Any:
    """Matrices of eight columns: tensors of shape (batch, 1), or numbers."""
    batch = next(each for each in columns if hasattr(each, "shape"))
    filled = [
        value_ops.cast(each, "float32")
        if hasattr(each, "shape")
        else creation.fill((int(batch.shape[0]), 1), float(each))
        for each in columns
    ]
    return shape_ops.concat(filled, axis=1)


class RandomRotation(_Projection):
    """Rotates images about their middle, by an angle in parts of a full circle."""

    factor: Any = setting(before="fill_mode")

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return the angle of each image in degrees, and the matrices."""
        if not training:
            return None
        images = images_in(data)
        low, high = (360.0 * each for each in self.factor)
        angle = self._uniform(data, (low, high), seed)
        height, width = self._sizes(images)
        return {
            "angle": angle, "rotation_matrix": _rotation(angle, height, width),
            "image_height": height, "image_width": width, "batch_size": batch_size_of(images),
        }  # fmt: skip

    def _matrices(self, images: Any, transformation: Any) -> Any:
        return transformation["rotation_matrix"]

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        """Return the boxes around the rotated boxes, which are given as corners."""
        if not training:
            return bounding_boxes
        size = {"height": transformation["image_height"], "width": transformation["image_width"]}
        zeros = creation.zeros([transformation["batch_size"]])
        ones = creation.ones([transformation["batch_size"]])
        turned = boxes.affine_transform(
            bounding_boxes["boxes"], transformation["angle"], zeros, zeros, ones, zeros, zeros,
            **size,
        )  # fmt: skip
        around = {**bounding_boxes, "boxes": turned}
        clipped = boxes.clip_to_image_size(around, **size, bounding_box_format="xyxy")
        return boxes.convert_format(clipped, "xyxy", self.bounding_box_format, **size)


def _rotation(angle: Any, height: int, width: int) -> Any:
    """The matrices of rotations about the middle, by angles in degrees."""
    degrees: Any = shape_ops.reshape(angle, (-1, 1))
    radians = degrees * (pi / 180.0)
    cosine: Any = math.cos(radians)
    sine: Any = math.sin(radians)
    x, y = 0.5 * (width - 1), 0.5 * (height - 1)
    return _rows(
        cosine, -sine, x - x * cosine + y * sine, sine, cosine, y - x * sine - y * cosine, 0.0, 0.0
    )


class _TwoFactors(_Projection):
    """A projection with a factor for each axis."""

    least_factor = -1.0

    def _range(self, name: str) -> tuple[float, float]:
        bounds = (self.least_factor, 1.0)
        low, high = factor_range(getattr(self, name), "factor", bounds, says=self._says())
        if low == -1.0 and self._excludes_least:
            raise ValueError(f"{self._says()}Received: {name}={getattr(self, name)}")
        return low, high

    _excludes_least = False

    def _says(self) -> str:
        return (
            "The `factor` argument should be a number (or a list of two numbers) in the range "
            "[-1.0, 1.0]. "
        )


class RandomTranslation(_TwoFactors):
    """Shifts images, by parts of their height and width."""

    height_factor: Any = setting(before="fill_mode")
    width_factor: Any = setting(before="fill_mode")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.height_lower, self.height_upper = self._range("height_factor")
        self.width_lower, self.width_upper = self._range("width_factor")

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return the shift of each image to the right and downwards, in pixels."""
        if not training:
            return None
        height, width = self._sizes(images_in(data))
        down: Any = self._pair(data, (self.height_lower, self.height_upper), seed) * float(height)
        right: Any = self._pair(data, (self.width_lower, self.width_upper), seed) * float(width)
        shifts = value_ops.cast(shape_ops.concat([right, down], axis=1), "float32")
        return {"translations": shifts, "input_shape": self._shape_of(data)}

    def _matrices(self, images: Any, transformation: Any) -> Any:
        shifts = transformation["translations"]
        return _rows(1.0, 0.0, -shifts[:, :1], 0.0, 1.0, -shifts[:, 1:], 0.0, 0.0)

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        """Return the boxes in the shifted images."""
        if not training:
            return bounding_boxes
        first = -3 if self.data_format == "channels_last" else -2
        shape = transformation["input_shape"]
        size = {"height": shape[first], "width": shape[first + 1]}
        own = self.bounding_box_format
        corners: Any = boxes.convert_format(bounding_boxes, own, "xyxy", **size)
        drawn = value_ops.cast(transformation["translations"], "float32")
        shifts = shape_ops.tile(drawn, [1, 2])
        if corners["boxes"].ndim == 3:
            shifts = shape_ops.expand_dims(shifts, 1)
        shifted = {**corners, "boxes": corners["boxes"] + shifts}
        clipped = boxes.clip_to_image_size(shifted, **size, bounding_box_format="xyxy")
        return boxes.convert_format(clipped, "xyxy", own, **size)


class RandomZoom(_TwoFactors):
    """Zooms images about their middle: positive factors show more, negative ones enlarge."""

    height_factor: Any = setting(before="fill_mode")
    width_factor: Any = setting(None, before="fill_mode")
    _excludes_least = True

    def _says(self) -> str:
        return (
            "The `height_factor` and `width_factor` arguments should be a number (or a list of "
            "two numbers) in the range (-1.0, 1.0]. "
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.height_lower, self.height_upper = self._range("height_factor")
        if self.width_factor is not None:
            self.width_lower, self.width_upper = self._range("width_factor")

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return how much of each image is shown along both axes."""
        if not training:
            return None
        down: Any = self._pair(data, (1.0 + self.height_lower, 1.0 + self.height_upper), seed)
        across = (
            down if self.width_factor is None
            else self._pair(data, (1.0 + self.width_lower, 1.0 + self.width_upper), seed)
        )  # fmt: skip
        shape = self._shape_of(data)
        return {"height_zoom": down, "width_zoom": across, "input_shape": shape}

    def _matrices(self, images: Any, transformation: Any) -> Any:
        height, width = self._sizes(images)
        across, down = transformation["width_zoom"], transformation["height_zoom"]
        x, y = (width - 1.0) / 2.0 * (1.0 - across), (height - 1.0) / 2.0 * (1.0 - down)
        return _rows(across, 0.0, x, 0.0, down, y, 0.0, 0.0)


class RandomShear(_TwoFactors):
    """Shears images: rows are shifted by their height, columns by their distance."""

    x_factor: Any = setting(0.0, before="fill_mode")
    y_factor: Any = setting(0.0, before="fill_mode")
    interpolation: str = setting("bilinear", before="fill_mode")
    seed: int | None = setting(None, before=END)
    least_factor = 0.0

    def _says(self) -> str:
        return (
            "The `factor` argument should be a number (or a list of two numbers) in the range "
            "[0, 1.0]. "
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("x_factor", "y_factor"):
            given = getattr(self, name)
            low, high = self._range(name)
            own = (low, high) if isinstance(given, (tuple, list)) else (-high, high)
            setattr(self, name, own)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return the shear of each image along both axes."""
        if not training:
            return None
        dtype = self.compute_dtype
        side: Any = self._pair(data, (0, 1), seed, dtype)
        sign: Any = self._cast(value_ops.where(side > 0.5, -1.0, 1.0))
        down: Any = self._pair(data, self.y_factor, seed, dtype)
        across: Any = self._pair(data, self.x_factor, seed, dtype)
        shear = shape_ops.concat([across, down], axis=1) * sign
        return {"shear_factor": shear, "input_shape": self._shape_of(data)}

    def _matrices(self, images: Any, transformation: Any) -> Any:
        shear = transformation["shear_factor"]
        return _rows(1.0, shear[:, :1], 0.0, shear[:, 1:], 1.0, 0.0, 0.0, 0.0)
