"""The dataflow of a recording: which tensor was computed from which, and where gradients stop.

`Flow` turns events into edges: an op leads from its inputs to its outputs, an assignment from a
value to the new state of a variable, a host computation from the tensor that left to the constant
that came back. Each edge has the first `Cut` that applies, in the order of the table in `_cuts`, or
none. `TapeActivity` knows when and in which thread the tape was recording.

All columns are NumPy arrays, since a recording may hold a hundred thousand ops.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tapelab.diagnosis.edges import NUMBER_OF, Cut, Edge, Edges
from tapelab.diagnosis.host_roundtrips import unmatched_returns
from tapelab.recording import events as e
from tapelab.recording.facts import DERIVATIVE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tapelab.diagnosis.source_code import Codes
    from tapelab.recording import Recording


class TapeActivity:
    """When and where a tape was recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def is_recorded(self, event: int) -> bool:
        """Whether the tape was recording when and where something happened."""
        inside = any(start < event < stop for start, stop in self._ranges)
        return inside and not self._is_elsewhere(event)

    def unrecorded_because(self, event: int) -> Cut | None:
        """Why an event within the block was not recorded: a pause or another thread."""
        if self._is_elsewhere(event):
            return Cut.THREAD
        turns = self._recording.placed(e.Paused, e.Resumed)
        before = [place.event for place in turns if place.index < event]
        return Cut.PAUSED if before and isinstance(before[-1], e.Paused) else None

    def _is_elsewhere(self, event: int) -> bool:
        """Whether something happened in another thread than that of the tape."""
        opened = self._recording.placed(e.Opened, e.Reset)
        return bool(opened) and self._recording.located[event].thread != opened[0].thread

    @cached_property
    def _ranges(self) -> list[tuple[int, int]]:
        """The stretches of events during which the tape was recording."""
        ranges, begun = [], -1
        for place in self._recording.placed(e.Opened, e.Reset, e.Resumed, e.Closed, e.Paused):
            if isinstance(place.event, (e.Opened, e.Reset, e.Resumed)):
                begun = place.index if begun < 0 else begun
            elif begun >= 0:
                ranges.append((begun, place.index))
                begun = -1
        return [*ranges, (begun, len(self._recording))] if begun >= 0 else ranges


FLOATING: Final = ("float", "bfloat", "complex")

_CAUSES: Final[dict[int, Cut]] = {
    e.Cause.BEFORE: Cut.BEFORE,
    e.Cause.AFTER: Cut.AFTER,
    e.Cause.PAUSED: Cut.PAUSED,
    e.Cause.OTHER_THREAD: Cut.THREAD,
}


class _Ran(NamedTuple):
    """All ops that ran, one row each, and the edges through them, one row each."""

    event: NDArray[Any]
    op: NDArray[Any]
    cause: NDArray[Any]
    of: NDArray[Any]  # which op an edge goes through
    position: NDArray[Any]
    origin: NDArray[Any]
    to: NDArray[Any]
    made: NDArray[Any]  # what the ops made, one row each, and by which event
    made_by: NDArray[Any]


class Flow:
    """All edges of a recording, by the tensor they lead to and by the tensor they start at."""

    def __init__(self, recording: Recording, codes: Codes) -> None:
        self.recording = recording
        self._codes = codes
        self.activity = TapeActivity(recording)
        self._variables: list[int] = recording.columns["tensor.variable"].tolist()
        dtypes = np.array([name.startswith(FLOATING) for name in recording.dtypes], bool)
        self._floating = dtypes[recording.columns["tensor.dtype"]]
        self.watched_at: dict[int, int] = {}
        for place in recording.placed(e.Watched):
            assert isinstance(place.event, e.Watched)
            self.watched_at.setdefault(place.event.tensor, place.index)
        self.opened = bool(recording.placed(e.Opened, e.Reset))
        rest = [*self._assignments(), *self._exits()]
        rows = [[x.origin, x.to, x.event, x.position, NUMBER_OF[x.cut], 0] for x in rest]
        others = np.array(rows, np.int64).reshape(-1, 6).T
        self.edges = Edges(np.concatenate([self._op_edges(), others], axis=1))
        self.into, self.out_of = self.edges.into, self.edges.out_of

    @cached_property
    def _ran(self) -> _Ran:
        columns = self.recording.columns
        fields, kinds = columns["event.fields"], columns["event.kind"]
        event = np.flatnonzero(kinds == e.KIND_OF[e.Ran])
        start = columns["event.start"][event].astype(np.int64)
        inputs = fields[start + 3].astype(np.int64) if len(event) else start
        outputs = columns["event.start"][event + 1] - start - 4 - inputs
        size = inputs * outputs
        of = np.repeat(np.arange(len(event)), size)
        within = np.arange(len(of)) - np.repeat(np.cumsum(size) - size, size)
        position = within % np.maximum(inputs[of], 1)
        first = start[of] + 4
        to = fields[first + inputs[of] + within // np.maximum(inputs[of], 1)]
        by = np.repeat(np.arange(len(event)), outputs)
        nth = np.arange(len(by)) - np.repeat(np.cumsum(outputs) - outputs, outputs)
        return _Ran(
            event=event,
            op=fields[start] if len(event) else start,
            cause=fields[start + 2] if len(event) else start,
            of=of,
            position=position,
            origin=fields[first + position],
            to=to,
            made=fields[start[by] + 4 + inputs[by] + nth],
            made_by=event[by],
        )

    def _op_edges(self) -> NDArray[Any]:
        ran = self._ran
        cut = self._cuts(ran)
        taped = (cut == 0) & (ran.cause[ran.of] == e.Cause.TAPED)
        return np.stack([ran.origin, ran.to, ran.event[ran.of], ran.position, cut, taped])

    def _cuts(self, ran: _Ran) -> NDArray[Any]:
        """The number of the cut of each edge through an op; the first that applies."""
        op, cause, event = ran.op[ran.of], ran.cause[ran.of], ran.event[ran.of]
        to_integers = self._floating[ran.origin] & ~self._floating[ran.to]
        because = self._reasons[op, np.minimum(ran.position, self._last[op])]
        unwatched = cause == e.Cause.UNWATCHED
        watched = np.full(len(self._variables), -1)
        watched[list(self.watched_at)] = list(self.watched_at.values())
        table: list[tuple[Any, Cut]] = [
            (self._of_pattern("stop")[op], Cut.STOPPED),
            (self._of_pattern("stateful")[op], Cut.HANDED_OUT),
            (to_integers & self._named("cast")[op], Cut.INTEGER),
            (self._of_pattern("outside")[op] & because, Cut.OUTSIDE),
            (to_integers | because, Cut.FLAT),
            (np.isin(event * self._width + ran.position, self._withheld), Cut.WITHHELD),
            (unwatched & (event < watched[ran.origin]), Cut.LATE),
            (unwatched & (not self.opened), Cut.BEFORE),
            *((cause == each, cut) for each, cut in _CAUSES.items()),
        ]
        return np.select([each for each, _ in table], [NUMBER_OF[cut] for _, cut in table], 0)

    def _of_pattern(self, pattern: str) -> NDArray[Any]:
        return np.array([op.pattern == pattern for op in self.recording.ops], bool)

    def _named(self, name: str) -> NDArray[Any]:
        return np.array([op.name == name for op in self.recording.ops], bool)

    @cached_property
    def _last(self) -> NDArray[Any]:
        return np.array([len(op.rules) - 1 for op in self.recording.ops], np.int64)

    @cached_property
    def _reasons(self) -> NDArray[Any]:
        """For each op and position whether there is a reason why nothing flows."""
        ops = self.recording.ops
        table = np.zeros((len(ops), max((len(op.rules) for op in ops), default=1)), bool)
        for row, op in zip(table, ops, strict=True):
            row[: len(op.rules)] = [bool(rule.because) for rule in op.rules]
        return table

    @cached_property
    def _width(self) -> int:
        return int(self._ran.position.max(initial=0)) + 1

    @cached_property
    def _withheld(self) -> NDArray[Any]:
        """Event and position, as one number, of backward steps that returned None."""
        columns = self.recording.columns
        flowed = np.flatnonzero(columns["event.kind"] == e.KIND_OF[e.Flowed])
        start, fields = columns["event.start"][flowed].astype(np.int64), columns["event.fields"]
        start = start[fields[start + 6] < 0] if len(start) else start
        if not len(start):
            return start
        return fields[start + 1].astype(np.int64) * self._width + fields[start + 2]

    @cached_property
    def tracked(self) -> set[int]:
        """The tensors that the tape can be asked about: not those behind `stop_gradient`."""
        reached = bytearray(len(self._variables))
        for tensor in self.watched_at:
            reached[tensor] = 1
        ran = self._ran
        taped = (ran.cause == e.Cause.TAPED) & ~self._of_pattern("stop")[ran.op]
        kept = np.flatnonzero(taped[ran.of] & self._floating[ran.to])
        for origin, to in zip(ran.origin[kept].tolist(), ran.to[kept].tolist(), strict=True):
            if reached[origin]:
                reached[to] = 1
        return set(np.flatnonzero(np.frombuffer(reached, np.uint8)).tolist())

    def _assignments(self) -> Iterator[Edge]:
        present: dict[int, int] = {}
        for place in self.recording.placed(e.Read, e.Watched, e.Made, e.Assigned):
            event = place.event
            if isinstance(event, (e.Read, e.Watched)) and event.variable >= 0:
                present[event.variable] = event.tensor
            elif isinstance(event, e.Made) and self.recording.strings[event.how] == DERIVATIVE:
                if event.source >= 0:
                    yield Edge(event.source, event.tensor, place.index, cut=Cut.DERIVED)
            elif isinstance(event, e.Made) and self.variable_of(event.tensor) >= 0:
                present[self.variable_of(event.tensor)] = event.tensor
                if event.source >= 0:
                    yield Edge(event.source, event.tensor, place.index, cut=Cut.COPIED)
            elif isinstance(event, e.Assigned):
                before = present.get(event.variable, -1)
                kept = before if event.how != e.How.ASSIGN else -1
                for origin in {event.source, kept} - {-1}:
                    yield Edge(origin, event.state, place.index, cut=Cut.STATE)
                present[event.variable] = event.state

    def _exits(self) -> Iterator[Edge]:
        departures: dict[int, tuple[int, ...]] = {}
        group: tuple[int, ...] = ()
        previous: tuple[int, int, int] | None = None
        for place in self.recording.placed(e.Left, e.Returned):
            event = place.event
            if isinstance(event, e.Left):
                together = previous == (place.index - 1, place.span, event.how)
                group = (*group, place.index) if together else (place.index,)
                previous = place.index, place.span, event.how
                departures.update(dict.fromkeys((self._left(i).result for i in group), group))
            elif isinstance(event, e.Returned):
                for index in departures.get(event.value, ()) if event.value >= 0 else ():
                    yield Edge(self._left(index).tensor, event.tensor, index, cut=Cut.LEFT)
        for index, tensor in unmatched_returns(self.recording, self._codes):
            yield Edge(self._left(index).tensor, tensor, index, cut=Cut.LEFT)

    def first_state_of(self, variable: int) -> int:
        """The state with which a variable began, as far as the recording knows it."""
        events = (place.event for place in self.recording.placed(e.Made))
        states = (event.tensor for event in events if isinstance(event, e.Made))
        own = (tensor for tensor in states if self._variables[tensor] == variable)
        return next(own, self._variables.index(variable))

    @cached_property
    def prices(self) -> list[int]:
        """For each edge how unlikely it is that the user means the gradient to flow there.

        No derivative is expected across a flat op, a stop or a gradient; a shape does not depend
        on values; what was stored before the tape belongs to another computation.
        """
        cut, event = self.edges.columns[4], self.edges.columns[2]
        opened = next((place.index for place in self.recording.placed(e.Opened, e.Reset)), -1)
        slopeless = (Cut.FLAT, Cut.INTEGER, Cut.DERIVED, Cut.STOPPED)
        flat = np.isin(cut, [NUMBER_OF[each] for each in slopeless])
        stored = np.isin(cut, [NUMBER_OF[each] for each in (Cut.STATE, Cut.COPIED, Cut.LEFT)])
        op = np.full(len(self.recording), -1)
        op[self._ran.event] = self._ran.op
        shape = np.append(self._of_pattern("shape-only"), False)[op[event]]
        dear = [stored & (event < opened), flat & shape, flat, cut > 0]
        prices: list[int] = np.select(dear, [4, 3, 2, 1], 0).tolist()
        return prices

    @cached_property
    def recorded_gradients(self) -> NDArray[Any]:
        """For each edge whether it leads to a gradient that was taken while the tape recorded."""
        edges = self.edges
        recorded = edges.columns[4] == NUMBER_OF[Cut.DERIVED]
        for at in np.flatnonzero(recorded).tolist():
            recorded[at] = self.activity.is_recorded(edges.event[at])
        return np.asarray(recorded)

    def _left(self, index: int) -> e.Left:
        event = self.recording.located[index].event
        assert isinstance(event, e.Left)
        return event

    def is_floating(self, tensor: int) -> bool:
        """Whether a tensor holds numbers that have a gradient."""
        return bool(self._floating[tensor])

    def variable_of(self, tensor: int) -> int:
        """The variable that a tensor is a state of, or -1."""
        return self._variables[tensor]

    @cached_property
    def maker_of(self) -> dict[int, int]:
        """For each tensor the event that made it, as far as one tells of it."""
        makers: dict[int, int] = {}
        for place in self.recording.placed(e.Made, e.Assigned):
            if isinstance(place.event, e.Made):
                makers[place.event.tensor] = place.index
            elif isinstance(place.event, e.Assigned):
                makers[place.event.state] = place.index
        ran = self._ran
        makers.update(zip(ran.made.tolist(), ran.made_by.tolist(), strict=True))
        return makers
