"""The tensor: an immutable array that knows where it was made.

A tensor has an id, its raw value (a read-only array, or a NumPy scalar where the shape is ()), its
origin in the user's code, and the token of the active tapes that track it (`log.ThreadState`).
Values are read in two ways: code whose course depends on them reads `_value`, which notifies the
observers of the thread; code that only passes the array on (to a kernel, the log) reads `_array`.
What Python or NumPy takes out of a tensor is written to the log (`exits`), because no gradient
follows it there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np

from tapelab.core.exits import record_exit
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import Origin, next_id
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.text_forms import repr_of, str_of
from tapelab.core.value_types import DTypeLike, Nest, Value
from tapelab.dtypes import BY_NUMPY, DType

UNKNOWN: Final = (0,)
"""The token of a tensor of which only the tapes know whether they track it."""


_frame: Final = sys._getframe
_full_name: Final[Any] = type.__dict__["__name__"]


class Named(type):
    """The type of a class that Python's messages call by the full name that TensorFlow gives it.

    Those messages spare the class a `__getattr__`, with which each look at an attribute costs more.
    """

    @property
    def __name__(cls) -> str:  # type: ignore[override]  # that of `type` can be set
        """What `type(x).__name__` prints: the last part of the full name."""
        return str(_full_name.__get__(cls)).rpartition(".")[2]


class Tensor(metaclass=Named):
    """An immutable array of one dtype; a NumPy scalar inside where the shape is ()."""

    __slots__ = ("__weakref__", "_array", "_id", "_origin", "_slice_of", "_tapes")
    __array_priority__ = 100

    _array: Any
    _id: int
    _origin: Origin
    _slice_of: Any
    _tapes: tuple[int, ...]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs
        raise TypeError("Tensors are made by tf.constant, tf.convert_to_tensor and by ops.")

    @property
    def _value(self) -> Any:
        """The raw values, for code that depends on them; notifies the observers of the thread."""
        for observer in thread.__dict__["observers"]:
            observer.value_read(self, _frame(1))
        return self._array

    @property
    def shape(self) -> TensorShape:
        """The size of each axis."""
        return TensorShape.of_array(self._array.shape)

    @property
    def dtype(self) -> DType:
        """The dtype of its values."""
        return BY_NUMPY[self._array.dtype]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return int(self._array.ndim)

    @property
    def device(self) -> str:
        """The device that holds the values; always the CPU."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def get_shape(self) -> TensorShape:
        """The size of each axis."""
        return self.shape

    def numpy(self) -> Any:
        """A copy of the values as a NumPy array; no gradient passes it."""
        value = self._value
        result = value.copy() if type(value) is np.ndarray else value
        if result.dtype == object and result.ndim == 0:
            result = result[()]
        record_exit(self._id, "numpy()", result)
        return result

    def to_numpy(self) -> Any:
        """A copy of the values, under the name that matplotlib looks for."""
        return self.numpy()

    def set_shape(self, shape: Any) -> None:
        """Check that the tensor has a shape; ValueError if it has another."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape "
                f"{TensorShape(shape)}."
            )

    @property
    def assign(self) -> Any:
        """Write into the variable this tensor is a slice of: `v[0].assign(5)`."""
        if not hasattr(self, "_slice_of"):
            raise AttributeError(
                "'tensorflow.python.framework.ops.EagerTensor' object has no attribute 'assign'"
            )
        return self._slice_of

    def ref(self) -> Reference:
        """A hashable stand-in for this very tensor."""
        return Reference(self)

    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> Any:
        array = np.asarray(self._value)
        if array is self._value:
            array = array.view()  # unlike the array itself, a view cannot be made writeable
        elif array.base is None:
            array.flags.writeable = False
        if dtype is not None and array.dtype != dtype:
            array = array.astype(dtype)
        elif copy:
            array = array.copy()
        record_exit(self._id, "__array__", array)
        return array

    def __array_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        del types
        tensors: list[Tensor] = []
        plain = _without_tensors(args, tensors), _without_tensors(kwargs, tensors)
        result = func(*plain[0], **plain[1])
        for tensor in {each._id: each for each in tensors}.values():
            record_exit(tensor._id, f"np.{func.__name__}", result)
        return result

    def __float__(self) -> float:
        return float(self._as_python("float()", float))

    def __int__(self) -> int:
        return int(self._as_python("int()", int))

    def __complex__(self) -> complex:
        return complex(self._as_python("complex()", complex))

    def __index__(self) -> int:
        if self._array.ndim or self._array.dtype.kind not in "iu":
            raise TypeError(
                f"only integer scalar tensors can be converted to a scalar index; "
                f"this one is {self.dtype.name} with shape {self.shape}."
            )
        return int(self._as_python("int()", int))

    def __bool__(self) -> bool:
        if self._array.size == 0:
            return False
        if self._array.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all(): tf.reduce_any(x) or tf.reduce_all(x)."
            )
        return bool(self._as_python("bool()", bool))

    def _as_python(self, how: str, kind: Any) -> Any:
        if self._array.size != 1:
            raise TypeError(
                f"Only a tensor with one element can be converted by {how}; "
                f"this one has shape {self.shape}."
            )
        result = kind(np.asarray(self._value).reshape(())[()])
        record_exit(self._id, how, result)
        return result

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.numpy(), digits)

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0 and self._array.dtype != object:
            return format(self._value.item() if spec else self._value, spec)
        return format(np.asarray(self._value), spec)

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("Scalar tensor has no `len()`")
        return len(self._value)

    def __iter__(self) -> Iterator[Tensor]:
        if self._array.ndim == 0:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(len(self._value)))  # type: ignore[index]  # ops install it

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __setitem__(self, key: object, value: object) -> None:
        raise TypeError(
            "'tensorflow.python.framework.ops.EagerTensor' object does not support item assignment"
        )

    def __delitem__(self, key: object) -> None:
        raise TypeError(
            "'tensorflow.python.framework.ops.EagerTensor' object doesn't support item deletion"
        )

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        value = self._value
        record_exit(self._id, "pickle", value)
        return constant_of, (value,)

    def __repr__(self) -> str:
        return repr_of(self._value)

    def __str__(self) -> str:
        return str_of(self._value)


_full_name.__set__(Tensor, "tensorflow.python.framework.ops.EagerTensor")


class Reference:
    """A hashable stand-in for a tensor or a variable: equal where they are the same object."""

    __slots__ = ("__weakref__", "_object")

    def __init__(self, value: Any) -> None:
        self._object = value

    def deref(self) -> Any:
        """The tensor or variable itself."""
        return self._object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and other._object is self._object

    def __hash__(self) -> int:
        return id(self._object)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._object!r}>"


def wrap(value: Value, number: int, origin: Origin) -> Tensor:
    """A tensor over a raw value, which must not be changed from now on."""
    if type(value) is np.ndarray:
        if value.ndim == 0 and value.dtype != object:
            value = value[()]
        else:
            value.setflags(False)  # type: ignore[call-arg]  # the keyword costs time
    elif type(value) is bytes:  # NumPy has no scalar for text
        value = np.array(value, object)
    tensor = object.__new__(Tensor)
    tensor._array = value
    tensor._id = number
    tensor._origin = origin
    tensor._tapes = UNKNOWN
    return tensor


def constant_of(value: Value) -> Tensor:
    """A new tensor over a raw value, with no history."""
    return wrap(value, next_id(), origin_here())


def _without_tensors(nest: Nest, tensors: list[Tensor]) -> Any:
    if type(nest) is Tensor:
        tensors.append(nest)
        return np.asarray(nest._value)
    if isinstance(nest, (list, tuple)):
        return type(nest)(_without_tensors(each, tensors) for each in nest)
    if isinstance(nest, dict):
        return {key: _without_tensors(each, tensors) for key, each in nest.items()}
    return nest
