"""Windows of `tf.signal`: weights that let a frame begin and end softly."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype, float32
from tapelab.ops.integer_arguments import number


@public
def hann_window(
    window_length: Any, periodic: bool = True, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """A raised cosine, 0 at its ends."""
    return _raised_cosine(window_length, periodic, dtype, 0.5, "hann_window")


@public
def hamming_window(
    window_length: Any, periodic: bool = True, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """A raised cosine that does not quite fall to 0 at its ends."""
    return _raised_cosine(window_length, periodic, dtype, 0.54, "hamming_window")


def _raised_cosine(length: Any, periodic: bool, dtype: Any, share: float, name: str) -> Tensor:
    size = number(length, "Window")
    if size == 1:
        return _constant(np.ones(1), dtype, name)
    period = size - 1 + (bool(periodic) and size % 2 == 0)
    turns = np.arange(size) * (2 * np.pi / period)
    return _constant(share - (1 - share) * np.cos(turns), dtype, name)


@public
def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """A window made of a Bessel function; a larger beta makes it narrower."""
    return _constant(_kaiser(number(window_length, "Window"), float(beta)), dtype, "kaiser_window")


@public
def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """A window whose squares in two frames that overlap by half add up to 1."""
    half = number(window_length, "Window") // 2
    sums = np.cumsum(_kaiser(half + 1, float(beta)))
    rising = np.sqrt(sums[:-1] / sums[-1])
    whole = np.concatenate([rising, rising[::-1]])
    return _constant(whole, dtype, "kaiser_bessel_derived_window")


def _kaiser(size: int, beta: float) -> Any:
    return np.ones(1) if size == 1 else np.kaiser(size, beta)


@public
def vorbis_window(window_length: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A sine of a squared sine; its squares in frames that overlap by half add up to 1."""
    size = number(window_length, "Window")
    sine = np.sin(np.pi / size * (np.arange(size) + 0.5))
    return _constant(np.sin(np.pi / 2 * sine**2), dtype, "vorbis_window")


def _constant(values: Any, dtype: Any, name: str) -> Tensor:
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {kind!r}")
    return new_constant(values.astype(kind.as_numpy_dtype), None, f"tf.signal.{name}")
