"""The tensors, variables, names and ops of a recording in the making, each entered once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tapelab.engine.log import Dropped, Origin
from tapelab.engine.tables import Groups, Spans, Table, Tensors
from tapelab.recording.recording import Role, VariableFacts

if TYPE_CHECKING:
    from tapelab.engine.tape import GradientTape
    from tapelab.engine.variable import Cell


class Inventory:
    """What the events of one tape speak of."""

    def __init__(self, tape: GradientTape) -> None:
        self.tape = tape
        self.spans = Spans()
        self.groups = Groups(self.spans)
        self.tensors = Tensors()
        self.strings = Table()
        self.ops = Table()
        self.variables: list[VariableFacts] = []
        self.outside: dict[int, int] = {}
        self._cells: dict[int, int] = {}
        self._gradients: dict[int, int] = {}
        self._alive: list[Any] = []

    def known(self, number: int) -> int:
        """The index of the tensor with an id, -1 if it was not entered."""
        return self.tensors.by_id.get(number, -1)

    def tensor(self, number: int, value: Any, role: int, span: int = -1) -> int:
        """The index of a tensor, named after what its span assigns it to, or its own number."""
        found = self.tensors.by_id.get(number)
        if found is None:
            name, named = self.naming(span)
            if name < 0 and value.size == 1 and type(value) is not Dropped:
                name = self.strings.index(str(np.asarray(value).reshape(())))
            found = self.tensors.add(value, role, span, name, named)
            self.tensors.by_id[number] = found
        return found

    def state(self, number: int, value: Any, cell: Cell) -> int:
        """The index of a state of a variable."""
        found = self.tensors.by_id.get(number)
        if found is None:
            variable = self.variable(cell)
            name = self.strings.index(self.variables[variable].name)
            span = self.spans.of_origin(cell.origin)
            found = self.tensors.add(value, Role.STATE, span, name, 1, variable)
            self.tensors.by_id[number] = found
        return found

    def variable(self, cell: Cell | None) -> int:
        """The index of a variable; -1 for none."""
        if cell is None:
            return -1
        if cell.id not in self._cells:
            self._cells[cell.id] = len(self.variables)
            span = self.spans.of_origin(cell.origin)
            given = cell.name.rsplit("/", 1)[-1] != "Variable"
            self.variables.append(
                VariableFacts(
                    name=cell.name if given else self.spans.name(span) or "Variable",
                    trainable=cell.trainable,
                    span=span,
                    shape=self.tensors.shapes.index(cell.state._value.shape),
                    dtype=self.tensors.dtypes.index(cell.dtype.name),
                )
            )
        return self._cells[cell.id]

    def gradient(self, value: Any) -> int:
        """The index of a gradient; one and the same value is entered once, None is -1."""
        if value is None:
            return -1
        found = self._gradients.get(id(value))
        if found is None:
            self._alive.append(value)
            found = self._gradients[id(value)] = self.tensors.add(value, Role.GRADIENT)
        return found

    def outside_value(self, left: int, result: Any, span: int) -> int:
        """The index of what a value became off the tape; `left` is the serial of its leaving."""
        name, named = self.naming(span)
        made = self.tensors.add(np.asarray(result), Role.OUTSIDE, span, name, named)
        self.outside[left] = made
        return made

    def asked_for(self, thing: Any) -> int:
        """The index of a target or a source: a remembered tensor, or the cell of a variable."""
        origin: Origin | None = getattr(thing, "origin", None)
        if not hasattr(thing, "state"):
            span = self.spans.of_origin(origin)
            return self.tensor(thing.id, thing.value, Role.CONSTANT, span)
        states = [number for number, cell in self.tape._states.items() if cell is thing]
        if states:
            return self.tensors.by_id[states[-1]]
        return self.state(thing.state._id, thing.state._value, thing)

    def naming(self, span: int) -> tuple[int, int]:
        """The name or the source text of a span as a string index, and whether it is a name."""
        name = self.spans.name(span)
        text = name or self.spans.text(span)
        return (self.strings.index(text) if text else -1), int(bool(name))
