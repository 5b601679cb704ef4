"""The cell of a variable: its identity, its current state, how it is read and assigned.

Several handles (`Variable` objects) may share one cell. The state is an immutable tensor; an
assignment replaces it, so that a tape that has recorded the old state keeps its value. Every read
goes through `read`, which tells the active tapes, and every assignment through `store`, which
writes it to the log.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from tapelab.core.large_values import truncated
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import VariableIdentity, next_id
from tapelab.core.records import write_assignment, write_read
from tapelab.core.tensor import Tensor, wrap
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.text_forms import brackets
from tapelab.core.value_types import Value
from tapelab.dtypes import DType
from tapelab.errors import invalid_argument
from tapelab.recording.facts import How


class Cell:
    """What the handles of one variable share: its identity, its static shape, its state."""

    __slots__ = ("__weakref__", "handle", "identity", "shape", "state")

    def __init__(self, identity: VariableIdentity, shape: TensorShape, state: Tensor) -> None:
        self.identity = identity
        self.shape = shape
        self.state = state
        self.handle: weakref.ref[Holder] | None = None

    @property
    def dtype(self) -> DType:
        """The dtype of its values."""
        return self.identity.dtype


class Holder:
    """An object that ops take for the value of its cell: a variable, or a wrapper of one."""

    __slots__ = ("_cell",)

    _cell: Cell


def read(variable: Holder) -> Tensor:
    """The current state of a variable as a tensor; the active tapes begin to watch it."""
    cell = variable._cell
    state, now = cell.state, thread.__dict__
    if now["autocast"] is not None:
        return now["autocast"](variable)  # type: ignore[no-any-return]
    if now["trace"] is not None:
        return now["trace"].bind(read, (variable,), {})  # type: ignore[no-any-return]
    if now["read_callbacks"]:
        for watcher in now["read_callbacks"]:
            watcher(cell)
    log, number = now["log"], state._id
    if log is None or number in log.read_states:
        for tape in now["active_tapes"]:
            tape._on_read(cell)
        return state
    origin, value = origin_here(None, 3), truncated(state._array)
    for tape in now["active_tapes"]:
        tape._on_read(cell, origin)
    log.read_states.add(number)
    write_read(now, next_id(), origin, variable=cell.identity, tensor=number, value=value)
    return state


def store(cell: Cell, value: Value, how: How, source: int) -> None:
    """Give a variable a new state, and write to the log where it came from."""
    origin, now = origin_here(None, 3), thread.__dict__
    for observer in now["observers"]:
        observer.assigning(cell)
    number = next_id()
    cell.state = state = wrap(value, number, origin)
    write_assignment(
        now, next_id(), origin, variable=cell.identity, how=int(how), source=source,
        tensor=number, value=truncated(state._array),
    )  # fmt: skip
    for observer in now["observers"]:
        observer.assigned(cell)


def own(value: Value) -> Any:
    """A raw value that no other code can change: a copy, unless it is read-only already."""
    return value.copy() if isinstance(value, np.ndarray) and value.flags.writeable else value


def check_shape(cell: Cell, shape: tuple[int, ...]) -> None:
    """ValueError unless a value of this shape fits the variable."""
    if shape != cell.state._array.shape and not cell.shape.is_compatible_with(shape):
        raise ValueError(
            f"Cannot assign value to variable ' {cell.identity.name}:0': Shape mismatch."
            f"The variable shape {cell.shape}, and the assigned value shape "
            f"{TensorShape(shape)} are incompatible."
        )


def with_delta(cell: Cell, delta: Value, how: How) -> Any:
    """The current value plus or minus a delta of the same shape."""
    value = cell.state._array
    raw = "AssignAddVariableOp" if how is How.ASSIGN_ADD else "AssignSubVariableOp"
    if value.dtype.kind in "bO":
        raise invalid_argument(
            raw, f"No OpKernel was registered to support Op '{raw}' for a variable of dtype "
            f"{cell.dtype.name}; only numbers are added and subtracted",
        )  # fmt: skip
    if delta.shape != value.shape:
        raise invalid_argument(
            raw,
            f"Cannot update variable with shape {brackets(np.shape(value))} using a Tensor with "
            f"shape {brackets(np.shape(delta))}, shapes must be equal.",
        )
    return value + delta if how is How.ASSIGN_ADD else value - delta
