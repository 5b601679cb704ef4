"""Shapes, sizes and positions as Python integers, and dtypes that TensorFlow has no kernel for."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.arrays import typed_array
from tapelab.core.cell import Holder
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.text_forms import spoken
from tapelab.core.variable import read
from tapelab.dtypes import int64
from tapelab.errors import NotFoundError, OpError, invalid_argument


def lengths(value: Any, raw: str, *, strict: bool = False) -> tuple[int, ...]:
    """A shape, or a list of positions, as a tuple of integers; a single number counts as one.

    What Python data are refused where they are no integers is a TypeError if `strict`.
    """
    if type(value) is int:
        return (value,)
    if isinstance(value, TensorShape):
        return tuple(_known(each, value) for each in value)
    if isinstance(value, (list, tuple)):
        if all(type(each) is int for each in value):
            return tuple(value)
        if any(isinstance(each, (Tensor, Holder)) for each in value):
            return tuple(number(each, raw) for each in value)
    array = whole(value, raw, strict=strict)
    if array.ndim > 1:
        raise invalid_argument(raw, f"A row of integers is needed here, not {value!r}")
    return tuple(int(each) for each in array.ravel())


def require_sequence(given: Any, attr: str) -> None:
    """ValueError for an array of several axes where one entry after the other is meant."""
    if isinstance(given, np.ndarray) and given.ndim > 1:
        raise ValueError(
            f"expected a sequence for attr {attr}, got an ndarray with rank {given.ndim} instead. "
            "Try list(x)."
        )


def number(value: Any, raw: str, *, strict: bool = False) -> int:
    """One integer; InvalidArgumentError for several."""
    if type(value) is int:
        return value
    array = whole(value, raw, strict=strict)
    if array.size != 1:
        raise invalid_argument(raw, f"One integer is needed here, not {value!r}")
    return int(array.reshape(-1)[0])


def one_float(name: str, value: Any) -> float:
    """One number for a setting that is a fraction; ValueError for none or several."""
    current = read(value) if isinstance(value, Holder) else value
    array = np.asarray(current._value if type(current) is Tensor else typed_array(current))
    if array.ndim:
        raise ValueError(f"`{name}` must be a scalar or scalar tensor. Received: {value!r}")
    if array.dtype.kind not in "fiub":
        raise TypeError(f"Expected float for argument '{name}' not {value!r}.")
    return float(array)


def whole(value: Any, raw: str, *, strict: bool = False) -> Any:
    """Integers as a raw array; TypeError for a fraction, as it would have to be cut.

    What else is no integer raises InvalidArgumentError, or TypeError if `strict`, as it is
    with TensorFlow where a function converts its settings itself; NumPy floats are cut.
    """
    current = read(value) if isinstance(value, Holder) else value
    array = np.asarray(
        current._value if type(current) is Tensor else _from_python(current, strict=strict)
    )
    if array.dtype.kind in "iu":
        return array
    raise unfit_index(raw, array.dtype, value)


def unfit_index(raw: str, dtype: np.dtype[Any], value: Any) -> OpError:
    """The error for fractions where integers are needed."""
    return invalid_argument(
        raw,
        f"Value for attr 'Tidx' of {spoken(dtype)} is not in the list of allowed values: int32, "
        f"int64. Integers are needed, not {value!r}; try tf.cast(…, tf.int32)",
    )


def _from_python(value: Any, *, strict: bool) -> Any:
    try:
        return typed_array(value, int64)
    except TypeError:
        natural = typed_array(value)
    if not strict and (natural.dtype.kind != "f" or natural.ndim):
        return natural
    raise TypeError(
        f"Cannot convert {value!r} to EagerTensor of dtype int32: integers are needed here."
    )


def _known(length: int | None, shape: TensorShape) -> int:
    if length is None:
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
    return length


def refuse_half(raw: str, x: Any) -> None:
    """NotFoundError for 16 bits, where TensorFlow has no kernel for the processor."""
    if x.dtype.itemsize == 2:
        raise NotFoundError(
            None, raw, f"Could not find device for node: {{{{node {raw}}}}} = {raw}[T=DT_HALF]. "
            f"{raw} is there for float32 and float64. Try tf.cast(x, tf.float32).",
        )  # fmt: skip


def refuse_no_number(x: Any) -> None:
    """TypeError for truths and text, of which there is no conjugate."""
    if not x.dtype.is_numeric:
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")
