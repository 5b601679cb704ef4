"""From a tape and its log to a Recording: plain data, nothing alive."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np

from tapelab.engine import log as logs
from tapelab.engine.log import RAN, Dropped, Record, Seen
from tapelab.engine.relevance import relevant
from tapelab.engine.slopes import local_slope
from tapelab.engine.tables import Groups, Spans, Table, Tensors
from tapelab.recording import Recording, TapeFacts
from tapelab.recording import events as e
from tapelab.recording.recording import Role, VariableFacts
from tapelab.version import __version__

if TYPE_CHECKING:
    from tapelab.engine.asking import Answer
    from tapelab.engine.tape import GradientTape
    from tapelab.engine.variable import Cell


def take(tape: GradientTape) -> Recording:
    """Everything the tape saw and was asked, as a Recording."""
    snapshot = Snapshot(tape)
    happened: list[Any] = [*relevant(tape), *tape._answers]
    for each in sorted(happened, key=_serial):
        if isinstance(each, tuple):
            snapshot.enter(each)
        else:
            snapshot.answer(each)
    return snapshot.recording()


def _serial(happened: Any) -> int:
    return int(happened[1] if isinstance(happened, tuple) else happened.serial)


class Snapshot:
    """A recording in the making."""

    def __init__(self, tape: GradientTape) -> None:
        self.tape = tape
        self.spans = Spans()
        self.groups = Groups(self.spans)
        self.tensors = Tensors()
        self.strings = Table()
        self.ops = Table()
        self.cells: dict[int, int] = {}
        self.variables: list[VariableFacts] = []
        self.gradients: dict[int, int] = {}
        self.alive: list[Any] = []
        self.outside: dict[int, int] = {}
        self.calls = 0
        self.event_of: dict[int, int] = {}
        self.records: dict[int, Record] = {}
        self.threads = Table()
        self.threads.index(tape._thread)
        self.pauses = _pauses(tape)
        self.kind, self.span, self.thread = array("B"), array("i"), array("i")
        self.start, self.fields = array("i", [0]), array("i")

    # Events

    def emit(self, event: e.Event, span: int, thread: int) -> None:
        """Append one event."""
        self.kind.append(e.KIND_OF[type(event)])
        self.span.append(span)
        self.thread.append(self.threads.index(thread))
        self.fields.extend(e.pack(event))
        self.start.append(len(self.fields))

    def enter(self, record: Record) -> None:
        """Append the event of a record of the log."""
        kind, serial, thread, origin, *rest = record
        span = self.spans.of_origin(origin)
        self.event_of[serial] = len(self.kind)
        if kind == RAN:
            self.records[serial] = record
            event: e.Event | None = self._ran(record, span)
        else:
            event = _ENTER[kind](self, span, serial, *rest)
        if event is not None:
            self.emit(event, span, thread)

    def _ran(self, record: Record, span: int) -> e.Event:
        _, _, _, origin, ids, values, result_ids, results, _, _ = record
        many = type(result_ids) is tuple
        name, named = self._naming(span)
        outputs = tuple(
            self._tensor(each, value, Role.RESULT, span, name, named)
            for each, value in (zip(result_ids, results, strict=True) if many else [(result_ids, results)])
        )
        inputs = tuple(
            self._tensor(each, value, Role.CONSTANT) for each, value in zip(ids, values, strict=True)
        )
        op, group = self.ops.index(origin.op), self.groups.of(origin.scope)
        return e.Ran(op, group, int(self._cause(record)), inputs, outputs)

    def _cause(self, record: Record) -> e.Cause:
        serial, tape = record[1], self.tape
        if tape._serial in record[9]:
            return e.Cause.TAPED
        if record[2] != self.tape._thread:
            return e.Cause.OTHER_THREAD
        if serial < tape._opened:
            return e.Cause.BEFORE
        if tape._closed and serial > tape._closed:
            return e.Cause.AFTER
        if any(start < serial < stop for start, stop in self.pauses):
            return e.Cause.PAUSED
        if any(each in tape._tracked for each in record[4]):
            return e.Cause.INTEGER
        return e.Cause.UNWATCHED

    def _watched(
        self, span: int, serial: int, number: int, value: Any, cell: Cell | None, how: int, tape: int
    ) -> e.Event | None:
        if tape != self.tape._serial:
            return None
        variable = self._variable(cell)
        role = Role.CONSTANT if cell is None else Role.STATE
        return e.Watched(self._state(number, value, cell) if cell else self._tensor(number, value, role),
                         variable, how)  # fmt: skip

    def _read(self, span: int, serial: int, cell: Cell, number: int, value: Any) -> e.Event:
        return e.Read(self._variable(cell), self._state(number, value, cell))

    def _assigned(
        self, span: int, serial: int, cell: Cell, how: int, source: int, number: int, value: Any
    ) -> e.Event:
        from_tensor = self.tensors.by_id.get(source, -1)
        return e.Assigned(self._variable(cell), how, from_tensor, self._state(number, value, cell))

    def _left(self, span: int, serial: int, number: int, how: str, held: Any) -> e.Event:
        result = held() if callable(held) else held
        outside = -1
        if result is not None and hasattr(np.asarray(result), "dtype"):
            name, named = self._naming(span)
            array = np.asarray(result)
            outside = self.tensors.add(array, Role.OUTSIDE, span, name, named)
            self.outside[serial] = outside
        return e.Left(self.tensors.by_id.get(number, -1), self.strings.index(how), outside)

    def _returned(self, span: int, serial: int, left: int, number: int, value: Any) -> e.Event:
        outside = self.outside.get(left, -1)
        return e.Returned(outside, self._tensor(number, value, Role.CONSTANT, span))

    def _made(
        self, span: int, serial: int, number: int, value: Any, how: str, cell: Cell | None, source: int
    ) -> e.Event:
        if cell is not None:
            return e.Made(self._state(number, value, cell), self.strings.index(how))
        name, named = self._naming(span)
        made = self._tensor(number, value, Role.CONSTANT, span, name, named)
        return e.Made(made, self.strings.index(how))

    def _mark(self, span: int, serial: int, tape: int, *, event: e.Event) -> e.Event | None:
        return event if tape == self.tape._serial else None

    # Questions

    def answer(self, answer: Answer) -> None:
        """Append a question that was put to the tape, and the way back."""
        call = self.calls
        self.calls += 1
        span = self.spans.of_origin(answer.origin)
        targets = tuple(self._asked_for(each) for each in answer.targets)
        sources = tuple(self._asked_for(each) for each in answer.sources)
        results = tuple(map(self._gradient, answer.results))
        method = int(answer.method)
        asked = e.Asked(call, method, int(answer.zero), targets, sources, results)
        self.emit(asked, span, self.tape._thread)
        for flow in answer.flows:
            local = local_slope(self.records.get(flow.op), flow.position)
            if flow.op != -1 and flow.op not in self.event_of:
                continue
            self.emit(
                e.Flowed(
                    call, self.event_of.get(flow.op, -1), flow.position,
                    self.tensors.by_id.get(flow.tensor, -1), self._gradient(flow.upstream),
                    self._gradient(local), self._gradient(flow.contribution), self._gradient(flow.sum),
                ),
                span, self.tape._thread,
            )  # fmt: skip

    def _asked_for(self, thing: Any) -> int:
        if isinstance(thing, Seen):
            span = self.spans.of_origin(thing.origin)
            return self._tensor(thing.id, thing.value, Role.CONSTANT, span, *self._naming(span))
        states = [number for number, cell in self.tape._states.items() if cell is thing]
        if states:
            return self.tensors.by_id[states[-1]]
        return self._state(thing.state._id, thing.state._value, thing)

    # Tables

    def _tensor(
        self, number: int, value: Any, role: int, span: int = -1, name: int = -1, named: int = 0
    ) -> int:
        found = self.tensors.by_id.get(number)
        if found is not None:
            return found
        if name < 0 and value.size == 1 and type(value) is not Dropped:
            name = self.strings.index(str(np.asarray(value).reshape(())))
        self.tensors.by_id[number] = made = self.tensors.add(value, role, span, name, named)
        return made

    def _state(self, number: int, value: Any, cell: Cell) -> int:
        found = self.tensors.by_id.get(number)
        if found is None:
            variable = self._variable(cell)
            name = self.strings.index(self.variables[variable].name)
            found = self.tensors.by_id[number] = self.tensors.add(
                value, Role.STATE, self.spans.of_origin(cell.origin), name, 1, variable
            )
        return found

    def _variable(self, cell: Cell | None) -> int:
        if cell is None:
            return -1
        if cell.id not in self.cells:
            self.cells[cell.id] = len(self.variables)
            span = self.spans.of_origin(cell.origin)
            given = cell.name.rsplit("/", 1)[-1] != "Variable"
            name = cell.name if given else self.spans.name(span) or "Variable"
            value = cell.state._value
            shape, dtype = self.tensors.shapes.index(tuple(value.shape)), cell.dtype.name
            facts = VariableFacts(name, cell.trainable, span, shape, self.tensors.dtypes.index(dtype))
            self.variables.append(facts)
        return self.cells[cell.id]

    def _gradient(self, value: Any) -> int:
        if value is None:
            return -1
        found = self.gradients.get(id(value))
        if found is None:
            self.alive.append(value)
            found = self.gradients[id(value)] = self.tensors.add(value, Role.GRADIENT)
        return found

    def _naming(self, span: int) -> tuple[int, int]:
        name = self.spans.name(span)
        text = name or self.spans.text(span)
        return (self.strings.index(text) if text else -1), int(bool(name))

    def recording(self) -> Recording:
        """The finished recording."""
        tape = self.tape
        facts = TapeFacts(
            self.spans.name(self.spans.of_origin(tape._origin)) or "tape",
            tape._persistent, tape._auto, tape._consumed,
        )  # fmt: skip
        rows = np.array(self.spans.rows, "<i4").reshape(-1, 5)
        names = ("source", "line", "column", "end_line", "end_column")
        columns = {
            "event.kind": np.array(self.kind, "u1"),
            "event.span": np.array(self.span, "<i4"),
            "event.thread": np.array(self.thread, "<i4"),
            "event.start": np.array(self.start, "<i4"),
            "event.fields": np.array(self.fields, "<i4"),
            **{f"span.{name}": rows[:, i].copy() for i, name in enumerate(names)},
            **self.tensors.as_columns(),
        }
        return Recording(
            f"tapelab {__version__}", facts, tuple(self.strings), tuple(self.tensors.shapes),
            tuple(self.tensors.dtypes), tuple(op.facts() for op in self.ops), tuple(self.groups.rows),
            self.spans.sources(), tuple(self.variables), columns,
        )  # fmt: skip


def _pauses(tape: GradientTape) -> list[tuple[int, float]]:
    """The stretches of time, in serial numbers, in which the tape was paused."""
    pauses: list[tuple[int, float]] = []
    for log in {id(window[0]): window[0] for window in tape._windows}.values():
        for record in log.records:
            if record[0] == logs.PAUSED and record[4] == tape._serial:
                pauses.append((record[1], float("inf")))
            elif record[0] == logs.RESUMED and record[4] == tape._serial:
                pauses[-1] = (pauses[-1][0], record[1])
    return pauses


def _marker(event: e.Event) -> Any:
    return lambda snapshot, span, serial, tape: snapshot._mark(span, serial, tape, event=event)


_ENTER: dict[int, Any] = {
    logs.READ: Snapshot._read,
    logs.ASSIGNED: Snapshot._assigned,
    logs.LEFT: Snapshot._left,
    logs.RETURNED: Snapshot._returned,
    logs.MADE: Snapshot._made,
    logs.WATCHED: Snapshot._watched,
    logs.PAUSED: _marker(e.Paused()),
    logs.RESUMED: _marker(e.Resumed()),
    logs.OPENED: _marker(e.Opened()),
    logs.CLOSED: _marker(e.Closed()),
    logs.RESET: _marker(e.Reset()),
}
