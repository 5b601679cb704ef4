"""Mel scales and cepstra: frequencies as people perceive them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype, float32
from tapelab.ops.integer_arguments import number
from tapelab.ops.public import tensor as as_tensor
from tapelab.signal.transforms import dct


@public
def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20, num_spectrogram_bins: Any = 129, sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0, upper_edge_hertz: float = 3800.0, dtype: Any = float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """A matrix that gathers frequencies in overlapping triangles, as wide as an ear tells apart."""
    bins, rows, rate = number(num_mel_bins, "Mel"), number(num_spectrogram_bins, "Mel"), sample_rate
    half = float(np.asarray(as_tensor(rate)._value)) / 2
    _check(bins, half, lower_edge_hertz, upper_edge_hertz)
    places = _mel(np.linspace(0.0, half, rows)[1:])[:, None]
    edges = np.linspace(_mel(lower_edge_hertz), _mel(upper_edge_hertz), bins + 2)
    lower, middle, upper = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (places - lower) / (middle - lower), (upper - places) / (upper - middle)
    weights = np.maximum(0.0, np.minimum(rising, falling))
    whole = np.pad(weights, [[1, 0], [0, 0]])  # the constant part has no pitch
    kind = as_dtype(dtype)
    return new_constant(whole.astype(kind.as_numpy_dtype), None, "tf.signal.linear_to_mel")


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log1p(np.asarray(hertz) / 700.0)


def _check(bins: int, half: float, lower: float, upper: float) -> None:
    if bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(
            f"lower_edge_hertz {lower:.1f} >= upper_edge_hertz {upper:.1f}. Try the other order."
        )
    if upper > half:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {upper} for sample_rate: {2 * half}"
        )


@public(group=True)
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Any:
    """The cepstrum of each frame: how the loudness of its mel bins varies from low to high."""
    x = as_tensor(log_mel_spectrograms)
    bins = x._array.shape[-1]
    if not bins:
        raise ValueError("num_mel_bins must be positive. Got: log_mel_spectrograms with 0 bins")
    cosines: Any = dct(x, type=2)
    return cosines * float(1.0 / np.sqrt(2.0 * bins))
