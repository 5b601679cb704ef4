"""The Fourier and cosine transforms of `tf.signal`, along the last axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import numpy as np

from tapelab.array_ops.shape_ops import pad
from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.op_declaration import Op
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets, spoken
from tapelab.dtypes import complex64, complex128, float32, float64
from tapelab.errors import invalid_argument
from tapelab.ops import fourier
from tapelab.ops.integer_arguments import lengths
from tapelab.ops.public import strict_operand
from tapelab.ops.public import tensor as as_tensor
from tapelab.ops.rearrangement import roll
from tapelab.ops.rules import numpy_dtype
from tapelab.ops.shapes import reshape

Public = Callable[..., Tensor]


def _complex(op: Op, name: str, rank: int) -> Public:
    """A transform of complex numbers along the last `rank` axes."""
    raw = name.upper()

    def function(input: Any, name: str | None = None) -> Tensor:
        x = input if isinstance(input, Tensor) else _as_complex(input)
        if not x.dtype.is_complex:
            raise invalid_argument(
                raw, f"Value for attr 'Tcomplex' of {spoken(x.dtype.name)} is not in the list of "
                "allowed values: complex64, complex128. Try tf.cast(input, tf.complex64)",
            )  # fmt: skip
        if x.ndim < rank:
            raise invalid_argument(
                raw, f"Input must have rank of at least {rank} but got: {brackets(x._array.shape)}"
            )
        spectrum: Tensor = op(x, axes=tuple(range(x.ndim - rank, x.ndim)))
        return spectrum

    return public(_named(function, name, op))


def _as_complex(value: Any) -> Tensor:
    given = as_tensor(value)
    return given if given.dtype is complex128 else strict_operand(value, complex64)


def _of_reals(name: str, rank: int) -> Public:
    raw = name.upper()

    def function(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        x = _floats(raw, input_tensor)
        _require_rank(x, rank)
        sizes = x._array.shape[-rank:] if fft_length is None else _lengths(fft_length, rank)
        spectrum: Tensor = fourier.rfft(fitted(x, sizes), axes=tuple(range(x.ndim - rank, x.ndim)))
        return spectrum

    return public(_named(function, name, fourier.rfft))


def _to_reals(name: str, rank: int) -> Public:
    raw = name.upper()

    def function(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        x = input_tensor if isinstance(input_tensor, Tensor) else _as_complex(input_tensor)
        if not x.dtype.is_complex:
            raise ValueError(
                f"{raw} requires tf.complex64 or tf.complex128 inputs, got: {x}. "
                "Try tf.cast(x, tf.complex64)."
            )
        _require_rank(x, rank)
        if fft_length is None:
            *others, half = x._array.shape[-rank:]
            sizes = (*others, max(2 * (half - 1), 0))
        else:
            sizes = _lengths(fft_length, rank)
        half_spectrum = fitted(x, (*sizes[:-1], sizes[-1] // 2 + 1))
        axes = tuple(range(x.ndim - rank, x.ndim))
        signal: Tensor = fourier.irfft(half_spectrum, axes=axes, last=sizes[-1])
        return signal

    return public(_named(function, name, fourier.irfft))


def _floats(raw: str, value: Any) -> Tensor:
    x = value if isinstance(value, Tensor) else strict_operand(value, float32)
    if x.dtype not in (float32, float64):
        raise ValueError(f"{raw} requires tf.float32 or tf.float64 inputs, got: {x}")
    return x


def _require_rank(x: Tensor, rank: int) -> None:
    if x.ndim < rank:
        raise ValueError(f"Shape {x.shape} must have rank at least {rank}")


def _lengths(fft_length: Any, rank: int) -> tuple[int, ...]:
    if isinstance(fft_length, int):
        raise TypeError("'int' object is not iterable: fft_length must be a list, one length per "
                        "axis. Try [fft_length].")  # fmt: skip
    sizes = lengths(fft_length, "RFFT")
    if len(sizes) != rank:
        raise ValueError(f"fft_length must have {rank} entries, got {list(sizes)}")
    return sizes


def fitted(x: Any, sizes: tuple[int, ...]) -> Any:
    """The last axes cut or filled with zeros to the given lengths."""
    shape, rank = x._array.shape, len(sizes)
    if shape[-rank:] == tuple(sizes):
        return x
    cut = x[(..., *(slice(size) for size in sizes))]
    missing = [size - n for size, n in zip(sizes, cut._array.shape[-rank:], strict=True)]
    return pad(cut, [[0, 0]] * (x.ndim - rank) + [[0, each] for each in missing])


def _named(function: Public, name: str, op: Op) -> Public:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{op.sentence}\n\n{op.formula}"
    return function


fft, fft2d, fft3d = (
    _complex(fourier.fft, f"fft{d}", n) for n, d in ((1, ""), (2, "2d"), (3, "3d"))
)
ifft, ifft2d, ifft3d = (
    _complex(fourier.ifft, f"ifft{d}", n) for n, d in ((1, ""), (2, "2d"), (3, "3d"))
)
rfft, rfft2d, rfft3d = (_of_reals(f"rfft{d}", n) for n, d in ((1, ""), (2, "2d"), (3, "3d")))
irfft, irfft2d, irfft3d = (_to_reals(f"irfft{d}", n) for n, d in ((1, ""), (2, "2d"), (3, "3d")))


@public(group=True)
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The spectrum turned so that the constant part stands in the middle."""
    return _shifted(x, axes, lambda length: length // 2)


@public(group=True)
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The spectrum turned back by `fftshift`."""
    return _shifted(x, axes, lambda length: -(length // 2))


def _shifted(x: Any, axes: Any, by: Callable[[int], int]) -> Tensor:
    given = as_tensor(x)
    along = tuple(range(given.ndim)) if axes is None else lengths(axes, "Roll")
    shift = tuple(by(given._array.shape[axis]) for axis in along)
    shifted: Tensor = roll(given, shift=shift, axis=along)
    return shifted


_INVERSE: Final = {1: 1, 2: 3, 3: 2, 4: 4}


@public(group=True)
def dct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """How much of each cosine is in a signal: its product with a table of cosines."""
    _check(type, norm, axis)
    if n is not None and n <= 0:
        raise ValueError(f"n should be a positive integer or None: {n}")
    x = as_tensor(input)
    if not x.dtype.is_floating:
        raise TypeError(f"Cannot convert 0.0 to EagerTensor of dtype {x.dtype.name}")
    if n is not None:
        x = fitted(x, (n,))
    size = x._array.shape[-1]
    if type == 1 and size < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    _require_wide(x, type)
    table = _cosines(size, type, norm)
    cosines: Any = new_constant(table.astype(numpy_dtype(x)), None)
    rows: Any = reshape(x, shape=(math.prod(x._array.shape[:-1]), size))
    coefficients: Tensor = reshape(rows @ cosines, shape=x._array.shape)
    return coefficients


@public
def idct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The signal of which so much of each cosine is given, up to a factor unless norm='ortho'."""
    _check(type, norm, axis)
    signal: Tensor = dct(input, _INVERSE[type], n, axis, norm)
    return signal


def _require_wide(x: Tensor, kind: int) -> None:
    """Narrow floats have no complex numbers, with which TensorFlow transforms them."""
    if x.dtype in (float32, float64):
        return
    if kind == 1:
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x}")
    raise TypeError(
        f"The `real` and `imag` components have incorrect types: {x.dtype.name} {x.dtype.name}. "
        "They must be consistent, and one of [tf.float32, tf.float64]. Try tf.cast(x, tf.float32)."
    )


def _cosines(size: int, kind: int, norm: str | None) -> Any:
    if not size:
        return np.eye(0)
    return import_module("scipy.fft").dct(np.eye(size), kind, axis=-1, norm=norm)


def _check(kind: int, norm: str | None, axis: int) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if kind not in _INVERSE:
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if kind == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
