"""`tf.keras.Variable`: a weight, which wraps a `tf.Variable` and knows its place in a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np

from tapelab.core.arrays import typed_array
from tapelab.core.cell import Holder
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.variable import Variable as Wrapped
from tapelab.core.variable import read
from tapelab.dtypes import as_dtype
from tapelab.keras import backend, initializers, name_scopes

Operator = Callable[["Variable", Any], Any]


class _AutocastReader:
    """Reads the weights of floats in the dtype of a layer's computation, others as they are."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype
        self._wanted = as_dtype(dtype)

    def __call__(self, variable: Holder) -> Tensor:
        """Return the value of a variable; a cast follows the read on the tape."""
        thread.autocast = None
        try:
            value = read(variable)
            return (
                backend.convert_to_tensor(value, self._wanted) if self._casts(variable) else value
            )
        finally:
            thread.autocast = self

    def _casts(self, value: Any) -> bool:
        if not isinstance(value, Variable) or not value.autocast:
            return False
        dtype = value._cell.dtype
        return dtype is not self._wanted and dtype.is_floating

    def leaf(self, value: Any) -> Any:
        """Return an argument of a traced call: a weight that is cast is read at once."""
        return self(value) if self._casts(value) else value


def current_autocast() -> str | None:
    """Return the dtype in which weights of floats are read; None for their own."""
    reader = thread.autocast
    return reader.dtype if isinstance(reader, _AutocastReader) else None


@contextmanager
def autocast_scope(dtype: str | None) -> Iterator[None]:
    """Read weights of floats in a dtype inside the block; None: in their own."""
    outer = thread.autocast
    thread.autocast = None if dtype is None else _AutocastReader(dtype)
    try:
        yield
    finally:
        thread.autocast = outer


def _binary(name: str) -> Operator:
    def method(self: Variable, other: Any) -> Any:
        return getattr(read(self), name)(other)

    method.__name__ = name
    return method


def _unary(name: str) -> Callable[[Variable], Any]:
    def method(self: Variable) -> Any:
        return getattr(read(self), name)()

    method.__name__ = name
    return method


class Variable(Holder):
    """A weight of a layer: a `tf.Variable` (its `value`) with a name and a path in the model.

    Tapes watch the variable behind it; as a source it stands for that variable.
    """

    def __init__(
        self, initializer: Any, shape: Any = None, dtype: Any = None, trainable: bool = True,
        autocast: bool = True, aggregation: str = "none", synchronization: str = "auto",
        name: str | None = None, **unused: Any,
    ) -> None:  # fmt: skip
        del unused
        self._autocast = bool(autocast)
        trace = thread.trace
        if trace is not None:  # a weight that is created in a trace exists at once
            start, size = trace.examples_in((initializer, shape))
            with trace.creating(self):
                self._create(start, size, dtype, trainable, aggregation, synchronization, name)
            return
        self._create(initializer, shape, dtype, trainable, aggregation, synchronization, name)

    def _create(
        self, initializer: Any, shape: Any, dtype: Any, trainable: bool, aggregation: str,
        synchronization: str, name: str | None,
    ) -> None:  # fmt: skip
        name = name or name_scopes.automatic_name(type(self))
        if not isinstance(name, str) or "/" in name:
            raise ValueError(
                "Argument `name` must be a string and cannot contain character `/`. "
                f"Received: name={name}"
            )
        self.aggregation = aggregation
        self.synchronization = synchronization
        self.overwrite_with_gradient = False
        self.regularizer: Any = None
        self.constraint: Any = None
        self.trainable = bool(trainable)
        self._name = name
        self._path = "/".join(filter(None, [name_scopes.current_path(), name]))
        self._value = Wrapped(
            _start(initializer, shape, dtype), name=self._path, trainable=self.trainable
        )
        self._cell = self._value._cell

    @property
    def trainable(self) -> bool:
        """Whether training changes it; the `tf.Variable` keeps its own flag."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = bool(value)
        if hasattr(self, "_cell"):
            self._cell.identity.frozen = self._value.trainable and not self._trainable

    @property
    def name(self) -> str:
        """Its name in the layer: `kernel`."""
        return self._name

    @property
    def path(self) -> str:
        """Its name behind those of the layers that contain it: `dense/kernel`."""
        return self._path

    @property
    def value(self) -> Wrapped:
        """The `tf.Variable` that a tape watches."""
        return self._value

    @property
    def shape(self) -> TensorShape:
        """The shape of the value."""
        return self._cell.shape

    @property
    def autocast(self) -> bool:
        """Whether a layer that computes in another dtype of floats reads it in that dtype."""
        return self._autocast

    @property
    def dtype(self) -> str:
        """The dtype in which it is read, as a string: in a layer's call that of the computation."""
        own, scope = self._cell.dtype, current_autocast()
        cast = scope is not None and self._autocast and own.is_floating
        return scope if cast else own.name  # type: ignore[return-value]  # of a scope

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._cell.shape)

    @property
    def handle(self) -> int:
        """A number that identifies the `tf.Variable`."""
        return self._value.handle

    def numpy(self) -> Any:
        """Return a copy of the value, which is off the tape."""
        return self._value.numpy()

    def assign(self, value: Any) -> Tensor:
        """Replace the value; it is cast if necessary, and must have the same shape."""
        new = backend.convert_to_tensor(value, dtype=self._cell.dtype)
        if new.shape != self.shape:
            raise ValueError(
                "The shape of the target variable and the shape of the target value in "
                f"`variable.assign(value)` must match. variable.shape={self.shape}, Received: "
                f"value.shape={new.shape}. Target variable: {self!r}"
            )
        self._value.assign(new)
        return new

    def assign_add(self, value: Any) -> Tensor:
        """Add to the value in place."""
        return self.assign(self + value)

    def assign_sub(self, value: Any) -> Tensor:
        """Subtract from the value in place."""
        return self.assign(self - value)

    __add__, __radd__ = _binary("__add__"), _binary("__radd__")
    __sub__, __rsub__ = _binary("__sub__"), _binary("__rsub__")
    __mul__, __rmul__ = _binary("__mul__"), _binary("__rmul__")
    __truediv__, __rtruediv__ = _binary("__truediv__"), _binary("__rtruediv__")
    __floordiv__, __rfloordiv__ = _binary("__floordiv__"), _binary("__rfloordiv__")
    __mod__, __rmod__ = _binary("__mod__"), _binary("__rmod__")
    __pow__, __rpow__ = _binary("__pow__"), _binary("__rpow__")
    __matmul__, __rmatmul__ = _binary("__matmul__"), _binary("__rmatmul__")
    __lt__, __le__ = _binary("__lt__"), _binary("__le__")
    __gt__, __ge__ = _binary("__gt__"), _binary("__ge__")
    __neg__, __abs__ = _unary("__neg__"), _unary("__abs__")

    def __getitem__(self, key: Any) -> Any:
        return self._value[key]  # type: ignore[index]  # built by then

    def __eq__(self, other: object) -> Any:
        return read(self) == backend.convert_to_tensor(other, dtype=self.dtype)

    def __ne__(self, other: object) -> Any:
        return read(self) != backend.convert_to_tensor(other, dtype=self.dtype)

    __hash__ = None  # type: ignore[assignment]  # == compares elements

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return read(self).__array__(dtype, copy)

    def __bool__(self) -> bool:
        raise TypeError("A Keras Variable cannot be used as a boolean.")

    def __float__(self) -> float:
        return float(self._scalar())

    def __int__(self) -> int:
        return int(self._scalar())

    def _scalar(self) -> Any:
        if self.ndim:
            raise TypeError(
                "Only scalar arrays can be converted to Python scalars. "
                f"Got: shape={self.shape}. Pick one entry first."
            )
        return self.numpy()

    def __deepcopy__(self, memo: Any) -> Variable:
        copy = object.__new__(type(self))
        memo[id(self)] = copy
        copy.__dict__.update({key: deepcopy(each, memo) for key, each in vars(self).items()})
        copy._cell = copy._value._cell
        return copy

    def __repr__(self) -> str:
        return (
            f"<Variable path={self._path}, shape={self.shape}, dtype={self.dtype}, "
            f"value={np.asarray(self._cell.state._value)}>"
        )


@contextmanager
def values_in(variables: Iterable[Any], values: Iterable[Any]) -> Iterator[None]:
    """Give variables other values inside the block; afterwards they have their own again."""
    held = [(each._cell, each._cell.state) for each in variables]
    try:
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)
        yield
    finally:
        for cell, state in held:
            cell.state = state


def _start(initializer: Any, shape: Any, dtype: Any) -> Any:
    """The initial value of a variable: from an initializer and a shape, or as given."""
    if isinstance(initializer, str):
        initializer = initializers.get(initializer)
    if not callable(initializer):
        if isinstance(initializer, (Tensor, Holder)):
            return backend.convert_to_tensor(initializer, dtype)
        return typed_array(initializer, dtype)
    if shape is None:
        raise ValueError(
            "When creating a Variable from an initializer, the `shape` argument should be "
            f"specified. Received: initializer={initializer} and shape={shape}"
        )
    dtype = dtype or backend.floatx()
    return backend.convert_to_tensor(initializer(shape, dtype=dtype), dtype)
