"""The tensors, variables, names and ops that the events of a recording refer to by index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tapelab.core.large_values import Dropped, is_large
from tapelab.core.origin import (
    CustomGradientScope,
    InternalScope,
    LoggedTensor,
    Origin,
    within,
)
from tapelab.core.value_types import Value, Values
from tapelab.recorder.groups import Groups
from tapelab.recorder.interning import NOWHERE, Interned, Spans, Tensors, place_of
from tapelab.recorder.returned_values import ReturnedValues
from tapelab.recording.schema import Role, VariableFacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tapelab.core.origin import VariableIdentity
    from tapelab.core.records import OpRun
    from tapelab.core.tape import GradientTape

UNKNOWN: Final = -2
"""Stands for the index of a gradient that was not entered yet; that of None is -1."""


class Place(NamedTuple):
    """What is the same for all runs of an op at one place of the code."""

    name: int
    named: int
    variable: int
    span: int
    op: int


class SymbolTable:
    """What the events of one tape refer to: each is entered when it is first met."""

    def __init__(self, tape: GradientTape) -> None:
        self.tape = tape
        self.spans = Spans()
        self.groups = Groups(tape, self.spans)
        self.returned = ReturnedValues(self.groups, self.spans)
        self.strings = Interned()
        self.tensors = Tensors(self.strings)
        self.ops = Interned()
        self.variables: list[VariableFacts] = []
        self.outside: dict[int, int] = {}
        self._variables: dict[int, int] = {}
        self._states: dict[int, int] = {}  # the variable of each state, by its id
        self._namings: dict[int, tuple[int, int]] = {}
        self._places: dict[tuple[int, int, int], Place] = {}
        self.gradients: dict[int, int] = {id(None): -1}
        self.derived: dict[int, int] = {}
        self._inside: dict[int, list[tuple[int, str]]] = {}
        self._alive: list[Any] = []

    @cached_property
    def reached(self) -> set[int]:
        """The serials of the ops that a backward pass of the tape visited."""
        return {flow.op for answer in self.tape._gradient_calls for flow in answer.report.read()}

    def known(self, number: int) -> int:
        """The index of the tensor with an id, -1 if it was not entered."""
        return self.tensors.by_id.get(number, -1)

    def tensor(self, number: int, value: Value, role: int, span: int = -1) -> int:
        """The index of a tensor, named after what its span assigns it to, or after its value."""
        index = self.tensors.by_id.get(number)
        if index is None:
            name, named = self.naming(span)
            if name < 0 and type(value) is not Dropped and value.size == 1:
                name = self.strings.index(str(value if value.ndim == 0 else value.reshape(())))
            index = self.tensors.add(value, role, span, name, named)
            self.tensors.by_id[number] = index
        elif is_large(value):
            self.tensors.measure(index, value)
        return index

    def result(self, number: int, value: Value, place: Place) -> int:
        """The index of the result of an op that ran at a place."""
        tensors = self.tensors
        if place.name < 0 or number in tensors.by_id:
            return self.tensor(number, value, Role.RESULT, place.span)
        index = tensors.add(value, Role.RESULT, place.span, place.name, place.named)
        tensors.by_id[number] = index
        return index

    def results(
        self, numbers: Sequence[int], values: Sequence[Any], places: Sequence[Place], at: Any
    ) -> Sequence[int]:
        """The indices of the results of many ops, each of which ran at one of some places."""
        tensors, unnamed = self.tensors, any(place.name < 0 for place in places)
        if unnamed or not tensors.by_id.keys().isdisjoint(numbers):
            return list(map(self.result, numbers, values, [places[each] for each in at]))
        columns = [(each.name, each.named, each.variable, each.span) for each in places]
        indices = tensors.add_all(values, Role.RESULT, np.array(columns, np.intc)[at])
        tensors.by_id.update(zip(numbers, indices, strict=True))
        return indices

    def constants(self, numbers: Sequence[int], values: Sequence[Any]) -> None:
        """Enter many constants, each once, that are not known yet."""
        new = dict(zip(numbers, values, strict=True))
        if not all(issubclass(each, np.number) for each in {*map(type, values)}):
            for number, value in new.items():
                self.tensor(number, value, Role.CONSTANT)
            return
        rows = np.tile(NOWHERE, (len(new), 1))
        rows[:, 0] = [self.strings.index(str(value)) for value in new.values()]
        indices = self.tensors.add_all([*new.values()], Role.CONSTANT, rows)
        self.tensors.by_id.update(zip(new, indices, strict=True))

    def place(self, origin: Origin) -> Place:
        """The place where an op ran."""
        code, instruction = origin.code, origin.instruction
        if origin.scope is not None:
            code, instruction = place_of(origin)
        key = id(origin.op), id(code), instruction
        place = self._places.get(key)
        if place is None:
            span = self.spans.of(code, instruction)
            op = self.ops.index(origin.op)
            place = self._places[key] = Place(*self.naming(span), -1, span, op)
        return place

    def within(self, run: OpRun, results: tuple[int, ...]) -> None:
        """Of the results inside one composite only the last keeps the name the user gave."""
        scope, place = run.origin.scope, place_of(run.origin)
        internal = within(scope, InternalScope)
        if internal is not None:
            for each in results:
                self.tensors.rename(each, self.strings.index(internal.name))
        if scope is None or type(scope) is CustomGradientScope or internal is not None:
            return
        called = None
        while scope is not None and type(scope) is not CustomGradientScope:
            called = scope if (scope.code, scope.instruction) == place else called
            scope = scope.outer
        if called is None:  # the op stands in the user's code, such as that of a traced function
            return
        for earlier, title in self._inside.get(id(called), ()):
            self.tensors.rename(earlier, self.strings.index(title))
        self._alive.append(called)
        title = self._title(run)
        self._inside[id(called)] = [(each, title) for each in results]

    def _title(self, run: OpRun) -> str:
        """What an op in a composite computes: its title, behind the weight of a layer it takes.

        Such as the "kernel matrix product" of a layer.
        """
        title = run.op.title.lower()
        states = (self._states[each] for each in run.input_ids if each in self._states)
        variable = next((self.variables[each] for each in states), None)
        if variable is None or not _is_weight(variable):
            return title
        return f"{variable.name.rsplit('/', 1)[-1]} {title}"

    def name_results(self, results: tuple[int, ...], span: int) -> None:
        """Call the results of an op by the names that they are unpacked into."""
        for index, name in zip(results, self.spans.targets(span), strict=False):
            if name:
                self.tensors.rename(index, self.strings.index(name), named=True)

    def name_returned(self) -> None:
        """Call what functions returned by the names that their callers give to it."""
        for tensor, name, named in self.returned.found():
            if named or not self.tensors.is_named(tensor):
                self.tensors.rename(tensor, self.strings.index(name), named=named)

    def name_states(self) -> None:
        """Call the weights of layers by their layer alone, where no other weight is called so."""
        variables = {each: self.variables[each] for each in self._states.values()}
        short = {
            at: "/".join(each.name.split("/")[-2:]) if _is_weight(each) else each.name
            for at, each in variables.items()
        }
        counts = Counter(short.values())
        for number, variable in self._states.items():
            name = short[variable]
            if name != variables[variable].name and counts[name] == 1:
                index = self.tensors.by_id[number]
                self.tensors.rename(index, self.strings.index(name), named=True)

    def state(self, number: int, value: Value, owner: VariableIdentity) -> int:
        """The index of a state of a variable."""
        index = self.tensors.by_id.get(number)
        if index is None:
            variable = self.variable(owner)
            name = self.strings.index(self.variables[variable].name)
            span = self.spans.of_origin(owner.origin)
            index = self.tensors.add(value, Role.STATE, span, name, 1, variable)
            self.tensors.by_id[number] = index
            self._states[number] = variable
        return index

    def variable(self, owner: VariableIdentity | None) -> int:
        """The index of a variable; -1 for none."""
        if owner is None:
            return -1
        if owner.id not in self._variables:
            self._variables[owner.id] = len(self.variables)
            span = self.spans.of_origin(owner.origin)
            given = owner.name.rsplit("/", 1)[-1] != "Variable"
            self.variables.append(
                VariableFacts(
                    name=owner.name if given else self.spans.name(span) or "Variable",
                    trainable=owner.trainable,
                    span=span,
                    shape=self.tensors.shapes.index(owner.shape),
                    dtype=self.tensors.dtypes.index(owner.dtype.name),
                    tracked=owner.tracked,
                    frozen=owner.frozen,
                )
            )
        return self._variables[owner.id]

    def gradient(self, value: Value) -> int:
        """The index of a gradient; one and the same value is entered once, None is -1."""
        index = self.gradients.get(id(value))
        if index is None:
            self._alive.append(value)
            index = self.gradients[id(value)] = self.tensors.add(value, Role.GRADIENT)
        return index

    def enter_gradients(self, values: Sequence[Any]) -> NDArray[np.intc]:
        """The indices of many gradients, each of which is entered once."""
        numbers = np.fromiter(map(id, values), np.int64, len(values))
        each, first, at = np.unique(numbers, return_index=True, return_inverse=True)
        known = [self.gradients.get(number, UNKNOWN) for number in each.tolist()]
        indices = np.array(known, np.intc)
        new = np.flatnonzero(indices == UNKNOWN)
        new = new[np.argsort(first[new])]  # as they come
        entered = [values[position] for position in first[new].tolist()]
        added = self.tensors.add_all(entered, Role.GRADIENT)
        indices[new] = added
        self.gradients.update(zip(each[new].tolist(), added, strict=True))
        self._alive += entered
        return indices[at]

    def outside_value(self, exit: int, result: Values, span: int) -> int:
        """The index of what a value became off the tape; `exit` is the serial of its `Exit`."""
        name, named = self.naming(span)
        index = self.tensors.add(np.asarray(result), Role.OUTSIDE, span, name, named)
        self.outside[exit] = index
        return index

    def end(self, end: LoggedTensor) -> int:
        """The index of a target or a source; for a variable its newest state that was read."""
        if end.owner is None:
            return self.tensor(end.id, end.value, Role.CONSTANT, self.spans.of_origin(end.origin))
        known = self.tensors.by_id
        states = [
            number
            for number, owner in self.tape._states.items()
            if owner is end.owner and number in known
        ]
        if states:
            return self.tensors.by_id[states[-1]]
        return self.state(end.id, end.value, end.owner)

    def naming(self, span: int) -> tuple[int, int]:
        """The name or the source text of a span as a string index, and whether it is a name."""
        naming = self._namings.get(span)
        if naming is None:
            name = self.spans.name(span)
            text = name or self.spans.text(span)
            naming = (self.strings.index(text) if text else -1), int(bool(name))
            self._namings[span] = naming
        return naming


def _is_weight(variable: VariableFacts) -> bool:
    """Whether a variable is a weight of a layer, whose name begins with those of its layers."""
    return variable.tracked and "/" in variable.name
