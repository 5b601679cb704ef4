"""`tf.signal`: Fourier and cosine transforms, frames, windows, and mel scales."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.signal import frames, mel_scale, transforms, window_functions

frame = frames.frame
inverse_mdct = frames.inverse_mdct
inverse_stft = frames.inverse_stft
inverse_stft_window_fn = frames.inverse_stft_window_fn
mdct = frames.mdct
overlap_and_add = frames.overlap_and_add
stft = frames.stft
linear_to_mel_weight_matrix = mel_scale.linear_to_mel_weight_matrix
mfccs_from_log_mel_spectrograms = mel_scale.mfccs_from_log_mel_spectrograms
dct = transforms.dct
fft = transforms.fft
fft2d = transforms.fft2d
fft3d = transforms.fft3d
fftshift = transforms.fftshift
idct = transforms.idct
ifft = transforms.ifft
ifft2d = transforms.ifft2d
ifft3d = transforms.ifft3d
ifftshift = transforms.ifftshift
irfft = transforms.irfft
irfft2d = transforms.irfft2d
irfft3d = transforms.irfft3d
rfft = transforms.rfft
rfft2d = transforms.rfft2d
rfft3d = transforms.rfft3d
hamming_window = window_functions.hamming_window
hann_window = window_functions.hann_window
kaiser_bessel_derived_window = window_functions.kaiser_bessel_derived_window
kaiser_window = window_functions.kaiser_window
vorbis_window = window_functions.vorbis_window

__getattr__, __dir__ = in_module(__name__)
