"""`tf.signal`: Fourier and cosine transforms, frames, windows, and mel scales."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.signal.frames import (
    frame,
    inverse_mdct,
    inverse_stft,
    inverse_stft_window_fn,
    mdct,
    overlap_and_add,
    stft,
)
from tapelab.signal.mel_scale import linear_to_mel_weight_matrix, mfccs_from_log_mel_spectrograms
from tapelab.signal.transforms import (
    dct,
    fft,
    fft2d,
    fft3d,
    fftshift,
    idct,
    ifft,
    ifft2d,
    ifft3d,
    ifftshift,
    irfft,
    irfft2d,
    irfft3d,
    rfft,
    rfft2d,
    rfft3d,
)
from tapelab.signal.window_functions import (
    hamming_window,
    hann_window,
    kaiser_bessel_derived_window,
    kaiser_window,
    vorbis_window,
)

__all__ = [
    "dct",
    "fft",
    "fft2d",
    "fft3d",
    "fftshift",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftshift",
    "inverse_mdct",
    "inverse_stft",
    "inverse_stft_window_fn",
    "irfft",
    "irfft2d",
    "irfft3d",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "rfft",
    "rfft2d",
    "rfft3d",
    "stft",
    "vorbis_window",
]

__getattr__, __dir__ = in_module(__name__)
