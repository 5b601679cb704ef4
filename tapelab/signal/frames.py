"""Signals in frames that overlap: cutting, adding up, and transforming each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.array_ops.shape_ops import pad, reverse
from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.ops.concatenation import concat
from tapelab.ops.indexed_rows import gather
from tapelab.ops.integer_arguments import number
from tapelab.ops.public import tensor as as_tensor
from tapelab.ops.segments import segment_sum
from tapelab.ops.shapes import reshape, transpose
from tapelab.signal.transforms import dct, fitted, irfft, rfft
from tapelab.signal.window_functions import hann_window, vorbis_window

Window = Callable[..., Tensor]


@public(group=True)
def frame(
    signal: Any, frame_length: Any, frame_step: Any, pad_end: bool = False, pad_value: Any = 0,
    axis: int = -1, name: str | None = None,
) -> Tensor:  # fmt: skip
    """A signal cut into frames of a length, each one step after the one before."""
    x = as_tensor(signal)
    along = axis % max(x.ndim, 1)
    size, step = number(frame_length, "Frame"), number(frame_step, "Frame")
    length = x._array.shape[along]
    if pad_end:
        count = -(-length // step)
        missing = max(0, size + step * (count - 1) - length)
        edges = [[0, missing if at == along else 0] for at in range(x.ndim)]
        x = pad(x, edges, constant_values=pad_value)
    else:
        count = max(0, 1 + (length - size) // step)
    places = np.arange(count)[:, None] * step + np.arange(size)
    whole = reshape(x, shape=x._array.shape)  # the gradient of the signal is then no IndexedSlices
    frames: Tensor = gather(whole, new_constant(places, None), axis=along)
    return frames


@public(group=True)
def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Frames put back to where they were cut, one step after the other; what overlaps is added."""
    x = as_tensor(signal)
    if x.ndim < 2:
        raise ValueError(f"Shape {x.shape} must have rank at least 2")
    step = number(frame_step, "OverlapAndAdd")
    *outer, count, size = x._array.shape
    length = size + step * (count - 1)
    places = (np.arange(count)[:, None] * step + np.arange(size)).reshape(-1)
    lines = reshape(x, shape=(-1, count * size))
    total = segment_sum(transpose(lines, perm=(1, 0)), new_constant(places, None), count=length)
    samples: Tensor = reshape(transpose(total, perm=(1, 0)), shape=(*outer, length))
    return samples


@public(group=True)
def stft(
    signals: Any, frame_length: Any, frame_step: Any, fft_length: Any = None,
    window_fn: Window | None = hann_window, pad_end: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """How much of each wave is in a signal, frame by frame."""
    size = number(frame_length, "STFT")
    frames: Any = frame(as_tensor(signals), size, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(size, dtype=frames.dtype)
    points = _enclosing_power(size) if fft_length is None else number(fft_length, "STFT")
    return rfft(frames, [points])


@public(group=True)
def inverse_stft(
    stfts: Any, frame_length: Any, frame_step: Any, fft_length: Any = None,
    window_fn: Window | None = hann_window, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The signal of which the waves of each frame are given."""
    x, size = as_tensor(stfts), number(frame_length, "STFT")
    points = _enclosing_power(size) if fft_length is None else number(fft_length, "STFT")
    frames: Any = fitted(irfft(x, [points]), (size,))
    if window_fn is not None:
        frames = frames * window_fn(size, dtype=frames.dtype)
    signal: Tensor = overlap_and_add(frames, frame_step)
    return signal


@public
def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Window = hann_window, name: str | None = None
) -> Window:
    """The window for `inverse_stft` with which the signal comes back as it was."""

    def inverse_window(frame_length: Any, dtype: Any) -> Tensor:
        size, step = number(frame_length, "STFT"), number(frame_step, "STFT")
        forward = forward_window_fn(size, dtype=dtype)._value
        overlaps = -(-size // step)
        squares = np.pad(forward**2, (0, overlaps * step - size))
        total = np.tile(squares.reshape(overlaps, step).sum(0), overlaps)[:size]
        return new_constant((forward / total).astype(forward.dtype), None, "inverse_stft_window_fn")

    return inverse_window


@public(group=True)
def mdct(
    signals: Any, frame_length: Any, window_fn: Window | None = vorbis_window,
    pad_end: bool = False, norm: str | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Frames that overlap by half, folded to half their length, as sums of cosines."""
    size = number(frame_length, "MDCT")
    if size % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    half = size // 2
    frames: Any = frame(as_tensor(signals), size, half, pad_end)
    frames = frames * _weights(window_fn, size, frames)
    a, b, c, d = (frames[..., at * half // 2 : (at + 1) * half // 2] for at in range(4))
    folded = concat(-_backwards(c) - d, a - _backwards(b), axis=frames.ndim - 1)
    coefficients: Tensor = dct(folded, type=4, norm=norm)
    return coefficients


@public(group=True)
def inverse_mdct(
    mdcts: Any, window_fn: Window | None = vorbis_window, norm: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The signal whose folded frames are given as sums of cosines."""
    x = as_tensor(mdcts)
    half = x._array.shape[-1]
    folded: Any = dct(x, type=4, norm=norm)
    if norm is None:
        folded = folded * (0.5 / half)
    first, second = folded[..., : half // 2], folded[..., half // 2 :]
    unfolded = (second, -_backwards(second), -_backwards(first), -first)
    frames: Any = concat(*unfolded, axis=x.ndim - 1)
    signal: Tensor = overlap_and_add(frames * _weights(window_fn, 2 * half, frames), half)
    return signal


def _weights(window_fn: Window | None, size: int, frames: Any) -> Any:
    """A window, or without one a number: the squares of two that overlap must add up to 1."""
    return float(np.sqrt(0.5)) if window_fn is None else window_fn(size, dtype=frames.dtype)


def _backwards(x: Any) -> Any:
    return reverse(x, [-1])


def _enclosing_power(size: int) -> int:
    """The next power of 2, with which the Fourier transform is fastest."""
    return 1 << max(size - 1, 0).bit_length()
