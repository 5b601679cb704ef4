"""A recording, built from the records of a tape and the gradient calls that it answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.core.backward_report import GradientCall
from tapelab.core.large_values import Dropped
from tapelab.core.records import (
    GradientResult,
    NamedRecord,
    OpRun,
    TapeClosed,
    TapeEvent,
    TapeOpened,
    Watch,
)
from tapelab.recorder.event_encoding import (
    EventColumns,
    encode_event,
    encode_op_run,
    pauses_of,
    span_columns,
)
from tapelab.recorder.interning import Interned
from tapelab.recorder.liveness import measure_living, own_results, with_ends
from tapelab.recorder.long_runs import encode_ops, encode_steps, split_long_runs
from tapelab.recorder.relevance import relevant
from tapelab.recorder.setting_table import OpSettings
from tapelab.recorder.symbol_table import SymbolTable
from tapelab.recording import Recording, TapeFacts
from tapelab.recording import events as e
from tapelab.recording.facts import DERIVATIVE, Method
from tapelab.recording.schema import Nested, Role
from tapelab.version import __version__

if TYPE_CHECKING:
    from tapelab.core.backward_report import BackwardStep
    from tapelab.core.tape import GradientTape


def local_derivative(run: OpRun | None, position: int) -> Any:
    """The derivative of an elementwise op by one input, where its values were kept; else None."""
    if run is None:
        return None
    op, values, results = run.op, run.inputs, run.results
    rule = op.rule(position)
    kept = not op.multi and type(results) is not Dropped and Dropped not in map(type, values)
    if rule is None or rule.function is None or not rule.facts.local or not kept:
        return None
    ones = np.ones(np.shape(results), results.dtype)[()]
    with np.errstate(all="ignore"):
        return rule.function(ones, results, *values, **run.settings)


MOST_DERIVATIVES: Final = 20_000
"""The local derivatives are computed for at most so many steps; more are not read one by one."""
KIND_RAN, KIND_FLOWED = e.KIND_OF[e.Ran], e.KIND_OF[e.Flowed]


def build_recording(
    tape: GradientTape, *, derived: bool = False, strays: Sequence[NamedRecord] = ()
) -> Recording:
    """Everything that a tape recorded, with its gradient calls; for `derived` see `relevant`.

    `strays` are records that no log has.
    """
    builder = RecordingBuilder(tape)
    happened = [*relevant(tape, derived=derived), *strays, *tape._gradient_calls]
    for is_long, run in split_long_runs(sorted(happened, key=attrgetter("serial"))):
        if is_long:
            builder.enter_ops(run)
            continue
        for each in run:
            if type(each) is GradientCall:
                builder.answer(each)
            else:
                builder.enter(each)
    measure_living(builder.symbols)
    return builder.recording()


class RecordingBuilder:
    """A recording in the making: its events as columns, and the symbols they speak of."""

    def __init__(self, tape: GradientTape) -> None:
        self.tape = tape
        self.symbols = SymbolTable(tape)
        self.pauses = pauses_of(tape)
        self.threads = Interned({tape._thread: 0})
        self.calls = 0
        self.event_of: dict[int, int] = {}
        self.runs: dict[int, OpRun] = {}
        self.long: list[Sequence[OpRun]] = []
        self.nested: dict[int, Nested] = {}
        self.watched: dict[int, dict[int, int]] = {}
        self.events = EventColumns()
        self.settings = OpSettings()

    def emit(self, event: e.Event, span: int, thread: int) -> None:
        """Append one event."""
        self.events.append(event, span, self.threads.index(thread))

    def enter(self, record: NamedRecord) -> None:
        """Append the event of a record of the log."""
        if isinstance(record, GradientResult):
            self._derived(record)
            return
        self.event_of[record.serial] = len(self.events)
        if isinstance(record, OpRun):
            self.runs[record.serial] = record
            if record.settings:
                self.settings.enter(len(self.events), record.settings)
            place = self.symbols.place(record.origin)
            fields = encode_op_run(self.symbols, record, place, self.pauses)
            self.events.append_packed(
                KIND_RAN, fields, place.span, self.threads.index(record.thread)
            )
            return
        span = self.symbols.spans.of_origin(record.origin)
        event = encode_event(self.symbols, record, span)
        if event is not None:
            self.emit(event, span, record.thread)
        elif isinstance(record, TapeEvent):
            self._inside(record, span)
        elif isinstance(record, Watch):
            self._watched_inside(record)

    def _inside(self, record: TapeEvent, span: int) -> None:
        """Note where another tape was opened and closed inside the block of this one."""
        here, tape = len(self.events), record.tape
        if record.kind is TapeOpened:
            self.nested[tape] = Nested(self.symbols.spans.tape(span), here, -1)
        elif record.kind is TapeClosed and tape in self.nested:
            self.nested[tape] = replace(self.nested[tape], closed=here)

    def _watched_inside(self, watch: Watch) -> None:
        """Note since when another tape watches a tensor, which may come to be known later."""
        if watch.tape in self.nested:
            here = len(self.events)
            self.watched.setdefault(watch.tape, {}).setdefault(watch.tensor, here)

    def _nested(self) -> tuple[Nested, ...]:
        """The other tapes, with what they watch of all that is known here."""
        all_nested = []
        for tape, nested in self.nested.items():
            since = self.watched.get(tape, {}).items()
            indices = [(self.symbols.known(number), at) for number, at in since]
            watched = tuple([(tensor, at) for tensor, at in indices if tensor >= 0])
            all_nested.append(replace(nested, watched=watched))
        return tuple(all_nested)

    def enter_ops(self, runs: Sequence[OpRun]) -> None:
        """Append the events of many ops with one result each."""
        serials, first = [run.serial for run in runs], len(self.events)
        self.event_of.update(zip(serials, range(first, first + len(serials)), strict=True))
        self.long.append(runs)
        for at, run in enumerate(runs, first):
            if run.settings:
                self.settings.enter(at, run.settings)
        threads = list(map(self.threads.index, [run.thread for run in runs]))
        self.events.extend(KIND_RAN, threads, *encode_ops(self.symbols, runs, self.pauses))

    def _derived(self, record: GradientResult) -> None:
        """One event for each gradient that a tape gave: made from the value of the target."""
        known, span = self.symbols, self.symbols.spans.of_origin(record.origin)
        how, end = known.strings.index(DERIVATIVE), known.known(record.targets[0])
        for number, value in zip(record.results, record.values, strict=True):
            if number >= 0:
                tensor = known.tensor(number, value, Role.CONSTANT, span)
                self.emit(e.Made(tensor, how, end), span, record.thread)

    def answer(self, answer: GradientCall) -> None:
        """Append a gradient call of the tape, and the steps of its backward pass."""
        known, call = self.symbols, self.calls
        self.calls += 1
        span = known.spans.of_origin(answer.origin)
        targets = tuple(map(known.end, answer.targets))
        sources = tuple(map(known.end, answer.sources))
        own = own_results(answer)
        results = tuple(map(known.gradient, own))
        known.derived.update(zip(answer.result_ids, results, strict=False))  # a figure has none
        ends = (targets, sources, results)
        event = e.Asked(call, int(answer.method), int(answer.zero), *ends)
        self.emit(event, span, self.tape._thread)
        flows = answer.report.read()
        if answer.method == Method.GRADIENT and len(flows) <= MOST_DERIVATIVES:
            flows = with_ends(flows, dict(zip(sources, own, strict=True)), known.known)
        self._flowed(call, flows, span)

    def _flowed(self, call: int, flows: Sequence[BackwardStep], span: int) -> None:
        """Append backward steps, each in the order of a packed `Flowed`."""
        known, thread = self.symbols, self.threads.index(self.tape._thread)
        if len(flows) > MOST_DERIVATIVES:
            rows = encode_steps(known, call, flows, self.event_of)
            ends = np.arange(1, len(rows) + 1) * rows.shape[1]
            self.events.extend(KIND_FLOWED, thread, span, ends, rows)
            return
        for runs in self.long:
            self.runs.update((run.serial, run) for run in runs)
        self.long.clear()
        for op, position, tensor, *values in flows:
            if op == -1 or op in self.event_of:
                values.insert(1, local_derivative(self.runs.get(op), position))
                indices = map(known.gradient, values)
                fields = call, self.event_of.get(op, -1), position, known.known(tensor), *indices
                self.events.append_packed(KIND_FLOWED, fields, span, thread)

    def recording(self) -> Recording:
        """The finished recording."""
        tape, known = self.tape, self.symbols
        name = known.spans.name(known.spans.of_origin(tape._origin)) or "tape"
        known.name_returned()
        known.name_states()
        columns = self._columns()  # which may add to the strings
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
            columns=columns,
            nested=self._nested(),
            settings=tuple(self.settings.rows),
        )

    def _columns(self) -> dict[str, Any]:
        return {
            **self.events.as_columns(),
            **span_columns(self.symbols.spans, self.symbols.strings),
            **self.symbols.tensors.as_columns(),
            **self.settings.as_columns(),
        }
