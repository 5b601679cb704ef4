"""The dtypes of tensors: TensorFlow's names and printed forms over NumPy's dtypes."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import numpy as np

from tapelab.namespace.lazy_symbols import LAZY_PARTS, load


class DType:
    """What kind of number a tensor holds."""

    __slots__ = ("_numpy", "is_bool", "is_complex", "is_floating", "is_integer", "name")

    @property
    def is_unsigned(self) -> bool:
        """Whether it counts from 0 up only."""
        return self._numpy.kind == "u"

    def __init__(self, name: str, numpy_type: type) -> None:
        kind = np.dtype(numpy_type).kind
        self.name: Final = name
        self._numpy: Final = np.dtype(numpy_type)
        self.is_floating: Final = kind in "fV"  # NumPy takes bfloat16 for no float
        self.is_complex: Final = kind == "c"
        self.is_integer: Final = kind in "iu"
        self.is_bool: Final = kind == "b"

    @property
    def as_numpy_dtype(self) -> type:
        """The NumPy scalar type that holds one element."""
        return self._numpy.type

    @property
    def as_datatype_enum(self) -> int:
        """The number of this dtype in TensorFlow's protocol buffers."""
        return _ENUM[self.name]

    @property
    def base_dtype(self) -> DType:
        """This dtype itself; there are no reference dtypes here."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real part."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    @property
    def is_numeric(self) -> bool:
        """Whether it can be counted with."""
        return self.is_floating or self.is_complex or self.is_integer

    @property
    def is_differentiable(self) -> bool:
        """Whether a gradient can flow through tensors of this dtype."""
        return self.is_floating or self.is_complex

    @property
    def size(self) -> int:
        """Bytes per element."""
        return 1 if self.name == "string" else self._numpy.itemsize

    @property
    def min(self) -> Any:
        """The smallest finite value; TypeError where there is no order."""
        return self._limits()[0]

    @property
    def max(self) -> Any:
        """The largest finite value; TypeError where there is no order."""
        return self._limits()[1]

    def _limits(self) -> tuple[Any, Any]:
        if self.is_bool:
            return False, True
        if self.is_floating:
            info: Any = np.finfo(self._numpy) if self._numpy.kind == "f" else _brain_limits(self)
            return info.min, info.max
        if self.is_integer:
            whole: Any = np.iinfo(self._numpy.name)
            return whole.min, whole.max
        raise TypeError(f"Cannot find minimum value of {self}.")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"


float16 = half = DType("float16", np.float16)
float32 = DType("float32", np.float32)
float64 = double = DType("float64", np.float64)
int8 = DType("int8", np.int8)
int16 = DType("int16", np.int16)
int32 = DType("int32", np.int32)
int64 = DType("int64", np.int64)
uint8 = DType("uint8", np.uint8)
uint16 = DType("uint16", np.uint16)
uint32 = DType("uint32", np.uint32)
uint64 = DType("uint64", np.uint64)
bool_ = DType("bool", np.bool_)
complex64 = DType("complex64", np.complex64)
complex128 = DType("complex128", np.complex128)
string = DType("string", np.object_)

ALL: Final = (
    *(float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    *(bool_, complex64, complex128, string),
)

_ENUM = {
    "float32": 1,
    "float64": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "string": 7,
    "complex64": 8,
    "int64": 9,
    "bool": 10,
    "uint16": 17,
    "bfloat16": 14,
    "complex128": 18,
    "float16": 19,
    "uint32": 22,
    "uint64": 23,
}
_BY_NUMBER: Final[dict[Any, str]] = {number: name for name, number in _ENUM.items()}
_BY_NAME: dict[str, DType] = {d.name: d for d in ALL} | {
    "half": float16,
    "float": float32,
    "double": float64,
}
BY_NUMPY: Final[dict[np.dtype[Any], DType]] = {np.dtype(d.as_numpy_dtype): d for d in ALL}
_BY_PYTHON: Final = {float: float32, bool: bool_, object: string, bytes: string}
_REFUSED: Final = (int, complex, str)  # TensorFlow takes none of these for a dtype


def __getattr__(name: str) -> Any:
    """What `tf.dtypes` has besides dtypes, and bfloat16, which loads a package for itself."""
    if name == "bfloat16":
        return _brain_float(name)
    if name not in LAZY_PARTS[__name__]:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return load(LAZY_PARTS[__name__][name])


def _brain_float(name: str) -> DType:
    if name not in _BY_NAME:
        dtype = DType(name, import_module("ml_dtypes").bfloat16)
        _BY_NAME[name] = BY_NUMPY[dtype._numpy] = dtype
    return _BY_NAME[name]


def _brain_limits(dtype: DType) -> Any:
    return import_module("ml_dtypes").finfo(dtype._numpy)


def _is_brain_float(value: Any) -> bool:
    names = (value, getattr(value, "name", None), getattr(value, "__name__", None))
    return any(isinstance(name, str) and name == "bfloat16" for name in names)


def as_dtype(value: Any) -> DType:
    """The DType for a name, a Python type, a NumPy dtype or a DType; TypeError otherwise."""
    if isinstance(value, DType):
        return value
    if isinstance(value, str) and value in _BY_NAME:
        return _BY_NAME[value]
    if isinstance(value, type) and value in _BY_PYTHON:
        return _BY_PYTHON[value]
    if isinstance(value, int | float | np.number):
        value = _BY_NUMBER.get(value, value)
    if isinstance(value, np.ndarray):
        value = value.dtype
    if _is_brain_float(value):
        return _brain_float("bfloat16")
    if isinstance(value, str):
        return _by_name(value)
    return _of_numpy(value)


def _by_name(name: str) -> DType:
    """NumPy's own short names, such as "f4", are none of TensorFlow's."""
    if name not in _BY_NAME:
        raise _no_dtype(name)
    return _BY_NAME[name]


def _of_numpy(value: Any) -> DType:
    try:
        numpy_dtype = np.dtype(getattr(value, "as_numpy_dtype", value))
    except (TypeError, ValueError):
        numpy_dtype = None
    refused = value is None or any(value is python for python in _REFUSED)
    if numpy_dtype is not None and not refused:
        if numpy_dtype.kind in "SU":
            return string
        if numpy_dtype in BY_NUMPY:
            return BY_NUMPY[numpy_dtype]
    raise _no_dtype(value)


def _no_dtype(value: Any) -> TypeError:
    return TypeError(
        f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType. "
        f"Try one of {', '.join(repr(d) for d in ALL)}."
    )
