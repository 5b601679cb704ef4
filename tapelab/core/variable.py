"""The variable: a named place whose value can be assigned; reading it gives a tensor."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.core.arrays import stacked, typed_array
from tapelab.core.cell import Cell, Holder, check_shape, own, store, with_delta
from tapelab.core.cell import read as read  # noqa: PLC0414 - reading is what variables are for
from tapelab.core.core_ops import CORE
from tapelab.core.dispatch import public
from tapelab.core.exits import record_exit
from tapelab.core.large_values import truncated
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import VariableIdentity, next_id
from tapelab.core.records import write_creation
from tapelab.core.scatter_updates import elements_written, rows_written
from tapelab.core.tensor import Reference, Tensor, constant_of, wrap
from tapelab.core.tensor_shape import ShapeLike, TensorShape
from tapelab.core.text_forms import in_place, numpy_text
from tapelab.core.value_types import DTypeLike, Nest, Value
from tapelab.core.variable_roles import (
    DEFAULT,
    Roles,
    VariableAggregation,
    VariableSynchronization,
    roles,
)
from tapelab.dtypes import DType
from tapelab.recording.facts import How

name_scopes: list[str] = []


def scatter_method(how: str, *, nested: bool = False) -> Callable[..., Variable]:
    """The method of a variable that writes rows, or single elements, in a way (`scattering`)."""

    def rows(
        self: Variable, sparse_delta: Nest, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        del use_locking, name
        value, source = rows_written(self._cell, sparse_delta, how)
        return self._replaced(value, How.SLICE, source)

    def elements(self: Variable, indices: Nest, updates: Nest, name: str | None = None) -> Variable:
        del name
        value, source = elements_written(self._cell, indices, updates, how)
        return self._replaced(value, How.SLICE, source)

    method: Callable[..., Variable] = elements if nested else rows
    method.__name__ = f"scatter_{'nd_' if nested else ''}{how}"
    method.__doc__ = f"Write into {'elements' if nested else 'rows'} of the value ({how})."
    return public(effect="assigns")(method)


class Variable(Holder):
    """A place that holds a value, watched by tapes when it is read, unless `trainable=False`."""

    __slots__ = ("__weakref__", "_constraint", "_roles")
    __array_priority__ = 100

    def __init__(
        self, initial_value: Nest = None, trainable: bool | None = None,
        validate_shape: bool = True, caching_device: str | None = None, name: str | None = None,
        variable_def: Any = None, dtype: DTypeLike = None, import_scope: str | None = None,
        constraint: Callable[[Tensor], Tensor] | None = None, synchronization: Any = None,
        aggregation: Any = None, shape: ShapeLike = None, **unused: Any,
    ) -> None:  # fmt: skip
        del validate_shape, caching_device, variable_def, import_scope, unused
        self._roles: Roles = roles(synchronization, aggregation, name)
        if constraint is not None and not callable(constraint):
            raise ValueError(
                "Argument `constraint` must be None or a callable. a callable. Got a "
                f"{type(constraint)}:  {constraint}"
            )
        self._constraint = constraint
        if trainable is None and self._roles[0] is VariableSynchronization.ON_READ:
            trainable = False
        trace = thread.__dict__["trace"]
        if trace is None:
            self._create(initial_value, trainable, name, dtype, shape)
            return
        with trace.creating(self):  # a variable that is made in a function is real at once
            start = initial_value() if callable(initial_value) else initial_value
            self._create(trace.examples_in(start), trainable, name, dtype, shape)

    def _create(
        self,
        initial_value: Nest,
        trainable: bool | None,
        name: str | None,
        dtype: DTypeLike,
        shape: ShapeLike,
    ) -> None:
        if initial_value is None:
            raise ValueError("The `initial_value` arg to `tf.Variable` must be specified.")
        start = initial_value() if callable(initial_value) else initial_value
        start = read(start) if isinstance(start, Holder) else stacked(start, dtype)
        value = own(typed_array(start, dtype))
        origin = origin_here()
        state = wrap(value, next_id(), origin)
        full_name = "/".join([*name_scopes, name or "Variable"])
        identity = VariableIdentity(
            full_name, state._array.shape, state.dtype, origin, trainable=trainable is not False
        )
        static = TensorShape(np.shape(value) if shape is None else shape)
        if not static.is_compatible_with(np.shape(value)):
            raise ValueError(
                f"The initial value's shape {TensorShape(np.shape(value))} is not compatible with "
                f"the explicitly supplied `shape` argument {static}."
            )
        self._cell = Cell(identity, static, state)
        self._cell.handle = weakref.ref(self)
        source = start._id if type(start) is Tensor else -1
        write_creation(
            thread.__dict__, next_id(), origin, tensor=state._id, value=truncated(state._array),
            how="tf.Variable", variable=identity, source=source,
        )  # fmt: skip

    @classmethod
    def _of(cls, cell: Cell) -> Variable:
        """Another handle of the variable that a cell belongs to."""
        handle = object.__new__(cls)
        handle._cell = cell
        handle._constraint = None
        handle._roles = DEFAULT
        return handle

    @property
    def name(self) -> str:
        """The name with TensorFlow's `:0`."""
        return f"{self._cell.identity.name}:0"

    @property
    def shape(self) -> TensorShape:
        """The static shape: None for each axis whose size may change."""
        return self._cell.shape

    @property
    def dtype(self) -> DType:
        """The dtype of its values."""
        return self._cell.dtype

    @property
    def trainable(self) -> bool:
        """Whether tapes watch it from its first read."""
        return self._cell.identity.trainable

    @property
    def constraint(self) -> Any:
        """A function that an optimizer applies to the value after an update, or None."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """When copies on several machines would be brought together."""
        return self._roles[0]

    @property
    def aggregation(self) -> VariableAggregation:
        """How copies on several machines would become one value."""
        return self._roles[1]

    @property
    def device(self) -> str:
        """The device that holds the values; always the CPU."""
        return self._cell.state.device

    @property
    def initializer(self) -> None:
        """What gives it its first value: None, since a variable has its value at once."""
        return

    @property
    def handle(self) -> int:
        """A number that is the same for all handles of one variable."""
        return self._cell.identity.id

    def get_shape(self) -> TensorShape:
        """The static shape of the value."""
        return self._cell.shape

    def numpy(self) -> Any:
        """A copy of the current value as a NumPy array; no gradient passes it."""
        if thread.__dict__["trace"] is not None:
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return read(self).numpy()

    @public(graph_name="ReadVariableOp")
    def value(self) -> Tensor:
        """The current value as a new tensor, recorded as a read."""
        tensor: Tensor = CORE.read_value(read(self))
        return tensor

    @public(graph_name="ReadVariableOp")
    def read_value(self) -> Tensor:
        """The current value as a new tensor, recorded as a read."""
        return self.value()

    def ref(self) -> Reference:
        """A hashable stand-in for this variable."""
        return Reference(self)

    @public(effect="assigns")
    def assign(
        self, value: Nest, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Variable | None:  # fmt: skip
        """Replace the value; its history ends here, no gradient passes an assignment."""
        del use_locking, name
        return self._put(value, How.ASSIGN, read_value)

    @public(effect="assigns")
    def assign_add(
        self, delta: Nest, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Variable | None:  # fmt: skip
        """Add to the value in place; shapes must be equal."""
        del use_locking, name
        return self._put(delta, How.ASSIGN_ADD, read_value)

    @public(effect="assigns")
    def assign_sub(
        self, delta: Nest, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Variable | None:  # fmt: skip
        """Subtract from the value in place; shapes must be equal."""
        del use_locking, name
        return self._put(delta, How.ASSIGN_SUB, read_value)

    def _put(self, given: Nest, how: How, read_value: bool) -> Variable | None:
        cell = self._cell
        value, source = _operand(cell, given)
        observers = thread.__dict__["observers"]
        if observers and source < 0:  # what is no tensor becomes one, so that they know it again
            constant = constant_of(value)
            source = constant._id
            for observer in observers:
                observer.op_starts((constant,))
        if how is How.ASSIGN:
            check_shape(cell, value.shape)
        else:
            value = with_delta(cell, value, how)
        store(cell, value, how, source)
        return UnreadVariable._of(cell) if read_value else None

    scatter_update = scatter_method("update")
    scatter_add = scatter_method("add")
    scatter_sub = scatter_method("sub")
    scatter_mul = scatter_method("mul")
    scatter_div = scatter_method("div")
    scatter_max = scatter_method("max")
    scatter_min = scatter_method("min")
    scatter_nd_update = scatter_method("update", nested=True)
    scatter_nd_add = scatter_method("add", nested=True)
    scatter_nd_sub = scatter_method("sub", nested=True)
    scatter_nd_max = scatter_method("max", nested=True)
    scatter_nd_min = scatter_method("min", nested=True)

    def _replaced(self, value: Value, how: How, source: int) -> Variable:
        store(self._cell, value, how, source)
        return UnreadVariable._of(self._cell)

    @public
    def sparse_read(self, indices: Nest, name: str | None = None) -> Tensor:
        """Some rows of the value, by position."""
        del name
        rows: Tensor = CORE.gather(read(self), constant_of(typed_array(indices)), axis=0)
        return rows

    @public
    def gather_nd(self, indices: Nest, name: str | None = None) -> Tensor:
        """Some elements of the value, by index tuples."""
        del name
        elements: Tensor = CORE.gather_nd(read(self), constant_of(typed_array(indices)))
        return elements

    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> Any:
        return read(self).__array__(dtype, copy)

    def __float__(self) -> float:
        return float(read(self))

    def __int__(self) -> int:
        return int(read(self))

    def __complex__(self) -> complex:
        return complex(read(self))

    def __bool__(self) -> bool:
        return bool(read(self))

    def __iadd__(self, other: Nest) -> Any:
        raise in_place("+=", "assign_add")

    def __isub__(self, other: Nest) -> Any:
        raise in_place("-=", "assign_sub")

    def __imul__(self, other: Nest) -> Any:
        raise in_place("*=", "assign")

    def __itruediv__(self, other: Nest) -> Any:
        raise in_place("/=", "assign")

    def __ipow__(self, other: Nest) -> Any:
        raise in_place("**=", "assign")

    def __iter__(self) -> Any:
        return iter(read(self))

    def __hash__(self) -> int:
        raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key.")

    def __setitem__(self, key: object, value: object) -> None:
        raise TypeError("'ResourceVariable' object does not support item assignment")

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        cell = self._cell
        copy = Variable(cell.state, trainable=cell.identity.trainable, shape=cell.shape)
        copy._cell.identity.name = cell.identity.name
        memo[id(self)] = copy
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        state, identity = self._cell.state, self._cell.identity
        record_exit(state._id, "pickle", None)
        return _revived, (state._value, identity.name, identity.trainable)

    def __repr__(self) -> str:
        known = f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}"
        if thread.__dict__["trace"] is not None:
            return f"{known}>"
        return f"{known}, numpy={numpy_text(self._cell.state._value)}>"


class UnreadVariable(Variable):
    """What an assignment returns: another handle of the same variable."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The same for all such handles."""
        return "UnreadVariable"


# What `type(v).__name__` prints in TensorFlow.
Variable.__name__ = "ResourceVariable"
UnreadVariable.__name__ = "_UnreadVariable"


def handle_of(cell: Cell) -> Variable:
    """The user's own variable if it is alive, else another handle of it."""
    own = cell.handle() if cell.handle is not None else None
    return own if isinstance(own, Variable) else Variable._of(cell)


def _revived(value: Value, name: str, trainable: bool) -> Variable:
    return Variable(value, name=name, trainable=trainable)


def _operand(cell: Cell, given: Nest) -> tuple[Any, int]:
    if type(given) is not Tensor:
        given = read(given) if isinstance(given, Holder) else stacked(given, cell.dtype)
    if type(given) is Tensor:
        same = given._array.dtype is cell.state._array.dtype
        if not same and given.dtype is not cell.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {cell.dtype.name} for Tensor with dtype "
                f"{given.dtype.name}: {given!r}. Try tf.cast(value, {cell.dtype!r})."
            )
        return given._array, given._id
    return own(typed_array(given, cell.dtype)), -1
