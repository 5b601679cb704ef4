"""From a record of the log to an event of a recording."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tapelab.core.origin import CustomGradientScope, Origin, within
from tapelab.core.records import (
    Assignment,
    Creation,
    Exit,
    NamedRecord,
    OpRun,
    Reentry,
    TapeClosed,
    TapeEvent,
    TapeOpened,
    TapePaused,
    TapeReset,
    TapeResumed,
    VariableRead,
    Watch,
    kind_of,
    serial_of,
    view,
)
from tapelab.core.value_types import Nest
from tapelab.recorder.groups import NO_CALL
from tapelab.recorder.symbol_table import Place, SymbolTable
from tapelab.recording import events as e
from tapelab.recording.schema import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tapelab.core.tape import GradientTape
    from tapelab.recorder.interning import Interned, Spans


HEAD: Final = 4
"""What is kept of each event beside its fields: kind, span, thread and where the fields end."""
_SPAN: Final = ("source", "line", "column", "end_line", "end_column")


class EventColumns:
    """The events of a recording in the making, packed one after the other."""

    def __init__(self) -> None:
        self._heads, self._fields = array("i"), array("i")

    def __len__(self) -> int:
        return len(self._heads) // HEAD

    def append(self, event: e.Event, span: int, thread: int) -> None:
        """Append one event."""
        self.append_packed(e.KIND_OF[type(event)], e.pack(event), span, thread)

    def append_packed(self, kind: int, fields: Sequence[int], span: int, thread: int) -> None:
        """Append one event that is packed already."""
        self._fields.extend(fields)
        self._heads.extend((kind, span, thread, len(self._fields)))

    def extend(self, kind: int, threads: Any, spans: Any, ends: Nest, fields: Any) -> None:
        """Append many events of one kind, whose fields are packed already."""
        heads = np.empty((len(ends), HEAD), np.intc)
        heads[:, 0], heads[:, 1], heads[:, 2] = kind, spans, threads
        heads[:, 3] = ends + len(self._fields)
        self._heads.frombytes(heads.tobytes())
        self._fields.frombytes(fields.tobytes())

    def as_columns(self) -> dict[str, Any]:
        """The columns of the file format."""
        heads = np.array(self._heads, "<i4").reshape(-1, HEAD)
        return {
            "event.kind": heads[:, 0].astype("u1"),
            "event.span": heads[:, 1].copy(),
            "event.thread": heads[:, 2].copy(),
            "event.start": np.insert(heads[:, 3], 0, 0),
            "event.fields": np.array(self._fields, "<i4"),
        }


def span_columns(spans: Spans, strings: Interned) -> dict[str, Any]:
    """The columns of all spans, with the name of the function that each stands in, if any does."""
    rows = np.array(spans.rows, "<i4").reshape(-1, len(_SPAN))
    columns = {f"span.{name}": rows[:, at].copy() for at, name in enumerate(_SPAN)}
    if any(spans.functions):
        functions = [strings.index(name) if name else -1 for name in spans.functions]
        columns["span.function"] = np.array(functions, "<i4")
    return columns


class Pause(NamedTuple):
    """A stretch of time, in serial numbers, in which a tape was paused."""

    start: int
    stop: float


Pauses = list[Pause]

ARRAY: Final = "__array__"
"""How numbers leave for a function of NumPy that does not ask tensors to do its work."""
MODULES: Final = ("np", "numpy")


def encode_event(symbols: SymbolTable, record: NamedRecord, span: int) -> e.Event | None:
    """The event that a record tells of; None where it concerns another tape."""
    match record:
        case VariableRead():
            variable = symbols.variable(record.variable)
            return e.Read(variable, symbols.state(record.tensor, record.value, record.variable))
        case Assignment():
            state = symbols.state(record.tensor, record.value, record.variable)
            source = symbols.known(record.source)
            return e.Assigned(symbols.variable(record.variable), record.how, source, state)
        case Exit():
            return _left(symbols, record, span)
        case Reentry():
            tensor = symbols.tensor(record.tensor, record.value, Role.CONSTANT, span)
            return e.Returned(symbols.outside.get(record.exit, -1), tensor)
        case Creation():
            return _made(symbols, record, span)
        case Watch():
            return _watched(symbols, record)
    assert isinstance(record, TapeEvent)
    return _TAPE_EVENTS[record.kind] if record.tape == symbols.tape._serial else None


def pauses_of(tape: GradientTape) -> Pauses:
    """When the tape was paused."""
    pauses: Pauses = []
    for log in {id(log): log for log, _, _ in tape._windows}.values():
        for record in log.records:
            kind = kind_of(record)
            if kind in _PAUSES and view(TapeEvent, record).tape == tape._serial:
                start = serial_of(record) if kind is TapePaused else pauses.pop().start
                stop = float("inf") if kind is TapePaused else serial_of(record)
                pauses.append(Pause(start, stop))
    return pauses


def encode_op_run(symbols: SymbolTable, run: OpRun, place: Place, pauses: Pauses) -> list[int]:
    """What is written of an op that ran, in the order of a packed `Ran`: there are many of them."""
    outputs = tuple([symbols.result(i, value, place) for i, value in run.result_pairs])
    cause = cause_of(symbols, run, pauses)
    group = group_of(symbols, run, cause, outputs)
    if len(outputs) > 1 and not is_inside_call(run.origin):
        symbols.name_results(outputs, place.span)
    known = symbols.tensors.by_id
    inputs = [
        known[number]
        if number in known and type(value) is not np.ndarray
        else symbols.tensor(number, value, Role.CONSTANT)
        for number, value in zip(run.input_ids, run.inputs, strict=True)
    ]
    return [place.op, group, cause, len(inputs), *inputs, *outputs]


def group_of(symbols: SymbolTable, run: OpRun, cause: e.Cause, outputs: tuple[int, ...]) -> int:
    """The group in which an op ran; the results in a composite are called after it."""
    origin, groups = run.origin, symbols.groups
    if origin.scope is not None:
        symbols.within(run, outputs)
    call = groups.call_at(run.serial, run.thread, origin) if groups.calls else NO_CALL
    if call != NO_CALL:
        symbols.returned.note(call, symbols.place(origin).span, outputs)
    return groups.of(call, origin.scope, cause)


def cause_of(symbols: SymbolTable, run: OpRun, pauses: Pauses) -> e.Cause:
    """Why an op is on the tape, or is not."""
    tape, serial = symbols.tape, run.serial
    if tape._serial in run.tapes and serial >= tape._opened:
        scope = run.origin.scope
        inside = None if scope is None else within(scope, CustomGradientScope)
        replaced = inside is not None and serial not in symbols.reached
        return e.Cause.REPLACED if replaced else e.Cause.TAPED
    if run.thread != tape._thread:
        return e.Cause.OTHER_THREAD
    if serial < tape._opened:
        return e.Cause.BEFORE
    if tape._closed and serial > tape._closed:
        return e.Cause.AFTER
    if any(pause.start < serial < pause.stop for pause in pauses):
        return e.Cause.PAUSED
    _, first = run.result_pairs[0]
    if any(each in tape._tracked for each in run.input_ids) and first.dtype.kind not in "fcV":
        return e.Cause.INTEGER
    return e.Cause.UNWATCHED


def _watched(symbols: SymbolTable, watch: Watch) -> e.Event | None:
    number, value, owner = watch.tensor, watch.value, watch.variable
    if watch.tape != symbols.tape._serial:
        return None
    if owner is None:
        return e.Watched(symbols.tensor(number, value, Role.CONSTANT), -1, watch.how)
    return e.Watched(symbols.state(number, value, owner), symbols.variable(owner), watch.how)


def _left(symbols: SymbolTable, exit: Exit, span: int) -> e.Event:
    held, how = exit.result, exit.how
    result = held() if callable(held) else held
    outside = -1
    if isinstance(result, (np.ndarray, np.generic, float, complex)):
        outside = symbols.outside_value(exit.serial, result, span)
    name = _ufunc(symbols.spans.text(span)) if how == ARRAY else ""
    return e.Left(symbols.known(exit.tensor), symbols.strings.index(name or how), outside)


def _ufunc(text: str) -> str:
    """The function of NumPy that took the numbers, as the code calls it: they do not say so."""
    module, _, rest = text.partition(".")
    name = rest.partition("(")[0]
    known = module in MODULES and isinstance(getattr(np, name, None), np.ufunc)
    return f"np.{name}" if known else ""


def _made(symbols: SymbolTable, creation: Creation, span: int) -> e.Event:
    number, value, strings = creation.tensor, creation.value, symbols.strings
    if creation.variable is None:
        tensor = symbols.tensor(number, value, Role.CONSTANT, span)
        if is_inside_call(creation.origin):
            symbols.tensors.rename(tensor, strings.index(creation.how))
    else:
        tensor = symbols.state(number, value, creation.variable)
    return e.Made(tensor, strings.index(creation.how), symbols.known(creation.source))


def is_inside_call(origin: Origin) -> bool:
    """Whether something was made inside a call, say of a layer: the name is that of its result."""
    scope = origin.scope
    place = origin.code, origin.instruction
    return scope is not None and (scope.code, scope.instruction) == place


_PAUSES: Final = (TapePaused, TapeResumed)
_TAPE_EVENTS: Final[dict[type, e.Event]] = {
    TapePaused: e.Paused(),
    TapeResumed: e.Resumed(),
    TapeOpened: e.Opened(),
    TapeClosed: e.Closed(),
    TapeReset: e.Reset(),
}
