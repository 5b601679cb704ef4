"""The cosine transforms of `tf.signal`: a signal as a sum of cosines."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any, Final

import numpy as np

from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.dtypes import float32, float64
from tapelab.ops.public import tensor as as_tensor
from tapelab.ops.rules import numpy_dtype
from tapelab.ops.shape import reshape
from tapelab.signal.waves import fitted

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
    made: Tensor = reshape(rows @ cosines, shape=x._array.shape)
    return made


@public
def idct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The signal of which so much of each cosine is given, up to a factor unless norm='ortho'."""
    _check(type, norm, axis)
    found: Tensor = dct(input, _INVERSE[type], n, axis, norm)
    return found


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
