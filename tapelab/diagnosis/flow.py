"""How values flowed: which tensor was made from which, and where the gradient cannot follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis.detours import unmatched_returns
from tapelab.recording import events as e
from tapelab.recording.facts import DERIVATIVE

if TYPE_CHECKING:
    from tapelab.diagnosis.code import Codes
    from tapelab.recording import Recording


class Cut(Enum):
    """Why the gradient cannot follow a value back."""

    STOPPED = "stop_gradient"
    FLAT = "an op without a slope"
    WITHHELD = "a gradient function that returned None"
    INTEGER = "whole numbers"
    LEFT = "NumPy or Python"
    STATE = "an assignment"
    HANDED_OUT = "a queue or a Dataset"
    BEFORE = "before the tape"
    AFTER = "after the tape"
    PAUSED = "recording was paused"
    THREAD = "another thread"
    LATE = "watched too late"
    COPIED = "a copy of the value"
    DERIVED = "a gradient that a tape gave"


FLOATING: Final = ("float", "bfloat", "complex")


@dataclass(frozen=True, slots=True)
class Edge:
    """A value went from the tensor `origin` into the tensor `to`.

    `event` tells how; `position` is that of the input where an op did it. An edge without a cut is
    off the tape all the same (`taped` is False) where nothing behind it is watched.
    """

    origin: int
    to: int
    event: int
    position: int = 0
    cut: Cut | None = None
    taped: bool = False


_CAUSES: Final[dict[int, Cut]] = {
    e.Cause.BEFORE: Cut.BEFORE,
    e.Cause.AFTER: Cut.AFTER,
    e.Cause.PAUSED: Cut.PAUSED,
    e.Cause.OTHER_THREAD: Cut.THREAD,
}


class Flow:
    """All edges of a recording, by the tensor they lead to and by the tensor they start at."""

    def __init__(self, recording: Recording, codes: Codes) -> None:
        self.recording = recording
        self._codes = codes
        self._variables: list[int] = recording.columns["tensor.variable"].tolist()
        self._dtypes: list[int] = recording.columns["tensor.dtype"].tolist()
        self._floating = [name.startswith(FLOATING) for name in recording.dtypes]
        self.watched_at: dict[int, int] = {}
        for place in recording.located:
            if isinstance(place.event, e.Watched):
                self.watched_at.setdefault(place.event.tensor, place.index)
        self.opened = any(isinstance(place.event, e.Opened) for place in recording.located)
        self.tracked = set(self.watched_at)
        self.withheld = {
            (place.event.event, place.event.position)
            for place in recording.located
            if isinstance(place.event, e.Flowed) and place.event.contribution < 0
        }
        self.into: dict[int, list[Edge]] = {}
        self.out_of: dict[int, list[Edge]] = {}
        for edge in self._edges():
            self.into.setdefault(edge.to, []).append(edge)
            self.out_of.setdefault(edge.origin, []).append(edge)

    def _edges(self) -> Iterator[Edge]:
        yield from self._op_edges()
        yield from self._assignments()
        yield from self._exits()

    def _op_edges(self) -> Iterator[Edge]:
        for place in self.recording.located:
            event = place.event
            if isinstance(event, e.Ran):
                followed = self._is_followed(event)
                for output in event.outputs:
                    if followed and self.is_floating(output):
                        self.tracked.add(output)
                    for position, origin in enumerate(event.inputs):
                        yield self._op_edge(place.index, event, position, origin, output)

    def _is_followed(self, event: e.Ran) -> bool:
        """Whether the tape can be asked for the results: not behind `stop_gradient`."""
        if event.cause != e.Cause.TAPED or self.recording.ops[event.op].pattern == "stop":
            return False
        return not self.tracked.isdisjoint(event.inputs)

    def _op_edge(self, index: int, event: e.Ran, position: int, origin: int, to: int) -> Edge:
        cut = self._cut(index, event, position, origin, to)
        taped = cut is None and event.cause == e.Cause.TAPED
        return Edge(origin, to, index, position, cut, taped)

    def _cut(self, index: int, event: e.Ran, position: int, origin: int, to: int) -> Cut | None:
        op = self.recording.ops[event.op]
        rule = op.rules[min(position, len(op.rules) - 1)]
        if op.pattern == "stop":
            return Cut.STOPPED
        if op.pattern == "stateful":
            return Cut.HANDED_OUT
        if self.is_floating(origin) and not self.is_floating(to):
            return Cut.INTEGER if op.name == "cast" else Cut.FLAT
        if rule.because:
            return Cut.FLAT
        if (index, position) in self.withheld:
            return Cut.WITHHELD
        if event.cause == e.Cause.UNWATCHED and index < self.watched_at.get(origin, -1):
            return Cut.LATE
        if event.cause == e.Cause.UNWATCHED and not self.opened:
            return Cut.BEFORE
        return _CAUSES.get(event.cause)

    def _assignments(self) -> Iterator[Edge]:
        present: dict[int, int] = {}
        for place in self.recording.located:
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
        previous: tuple[int, int] | None = None
        for place in self.recording.located:
            event = place.event
            if isinstance(event, e.Left):
                group = (
                    (*group, place.index) if previous == (place.span, event.how) else (place.index,)
                )
                previous = place.span, event.how
                departures.update(dict.fromkeys((self._left(i).result for i in group), group))
                continue
            previous = None
            if isinstance(event, e.Returned):
                for index in departures.get(event.value, ()) if event.value >= 0 else ():
                    yield Edge(self._left(index).tensor, event.tensor, index, cut=Cut.LEFT)
        for index, tensor in unmatched_returns(self.recording, self._codes):
            yield Edge(self._left(index).tensor, tensor, index, cut=Cut.LEFT)

    def first_state_of(self, variable: int) -> int:
        """The state with which a variable began, as far as the recording knows it."""
        made = (
            place.event.tensor
            for place in self.recording.located
            if isinstance(place.event, e.Made)
        )
        states = (tensor for tensor in made if self._variables[tensor] == variable)
        return next(states, self._variables.index(variable))

    def is_heard(self, event: int) -> bool:
        """Whether the tape was recording when something happened."""
        return any(start < event < stop for start, stop in self._heard)

    @cached_property
    def _heard(self) -> list[tuple[int, int]]:
        """The stretches of events during which the tape was recording."""
        stretches, begun = [], -1
        for place in self.recording.located:
            if isinstance(place.event, (e.Opened, e.Resumed)) and begun < 0:
                begun = place.index
            elif isinstance(place.event, (e.Closed, e.Paused)) and begun >= 0:
                stretches.append((begun, place.index))
                begun = -1
        return [*stretches, (begun, len(self.recording))] if begun >= 0 else stretches

    def _left(self, index: int) -> e.Left:
        event = self.recording.event(index)
        assert isinstance(event, e.Left)
        return event

    def is_floating(self, tensor: int) -> bool:
        """Whether a tensor holds numbers that have a gradient."""
        return self._floating[self._dtypes[tensor]]

    def variable_of(self, tensor: int) -> int:
        """The variable that a tensor is a state of, or -1."""
        return self._variables[tensor]

    @cached_property
    def maker_of(self) -> dict[int, int]:
        """For each tensor the event that made it, as far as one tells of it."""
        makers: dict[int, int] = {}
        for place in self.recording.located:
            match place.event:
                case e.Ran(outputs=outputs):
                    makers.update(dict.fromkeys(outputs, place.index))
                case e.Made(tensor=tensor) | e.Assigned(state=tensor):
                    makers[tensor] = place.index
        return makers
