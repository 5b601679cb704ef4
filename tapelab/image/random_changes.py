"""Random changes of images: from the stream of tf.random, or the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab import random
from tapelab.array_ops.gather_ops import slice as cut
from tapelab.array_ops.shape_ops import reshape
from tapelab.array_ops.value_ops import where
from tapelab.core.dispatch import public
from tapelab.core.execute import composite
from tapelab.dtypes import int32
from tapelab.errors import invalid_argument
from tapelab.image.colours import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
)
from tapelab.image.geometry import flip_left_right, flip_up_down, picture
from tapelab.ops.integer_arguments import lengths
from tapelab.ops.public import tensor

Draw = Callable[..., Any]


@public(has_op_seed=True)
def random_flip_left_right(image: Any, seed: int | None = None) -> Any:
    """Each picture mirrored, or not, with equal chance."""
    return _flipped(flip_left_right, image, _stream(seed))


@public(has_op_seed=True)
def random_flip_up_down(image: Any, seed: int | None = None) -> Any:
    """Each picture upside down, or not, with equal chance."""
    return _flipped(flip_up_down, image, _stream(seed))


@public
def stateless_random_flip_left_right(image: Any, seed: Any) -> Any:
    """Each picture mirrored, or not, the same for the same seed of two numbers."""
    return _flipped(flip_left_right, image, _seeded(seed))


@public
def stateless_random_flip_up_down(image: Any, seed: Any) -> Any:
    """Each picture upside down, or not, the same for the same seed of two numbers."""
    return _flipped(flip_up_down, image, _seeded(seed))


@public(has_op_seed=True)
def random_brightness(image: Any, max_delta: Any, seed: int | None = None) -> Any:
    """Pictures lighter or darker by at most a number."""
    return _brighter(image, max_delta, _stream(seed))


@public
def stateless_random_brightness(image: Any, max_delta: Any, seed: Any) -> Any:
    """Pictures lighter or darker by at most a number, the same for the same seed."""
    return _brighter(image, max_delta, _seeded(seed))


@public(has_op_seed=True)
def random_contrast(image: Any, lower: Any, upper: Any, seed: int | None = None) -> Any:
    """Pictures with their contrast changed by a factor between two."""
    return adjust_contrast(image, _factor(lower, upper, _stream(seed)))


@public
def stateless_random_contrast(image: Any, lower: Any, upper: Any, seed: Any) -> Any:
    """Pictures with their contrast changed by a factor, the same for the same seed."""
    return adjust_contrast(image, _factor(lower, upper, _seeded(seed)))


@public(has_op_seed=True)
def random_hue(image: Any, max_delta: Any, seed: int | None = None) -> Any:
    """Pictures with each colour turned by at most a share of the circle."""
    return adjust_hue(image, _turn(max_delta, _stream(seed)))


@public
def stateless_random_hue(image: Any, max_delta: Any, seed: Any) -> Any:
    """Pictures with each colour turned, the same for the same seed."""
    return adjust_hue(image, _turn(max_delta, _seeded(seed)))


@public(has_op_seed=True)
def random_saturation(image: Any, lower: Any, upper: Any, seed: int | None = None) -> Any:
    """Pictures with stronger or paler colours, by a factor between two."""
    return adjust_saturation(image, _factor(lower, upper, _stream(seed)))


@public
def stateless_random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Any:
    """Pictures with stronger or paler colours, the same for the same seed."""
    return adjust_saturation(image, _factor(lower, upper, _seeded(seed)))


@public(has_op_seed=True)
def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Any:
    """A part of a given size from a random place."""
    return _cropped(value, size, _stream(seed))


@public
def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """A part of a given size from a place that is the same for the same seed."""
    return _cropped(value, size, _seeded(seed))


def _stream(seed: int | None) -> Draw:
    return lambda shape, **settings: random.uniform(shape, seed=seed, **settings)


def _seeded(seed: Any) -> Draw:
    return lambda shape, **settings: random.stateless_uniform(shape, seed, **settings)


@composite
def _flipped(flip: Callable[[Any], Any], image: Any, draw: Draw) -> Any:
    x = picture(image)
    if x.ndim == 3:
        alone: Any = draw([])
        return where(alone < 0.5, flip(x), x)
    chances: Any = draw([x._array.shape[0]])
    each: Any = reshape(chances, [-1, 1, 1, 1])
    return where(each > 0.5, flip(x), x)


def _brighter(image: Any, max_delta: Any, draw: Draw) -> Any:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, draw([], minval=-max_delta, maxval=max_delta))


def _turn(max_delta: Any, draw: Draw) -> Any:
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return draw([], minval=-max_delta, maxval=max_delta)


def _factor(lower: Any, upper: Any, draw: Draw) -> Any:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return draw([], minval=lower, maxval=upper)


@composite
def _cropped(value: Any, size: Any, draw: Draw) -> Any:
    x = tensor(value)
    wanted = lengths(size, "Slice")
    room = [have - want for have, want in zip(x._array.shape, wanted, strict=True)]
    if min(room, default=0) < 0:
        raise invalid_argument(
            "Assert", f"Need value.shape >= size, got {tuple(x._array.shape)} and {tuple(wanted)}"
        )
    drawn: Any = draw([len(room)], minval=0, maxval=int(int32.max), dtype=int32)
    begin = [int(at) % (left + 1) for at, left in zip(drawn.numpy(), room, strict=True)]
    return cut(x, begin, wanted)
