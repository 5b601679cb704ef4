"""From a tape and its log to a Recording: plain data, nothing alive."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.engine.entries import event_of, pauses_of, ran
from tapelab.engine.inventory import Inventory
from tapelab.engine.records import DERIVED, RAN, Record
from tapelab.engine.relevance import relevant
from tapelab.engine.slopes import local_slope
from tapelab.engine.tables import Table
from tapelab.recording import Recording, TapeFacts
from tapelab.recording import events as e
from tapelab.recording.facts import DERIVATIVE
from tapelab.recording.recording import Role
from tapelab.version import __version__

if TYPE_CHECKING:
    from tapelab.engine.asking import Answer
    from tapelab.engine.flows import Flow
    from tapelab.engine.tape import GradientTape

SLOPES: Final = 20_000
"""The local slopes of so many steps are worked out, which nobody looks at one by one if they are
more.
"""
KIND_RAN, KIND_FLOWED = e.KIND_OF[e.Ran], e.KIND_OF[e.Flowed]
_SPAN = ("source", "line", "column", "end_line", "end_column")


def take(tape: GradientTape, *, derived: bool = False, strays: Sequence[Record] = ()) -> Recording:
    """Everything the tape saw and was asked, as a Recording; for `derived` see `relevant`.

    `strays` are records that no log has.
    """
    snapshot = Snapshot(tape)
    happened: list[Any] = [*relevant(tape, derived=derived), *strays, *tape._answers]
    for each in sorted(happened, key=_serial):
        if type(each) is tuple:
            snapshot.enter(each)
        else:
            snapshot.answer(each)
    return snapshot.recording()


def _serial(happened: Any) -> Any:
    return happened[1] if type(happened) is tuple else happened.serial


class Snapshot:
    """A recording in the making: its events as columns, and the inventory they speak of."""

    def __init__(self, tape: GradientTape) -> None:
        self.tape = tape
        self.inventory = Inventory(tape)
        self.pauses = pauses_of(tape)
        self.threads = Table({tape._thread: 0})
        self.calls = 0
        self.event_of: dict[int, int] = {}
        self.records: dict[int, Record] = {}
        self.kind, self.span, self.thread = array("B"), array("i"), array("i")
        self.start, self.fields = array("i", [0]), array("i")

    def emit(self, event: e.Event, span: int, thread: int) -> None:
        """Append one event."""
        self._append(e.KIND_OF[type(event)], e.pack(event), span, self.threads.index(thread))

    def _append(self, kind: int, fields: Sequence[int], span: int, thread: int) -> None:
        """Append one event that is packed already."""
        self.kind.append(kind)
        self.span.append(span)
        self.thread.append(thread)
        self.fields.extend(fields)
        self.start.append(len(self.fields))

    def enter(self, record: Record) -> None:
        """Append the event of a record of the log."""
        kind, serial, thread, origin = record[:4]
        if kind == DERIVED:
            self._derived(record)
            return
        span = self.inventory.spans.of_origin(origin)
        self.event_of[serial] = len(self.kind)
        if kind == RAN:
            self.records[serial] = record
            fields = ran(self.inventory, record, span, self.pauses)
            self._append(KIND_RAN, fields, span, self.threads.index(thread))
            return
        event = event_of(self.inventory, record, span)
        if event is not None:
            self.emit(event, span, thread)

    def _derived(self, record: Record) -> None:
        """One event for each gradient that a tape gave: made from the value of the target."""
        known, (_, _, thread, origin, ends, made, values) = self.inventory, record
        span, how = known.spans.of_origin(origin), known.strings.index(DERIVATIVE)
        end = known.known(ends[0])
        for number, value in zip(made, values, strict=True):
            if number >= 0:
                tensor = known.tensor(number, value, Role.CONSTANT, span)
                self.emit(e.Made(tensor, how, end), span, thread)

    def answer(self, answer: Answer) -> None:
        """Append a question that was put to the tape, and the way back."""
        known, call = self.inventory, self.calls
        self.calls += 1
        span = known.spans.of_origin(answer.origin)
        targets = tuple(map(known.asked_for, answer.targets))
        sources = tuple(map(known.asked_for, answer.sources))
        results = tuple(map(known.gradient, answer.results))
        ends = (targets, sources, results)
        asked = e.Asked(call, int(answer.method), int(answer.zero), *ends)
        self.emit(asked, span, self.tape._thread)
        flows, thread = answer.flows.told(), self.threads.index(self.tape._thread)
        slopes = len(flows) <= SLOPES
        for flow in flows:
            if flow.op == -1 or flow.op in self.event_of:
                self._append(KIND_FLOWED, self._flowed(call, flow, slopes), span, thread)

    def _flowed(self, call: int, flow: Flow, slopes: bool) -> tuple[int, ...]:
        """What is written of a step back, in the order of a packed `Flowed`."""
        op, position, tensor, upstream, contribution, total = flow
        number = self.inventory.gradient
        local = local_slope(self.records.get(op), position) if slopes else None
        event, arrived = self.event_of.get(op, -1), self.inventory.known(tensor)
        made = number(upstream), number(local), number(contribution), number(total)
        return call, event, position, arrived, *made

    def recording(self) -> Recording:
        """The finished recording."""
        tape, known = self.tape, self.inventory
        name = known.spans.name(known.spans.of_origin(tape._origin)) or "tape"
        return Recording(
            maker=f"tapelab {__version__}",
            tape=TapeFacts(name, tape._persistent, tape._auto, tape._consumed),
            strings=tuple(known.strings),
            shapes=tuple(known.tensors.shapes),
            dtypes=tuple(known.tensors.dtypes),
            ops=tuple(op.facts() for op in known.ops),
            groups=tuple(known.groups.rows),
            sources=known.spans.sources(),
            variables=tuple(known.variables),
            columns=self._columns(),
        )

    def _columns(self) -> dict[str, Any]:
        spans = np.array(self.inventory.spans.rows, "<i4").reshape(-1, len(_SPAN))
        return {
            "event.kind": np.array(self.kind, "u1"),
            "event.span": np.array(self.span, "<i4"),
            "event.thread": np.array(self.thread, "<i4"),
            "event.start": np.array(self.start, "<i4"),
            "event.fields": np.array(self.fields, "<i4"),
            **{f"span.{name}": spans[:, at].copy() for at, name in enumerate(_SPAN)},
            **self.inventory.tensors.as_columns(),
        }
