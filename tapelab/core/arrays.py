"""From Python and NumPy data to raw arrays, with TensorFlow's dtypes and errors.

A list with tensors in it is no data: it is stacked to one tensor, which keeps their history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from tapelab.core.cell import Holder, read
from tapelab.core.composite_tensor import CompositeTensor, refuse_composites
from tapelab.core.core_ops import CORE
from tapelab.core.exits import record_reentry
from tapelab.core.log import origin_here
from tapelab.core.origin import next_id
from tapelab.core.tensor import Tensor, wrap
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.value_types import DTypeLike, Nest, Value
from tapelab.dtypes import (
    BY_NUMPY,
    DType,
    as_dtype,
    bool_,
    complex128,
    float32,
    int32,
    int64,
    string,
)

_INT32: Final = np.iinfo(np.int32)
_INT64: Final = np.iinfo(np.int64)
_BY_LETTER: Final = {"i": int32, "u": int32, "b": bool_, "c": complex128, "S": string, "U": string}
_BY_PYTHON: Final = (
    *((bool, bool_), (int, int32), (float, float32), (complex, complex128)),
    *((str, string), (bytes, string)),
)
_NO_TRUTHS: Final = frozenset({"int8", "int16", "uint8", "uint16", "uint32", "complex64"})
_NON_RECTANGULAR: Final = "Can't convert non-rectangular Python sequence to Tensor."


_EXACT_INTEGERS: Final = 2**24
"""Every integer below this magnitude is a float32."""
_SMALL_NUMBERS: Final[dict[tuple[type, str], Any]] = {
    (float, ""): np.float32, (float, "float32"): np.float32, (float, "float64"): np.float64,
    (int, ""): np.int32, (int, "int32"): np.int32, (int, "int64"): np.int64,
    (int, "float32"): np.float32, (int, "float64"): np.float64,
}  # fmt: skip
"""The NumPy type of a small Python number, by its type and the name of the wanted dtype."""


def typed_array(value: Value, dtype: DTypeLike = None) -> Any:
    """A raw array or NumPy scalar of our own from Python or NumPy data.

    TypeError where the data do not fit the dtype, ValueError where there is no such array.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    number = _SMALL_NUMBERS.get((type(value), "" if wanted is None else wanted.name))
    if number is not None and -_EXACT_INTEGERS < value < _EXACT_INTEGERS:
        return number(value)
    if isinstance(value, Tensor):
        return checked(value, wanted)._value
    if value is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type "
                         "(<class 'NoneType'>) to a Tensor.")  # fmt: skip
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, wanted)
    if isinstance(value, TensorShape):
        return _from_python(value.as_list(), wanted)
    if hasattr(value, "__array__") and not isinstance(value, (list, tuple)):
        return _from_numpy(np.asarray(value), wanted)
    return _from_python(value, wanted)


def _from_numpy(value: Value, wanted: DType | None) -> Any:
    if value.dtype.kind in "SU":
        return _strings(np.asarray(value).tolist(), np.shape(value))
    if value.dtype == object:
        return _from_python(value.tolist(), wanted)
    if value.dtype.name == "bfloat16":
        as_dtype(value.dtype)  # this registers bfloat16 on its first use
    if value.dtype not in BY_NUMPY or wanted is string:
        raise ValueError(f"Failed to convert a NumPy array to a Tensor (dtype {value.dtype}).")
    if wanted is None or wanted.as_numpy_dtype is value.dtype.type:
        return value.copy() if isinstance(value, np.ndarray) else value
    real = value.real if value.dtype.kind == "c" and not wanted.is_complex else value
    with np.errstate(over="ignore", invalid="ignore"):
        return real.astype(wanted.as_numpy_dtype)


_PLAIN: Final = frozenset(
    {bool, int, float, complex, str, bytes, list, tuple, range, np.ndarray, Tensor}
)


def _from_python(value: Value, wanted: DType | None) -> Any:
    leaves, shape = _walk(value)
    kinds = {kind: _kind(kind) for kind in {type(leaf) for leaf in leaves}}
    if (
        len({kind.is_complex for kind in kinds.values()}) > 1
        and not kinds[type(leaves[0])].is_complex
    ):
        raise _mixed(value)
    target = wanted or _natural(leaves, kinds)
    if any(not _fits(kind, target) for kind in kinds.values()):
        raise _unfit(value, target) if wanted else _mixed(value)
    if target is string:
        return _strings(leaves, shape)
    try:
        with np.errstate(over="ignore" if wanted else "raise"):
            array: Any = _numbers(leaves, target).reshape(shape)
    except (OverflowError, FloatingPointError) as error:
        raise ValueError(f"{value!r} holds a number out of range for {target.name}.") from error
    return array[()] if not shape else array


def _numbers(leaves: list[Any], target: DType) -> Any:
    """The numbers as an array; integers that are too large for a narrow dtype wrap around."""
    if not target.is_integer:
        return np.array(leaves, dtype=target.as_numpy_dtype)
    wide = np.uint64 if target.is_unsigned and max(leaves, default=0) > _INT64.max else np.int64
    return np.array(leaves, dtype=wide).astype(target.as_numpy_dtype)


def _walk(value: Value) -> tuple[list[Any], tuple[int, ...]]:
    """The numbers in nested lists and the shape of the nest."""
    shape: list[int] = []
    level = _listed([value])
    while any(map(_nested, level)):
        if not all(map(_nested, level)):
            refuse_composites(value)
            raise ValueError(_NON_RECTANGULAR)
        lengths = {len(each) for each in level}
        if len(lengths) != 1:
            raise ValueError(_NON_RECTANGULAR)
        shape.append(lengths.pop())
        level = _listed([child for each in level for child in each])
        if not level:
            break
    return [_leaf(each) for each in level], tuple(shape)


def _listed(level: list[Any]) -> list[Any]:
    """Values with each sequence of a class of the user's own as a list of its items."""
    own = {kind for kind in set(map(type, level)) - _PLAIN if _is_own_sequence(kind)}
    return [list(each) if type(each) in own else each for each in level] if own else level


def _is_own_sequence(kind: type) -> bool:
    others = (Mapping, list, tuple, range, str, bytes, np.ndarray, np.generic, Tensor, Holder)
    has_items = hasattr(kind, "__len__") and hasattr(kind, "__getitem__")
    return has_items and not issubclass(kind, (*others, CompositeTensor))


def _nested(value: Value) -> bool:
    return isinstance(value, (list, tuple, range)) or (
        isinstance(value, np.ndarray) and value.ndim > 0
    )


def _leaf(value: Value) -> Any:
    if isinstance(value, np.ndarray):
        return value[()]
    if isinstance(value, Tensor):
        if value.ndim:
            raise ValueError(
                "A list with tensors in it is no constant: its history would be lost. "
                "Try tf.stack or tf.convert_to_tensor."
            )
        return value._value
    if value is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type "
                         "(<class 'NoneType'>) to a Tensor.")  # fmt: skip
    if not isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        refuse_composites(value)
        raise ValueError(
            f"Attempt to convert a value ({value!r}) with an unsupported type "
            f"({type(value)}) to a Tensor."
        )
    return value


def _kind(python: type) -> DType:
    """What one Python or NumPy number counts as in a list."""
    if issubclass(python, np.generic):
        letter = np.dtype(python).kind
        return as_dtype(python) if letter in "fV" else _BY_LETTER[letter]
    return next(dtype for known, dtype in _BY_PYTHON if issubclass(python, known))


def _natural(leaves: list[Any], kinds: dict[type, DType]) -> DType:
    """The dtype of a list: that of its first element, but float32 where integers meet floats."""
    first = kinds[type(leaves[0])] if leaves else float32
    if first is not int32:
        return first
    if any(kind.is_floating for kind in kinds.values()):
        return float32
    if any(not _fits(kind, int32) for kind in kinds.values()):
        return int32
    low, high = int(min(leaves)), int(max(leaves))
    return int32 if _INT32.min <= low and high <= _INT32.max else int64


def _fits(kind: DType, target: DType) -> bool:
    """Whether numbers of one kind become those of another without being cut."""
    if string in (kind, target):
        return kind is target
    return _rung(kind) <= _rung(target) and not (kind is bool_ and target.name in _NO_TRUTHS)


def _rung(dtype: DType) -> int:
    flags = (dtype.is_bool, dtype.is_integer, dtype.is_floating, dtype.is_complex)
    return flags.index(True)


def _mixed(value: Value) -> ValueError:
    return ValueError(f"Can't convert Python sequence with mixed types to Tensor: {value!r}.")


def _strings(leaves: Nest, shape: tuple[int, ...]) -> Any:
    flat = np.empty(int(np.prod(shape, dtype=int)), dtype=object)
    nested = leaves if isinstance(leaves, list) else [leaves]
    while nested and isinstance(nested[0], list):
        nested = [each for row in nested for each in row]
    flat[:] = [each.encode() if isinstance(each, str) else each for each in nested]
    return flat.reshape(shape)


def _unfit(value: Value, dtype: DType | None) -> TypeError:
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


def stacked(value: Value, dtype: DTypeLike) -> Any:
    """A list with tensors in it, all of the dtype, as one tensor; anything else as it is."""
    if not isinstance(value, (list, tuple)):
        return value
    kinds = set(_dtypes(value))
    wanted = None if dtype is None else as_dtype(dtype)
    alike = len(kinds) == 1 and (wanted is None or wanted in kinds)
    return stack(value, wanted) if alike else value


def stack(parts: Nest, dtype: DType | None) -> Tensor:
    """A list of tensors, or of lists of tensors and numbers, as one tensor with their history."""
    wanted = dtype or next(_dtypes(parts), None)
    stacked_parts: Tensor = CORE.stack(*[_row(part, wanted) for part in parts], axis=0)
    return stacked_parts


def _row(part: Nest, wanted: DType | None) -> Tensor:
    if type(part) is Tensor:
        return part
    if isinstance(part, (list, tuple)):
        return stack(part, wanted)
    if isinstance(part, Holder):
        return read(part)
    constant = wrap(typed_array(part, wanted), next_id(), origin_here())
    record_reentry(part, constant._id, constant._value)
    return constant


def holds_tensors(nest: Nest) -> bool:
    """Whether a list has a tensor or a variable in it, at any depth."""
    return next(_dtypes(nest), None) is not None


def _dtypes(nest: Nest) -> Iterator[DType]:
    """The dtypes of the tensors and variables in a list, at any depth."""
    for each in nest:
        if isinstance(each, Holder):
            yield each._cell.dtype
        elif isinstance(each, Tensor):
            yield each.dtype
        elif isinstance(each, (list, tuple)):
            yield from _dtypes(each)
