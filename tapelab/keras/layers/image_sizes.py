"""Layers that bring images to another size: resized, cropped to the middle, or with margins."""

from __future__ import annotations

from typing import Any, Final

from tapelab import image
from tapelab.array_ops import shape_ops, value_ops
from tapelab.core.dispatch import public
from tapelab.keras.class_settings import END, setting
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import BuiltInLayer
from tapelab.keras.layers.window_shapes import layout_of

INTERPOLATIONS: Final = ("bicubic", "bilinear", "lanczos3", "lanczos5", "nearest")
"""The ways of interpolating pixels that layers offer."""


def resized(
    images: Any, size: Any, interpolation: str, layout: str, *, antialias: bool = False
) -> Any:
    """Return images with a height and a width; `layout` is "NHWC" or "NCHW", in their dtype."""
    first = layout == "NCHW"
    x = shape_ops.transpose(images, (0, 2, 3, 1)) if first else images
    x = value_ops.cast(image.resize(x, size, interpolation, antialias=antialias), images.dtype)
    return shape_ops.transpose(x, (0, 3, 1, 2)) if first else x


class _SizedImages(BuiltInLayer):
    """Brings images, or one image, to a height and a width."""

    height: int = setting()
    width: int = setting()
    data_format: Any = setting(None, convert=layout_of)
    input_spec = InputSpec(min_ndim=3, max_ndim=4)

    @property
    def _layout(self) -> str:
        return "NHWC" if self.data_format == "channels_last" else "NCHW"

    @property
    def _axes(self) -> tuple[int, int]:
        return (-3, -2) if self._layout == "NHWC" else (-2, -1)

    @public(if_shape_is_open=True)
    def call(self, inputs: Any) -> Any:
        """Return the images in the new size."""
        images: Any = value_ops.cast(inputs, self.compute_dtype)
        single = images.ndim == 3
        x = self._sized(shape_ops.expand_dims(images, 0) if single else images)
        return shape_ops.squeeze(x, 0) if single else x

    def _sized(self, images: Any) -> Any:
        raise NotImplementedError

    def _window(self, images: Any, height: int, width: int) -> Any:
        """The middle of images, of a height and a width."""
        parts = [slice(None)] * 4
        for axis, size in zip(self._axes, (height, width), strict=True):
            start = (images.shape[axis] - size) // 2
            parts[axis] = slice(start, start + size)
        return images[tuple(parts)]

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with the new height and width."""
        shape = list(input_shape)
        for axis, size in zip(self._axes, (self.height, self.width), strict=True):
            shape[axis] = size
        return tuple(shape)


class CenterCrop(_SizedImages):
    """Cuts the middle out of images; smaller images are enlarged until the middle fills it."""

    def _sized(self, images: Any) -> Any:
        height, width = (images.shape[axis] for axis in self._axes)
        if height >= self.height and width >= self.width:
            return self._window(images, self.height, self.width)
        filled = _filling_window((height, width), (self.height, self.width))
        size = self.height, self.width
        return resized(self._window(images, *filled), size, "bilinear", self._layout)


class Resizing(_SizedImages):
    """Resizes images; their aspect ratio is kept by cropping or by margins, if that is asked."""

    interpolation: str = setting("bilinear", convert=str.lower)
    crop_to_aspect_ratio: bool = setting(False)
    pad_to_aspect_ratio: bool = setting(False)
    fill_mode: str = setting("constant")
    fill_value: float = setting(0.0)
    antialias: bool = setting(False)
    data_format: Any = setting(None, convert=layout_of, before=END)

    def __post_init__(self) -> None:
        if self.interpolation not in INTERPOLATIONS:
            raise ValueError(
                f"Invalid interpolation. Expected one of {INTERPOLATIONS}. "
                f"Received: interpolation={self.interpolation}"
            )
        if self.crop_to_aspect_ratio and self.pad_to_aspect_ratio:
            raise ValueError(
                "Only one of `crop_to_aspect_ratio` and `pad_to_aspect_ratio` can be `True`."
            )

    def _sized(self, images: Any) -> Any:
        given, wanted = tuple(images.shape[a] for a in self._axes), (self.height, self.width)
        if self.crop_to_aspect_ratio:
            images = self._window(images, *_filling_window(given, wanted))
        elif self.pad_to_aspect_ratio:
            images = self._with_margins(images, given, wanted)
        return resized(images, wanted, self.interpolation, self._layout, antialias=self.antialias)

    def _with_margins(self, images: Any, given: Any, wanted: Any) -> Any:
        """The images with margins, so that they have the wanted ratio of height to width."""
        whole = (
            max(given[0], int(given[1] * wanted[0] / wanted[1])),
            max(given[1], int(given[0] * wanted[1] / wanted[0])),
        )
        margins = [(0, 0)] * 4
        for axis, size, full in zip(self._axes, given, whole, strict=True):
            before = (full - size) // 2
            margins[axis] = (before, full - size - before)
        return shape_ops.pad(images, margins, constant_values=self.fill_value)


def _filling_window(given: Any, wanted: Any) -> tuple[int, int]:
    """The largest height and width inside the given ones that have the wanted ratio."""
    height = min(given[0], int(given[1] * wanted[0] / wanted[1]))
    width = min(given[1], int(given[0] * wanted[1] / wanted[0]))
    return height, width
