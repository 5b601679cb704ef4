"""How tensors and variables look in print, as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.tensor_shape import TensorShape
from tapelab.dtypes import BY_NUMPY


def _numbers(value: Any, text: Any) -> str:
    return str(text(np.asarray(value)[()]))


def str_of(value: Any) -> str:
    """`tf.Tensor(6.0, shape=(), dtype=float32)`; a new line before arrays of rank 2 and more."""
    numbers = _numbers(value, str)
    start = "\n" if "\n" in numbers else ""
    dtype = BY_NUMPY[value.dtype].name
    return f"tf.Tensor({start}{numbers}, shape={TensorShape(value.shape)}, dtype={dtype})"


def repr_of(value: Any) -> str:
    """`<tf.Tensor: shape=(), dtype=float32, numpy=6.0>`."""
    dtype = BY_NUMPY[value.dtype].name
    shape = TensorShape(value.shape)
    return f"<tf.Tensor: shape={shape}, dtype={dtype}, numpy={numpy_text(value)}>"


def numpy_text(value: Any) -> str:
    """The numbers as the `numpy=` part of a repr; arrays of several rows start on a new line."""
    if value.ndim == 0:
        return repr(value[()] if value.dtype == object else value.item())
    text = repr(np.asarray(value))
    return f"\n{text}" if "\n" in text else text
