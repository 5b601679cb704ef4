"""Sizes and strides of windows, and the number of their positions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Length = int | None


def sizes(given: Any, rank: int, name: str) -> tuple[int, ...]:
    """Return a number per axis from one or several; ValueError for anything else."""
    whole = (given,) * rank if isinstance(given, int) else tuple(given)
    if len(whole) != rank or not all(isinstance(each, int) and each > 0 for each in whole):
        raise ValueError(
            f"The `{name}` argument must be a tuple of {rank} integers. Received {name}={given}, "
            "which must be values > 0."
        )
    return whole


def padding_of(padding: str, *, causal: bool = False) -> str:
    """Return the padding in lower case: "valid", "same", or "causal" if allowed."""
    allowed = ("valid", "same", "causal") if causal else ("valid", "same")
    lower = padding.lower()
    if lower not in allowed:
        raise ValueError(
            "The `padding` argument must be one of "
            f"{', '.join(map(repr, allowed))}. Received: {padding}"
        )
    return lower


def window_lengths(
    lengths: Iterable[Length], window: tuple[int, ...], strides: tuple[int, ...], padding: str,
    dilation: tuple[int, ...] | None = None,
) -> tuple[Length, ...]:  # fmt: skip
    """Return the number of window positions along each axis."""
    apart = dilation or (1,) * len(window)
    parts = zip(lengths, window, strides, apart, strict=True)
    return tuple(_positions(*part, padding=padding) for part in parts)


def _positions(length: Length, size: int, stride: int, apart: int, *, padding: str) -> Length:
    if length is None:
        return None
    whole = length if padding != "valid" else length - apart * (size - 1)
    if whole < 1:
        raise ValueError(
            "Computed output size would be negative or zero: a window of "
            f"{size} does not fit into {length}. Try padding='same' or a smaller window."
        )
    return -(-whole // stride)


def spread_lengths(
    lengths: Iterable[Length], window: tuple[int, ...], strides: tuple[int, ...], padding: str,
    dilation: tuple[int, ...],
) -> tuple[Length, ...]:  # fmt: skip
    """Return the sizes of a transposed convolution's output."""
    reaches = [
        0 if padding == "same" else max((size - 1) * apart + 1 - stride, 0)
        for size, apart, stride in zip(window, dilation, strides, strict=True)
    ]
    return tuple(
        None if length is None else length * stride + reach
        for length, stride, reach in zip(lengths, strides, reaches, strict=True)
    )
