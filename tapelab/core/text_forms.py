"""How TensorFlow writes tensors when they are printed, and shapes and dtypes in its errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tapelab.core.tensor_shape import TensorShape
from tapelab.core.value_types import DTypeLike, Value
from tapelab.dtypes import BY_NUMPY
from tapelab.errors import OpError, invalid_argument


def _numbers(value: Value, text: Callable[[Value], str]) -> str:
    return str(text(np.asarray(value)[()]))


def str_of(value: Value) -> str:
    """`tf.Tensor(6.0, shape=(), dtype=float32)`; a new line before arrays of rank 2 and more."""
    numbers = _numbers(value, str)
    start = "\n" if "\n" in numbers else ""
    dtype = BY_NUMPY[value.dtype].name
    return f"tf.Tensor({start}{numbers}, shape={TensorShape(value.shape)}, dtype={dtype})"


def repr_of(value: Value) -> str:
    """`<tf.Tensor: shape=(), dtype=float32, numpy=6.0>`."""
    dtype = BY_NUMPY[value.dtype].name
    shape = TensorShape(value.shape)
    return f"<tf.Tensor: shape={shape}, dtype={dtype}, numpy={numpy_text(value)}>"


def numpy_text(value: Value) -> str:
    """The numbers as the `numpy=` part of a repr; arrays of several rows start on a new line."""
    if value.ndim == 0:
        return repr(value[()] if value.dtype == object else value.item())
    text = repr(np.asarray(value))
    return f"\n{text}" if "\n" in text else text


_SPOKEN = {"float32": "float", "float64": "double", "float16": "half", "object": "string"}


def brackets(shape: Iterable[int | str]) -> str:
    """A shape as TensorFlow's kernels print it: `[2,3]`."""
    return "[" + ",".join(map(str, shape)) + "]"


def spoken(dtype: DTypeLike) -> str:
    """A dtype as TensorFlow's kernels call it: `float` for float32."""
    return _SPOKEN.get(str(dtype), str(dtype))


def require_one_dtype(raw: str, parts: tuple[Any, ...]) -> None:
    """InvalidArgumentError unless all arrays have the dtype of the first."""
    first = parts[0].dtype
    for position, each in enumerate(parts):
        if each.dtype != first:
            raise unlike(raw, position, first, each.dtype)


def unlike(raw: str, position: int, first: Value, other: Value, got: str = "") -> OpError:
    """The error for an input of another dtype than the first; `got` tells what came."""
    never = f"{got}; tensors are never cast silently" if got else "Tensors are never cast silently"
    return invalid_argument(
        raw,
        f"cannot compute {raw} as input #{position}(zero-based) was expected to be a "
        f"{spoken(first)} tensor but is a {spoken(other)} tensor. {never}. "
        f"Try tf.cast(…, tf.{first})",
    )


def in_place(sign: str, method: str) -> RuntimeError:
    """The error for an operator that would change a variable, with the method that does."""
    plain = f"variable {sign[:-1]} value"
    change = "value" if method != "assign" else plain
    return RuntimeError(
        f"`variable {sign} value` with `tf.Variable`s is not supported: it would bind the name to "
        f"a tensor. Use `variable.{method}({change})` to change the variable, or "
        f"`out = {plain}` for a new tensor."
    )
