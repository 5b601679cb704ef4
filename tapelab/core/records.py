"""The records of the log: how each kind is laid out, and how its fields are read by name.

A record is written for every op, so the log stores flat tuples: the kind, the serial number, the
number of the thread, the origin, then what the kind needs. The kind is the class that declares
the layout. Invariants:

- This module alone knows where a field stands. To everyone else a `Record` is opaque: records are
  written by `write_…`; `kind_of`, `serial_of`, `origin_of` and `tapes_of` read one field, `view`,
  `named` and `as_op_run` give all fields their names, and `record_source` and `fields_source`
  write and unpack a record in generated code.
- The serial of an op is the id of its first result. Ids only grow, so serials order the log.
- Ops that run often are flattened (`BinaryOpRun`, `UnaryOpRun`): one tuple takes half the memory
  of three. `as_op_run` gives all runs of ops one form.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeVar, cast

from tapelab.core.large_values import truncated
from tapelab.core.value_types import Ids, Value, Values

if TYPE_CHECKING:
    from tapelab.core.op_declaration import Op
    from tapelab.core.origin import Origin, VariableIdentity

    class Record:
        """A record as the log stores it: a tuple whose layout only this module knows."""

else:
    Record = tuple

State = dict[str, Any]
"""The state of a thread as a dict (`log.ThreadState`): where its records go, and its number."""
_named: Final[Callable[..., Any]] = tuple.__new__
_NAMES: Final = tuple([f"field{number}" for number in range(10)])
_FIELDS: Final[tuple[Any, ...]] = attrgetter(*_NAMES)(namedtuple("_Row", _NAMES))  # noqa: PYI024
"""The descriptors of a named tuple, which are written in C and read a field of any tuple."""


class Form(Record):
    """The fields that all records begin with; a subclass declares those that its kind adds.

    An instance is a view of a record (`view`, `named`) and reads its fields as a named tuple does.
    A dozen named tuples would add 2 ms to the import of tapelab, these add 0.25 ms.
    """

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ("kind", "serial", "thread", "origin")

    kind: type[Form] = _FIELDS[0]
    serial: int = _FIELDS[1]
    thread: int = _FIELDS[2]
    origin: Origin = _FIELDS[3]

    def __init_subclass__(cls) -> None:
        for name in cls.__annotations__:
            setattr(cls, name, _FIELDS[len(cls._fields)])
            cls._fields = (*cls._fields, name)

    def _replace(self, **changes: Any) -> Self:
        """The same with other values of some fields."""
        if unknown := changes.keys() - {*self._fields}:
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}.")
        values: Any = self
        fields = dict(zip(self._fields, values, strict=True))
        copy: Self = _named(type(self), (fields | changes).values())
        return copy


class OpRun(Form):
    """An op that ran; an op with several results has tuples of ids and of results."""

    __slots__ = ()

    input_ids: tuple[int, ...]
    inputs: tuple[Value, ...]
    result_ids: Any
    results: Any
    settings: dict[str, Any]
    tapes: tuple[int, ...]

    @property
    def op(self) -> Op:
        """The op that ran."""
        return self.origin.op  # type: ignore[return-value]  # an op ran, or nothing was written

    @property
    def result_pairs(self) -> tuple[tuple[int, Value], ...]:
        """The id and the value of each result."""
        if type(self.result_ids) is tuple:
            return tuple(zip(self.result_ids, self.results, strict=True))
        return ((self.result_ids, self.results),)


class BinaryOpRun(Form):
    """A flattened run of an op of two inputs with default settings; the serial is its result."""

    __slots__ = ()

    x_id: int
    y_id: int
    x: Value
    y: Value
    result: Value
    tapes: tuple[int, ...]


class UnaryOpRun(Form):
    """A flattened run of an op of one input with default settings; the serial is its result."""

    __slots__ = ()

    x_id: int
    x: Value
    result: Value
    tapes: tuple[int, ...]


class VariableRead(Form):
    """The first read of a variable in one state, which the tensor with an id holds."""

    __slots__ = ()

    variable: VariableIdentity
    tensor: int
    value: Value


class Assignment(Form):
    """A new state of a variable, held by `tensor` and made from `source` (-1 for none)."""

    __slots__ = ()

    variable: VariableIdentity
    how: int
    source: int
    tensor: int
    value: Value


class Exit(Form):
    """A value that left for NumPy or Python: the object, a weak reference to it, or None."""

    __slots__ = ()

    tensor: int
    how: str
    result: Any


class Reentry(Form):
    """A value that had left, with the serial of its `Exit`, and became a constant."""

    __slots__ = ()

    exit: int
    tensor: int
    value: Value


class Creation(Form):
    """A tensor that no op computed: a constant, or the first state of a variable."""

    __slots__ = ()

    tensor: int
    value: Value
    how: str
    variable: VariableIdentity | None
    source: int


class Watch(Form):
    """A tape that began to watch a tensor, or a variable in one of its states."""

    __slots__ = ()

    tensor: int
    value: Value
    variable: VariableIdentity | None
    how: int
    tape: int


class TapeEvent(Form):
    """What happened to a tape itself."""

    __slots__ = ()

    tape: int


class TapeOpened(TapeEvent):
    """A tape that began to record."""

    __slots__ = ()


class TapeClosed(TapeEvent):
    """A tape that ended its recording."""

    __slots__ = ()


class TapePaused(TapeEvent):
    """A tape that stopped recording for a while."""

    __slots__ = ()


class TapeResumed(TapeEvent):
    """A tape that records again."""

    __slots__ = ()


class TapeReset(TapeEvent):
    """A tape that forgot all that it had recorded."""

    __slots__ = ()


class GradientResult(Form):
    """The ids of targets and results of a gradient call (-1 for none), and the results' values."""

    __slots__ = ()

    targets: tuple[int, ...]
    results: tuple[int, ...]
    values: tuple[Value, ...]


class ProgramCall(Form):
    """A compiled call off every tape; `report.op_runs(record)` are the ops inside."""

    __slots__ = ()

    report: Any
    input_ids: list[int]
    result_ids: list[int]
    inputs: list[Value]
    results: list[Value]


class TapedCall(Form):
    """A call of a compiled program on a tape.

    `call.op_runs(record)` are the ops inside, `call.records_inside(record)` all records inside.
    """

    __slots__ = ()

    input_ids: tuple[int, ...]
    inputs: tuple[Value, ...]
    result_ids: tuple[int, ...]
    results: tuple[Value, ...]
    call: Any
    tapes: tuple[int, ...]


FLATTENED: Final = frozenset({BinaryOpRun, UnaryOpRun})
OP_RUNS: Final = frozenset({OpRun, *FLATTENED})
STEPS: Final = frozenset({TapedCall, *OP_RUNS})
"""What a backward pass meets; the last field are the serials of the tapes that took the step."""
NamedRecord = (
    OpRun | VariableRead | Assignment | Exit | Reentry | Creation | Watch | TapeEvent
    | GradientResult
)  # fmt: skip
"""What `expanded` gives: no op is flattened, and each call is spread out."""
View = TypeVar("View", bound=Form)

CUSTOM_VJP: Final = "vjp"
"""The setting that holds the gradient function of a step whose gradient is the user's own."""

kind_of: Final = cast("Callable[[Record], type[Form]]", itemgetter(0))
serial_of: Final = cast("Callable[[Record], int]", itemgetter(1))
thread_of: Final = cast("Callable[[Record], int]", itemgetter(2))
origin_of: Final = cast("Callable[[Record], Origin]", itemgetter(3))
tapes_of: Final = cast("Callable[[Record], tuple[int, ...]]", itemgetter(-1))
"""The serials of the tapes that took a step (`STEPS`)."""


def op_run(
    serial: int, thread: int, origin: Origin, *, input_ids: tuple[int, ...],
    inputs: tuple[Value, ...], result_ids: Ids, results: Values, settings: dict[str, Any],
    tapes: tuple[int, ...],
) -> Record:  # fmt: skip
    """The record of the run of an op."""
    fields: Any = (
        OpRun, serial, thread, origin, input_ids, inputs, result_ids, results, settings, tapes,
    )  # fmt: skip
    record: Record = fields
    return record


def write_op_run(state: State, serial: int, origin: Origin, **fields: Any) -> None:
    """Write the run of an op to the log of a thread, whose state is given; see `op_run`."""
    state["records"].append(op_run(serial, state["number"], origin, **fields))


def write_read(
    state: State,
    serial: int,
    origin: Origin,
    *,
    variable: VariableIdentity,
    tensor: int,
    value: Value,
) -> None:
    """Write the first read of a variable in a state."""
    state["records"].append(
        (VariableRead, serial, state["number"], origin, variable, tensor, value)
    )


def write_assignment(
    state: State, serial: int, origin: Origin, *, variable: VariableIdentity, how: int, source: int,
    tensor: int, value: Value,
) -> None:  # fmt: skip
    """Write that a variable got a new state."""
    state["records"].append(
        (Assignment, serial, state["number"], origin, variable, how, source, tensor, value)
    )


def write_exit(
    state: State, serial: int, origin: Origin, *, tensor: int, how: str, result: Values
) -> None:
    """Write that the value of a tensor left for NumPy or Python."""
    state["records"].append((Exit, serial, state["number"], origin, tensor, how, result))


def write_reentry(
    state: State, serial: int, origin: Origin, *, exit: int, tensor: int, value: Value
) -> None:
    """Write that a value which had left became a constant."""
    state["records"].append((Reentry, serial, state["number"], origin, exit, tensor, value))


def write_creation(
    state: State, serial: int, origin: Origin, *, tensor: int, value: Value, how: str,
    variable: VariableIdentity | None = None, source: int = -1,
) -> None:  # fmt: skip
    """Write that a tensor was made which no op computed."""
    state["records"].append(
        (Creation, serial, state["number"], origin, tensor, value, how, variable, source)
    )


def write_watch(
    state: State, serial: int, origin: Origin, *, tape: int, tensor: int, value: Value,
    variable: VariableIdentity | None = None, how: int = 0,
) -> None:  # fmt: skip
    """Write that a tape began to watch a tensor."""
    state["records"].append(
        (Watch, serial, state["number"], origin, tensor, value, variable, how, tape)
    )


def write_tape_event(
    state: State, serial: int, origin: Origin, kind: type[TapeEvent], *, tape: int
) -> int:
    """Write what happened to a tape itself; returns the serial of the record."""
    state["records"].append((kind, serial, state["number"], origin, tape))
    return serial


def write_gradient_result(
    state: State, serial: int, origin: Origin, *, targets: tuple[int, ...],
    results: tuple[int, ...], values: tuple[Value, ...],
) -> None:  # fmt: skip
    """Write what a gradient call returned."""
    state["records"].append(
        (GradientResult, serial, state["number"], origin, targets, results, values)
    )


def write_taped_call(
    state: State, serial: int, origin: Origin, *, input_ids: tuple[int, ...],
    inputs: tuple[Value, ...], result_ids: tuple[int, ...], results: tuple[Value, ...],
    call: Any, tapes: tuple[int, ...],
) -> None:  # fmt: skip
    """Write that a tape took the call of a compiled program."""
    head = TapedCall, serial, state["number"], origin
    state["records"].append((*head, input_ids, inputs, result_ids, results, call, tapes))


def view(form: type[View], record: Record) -> View:
    """The fields of a record by name; the form has to be its kind."""
    fields: View = _named(form, record)
    return fields


def named(record: Record) -> Any:
    """The fields of a record by name, of the run of an op in the general form."""
    fields: Any = record
    return as_op_run(record) if fields[0] in FLATTENED else _named(fields[0], fields)


def as_op_run(record: Record) -> OpRun:
    """The run of an op in the general form, also where it was flattened."""
    fields: Any = record
    kind = fields[0]
    if kind is BinaryOpRun:
        _, serial, thread, origin, x_id, y_id, x, y, result, tapes = fields
        settings = origin.op.defaults
        fields = (
            OpRun,
            serial,
            thread,
            origin,
            (x_id, y_id),
            (x, y),
            serial,
            result,
            settings,
            tapes,
        )
    elif kind is UnaryOpRun:
        _, serial, thread, origin, x_id, x, result, tapes = fields
        settings = origin.op.defaults
        fields = OpRun, serial, thread, origin, (x_id,), (x,), serial, result, settings, tapes
    run: OpRun = _named(OpRun, fields)
    return run


def expanded(records: Iterable[Record]) -> Iterator[NamedRecord]:
    """Records by name: runs of ops in the general form, calls spread out into what ran inside."""
    fields: Any
    for fields in records:
        kind = fields[0]
        if kind in FLATTENED:
            yield as_op_run(fields)
        elif kind is ProgramCall:
            yield from map(named, view(ProgramCall, fields).report.op_runs(fields))
        elif kind is TapedCall:
            yield from map(named, view(TapedCall, fields).call.records_inside(fields))
        else:
            yield _named(kind, fields)


def steps_taken(records: Iterable[Record], tape: int) -> list[Record]:
    """The steps that the tape with a serial took."""
    fields: Any = records
    return [record for record in fields if record[0] in STEPS and tape in record[-1]]


def add_result_ids(ids: set[int], tape: int, records: Iterable[Record]) -> None:
    """Add the results that the tape with a serial follows, of all the ops that it took."""
    add = ids.add
    fields: Any
    for fields in records:
        kind = fields[0]
        if kind in FLATTENED:  # it is differentiable
            if tape in fields[-1]:
                add(fields[1])
        elif kind is OpRun and tape in fields[-1]:
            ids.update(differentiable(fields[6], fields[7]))


def differentiable(result_ids: Ids, results: Values) -> tuple[int, ...]:
    """The ids of those results of an op that may have a gradient."""
    if type(result_ids) is tuple:
        pairs = zip(result_ids, results, strict=True)
        return tuple(each for each, value in pairs if value.dtype.kind in "fcV")
    return (result_ids,) if results.dtype.kind in "fcV" else ()


def record_source(form: type[Form], **expressions: str) -> str:
    """The source of a record in generated code, from the expression of each field but its kind."""
    fields = form._fields
    if {"kind", *expressions} != {*fields}:
        raise TypeError(f"{form.__name__} needs {', '.join(fields[1:])}.")
    return f"({', '.join([form.__name__, *[expressions[name] for name in fields[1:]]])})"


def fields_source(form: type[Form], *names: str) -> str:
    """The targets that unpack some fields of a record in generated code, each into its name."""
    fields = form._fields
    if unknown := {*names} - {*fields}:
        raise TypeError(f"{form.__name__} has no {', '.join(sorted(unknown))}.")
    return ", ".join([name if name in names else "_" for name in fields])


def summarised(record: Record) -> Record:
    """A record without its large values and without the user's gradient function."""
    fields: Any = record
    kind = fields[0]
    if kind is BinaryOpRun:
        *head, x, y, result, tapes = fields
        return _record(*head, truncated(x), truncated(y), truncated(result), tapes)
    if kind is UnaryOpRun:
        *head, x, result, tapes = fields
        return _record(*head, truncated(x), truncated(result), tapes)
    if kind is OpRun:
        return _summarised_run(record)
    if kind is TapedCall:
        *head, inputs, result_ids, results, call, tapes = fields
        inputs, results = tuple(map(truncated, inputs)), tuple(map(truncated, results))
        return _record(*head, inputs, result_ids, results, call.summarised(), tapes)
    return record


def _summarised_run(record: Record) -> Record:
    fields: Any = record
    *head, inputs, result_ids, results, settings, tapes = fields
    inputs = tuple([truncated(value) for value in inputs])
    is_one = type(results) is not tuple
    results = truncated(results) if is_one else tuple(map(truncated, results))
    if CUSTOM_VJP in settings:  # the user's function may hold on to anything
        settings = {**settings, CUSTOM_VJP: None}
    return _record(*head, inputs, result_ids, results, settings, tapes)


def _record(*fields: Any) -> Record:
    """The fields in their order as a record."""
    return cast("Record", fields)
