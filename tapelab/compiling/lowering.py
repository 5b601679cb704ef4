"""From a replay that was captured to a flat program: its ops, and where their values came from.

What an op took is an input, the state of a variable, the result of another op, or a constant. A
constant may come from Python's numbers and from shapes, which are the same in all calls that share
a program. It may not come from numbers that differ from call to call: where anybody looked at such
numbers (`Capture.looked_at`), there is no program, and the graph is replayed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tapelab.compiling.capturing import Capture
from tapelab.compiling.lowered import Assignment, Lowered, NotLoweredError, Place
from tapelab.compiling.program import Fused, Instruction, Kind, Program, Settings
from tapelab.compiling.telling import Account, account
from tapelab.compiling.walking import leaves, mapped
from tapelab.compiling.worlds import is_eager
from tapelab.engine import log as logs
from tapelab.engine import records as kinds
from tapelab.engine.cell import Cell
from tapelab.engine.custom import off_the_log
from tapelab.engine.log import Origin, next_id
from tapelab.engine.op import REGISTRY, Op
from tapelab.engine.records import OPS, Dropped, Record, whole
from tapelab.engine.tensor import Tensor
from tapelab.recording.facts import How

_CHANGES: Final = {int(How.ASSIGN_ADD): "add", int(How.ASSIGN_SUB): "subtract"}
_DRAWS: Final = frozenset({"sampler", "stateful"})


def lowered(capture: Capture, inputs: Sequence[Tensor], outputs: Any) -> Lowered:
    """The program of a captured replay; NotLoweredError where there is none."""
    return _Lowering(capture, inputs).finished(outputs)


class _Lowering:
    """The slots and instructions of one program in the making."""

    def __init__(self, capture: Capture, inputs: Sequence[Tensor]) -> None:
        self._capture = capture
        self._slots: dict[int, int] = {}
        self._kinds: dict[int, Kind] = {}
        self._constants: dict[int, Any] = {}
        self._instructions: list[Instruction] = []
        self._assignments: list[tuple[Assignment, int]] = []
        self._now: dict[int, int] = {}
        self._arrays: dict[int, int] = {}
        self._decisive: tuple[int, ...] = ()
        self._handed_out: tuple[int, ...] = ()
        self._strange = False  # whether there are arrays of which nobody said where they came from
        self._inputs = tuple([each._id for each in inputs])
        self._parameters = [self._new(each._id, each._value) for each in inputs]
        for cell, state in capture.states:
            self._now[cell.identity.id] = state._id
            self._parameters.append(self._new(state._id, state._value))
        for _, made in capture.draws:
            self._parameters += [self._new(each._id, each._value) for each in made]

    def finished(self, outputs: Any) -> Lowered:
        """The program that leads to some outputs."""
        if self._capture.drew or self._capture.seeds.intersection(self._capture.cells):
            raise NotLoweredError("it draws random numbers in an unusual way")
        self._take_all()
        results: list[int] = []

        def place(leaf: Any) -> Any:
            if isinstance(leaf, Tensor):
                results.append(self._slot(leaf._id, leaf._value))
                return Place(len(results) - 1, leaf._origin)
            if is_eager(leaf):
                raise NotLoweredError(f"it returns a {type(leaf).__name__}")
            return leaf

        placed = mapped(outputs, place)
        self._check_looks()
        program = Program(
            self._kinds,
            self._constants,
            tuple(self._parameters),
            (*results, *(slot for _, slot in self._assignments)),
            tuple(self._instructions),
        )
        cells = tuple(cell for cell, _ in self._capture.states)
        assignments = tuple(each for each, _ in self._assignments)
        told = self._account(tuple([leaf._id for leaf in leaves(outputs) if is_eager(leaf)]))
        draws = tuple(run for run, _ in self._capture.draws)
        ends = cells, draws, placed, assignments
        return Lowered(program, *ends, told, self._slots, self._reads(), logs.thread.scope)

    def _reads(self) -> tuple[tuple[Cell, Origin], ...]:
        """The variables that are read, and where for the first time."""
        known = self._capture.cells
        found = (each for each in self._capture.records() if each[0] == kinds.READ)
        return tuple([(known[each[4].id], each[3]) for each in found if each[4].id in known])

    def _account(self, outputs: tuple[int, ...]) -> Account:
        """What a call by the program tells of itself."""
        records = self._capture.records()
        states = tuple([state._id for _, state in self._capture.states])
        assigned = tuple([each[7] for each in records if each[0] == kinds.ASSIGNED])
        constants = {number for number, slot in self._slots.items() if slot in self._constants}
        return account(records, (*self._inputs, *states), (*outputs, *assigned), constants)

    def _take_all(self) -> None:
        """Take over what happened, in order: records, and what was worked out beside them."""
        asides = iter(self._capture.asides)
        following = next(asides, None)
        for at, record in enumerate(self._capture.records()):
            while following is not None and following[0] <= at:
                self._aside(*following[1:])
                following = next(asides, None)
            self._take(record)

    def _aside(self, function: Any, given: tuple[Any, ...], result: Any) -> None:
        inputs = tuple(map(self._operand, given))
        if function is None:
            self._decisive += inputs
            return
        self._handed_out += inputs
        slot = self._arrays[id(result)] = self._new(next_id(), result)
        made = Instruction(Fused(_name_of(function), function), inputs, (), (slot,))
        self._instructions.append(made)

    def _operand(self, value: Any) -> int:
        """The slot of what was given to a raw function: a tensor, or an array."""
        if isinstance(value, Tensor):
            return self._slot(value._id, value._value)
        known = self._source(value)
        return self._slot(next_id(), value) if known is None else known

    def _take(self, record: Record) -> None:
        kind = record[0]
        if kind in OPS:
            self._op(whole(record))
        elif kind == kinds.ASSIGNED:
            self._assign(record)
        elif kind == kinds.PAUSED and record[4] == self._capture._serial:
            raise NotLoweredError("it computes something that no tape may hear of")
        elif kind == kinds.MADE and record[7] is not None:
            raise NotLoweredError("it makes a variable")

    def _op(self, record: Record) -> None:
        _, _, _, origin, ids, values, result_ids, results, settings, _ = record
        op: Op = origin.op
        if "body" in settings:
            self._alias(result_ids, settings["body"])
            return
        if op.pattern in _DRAWS or op.kernel is off_the_log:
            raise NotLoweredError(f"{op.name} is no function of numbers alone")
        if op.kinds and values[0].dtype.kind not in op.kinds:
            raise NotLoweredError(f"{op.name} has no kernel of its own for {values[0].dtype}")
        if op.pattern == "shape-only" and type(results) is not Dropped:
            self._slot(result_ids, results)
            return
        inputs = tuple(map(self._slot, ids, values))
        if not op.multi:
            result_ids, results = (result_ids,), (results,)
        outputs = tuple(map(self._new, result_ids, results))
        self._instructions.append(self._instruction(op, inputs, settings, outputs))

    def _instruction(
        self, op: Op, inputs: tuple[int, ...], settings: dict[str, Any], outputs: tuple[int, ...]
    ) -> Instruction:
        """An op with its settings; those that are the numbers of a tensor become inputs."""
        taken = {name: self._source(value) for name, value in settings.items()}
        self._strange |= any(
            map(_holds_array, (v for k, v in settings.items() if taken[k] is None))
        )
        moving = {name: slot for name, slot in taken.items() if slot is not None}
        fixed: Settings = tuple((k, v) for k, v in settings.items() if k not in moving)
        if not moving:
            return Instruction(op, inputs, fixed, outputs)
        count, names, kernel, rest = len(inputs), tuple(moving), op.kernel, dict(fixed)

        def run(*values: Any) -> Any:
            given = zip(names, values[count:], strict=True)
            return kernel(*values[:count], **dict(given), **rest)

        return Instruction(Fused(op.name, run, op.multi), (*inputs, *moving.values()), (), outputs)

    def _source(self, value: Any) -> int | None:
        """The slot of an array that is the very one of a tensor, or was made from those."""
        if not isinstance(value, np.ndarray):  # NumPy has but one True
            return None
        found = self._arrays.get(id(value))
        known = self._capture.by_value.get(id(value), -1)
        return self._slots.get(known) if found is None else found

    def _alias(self, result_ids: Any, body: tuple[int, ...]) -> None:
        found = result_ids if type(result_ids) is tuple else (result_ids,)
        for number, inner in zip(found, body, strict=True):
            self._slots[number] = self._known(inner)

    def _assign(self, record: Record) -> None:
        _, _, _, origin, identity, how, source, state, value = record
        cell = self._capture.cells.get(identity.id)
        if cell is None:
            raise NotLoweredError(f"it writes into {identity.name} in an unusual way")
        slot = self._known(source)
        if how in _CHANGES:
            before = self._slots[self._now[identity.id]]
            after = self._new(state, value)
            op = REGISTRY[_CHANGES[how]]
            self._instructions.append(Instruction(op, (before, slot), (), (after,)))
        elif how == int(How.ASSIGN):
            self._slots[state] = slot
        else:
            raise NotLoweredError(f"it writes into parts of {identity.name}")
        self._now[identity.id] = state
        self._assignments.append((Assignment(cell, how, origin), self._slots[state]))

    def _new(self, number: int, value: Any) -> int:
        slot = len(self._kinds)
        self._slots[number] = slot
        self._kinds[slot] = Kind(value.shape, value.dtype)
        return slot

    def _known(self, number: int) -> int:
        slot = self._slots.get(number)
        if slot is None:
            slot = self._slot(number, self._value(number))
        return slot

    def _slot(self, number: int, value: Any) -> int:
        """The slot of a tensor; one that nothing made is a constant."""
        slot = self._slots.get(number)
        if slot is None:
            slot = self._source(value)
        if slot is None:
            held = self._value(number) if type(value) is Dropped else value
            self._strange |= _holds_array(held) and number not in self._capture.tensors
            slot = self._new(number, held)
            self._constants[slot] = held
        return slot

    def _value(self, number: int) -> Any:
        tensor = self._capture.tensors.get(number)
        if tensor is None:
            raise NotLoweredError("the log has not kept a large constant")
        return tensor._value

    def _check_looks(self) -> None:
        """NotLoweredError where somebody looked at numbers that are others in the next call."""
        moving = set(self._parameters)
        for each in self._instructions:
            if moving.intersection(each.inputs) and not _goes_by_shapes(each):
                moving.update(each.outputs)
        for number, reader in self._capture.looked_at.items():
            if self._slots.get(number) in moving:
                raise NotLoweredError(f"{reader} looks at numbers")
        if moving.intersection(self._decisive):
            raise NotLoweredError("a gradient has as many rows as numbers decide")
        out = {self._slots.get(number) for number in self._capture.handed_out}
        if self._strange and moving.intersection((*out, *self._handed_out)):
            raise NotLoweredError("positions are worked out in a way that is not told")


def _name_of(function: Any) -> str:
    return str(getattr(getattr(function, "func", function), "__name__", "aside"))


def _holds_array(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_holds_array, value))
    return isinstance(value, np.ndarray) and value.ndim > 0


def _goes_by_shapes(instruction: Instruction) -> bool:
    return isinstance(instruction.op, Op) and instruction.op.pattern == "shape-only"
