"""From any value to a tensor as `tf.experimental.numpy` sees it; where two dtypes meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapelab.array_ops import value_ops
from tapelab.array_ops.creation import convert_to_tensor
from tapelab.array_ops.shape_ops import identity, reshape
from tapelab.core.numpy_behavior import behavior
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable
from tapelab.dtypes import DType, as_dtype

_NARROW = {"float64": "float32", "complex128": "complex64"}


def asarray(a: Any, dtype: Any = None) -> Tensor:
    """A value as a tensor; Python's numbers are 64 bits wide."""
    x: Tensor = a if isinstance(a, Tensor) else _converted(a)
    return x if dtype is None else value_ops.cast(x, _chosen(dtype))


def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A new tensor of a value, with at least so many axes."""
    x = asarray(val, dtype)
    if ndmin > x.ndim:
        x = reshape(x, [1] * (ndmin - x.ndim) + list(x.shape))
    return identity(x) if copy else x


def as_floats(x: Any) -> Tensor:
    """A value as a tensor of floats or complex numbers; integers become 64 bits wide."""
    x = asarray(x)
    whole = not (x.dtype.is_floating or x.dtype.is_complex)
    floats: Tensor = value_ops.cast(x, _chosen(float)) if whole else x
    return floats


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype in which values and dtypes meet."""
    return as_dtype(np.result_type(*map(_weak, arrays_and_dtypes))).as_numpy_dtype


def promote_types(type1: Any, type2: Any) -> Any:
    """The dtype in which two dtypes meet."""
    return np.promote_types(_chosen(type1).as_numpy_dtype, _chosen(type2).as_numpy_dtype)


def promoted(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Two values as tensors of one dtype."""
    one, other = promoted_list([x1, x2])
    return one, other


def promoted_list(values: Sequence[Any]) -> list[Any]:
    """Values as tensors of one dtype."""
    tensors = [asarray(each) for each in values]
    kinds = {each.dtype for each in tensors}
    if len(kinds) == 1:
        return tensors
    kind = as_dtype(np.result_type(*map(_weak, values)))
    if behavior.prefer_float32:
        kind = as_dtype(_NARROW.get(kind.name, kind.name))
    return [each if each.dtype is kind else value_ops.cast(each, kind) for each in tensors]


def _converted(value: Any) -> Tensor:
    if isinstance(value, Variable):
        return convert_to_tensor(value)
    if isinstance(value, (list, tuple)) and any(isinstance(v, (Tensor, Variable)) for v in value):
        return convert_to_tensor(promoted_list(value))
    plain = not isinstance(value, (np.ndarray, np.generic))
    numbers = np.asarray(value)
    if plain and behavior.prefer_float32 and numbers.dtype.name in _NARROW:
        numbers = numbers.astype(_NARROW[numbers.dtype.name])
    return convert_to_tensor(numbers)


def _chosen(dtype: Any) -> DType:
    """A dtype; Python's types mean 64 bits, or 32 where floats of 32 bits are preferred."""
    if isinstance(dtype, DType):
        return dtype
    kind = np.dtype(dtype)
    if dtype in (float, complex) and behavior.prefer_float32:
        kind = np.dtype(_NARROW[kind.name])
    return as_dtype(kind)


def _weak(value: Any) -> Any:
    """What NumPy decides by: Python's numbers give way to the dtypes of arrays."""
    if isinstance(value, (bool, int, float, complex, type, np.dtype, np.generic)):
        return value
    if isinstance(value, DType):
        return value.as_numpy_dtype
    return asarray(value).dtype.as_numpy_dtype
