"""Functions of `tf.keras.ops` of matrices and of signals: factorizations, equations, transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab import linalg, math, signal
from tapelab.array_ops import gather_ops, shape_ops, value_ops
from tapelab.autodiff import ForwardAccumulator
from tapelab.keras import backend
from tapelab.keras.keras_tensor import operation
from tapelab.keras.op_declarations import as_floats, promoted


def _matrix(x: Any) -> Any:
    given = as_floats(x)
    if given.ndim < 2:
        raise ValueError(
            f"Expected input to have rank >= 2. Received input with shape {given.shape}."
        )
    return given


def _square(x: Any) -> Any:
    given = _matrix(x)
    rows, columns = given.shape[-2:]
    if rows != columns:
        raise ValueError(
            f"Expected a square matrix. Received non-square input with shape {given.shape}"
        )
    return given


@operation
def cholesky(x: Any, upper: bool = False) -> Any:
    """Return the triangular factor L with `x = L Lᵀ`, or its transpose."""
    lower = linalg.cholesky(_square(x))
    return linalg.adjoint(lower) if upper else lower


@operation
def cholesky_inverse(x: Any, upper: bool = False) -> Any:
    """Return the inverse of the matrix whose triangular factor is given."""
    factor = _square(x)
    identity = value_ops.cast(np.eye(int(factor.shape[-1])), factor.dtype)
    return linalg.cholesky_solve(linalg.matrix_transpose(factor) if upper else factor, identity)


@operation
def det(x: Any) -> Any:
    """Return determinants."""
    return linalg.det(_square(x))


@operation
def eig(x: Any) -> Any:
    """Return eigenvalues and eigenvectors, complex ones."""
    return tuple(linalg.eig(_square(x)))


@operation
def eigh(x: Any) -> Any:
    """Return eigenvalues and eigenvectors of symmetric matrices."""
    return tuple(linalg.eigh(_square(x)))


@operation
def inv(x: Any) -> Any:
    """Return inverses."""
    return linalg.inv(_square(x))


@operation
def lu_factor(x: Any) -> Any:
    """Return both triangular factors in one matrix, and the order of the rows."""
    factors, order = linalg.lu(_matrix(x))
    return factors, order


@operation
def logdet(x: Any) -> Any:
    """Return the logarithms of determinants."""
    return linalg.logdet(_square(x))


@operation
def slogdet(x: Any) -> Any:
    """Return the signs of determinants, and the logarithms of their sizes."""
    return tuple(linalg.slogdet(_square(x)))


@operation
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """Return the solutions of least squares of `a x = b`."""
    del rcond
    matrix, right = promoted(as_floats(a), as_floats(b))
    if right.ndim == 1:
        return shape_ops.squeeze(linalg.lstsq(matrix, right[:, None], fast=False), -1)
    return linalg.lstsq(matrix, right, fast=False)


@operation
def matrix_rank(x: Any, tol: Any = None) -> Any:
    """Return how many rows are independent."""
    return linalg.matrix_rank(_matrix(x), tol)


@operation
def pinv(x: Any, rcond: Any = None) -> Any:
    """Return pseudo-inverses."""
    return linalg.pinv(_matrix(x), rcond)


@operation
def qr(x: Any, mode: str = "reduced") -> Any:
    """Return an orthogonal and a triangular factor."""
    if mode not in {"reduced", "complete"}:
        raise ValueError(
            "`mode` argument value not supported. "
            "Expected one of {'reduced', 'complete'}. "
            f"Received: mode={mode}"
        )
    return tuple(linalg.qr(_matrix(x), full_matrices=mode == "complete"))


@operation
def solve(a: Any, b: Any) -> Any:
    """Return the solution of `a x = b`."""
    matrix, right = promoted(_square(a), as_floats(b))
    return _solved(linalg.solve, matrix, right)


@operation
def solve_triangular(a: Any, b: Any, lower: bool = False) -> Any:
    """Return the solution of `a x = b` for a triangular matrix."""
    matrix, right = promoted(_square(a), as_floats(b))
    return _solved(lambda x, y: linalg.triangular_solve(x, y, lower=lower), matrix, right)


def _solved(function: Callable[[Any, Any], Any], matrix: Any, right: Any) -> Any:
    if right.ndim == matrix.ndim - 1:
        return shape_ops.squeeze(function(matrix, shape_ops.expand_dims(right, -1)), -1)
    return function(matrix, right)


@operation
def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return left vectors, singular values and right vectors, or the values alone."""
    if not compute_uv:
        return linalg.svd(_matrix(x), compute_uv=False)
    values, left, right = linalg.svd(_matrix(x), full_matrices=full_matrices)
    return left, values, linalg.adjoint(right)


def jvp(fun: Any, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """Return a function's results and their derivatives in a direction."""
    inputs = [backend.convert_to_tensor(each) for each in primals]
    directions = [backend.convert_to_tensor(each) for each in tangents]
    with ForwardAccumulator(inputs, directions) as forward:
        results = fun(*inputs)
        results, aux = results if has_aux else (results, None)
    derivatives = forward.jvp(results)
    return (results, derivatives, aux) if has_aux else (results, derivatives)


def _complex(x: Any) -> Any:
    """A complex tensor of its real and imaginary parts, given as a pair."""
    if not isinstance(x, (tuple, list)):
        raise ValueError(f"Input `x` should be a tuple of two tensors. Received: x={x}")
    if len(x) != 2:
        raise ValueError(
            f"Input `x` should be a tuple of two tensors - real and imaginary. Received: x={x}"
        )
    real, imaginary = (as_floats(each) for each in x)
    if real.shape != imaginary.shape:
        raise ValueError(
            "Input `x` should be a tuple of two tensors - real and imaginary."
            "Both the real and imaginary parts should have the same shape. "
            f"Received: x[0].shape = {real.shape}, x[1].shape = {imaginary.shape}"
        )
    return value_ops.complex(real, imaginary)


def _parts(x: Any) -> tuple[Any, Any]:
    return math.real(x), math.imag(x)


@operation
def fft(x: Any) -> Any:
    """Return the Fourier transform along the last axis, as real and imaginary parts."""
    return _parts(signal.fft(_complex(x)))


@operation
def fft2(x: Any) -> Any:
    """Return the Fourier transform along the last two axes, as real and imaginary parts."""
    return _parts(signal.fft2d(_complex(x)))


@operation
def ifft2(x: Any) -> Any:
    """Return the inverse Fourier transform along the last two axes."""
    return _parts(signal.ifft2d(_complex(x)))


@operation
def rfft(x: Any, fft_length: int | None = None) -> Any:
    """Return the Fourier transform of real numbers along the last axis, without its mirror."""
    length = None if fft_length is None else [fft_length]
    return _parts(signal.rfft(as_floats(x), length))


@operation
def irfft(x: Any, fft_length: int | None = None) -> Any:
    """Return the real numbers of a Fourier transform."""
    length = None if fft_length is None else [fft_length]
    return signal.irfft(_complex(x), length)


def _window_of(window: Any, length: int, size: int) -> Any:
    """The weights of a frame, in the middle of `size` elements."""
    if window is None:
        weights: Any = np.ones(length)
    elif isinstance(window, str):
        makers = {"hann": signal.hann_window, "hamming": signal.hamming_window}
        if window not in makers:
            raise ValueError(
                "If a string is passed to `window`, it must be one of "
                f'`"hann"`, `"hamming"`. Received: window={window}'
            )
        weights = makers[window](length, periodic=True).numpy()
    else:
        weights = np.asarray(window)
        if weights.shape != (length,):
            raise ValueError(
                "The shape of `window` must be equal to [sequence_length]."
                f"Received: window shape={weights.shape}"
            )
    before = (size - length) // 2
    return np.pad(weights, (before, size - length - before))


@operation
def stft(
    x: Any, sequence_length: int, sequence_stride: int, fft_length: int, window: Any = "hann",
    center: bool = True,
) -> Any:  # fmt: skip
    """Return the Fourier transforms of overlapping frames, as real and imaginary parts."""
    given = as_floats(x)
    if fft_length < sequence_length:
        raise ValueError(
            "`fft_length` must equal or larger than `sequence_length`. "
            f"Received: sequence_length={sequence_length}, "
            f"fft_length={fft_length}"
        )
    weights: Any = value_ops.cast(_window_of(window, sequence_length, fft_length), given.dtype)
    if center:
        edges = [[0, 0]] * (given.ndim - 1) + [[fft_length // 2] * 2]
        given = shape_ops.pad(given, edges, "REFLECT")
    starts = np.arange(0, int(given.shape[-1]) - fft_length + 1, sequence_stride)
    frames: Any = gather_ops.gather(given, starts[:, None] + np.arange(fft_length), axis=-1)
    return _parts(signal.rfft(frames * weights))


def _inverse_window(weights: Any, stride: int) -> Any:
    """The weights that make overlapping weighted frames the signal again."""
    size = len(weights)
    padded = np.pad(weights**2, (0, -size % stride)).reshape(-1, stride).sum(0)
    return weights / np.tile(padded, -(-size // stride))[:size]


@operation
def istft(
    x: Any, sequence_length: int, sequence_stride: int, fft_length: int, length: int | None = None,
    window: Any = "hann", center: bool = True,
) -> Any:  # fmt: skip
    """Return the signal whose overlapping frames have these Fourier transforms."""
    frames: Any = signal.irfft(_complex(x), [fft_length])
    if window is not None:
        frames = frames * value_ops.cast(
            _inverse_window(_window_of(window, sequence_length, fft_length), sequence_stride),
            frames.dtype,
        )
    whole: Any = signal.overlap_and_add(frames, sequence_stride)
    start = fft_length // 2 if center else 0
    if length is not None:
        return whole[..., start : start + length]
    return whole[..., start : int(whole.shape[-1]) - start] if center else whole
