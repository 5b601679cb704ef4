"""The Fourier transform: a signal as a sum of waves, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapelab.core.batching import BatchedCall, axes_behind_batch
from tapelab.core.op import op
from tapelab.ops import samples
from tapelab.ops.casts import cast
from tapelab.ops.concatenation import concat
from tapelab.ops.integer_arguments import refuse_half
from tapelab.ops.rules import CONTINUOUS, FLOATS, numpy_dtype

Axes = tuple[int, ...]


def signals(rng: np.random.Generator) -> list[samples.Sample]:
    """Signals with the axes to transform."""
    return [((rng.normal(size=shape),), {"axes": axes})
            for shape, axes in (((4,), (0,)), ((2, 5), (1,)), ((3, 2, 2), (1, 2)))]  # fmt: skip


def spectra(rng: np.random.Generator) -> list[samples.Sample]:
    """Halves of spectra with the axes to transform and the length of the signal."""
    cases = (((3,), (0,), 4), ((2, 3), (1,), 5), ((2, 2, 3), (1, 2), 4))
    return [((rng.normal(size=s),), {"axes": axes, "last": last}) for s, axes, last in cases]


@op(formula=r"y_k = \sum x_n e^{-2 \pi i k n / m}", output="y", glyph="FFT", raw="FFT",
    title="Fourier transform", samples=signals, kinds=CONTINUOUS)  # fmt: skip
def fft(x: Any, *, axes: Axes) -> Any:
    """How much of each wave is in a signal, along one axis or several."""
    return _as_complex(np.fft.fftn(x, axes=axes) if x.size else x, x)


@fft.grad("x", r"\bar x = m \cdot \operatorname{ifft}(\bar y)")
def fft_grad_x(dy: Any, y: Any, x: Any, *, axes: Axes) -> Any:
    """The waves run backwards."""
    return cast(ifft(dy, axes=axes) * float(_count(x, axes)), dtype=numpy_dtype(x))


@op(formula=r"y_n = \frac{1}{m} \sum x_k e^{2 \pi i k n / m}", output="y", glyph="IFFT", raw="IFFT",
    title="Inverse Fourier transform", samples=signals, kinds=CONTINUOUS)  # fmt: skip
def ifft(x: Any, *, axes: Axes) -> Any:
    """The signal that consists of so much of each wave."""
    return _as_complex(np.fft.ifftn(x, axes=axes) if x.size else x, x)


@ifft.grad("x", r"\bar x = \frac{1}{m} \operatorname{fft}(\bar y)")
def ifft_grad_x(dy: Any, y: Any, x: Any, *, axes: Axes) -> Any:
    """The waves run backwards."""
    return cast(fft(dy, axes=axes) / float(_count(x, axes)), dtype=numpy_dtype(x))


@op(formula=r"y_k = \sum x_n e^{-2 \pi i k n / m}", output="y", glyph="RFFT", raw="RFFT",
    title="Fourier transform of real numbers", samples=signals, kinds=FLOATS)  # fmt: skip
def rfft(x: Any, *, axes: Axes) -> Any:
    """As `fft` of real numbers, without the second half, which mirrors the first."""
    refuse_half("RFFT", x)
    if not x.size:
        at = axes[-1] % x.ndim
        kept = x.shape[at] // 2 + 1 if x.shape[at] else 0
        half = (*x.shape[:at], kept, *x.shape[at + 1 :])
        return _as_complex(np.zeros(half, x.dtype), x)
    return _as_complex(np.fft.rfftn(x, axes=axes), x)


@rfft.grad("x", r"\bar x = m \cdot \operatorname{ifft}(\bar y, 0)")
def rfft_grad_x(dy: Any, y: Any, x: Any, *, axes: Axes) -> Any:
    """The half that was left out has no gradient."""
    last = axes[-1] % len(x.shape)
    missing = np.zeros(
        (*dy.shape[:last], x.shape[last] - dy.shape[last], *dy.shape[last + 1 :]), numpy_dtype(dy)
    )
    whole = concat(dy, missing, axis=last)
    return cast(ifft(whole, axes=axes) * float(_count(x, axes)), dtype=numpy_dtype(x))


@op(formula=r"y_n = \frac{1}{m} \sum x_k e^{2 \pi i k n / m}", output="y", glyph="IRFFT",
    raw="IRFFT", title="Inverse Fourier transform to real numbers", samples=spectra,
    kinds=CONTINUOUS)  # fmt: skip
def irfft(x: Any, *, axes: Axes, last: int) -> Any:
    """The real signal, `last` long in its last axis, of which half a spectrum is given."""
    if not last or not x.size:
        at = axes[-1] % x.ndim
        return np.zeros((*x.shape[:at], last, *x.shape[at + 1 :]), _real(x))
    sizes = [*(x.shape[axis] for axis in axes[:-1]), last]
    y = np.fft.irfftn(x, s=sizes, axes=axes)
    return y.astype(_real(x))


@fft.batch
@ifft.batch
@rfft.batch
@irfft.batch
def fourier_batch(call: BatchedCall) -> Any:
    (x,) = call.operands
    return call.run(x.value, axes=axes_behind_batch(call.settings["axes"], len(x.shape)))


@irfft.grad("x", r"\bar x_k = \frac{2}{m} \operatorname{rfft}(\bar y) \text{ or } \frac{1}{m}")
def irfft_grad_x(dy: Any, y: Any, x: Any, *, axes: Axes, last: int) -> Any:
    """A wave that stands for its mirror image, too, counts twice."""
    at = axes[-1] % len(x.shape)
    counts = np.full(x.shape[at], 2.0)
    counts[:1] = 1.0
    if last % 2 == 0:
        counts[last // 2 : last // 2 + 1] = 1.0
    shape = [1] * len(x.shape)
    shape[at] = x.shape[at]
    spectrum = rfft(dy, axes=axes)
    weights = (counts / _count(dy, axes)).reshape(shape).astype(numpy_dtype(spectrum))
    return cast(spectrum * weights, dtype=numpy_dtype(x))


def _count(x: Any, axes: Axes) -> int:
    return math.prod(x.shape[axis] for axis in axes)


def _as_complex(y: Any, x: Any) -> Any:
    return y.astype(np.result_type(x.dtype, np.complex64))


def _real(x: Any) -> Any:
    return np.zeros((), x.dtype).real.dtype
