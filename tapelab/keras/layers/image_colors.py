"""Layers that change the colours of images at random."""

from __future__ import annotations

from typing import Any

from tapelab import image as image_ops
from tapelab import math, nn
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.keras import backend, ops, random
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.image_layers import (
    ImageLayer,
    batch_size_of,
    factor_range,
    images_in,
    rank_of,
    sorted_range,
)

BYTE = (0, 255)
"""The values of pixels that are stored in a byte each."""


class RandomBrightness(ImageLayer):
    """Adds a random number to all values of an image."""

    factor: Any = setting()
    value_range: Any = setting(BYTE, convert=sorted_range)
    seed: int | None = setting(None)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return what is added to each image."""
        if not training:
            return {"rgb_delta": creation.zeros((batch_size_of(images_in(data)), 1, 1, 1))}
        drawn = self._uniform(data, self.factor, seed, axes=rank_of(images_in(data)) - 1)
        if images_in(data).ndim == 3:
            drawn = shape_ops.reshape(drawn, (1, 1, 1))
        return {"rgb_delta": drawn * float(self.value_range[1] - self.value_range[0])}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return brighter or darker images."""
        if not training:
            return images
        delta = backend.convert_to_tensor(transformation["rgb_delta"], images.dtype)
        return ops.clip(images + delta, *self.value_range)


class RandomContrast(ImageLayer):
    """Moves the values of an image away from their mean, or towards it."""

    factor: Any = setting()
    value_range: Any = setting(BYTE)
    seed: int | None = setting(None)
    factor_bounds = (0, 1)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return the factor of each image."""
        images = images_in(data)
        shape = (1, 1, 1) if rank_of(images) == 3 else (int(images.shape[0]), 1, 1, 1)
        if not training:
            return {"contrast_factor": creation.zeros(shape)}
        low, high = 1.0 - self.factor[0], 1.0 + self.factor[1]
        drawn = random.uniform(shape, low, high, self.compute_dtype, self._seed(seed))
        return {"contrast_factor": drawn}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return images of more or less contrast."""
        if not training:
            return images
        axes = [-3, -2] if self.data_format == "channels_last" else [-2, -1]
        mean: Any = ops.mean(ops.mean(images, axes[0], True), axes[1], True)
        factor = transformation["contrast_factor"]
        return ops.clip(ops.add(ops.multiply(ops.subtract(images, mean), factor), mean),
                        *self.value_range)  # fmt: skip


class RandomGrayscale(ImageLayer):
    """Turns some images into grayscale ones of three equal channels."""

    factor: float = setting(0.5)
    seed: int | None = setting(None, before="bounding_box_format")

    def _set_factor(self, factor: Any) -> None:
        if not 0 <= factor <= 1:
            raise ValueError(f"`factor` should be between 0 and 1. Received: factor={factor}")

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return which images become grayscale ones."""
        drawn: Any = self._uniform(data, (0, 1), seed)
        return shape_ops.reshape(drawn < self.factor, (-1, 1, 1, 1))

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return the images, some of them in grayscale."""
        if not training:
            return images
        gray = _gray(self, images)
        return value_ops.where(transformation, gray, images)

    def compute_output_spec(self, inputs: Any, **unused: Any) -> Any:
        """Return a symbolic tensor of the images."""
        del unused
        return type(inputs)(inputs.shape, inputs.dtype, sparse=inputs.sparse)


def _gray(layer: ImageLayer, images: Any) -> Any:
    """Images of one channel."""
    return layer._channels_back(image_ops.rgb_to_grayscale(layer._channels_last(images)))


class RandomInvert(ImageLayer):
    """Subtracts the values of some images from the largest one."""

    factor: Any = setting(1.0)
    value_range: Any = setting(BYTE)
    seed: int | None = setting(None)
    factor_bounds = (0, 1)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return which images are inverted."""
        if not training:
            return None
        probability: Any = self._uniform(data, self.factor, seed)
        return {"apply_inversion": self._uniform(data, (0, 1), seed) < probability}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return the images, some of them inverted."""
        if not training:
            return images
        x = self._cast(images)
        chosen = shape_ops.reshape(transformation["apply_inversion"], (-1, 1, 1, 1))
        return value_ops.where(chosen, self.value_range[1] - x, x)


class RandomSaturation(ImageLayer):
    """Multiplies the saturation of an image: 0 is gray, a factor of 0.5 changes nothing."""

    factor: Any = setting()
    value_range: Any = setting(BYTE, convert=sorted_range)
    seed: int | None = setting(None, before="bounding_box_format")
    factor_bounds = (-1, 1)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return the factor of each image."""
        factor: Any = self._uniform(data, self.factor, seed)
        return {"factor": factor / (1 - factor + backend.epsilon())}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return more or less colourful images."""
        if not training:
            return images
        factor = shape_ops.reshape(self._cast(transformation["factor"]), (-1, 1, 1))
        hsv: Any = image_ops.rgb_to_hsv(self._channels_last(images))
        saturation = self._clipped(hsv[..., 1] * factor)
        changed = shape_ops.stack([hsv[..., 0], saturation, hsv[..., 2]], axis=-1)
        return self._channels_back(image_ops.hsv_to_rgb(changed))


class RandomHue(ImageLayer):
    """Turns the hue of an image."""

    factor: Any = setting()
    value_range: Any = setting(BYTE)
    seed: int | None = setting(None, before="bounding_box_format")
    factor_bounds = (0, 1)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return the part of the circle by which the hue of each image is turned."""
        side: Any = self._uniform(data, (0.0, 1.0), seed)
        sign: Any = value_ops.where(side > 0.5, -1.0, 1.0)
        return {"factor": sign * self._uniform(data, self.factor, seed) * 0.5}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return images of other hues."""
        if not training:
            return images
        x = self._in_range(self._cast(images), self.value_range, (0, 1))
        turn = shape_ops.reshape(backend.convert_to_tensor(transformation["factor"], x.dtype),
                                 (-1, 1, 1))  # fmt: skip
        hsv: Any = image_ops.rgb_to_hsv(self._channels_last(x))
        hue: Any = hsv[..., 0] + turn
        hue = value_ops.where(hue > 1.0, hue - 1.0, hue)
        hue = value_ops.where(hue < 0.0, hue + 1.0, hue)
        turned = shape_ops.stack([hue, hsv[..., 1], hsv[..., 2]], axis=-1)
        y = self._channels_back(image_ops.hsv_to_rgb(turned))
        y = value_ops.clip_by_value(y, 0.0, 1.0)
        return self._cast(self._in_range(y, (0, 1), self.value_range))


class RandomColorDegeneration(ImageLayer):
    """Mixes an image with its grayscale version; a factor of 1 leaves no colour."""

    factor: Any = setting()
    value_range: Any = setting(BYTE, convert=sorted_range)
    seed: int | None = setting(None, before="bounding_box_format")

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return the share of the grayscale version of each image."""
        return {"factor": self._uniform(data, self.factor, seed, axes=3)}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return images of fewer colours."""
        if not training:
            return images
        x = self._cast(images)
        mixed = x + self._cast(transformation["factor"]) * (_gray(self, x) - x)
        return self._clipped(mixed)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of the images; ValueError unless they have three channels."""
        if len(input_shape) not in {3, 4}:
            raise ValueError(
                "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). "
                f"Received: input_shape={input_shape}"
            )
        channels = input_shape[-1 if self.data_format == "channels_last" else -3]
        if channels not in {None, 3}:
            raise ValueError(
                f"Input images must have 3 channels, but received images with {channels} channels."
            )
        return input_shape


class RandomSharpness(ImageLayer):
    """Blurs or sharpens an image; a factor of 0.5 changes nothing."""

    factor: Any = setting()
    value_range: Any = setting(BYTE, convert=sorted_range)
    seed: int | None = setting(None, before="bounding_box_format")
    factor_bounds = (0, 1)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return the factor of each image."""
        return {"factor": self._uniform(data, self.factor, seed)}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return sharper or softer images."""
        x = self._cast(images)
        if not training:
            return x
        x = self._channels_last(x)
        factor: Any = shape_ops.reshape(self._cast(transformation["factor"] * 2.0), (-1, 1, 1, 1))
        around, middle = 1.0 / 13.0, 5.0 / 13.0
        rows = [[around] * 3, [around, middle, around], [around] * 3]
        kernel = shape_ops.reshape(self._cast(rows), (3, 3, 1, 1))
        soft = _blurred(x, kernel)
        return self._channels_back(self._clipped(x + (1.0 - factor) * (soft - x)))


def _blurred(images: Any, kernel: Any) -> Any:
    """The convolution of each channel with one kernel, shape (height, width, 1, 1)."""
    kernels = shape_ops.tile(kernel, [1, 1, int(images.shape[-1]), 1])
    return nn.depthwise_conv2d(images, kernels, [1, 1, 1, 1], "SAME")


class RandomGaussianBlur(ImageLayer):
    """Blurs some images."""

    factor: Any = setting(1.0)
    kernel_size: Any = setting(3)
    sigma: Any = setting(1.0)
    value_range: Any = setting(BYTE)
    seed: int | None = setting(None, before="bounding_box_format")
    factor_bounds = (0, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.kernel_size
        pair = tuple(given) if isinstance(given, (tuple, list)) else (given, given)
        if len(pair) != 2:
            raise ValueError(
                "The `kernel_size` argument should be a number (or a list of two numbers) "
                f"Received: kernel_size={given}"
            )
        if any(not isinstance(each, (int, float)) or each % 2 == 0 for each in pair):
            raise ValueError(f"kernel_size must be an odd number. Received: kernel_size={given}")
        self.kernel_size = pair
        self.sigma = factor_range(self.sigma, "sigma", self.factor_bounds)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return which images are blurred, and how wide the blur is along both axes."""
        if not training:
            return None
        probability: Any = self._uniform(data, self.factor, seed)
        chosen = self._uniform(data, (0.0, 1.0), seed) < probability
        low, high = self.sigma
        width: Any = random.uniform((2,), low, high, self.compute_dtype, self._seed(seed))
        return {"should_apply_blur": chosen, "blur_factor": width + 1e-6}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return the images, some of them blurred."""
        x = self._cast(images)
        if not training or transformation is None:
            return x
        sigma = transformation["blur_factor"]
        across, down = (_bell(size, sigma[at], x.dtype) for at, size in enumerate(self.kernel_size))
        kernel = shape_ops.reshape(down[:, None] * across[None], (*self.kernel_size, 1, 1))
        soft = self._channels_back(_blurred(self._channels_last(x), kernel))
        chosen = shape_ops.reshape(transformation["should_apply_blur"], (-1, 1, 1, 1))
        return self._clipped(value_ops.where(chosen, soft, x))


def _bell(size: int, sigma: Any, dtype: Any) -> Any:
    """The values of a normal density at so many places, which sum to 1."""
    place: Any = value_ops.cast(creation.range(size), dtype)
    place = place - (size - 1) / 2
    heights: Any = math.exp(-0.5 * math.square(place / sigma))
    return heights / math.reduce_sum(heights)


class RandomPosterization(ImageLayer):
    """Keeps only the first bits of each value, so that few colours are left."""

    factor: Any = setting()
    value_range: Any = setting(BYTE, convert=sorted_range)
    seed: int | None = setting(None, before="bounding_box_format")
    factor_bounds = (1, 8)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return how many bits of each image's values are dropped."""
        shape = (batch_size_of(images_in(data)),)
        low, high = self.factor
        kept: Any = (
            creation.fill(shape, low) if low == high
            else random.randint(shape, low, high, "uint8", self._seed(seed))
        )  # fmt: skip
        return {"shift_factor": value_ops.cast(8 - kept, "uint8")}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return images of few colours."""
        if not training:
            return images
        shift = shape_ops.reshape(transformation["shift_factor"], (-1, 1, 1, 1))
        x: Any = value_ops.cast(self._in_range(images, self.value_range, BYTE), "uint8")
        kept = ops.bitwise_left_shift(ops.bitwise_right_shift(x, shift), shift)
        return self._in_range(self._cast(kept), BYTE, self.value_range)


class Solarization(ImageLayer):
    """Adds a number to the values of an image, and inverts those above a threshold."""

    addition_factor: Any = setting(0.0)
    threshold_factor: Any = setting(0.0)
    value_range: Any = setting(BYTE, convert=sorted_range)
    seed: int | None = setting(None)

    def __post_init__(self) -> None:
        super().__post_init__()
        says = (
            "The `addition_factor` and `threshold_factor` arguments should be a number (or a list "
            "of two numbers) in the range [0, 1]. "
        )
        for name in ("addition_factor", "threshold_factor"):
            pair = factor_range(getattr(self, name), name, (0, 1), says=says)
            setattr(self, name, pair)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Return what is added to each image, and its threshold."""
        if not training:
            return None
        factors = {"additions": self.addition_factor, "thresholds": self.threshold_factor}
        return {
            name: self._uniform(data, (low, high * 255), seed, axes=3, dtype=self.compute_dtype)
            for name, (low, high) in factors.items()
        }

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return images with inverted bright parts."""
        x = self._cast(images)
        if not training or transformation is None:
            return x
        added = self._in_range(x, self.value_range, BYTE) + transformation["additions"]
        values: Any = value_ops.clip_by_value(added, 0.0, 255.0)
        values = value_ops.where(values < transformation["thresholds"], values, 255.0 - values)
        return self._in_range(values, BYTE, self.value_range)


class AutoContrast(ImageLayer):
    """Stretches the values of each channel over the whole range."""

    value_range: Any = setting(BYTE, convert=sorted_range)

    def transform_images(
        self, images: Any, transformation: Any = None, training: bool = True
    ) -> Any:
        """Return images whose darkest value is the smallest, and the brightest the largest."""
        x: Any = self._cast(self._in_range(images, self.value_range, BYTE))
        low: Any = math.reduce_min(x, axis=(1, 2), keepdims=True)
        high: Any = math.reduce_max(x, axis=(1, 2), keepdims=True)
        scale = 255.0 / (high - low)
        y = value_ops.clip_by_value(x * scale - low * scale, 0.0, 255.0)
        y = self._in_range(y, BYTE, self.value_range)
        return value_ops.where(math.is_nan(y), self._cast(images), y)


class Equalization(ImageLayer):
    """Spreads the values of each channel, so that all are about equally frequent."""

    value_range: Any = setting(BYTE, convert=sorted_range)
    bins: int = setting(256)

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return images whose values are spread evenly."""
        if not training:
            return images
        x = self._channels_last(self._cast(images))
        channels = [self._equalized(x[..., at]) for at in range(int(x.shape[-1]))]
        return self._cast(self._channels_back(shape_ops.stack(channels, axis=-1)))

    def _equalized(self, channel: Any) -> Any:
        values: Any = self._in_range(channel, self.value_range, BYTE)
        last = self.bins - 1
        single: Any = value_ops.cast(values, "float32")
        places = ops.clip(value_ops.cast(single * last / 255.0, "int32"), 0, last)
        counts: Any = ops.bincount(shape_ops.reshape(places, [-1]), minlength=self.bins)
        sums: Any = math.cumsum(counts)
        least = math.reduce_min(value_ops.where(sums > 0, sums, sums[-1]))
        spread = math.maximum(sums[-1] - least, 1)
        parts: Any = value_ops.cast((sums - least) * 255, "float32")
        table: Any = math.round(parts / value_ops.cast(spread, "float32"))
        table = value_ops.clip_by_value(table, 0.0, 255.0)
        inside = value_ops.clip_by_value(values / 255.0 * last, 0.0, float(last))
        at = value_ops.cast(inside, "int32")
        spread_values = backend.convert_to_tensor(ops.take(table, at), values.dtype)
        several = math.count_nonzero(counts) > 1
        y = value_ops.where(several, spread_values, values)
        return self._in_range(y, BYTE, self.value_range)


class RandomColorJitter(ImageLayer):
    """Changes brightness, contrast, saturation and hue, one after the other."""

    value_range: Any = setting(BYTE)
    brightness_factor: Any = setting(None)
    contrast_factor: Any = setting(None)
    saturation_factor: Any = setting(None)
    hue_factor: Any = setting(None)
    seed: int | None = setting(None)

    def __post_init__(self) -> None:
        super().__post_init__()
        parts = {
            "brightness": RandomBrightness, "contrast": RandomContrast,
            "saturation": RandomSaturation, "hue": RandomHue,
        }  # fmt: skip
        for name, kind in parts.items():
            factor = getattr(self, f"{name}_factor")
            layer = None if factor is None else kind(factor, self.value_range, seed=self.seed)
            setattr(self, f"random_{name}", layer)
        self._parts = [getattr(self, f"random_{name}") for name in parts]

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Return images after all changes, each with numbers of its own."""
        if not training:
            return images
        x = self._cast(images)
        for part in self._parts:
            if part is not None:
                x = part.transform_images(x, part.get_random_transformation(x, seed=self.generator))
        return self._cast(x)
