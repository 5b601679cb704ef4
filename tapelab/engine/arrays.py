"""From Python and NumPy data to raw arrays, with TensorFlow's dtypes and errors."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.dtypes import BY_NUMPY, DType, as_dtype, bool_, float32, int32, int64, string
from tapelab.engine.tensor import Tensor

_INT32: Final = np.iinfo(np.int32)
_NON_RECTANGULAR: Final = "Can't convert non-rectangular Python sequence to Tensor."


def typed_array(value: Any, dtype: Any = None) -> Any:
    """A raw array or NumPy scalar of our own from Python or NumPy data.

    TypeError where the data do not fit the dtype, ValueError where there is no such array.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        return checked(value, wanted)._value
    if value is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type "
                         "(<class 'NoneType'>) to a Tensor.")  # fmt: skip
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, wanted)
    if isinstance(value, (str, bytes)):
        return _from_python(value, wanted)
    if hasattr(value, "__array__") and not isinstance(value, (list, tuple)):
        return _from_numpy(np.asarray(value), wanted)
    return _from_python(value, wanted)


def _from_numpy(value: Any, wanted: DType | None) -> Any:
    if value.dtype.kind in "SU":
        return _strings(np.asarray(value).tolist(), np.shape(value))
    if value.dtype == object:
        return _from_python(value.tolist(), wanted)
    if value.dtype not in BY_NUMPY:
        raise ValueError(f"Failed to convert a NumPy array to a Tensor (dtype {value.dtype}).")
    if wanted is None or wanted.as_numpy_dtype is value.dtype.type:
        return value.copy() if isinstance(value, np.ndarray) else value
    if (wanted.is_integer and value.dtype.kind in "fc") or wanted.is_bool != (
        value.dtype.kind == "b"
    ):
        raise _unfit(value.tolist(), wanted)
    return value.astype(wanted.as_numpy_dtype)


def _from_python(value: Any, wanted: DType | None) -> Any:
    leaves, shape = _walk(value)
    kind = _python_dtype(leaves, value) if leaves else float32
    if kind is string:
        if wanted not in (None, string):
            raise _unfit(value, wanted)
        return _strings(leaves, shape)
    target = wanted or kind
    if target is string or _loses(kind, target):
        raise _unfit(value, target)
    try:
        array: Any = np.array(leaves, dtype=target.as_numpy_dtype).reshape(shape)
    except OverflowError as error:
        raise _unfit(value, target) from error
    return array[()] if not shape else array


def _walk(value: Any) -> tuple[list[Any], tuple[int, ...]]:
    """The numbers in nested lists and the shape of the nest."""
    shape: list[int] = []
    level = [value]
    while any(isinstance(each, (list, tuple, np.ndarray, range)) for each in level):
        if not all(isinstance(each, (list, tuple, np.ndarray, range)) for each in level):
            raise ValueError(_NON_RECTANGULAR)
        lengths = {len(each) for each in level}
        if len(lengths) != 1:
            raise ValueError(_NON_RECTANGULAR)
        shape.append(lengths.pop())
        level = [child for each in level for child in each]
        if not level:
            break
    return [_leaf(each) for each in level], tuple(shape)


def _leaf(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value._value
    if value is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type "
                         "(<class 'NoneType'>) to a Tensor.")  # fmt: skip
    if not isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        raise ValueError(
            f"Attempt to convert a value ({value!r}) with an unsupported type "
            f"({type(value)}) to a Tensor."
        )
    return value


def _python_dtype(leaves: list[Any], value: Any) -> DType:
    kinds = {
        as_dtype(each.dtype if isinstance(each, np.generic) else type(each)) for each in leaves
    }
    if len(kinds) == 1:
        kind = kinds.pop()
        if kind is int32 and any(not _INT32.min <= int(each) <= _INT32.max for each in leaves):
            return int64
        return kind
    if string in kinds or bool_ in kinds:
        raise ValueError(f"Can't convert Python sequence with mixed types to Tensor: {value!r}.")
    return (
        as_dtype(np.result_type(*(kind.as_numpy_dtype for kind in kinds - {int32})))
        if (kinds - {int32})
        else int32
    )


def _loses(kind: DType, target: DType) -> bool:
    if kind is target:
        return False
    if kind.is_bool or target.is_bool:
        return True
    return (target.is_integer and not kind.is_integer) or (
        kind.is_complex and not target.is_complex
    )


def _strings(leaves: Any, shape: tuple[int, ...]) -> Any:
    flat = np.empty(int(np.prod(shape, dtype=int)), dtype=object)
    nested = leaves if isinstance(leaves, list) else [leaves]
    while nested and isinstance(nested[0], list):
        nested = [each for row in nested for each in row]
    flat[:] = [each.encode() if isinstance(each, str) else each for each in nested]
    return flat.reshape(shape)


def _unfit(value: Any, dtype: DType | None) -> TypeError:
    name = dtype.name if dtype is not None else "string"
    return TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {name}")


def checked(tensor: Tensor, wanted: DType | None) -> Tensor:
    """The tensor itself; ValueError if it has another dtype than the wanted one."""
    if wanted is not None and tensor.dtype is not wanted:
        raise ValueError(
            f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype "
            f"{tensor.dtype.name}: {tensor!r}. Try tf.cast(x, {wanted!r})."
        )
    return tensor
