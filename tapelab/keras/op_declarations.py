"""How the functions of `tf.keras.ops` are declared: their dtypes, and their symbolic forms."""

from __future__ import annotations

from typing import Any

from tapelab.array_ops import value_ops
from tapelab.keras import backend
from tapelab.keras.keras_tensor import Function, operation


def as_floats(x: Any) -> Any:
    """Return a tensor, in floats if it holds integers or truth values."""
    tensor = backend.convert_to_tensor(x)
    exact = tensor.dtype.is_floating or tensor.dtype.is_complex
    return tensor if exact else value_ops.cast(tensor, backend.floatx())


def summable(x: Any) -> Any:
    """Return truth values and narrow integers as int32 or uint32, in which Keras adds them."""
    if x.dtype.is_bool or x.dtype.name in {"int8", "int16"}:
        return value_ops.cast(x, "int32")
    return value_ops.cast(x, "uint32") if x.dtype.name in {"uint8", "uint16"} else x


def promoted(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Return two tensors of one dtype; a Python number takes that of the tensor, if it fits."""
    one, other = backend.convert_to_tensor(x1), backend.convert_to_tensor(x2)
    wanted = backend.joint_dtype(
        one.dtype, other.dtype, first_is_weak=is_weak(x1), second_is_weak=is_weak(x2)
    )
    return backend.convert_to_tensor(one, wanted), backend.convert_to_tensor(other, wanted)


def is_weak(x: Any) -> bool:
    """Return whether it is a Python number, whose dtype counts less."""
    return isinstance(x, (bool, int, float))


def named(op: Function, name: str, function: Function) -> Function:
    """Return an op with a name and the docstring of a function, also for symbolic tensors."""
    op.__name__ = op.__qualname__ = name
    op.__doc__ = function.__doc__
    return operation(op)


def unary(name: str, function: Function, *, floats: bool = False) -> Function:
    """Return an op of one tensor; with `floats`, one of floats."""

    def op(x: Any) -> Any:
        return function(as_floats(x) if floats else backend.convert_to_tensor(x))

    return named(op, name, function)


def binary(name: str, function: Function, *, floats: bool = False) -> Function:
    """Return an op of two tensors of one dtype; with `floats`, of floats."""

    def op(x1: Any, x2: Any) -> Any:
        one, other = promoted(x1, x2)
        return function(as_floats(one), as_floats(other)) if floats else function(one, other)

    return named(op, name, function)


def reduction(name: str, function: Function, *, floats: bool = False) -> Function:
    """Return an op that reduces axes of a tensor; with `floats`, of one of floats."""

    def op(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        given = as_floats(x) if floats else backend.convert_to_tensor(x)
        axes = list(axis) if isinstance(axis, tuple) else axis
        return function(given, axes, keepdims)

    return named(op, name, function)
