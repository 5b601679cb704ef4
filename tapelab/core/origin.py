"""Where something happened, and what stays of it in the log: plain types without behaviour.

Every tensor and every record of the log has an `Origin`: the op, the code object and the
instruction of the user's code that led to it, and the `Scope` it ran in. Scopes are linked from the
innermost outwards; figures show the ops of one scope as a group.

Tensors, variables and records have ids from one counter, `next_id`, which only grows: the order of
ids is the order in which they were made.

This module lies at the bottom of the core: records, log and tape are made of its types.
"""

from __future__ import annotations

import itertools
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tapelab.dtypes import DType

if TYPE_CHECKING:
    from tapelab.core.op_declaration import Op

next_id: Final = itertools.count(1).__next__


class Scope(NamedTuple):
    """A composite function that is running, such as softmax, inside another or none."""

    name: str
    outer: Scope | None
    code: CodeType
    instruction: int


class ModuleScope(Scope):
    """A call of a module, a layer or a model, by its name in the one around it."""

    __slots__ = ()


class CustomGradientScope(Scope):
    """The inside of a function that has a gradient of its own."""

    __slots__ = ()


class GraphScope(Scope):
    """The inside of a traced function, whose graph runs."""

    __slots__ = ()


class InternalScope(Scope):
    """What the core computes for itself, such as a tangent: the user has no names for it."""

    __slots__ = ()


class Origin(NamedTuple):
    """Which op made a tensor, and where in the user's code it was called."""

    op: Op | None
    code: CodeType
    instruction: int
    scope: Scope | None


class EntryOrigin(Origin):
    """The origin of an op that may be the first in a call of a user's function."""

    __slots__ = ()


def within(scope: Scope | None, kind: type[Scope]) -> Scope | None:
    """The scope of a kind that a scope is, or lies in; None if there is none."""
    while scope is not None and type(scope) is not kind:
        scope = scope.outer
    return scope


class VariableIdentity:
    """What the log keeps of a variable: its id, name, shape and dtype, but not its value."""

    __slots__ = ("dtype", "frozen", "id", "name", "origin", "shape", "tracked", "trainable")

    def __init__(
        self, name: str, shape: tuple[int, ...], dtype: DType, origin: Origin, *, trainable: bool
    ) -> None:
        self.id = next_id()
        self.name = name
        self.trainable = trainable
        self.shape = shape
        self.dtype = dtype
        self.origin = origin
        self.tracked = False  # a module or a layer lists it among its variables
        self.frozen = False  # its layer is not trained, though a tape watches it


class LoggedTensor(NamedTuple):
    """A tensor as the log keeps it: id and value, not the tensor, so that it can be freed."""

    id: int
    value: Any
    origin: Origin
    owner: VariableIdentity | None = None
