"""Lowering: the records of a captured replay become a flat program.

Every op of the capture becomes an instruction on slots. Reads of variables become parameters,
assignments become results, random draws become parameters that are drawn before each call. Values
that Python code looked at become guards. NotLoweredError says why a replay has no program: an op
of the user without a known kernel, an array of unknown source, a write in an unusual way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any, Final, NamedTuple

import numpy as np

from tapelab.compile.abstract_evaluation import is_eager
from tapelab.compile.call_report import CallReport, report
from tapelab.compile.capture import Capture
from tapelab.compile.guards import LARGEST, MOST_GUARDS, guard_instruction
from tapelab.compile.program import DynamicOp, Fused, Instruction, Kind, Program, Settings
from tapelab.compile.pytree import Leaf, Tree, leaves, mapped
from tapelab.compile.random_draws import Draws
from tapelab.core import log as logs
from tapelab.core.cell import Cell
from tapelab.core.custom_op import off_the_log
from tapelab.core.large_values import Dropped
from tapelab.core.numerics import widened
from tapelab.core.op_declaration import Op
from tapelab.core.origin import Origin, next_id
from tapelab.core.records import (
    OP_RUNS,
    Assignment,
    Creation,
    OpRun,
    Record,
    TapePaused,
    VariableRead,
    as_op_run,
    kind_of,
    view,
)
from tapelab.core.tensor import Tensor
from tapelab.ops import arithmetic
from tapelab.recording.facts import How

_CHANGES: Final = {int(How.ASSIGN_ADD): arithmetic.add, int(How.ASSIGN_SUB): arithmetic.subtract}


def lower_capture(capture: Capture, inputs: Sequence[Tensor], outputs: Tree) -> Lowered:
    """The program of a captured replay; NotLoweredError where there is none."""
    return _Lowering(capture, inputs).finished(outputs)


class _Lowering:
    """The slots and instructions of one program in the making."""

    def __init__(self, capture: Capture, inputs: Sequence[Tensor]) -> None:
        self._capture = capture
        self._slots = Slots(capture)
        self._assignments: list[tuple[StateUpdate, int]] = []
        self._now: dict[int, int] = {}
        self._guarded: set[int] = set()
        self._handed_out: tuple[int, ...] = ()
        taken = [(each._id, each._array) for each in inputs]
        for cell, state in capture.states:
            self._now[cell.identity.id] = state._id
            taken.append((state._id, state._array))
        drawn = [_with_id(each) for _, tensors in capture.drawing.made for each in tensors]
        self._taken = tuple([number for number, _ in (*taken, *drawn)])
        slots = self._slots
        self._parameters = (*starmap(slots.parameter, taken), *starmap(slots.drawn, drawn))

    def finished(self, outputs: Tree) -> Lowered:
        """The program that leads to some outputs."""
        drawing, slots = self._capture.drawing, self._slots
        read = {id(cell) for cell, _ in self._capture.states}
        if drawing.unusual or not read.isdisjoint(drawing.seeds):
            raise NotLoweredError("it draws random numbers in an unusual way")
        self._take_all()
        results: list[int] = []

        def place(leaf: Leaf) -> Any:
            if isinstance(leaf, Tensor):
                results.append(slots.slot(leaf._id, leaf._array))
                return Place(len(results) - 1, leaf._origin)
            if is_eager(leaf):
                raise NotLoweredError(f"it returns a {type(leaf).__name__}")
            return leaf

        placed = mapped(outputs, place)
        self._check_positions()
        program = Program(
            slots.kinds,
            slots.constants,
            self._parameters,
            (*results, *(slot for _, slot in self._assignments)),
            tuple(slots.instructions),
        )
        cells = tuple(cell for cell, _ in self._capture.states)
        assignments = tuple(each for each, _ in self._assignments)
        report = self._report(tuple([leaf._id for leaf in leaves(outputs) if is_eager(leaf)]))
        ends = cells, drawing.finished(), placed, assignments
        return Lowered(program, *ends, report, slots.of, self._reads())

    def _reads(self) -> tuple[tuple[Cell, Origin], ...]:
        """The variables that are read, and where for the first time."""
        known = self._capture.cells
        kept = (each for each in self._capture.records() if kind_of(each) is VariableRead)
        reads = [view(VariableRead, each) for each in kept]
        return tuple([
            (known[each.variable.id], each.origin) for each in reads if each.variable.id in known
        ])  # fmt: skip

    def _report(self, outputs: tuple[int, ...]) -> CallReport:
        """What a call by the program tells of itself."""
        records = self._capture.records()
        kept = (each for each in records if kind_of(each) is Assignment)
        assigned = tuple([view(Assignment, each).tensor for each in kept])
        slots = self._slots
        constants = {number for number, slot in slots.of.items() if slot in slots.constants}
        ends = self._taken, (*outputs, *assigned)
        return report(records, *ends, constants, logs.thread.scope)

    def _take_all(self) -> None:
        """Take over what happened, in order: records, and what was worked out beside them."""
        asides = iter(self._capture.asides)
        following = next(asides, None)
        for at, record in enumerate((*self._capture.records(), None)):
            while following is not None and following[0] <= at:
                self._host_call(*following[1:])
                following = next(asides, None)
            if record is not None:
                self._take(record)

    def _host_call(
        self, function: Callable[..., Any] | None, given: tuple[Any, ...], result: Tree
    ) -> None:
        inputs = tuple(map(self._slots.operand, given))
        if function is None:
            for slot, each in zip(inputs, given, strict=True):
                self._guard(slot, each, result)
            return
        host_op = Fused(_name_of(function), function)
        if result is None:
            self._slots.add(Instruction(host_op, inputs, (), ()))
            return
        if not isinstance(result, np.ndarray):
            raise NotLoweredError(f"{host_op.name} works out what is no array")
        self._handed_out += inputs
        self._slots.add(Instruction(host_op, inputs, (), (self._slots.made_beside(result),)))

    def _guard(self, slot: int, given: Tree, reader: str) -> None:
        """Let the program be for these numbers alone, by which somebody goes."""
        if slot not in self._slots.moving or slot in self._guarded:
            return
        value = given._array if isinstance(given, Tensor) else given
        rare = value.dtype.kind not in "biu" or value.size > LARGEST
        if rare or len(self._guarded) >= MOST_GUARDS:
            raise NotLoweredError(f"{reader} looks at numbers")
        self._guarded.add(slot)
        self._slots.add(guard_instruction(slot, value))

    def _take(self, record: Record) -> None:
        kind = kind_of(record)
        if kind in OP_RUNS:
            self._op(as_op_run(record))
        elif kind is Assignment:
            self._assign(view(Assignment, record))
        elif kind is TapePaused and view(TapePaused, record).tape == self._capture._serial:
            raise NotLoweredError("it computes something that no tape may record")
        elif kind is Creation and view(Creation, record).variable is not None:
            raise NotLoweredError("it makes a variable")

    def _op(self, run: OpRun) -> None:
        op, values, settings = run.op, run.inputs, run.settings
        result_ids, results = run.result_ids, run.results
        if "body" in settings:
            self._alias(result_ids, settings["body"])
            return
        if op.pattern == "stateful" or op.kernel is off_the_log:
            raise NotLoweredError(f"{op.name} is no function of numbers alone")
        if op.pattern == "shape-only" and type(results) is not Dropped:
            self._slots.slot(result_ids, results)
            return
        inputs = tuple(map(self._slots.slot, run.input_ids, values))
        if not op.multi:
            result_ids, results = (result_ids,), (results,)
        outputs = tuple(map(self._slots.new, result_ids, results))
        narrow = bool(op.kinds) and values[0].dtype.kind not in op.kinds
        kernel = widened(op.kernel, values[0].dtype) if narrow else op.kernel
        self._slots.add(self._instruction(op, kernel, inputs, settings, outputs))

    def _instruction(
        self, op: Op, kernel: Any, inputs: tuple[int, ...], settings: dict[str, Any],
        outputs: tuple[int, ...],
    ) -> Instruction:  # fmt: skip
        """An op with its settings; those that are the numbers of a tensor become inputs."""
        taken = {name: self._slots.source(value) for name, value in settings.items()}
        self._slots.strange |= any(
            map(holds_array, (v for k, v in settings.items() if taken[k] is None))
        )
        moving = {name: slot for name, slot in taken.items() if slot is not None}
        fixed: Settings = tuple((k, v) for k, v in settings.items() if k not in moving)
        if not moving and kernel is op.kernel:
            return Instruction(op, inputs, fixed, outputs)
        count, names, rest = len(inputs), tuple(moving), dict(fixed)

        def run(*values: Tree) -> Any:
            given = zip(names, values[count:], strict=True)
            return kernel(*values[:count], **dict(given), **rest)

        dynamic_op = DynamicOp(op.name, run, op.multi, op=op, names=names, fixed=fixed)
        return Instruction(dynamic_op, (*inputs, *moving.values()), (), outputs)

    def _alias(self, result_ids: Any, body: tuple[int, ...]) -> None:
        ids = result_ids if type(result_ids) is tuple else (result_ids,)
        for number, inner in zip(ids, body, strict=True):
            self._slots.of[number] = self._slots.known(inner)

    def _assign(self, assignment: Assignment) -> None:
        identity, how, source = assignment.variable, assignment.how, assignment.source
        cell, state = self._capture.cells.get(identity.id), assignment.tensor
        if cell is None:
            raise NotLoweredError(f"it writes into {identity.name} in an unusual way")
        slots = self._slots
        if how in _CHANGES:
            before, change = slots.of[self._now[identity.id]], slots.known(source)
            after = slots.new(state, assignment.value)
            slots.add(Instruction(_CHANGES[how], (before, change), (), (after,)))
        else:
            is_whole = how == int(How.ASSIGN)
            slots.of[state] = slots.known(source) if is_whole else self._part(assignment)
        self._now[identity.id] = state
        self._assignments.append((StateUpdate(cell, how, assignment.origin), slots.of[state]))

    def _part(self, assignment: Assignment) -> int:
        """The slot of a variable into parts of which was written."""
        state = self._capture.tensors.get(assignment.tensor)
        slot = None if state is None else self._slots.source(state._array)
        if slot is None:
            name = assignment.variable.name
            raise NotLoweredError(f"it writes into parts of {name} in an unusual way")
        return slot

    def _check_positions(self) -> None:
        """NotLoweredError where positions come from values in a way that was not recorded."""
        slots = self._slots
        out = {slots.of.get(number) for number in self._capture.arrays_out}
        if slots.strange and slots.moving.intersection((*out, *self._handed_out)):
            raise NotLoweredError("positions are computed in a way that was not recorded")


def _with_id(drawn: Leaf) -> tuple[int, Any]:
    """What was drawn, with the id of the tensor that it is, or a new one."""
    return (drawn._id, drawn._array) if isinstance(drawn, Tensor) else (next_id(), drawn)


def _name_of(function: Callable[..., Any]) -> str:
    return str(getattr(getattr(function, "func", function), "__name__", "host_call"))


class Slots:
    """Slots by the ids of tensors, what is in them, and the instructions that fill them."""

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self.of: dict[int, int] = {}
        self.kinds: dict[int, Kind] = {}
        self.constants: dict[int, Any] = {}
        self.instructions: list[Instruction] = []
        self.moving: set[int] = set()  # what is filled with other numbers at another call
        self.strange = False  # whether there are arrays of unknown source
        self._arrays: dict[int, int] = {}

    def parameter(self, number: int, value: Leaf) -> int:
        """A new slot for what is given at each call."""
        slot = self.new(number, value)
        self.moving.add(slot)
        return slot

    def drawn(self, number: int, value: Leaf) -> int:
        """A new slot for what is drawn at each call: it is known again where it is a setting."""
        slot = self.parameter(number, value)
        if isinstance(value, np.ndarray) or (isinstance(value, tuple) and value):
            self._arrays[id(value)] = slot  # of numbers and of () there is but one each
        return slot

    def new(self, number: int, value: Leaf) -> int:
        """A new slot for a tensor."""
        slot = len(self.kinds)
        self.of[number] = slot
        known = hasattr(value, "dtype")
        self.kinds[slot] = Kind(value.shape, value.dtype) if known else Kind((), np.dtype(object))
        return slot

    def made_beside(self, result: Tree) -> int:
        """A new slot for an array that is worked out beside the tape."""
        slot = self._arrays[id(result)] = self.new(next_id(), result)
        return slot

    def add(self, instruction: Instruction) -> None:
        """Write down one more instruction."""
        self.instructions.append(instruction)
        if self.moving.intersection(instruction.inputs) and not _goes_by_shapes(instruction):
            self.moving.update(instruction.outputs)

    def source(self, value: Leaf) -> int | None:
        """The slot of an array that is the very one of a tensor, or was made from those."""
        if not isinstance(value, (np.ndarray, tuple)):
            return None
        known = self._capture.by_value.get(id(value), -1)
        return self._arrays.get(id(value), self.of.get(known))

    def operand(self, value: Leaf) -> int:
        """The slot of what was given to a raw function: a tensor, or an array."""
        if isinstance(value, Tensor):
            return self.slot(value._id, value._array)
        known = self.source(value)
        if known is None and isinstance(value, tuple):
            raise NotLoweredError("it draws by the numbers of a tensor")
        return self.slot(next_id(), np.asarray(value)) if known is None else known

    def known(self, number: int) -> int:
        """The slot of a tensor of which only the id is known."""
        slot = self.of.get(number)
        return self.slot(number, self._value(number)) if slot is None else slot

    def slot(self, number: int, value: Leaf) -> int:
        """The slot of a tensor; one that nothing made is a constant."""
        slot = self.of.get(number)
        if slot is None:
            slot = self.source(value)
            if slot is not None:
                self.of[number] = slot
        if slot is None:
            held = self._value(number) if type(value) is Dropped else value
            self.strange |= holds_array(held) and number not in self._capture.tensors
            slot = self.new(number, held)
            self.constants[slot] = held
        return slot

    def _value(self, number: int) -> Any:
        tensor = self._capture.tensors.get(number)
        if tensor is None:
            raise NotLoweredError("the log has not kept a large constant")
        return tensor._array


def holds_array(value: Leaf) -> bool:
    """Whether there are arrays in a setting or a constant."""
    if isinstance(value, (tuple, list)):
        return any(map(holds_array, value))
    return isinstance(value, np.ndarray) and value.ndim > 0


def _goes_by_shapes(instruction: Instruction) -> bool:
    return isinstance(instruction.op, Op) and instruction.op.pattern == "shape-only"


class NotLoweredError(Exception):
    """A graph has no program; says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which result of a program stands in the place of an output, and what made it."""

    number: int
    origin: Origin


class StateUpdate(NamedTuple):
    """A new state that a variable is given after the program has run."""

    cell: Cell
    how: int
    origin: Origin


@dataclass(frozen=True)
class Lowered:
    """A program, and what it has to do with the function.

    Its parameters are the inputs, then the states of the cells, then the random numbers that the
    draws return. Its results are the outputs, then what is assigned. `slots` tells where the
    tensors of the captured replay are, and `reads` where variables are read.
    """

    program: Program
    cells: tuple[Cell, ...]
    draws: Draws
    outputs: Any
    assignments: tuple[StateUpdate, ...]
    report: CallReport
    slots: Mapping[int, int]
    reads: tuple[tuple[Cell, Origin], ...]
