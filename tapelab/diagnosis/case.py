"""A gradient call with one of its sources, and the paths between its target and that source.

`Analysis` holds what is computed once for a recording: its dataflow, the user's code, the gradient
calls. A `Case` adds targets and a source, and answers by graph searches over the edges of the
dataflow: which tensors lie upstream of the target and downstream of the source, whether a taped
path connects them (`connected`), the path with the fewest cuts (`path`), and the cuts at which the
gradient is lost (`cuts`). Detectors get a `Case` and nothing else.

Invariant: everything is a pure function of the recording, computed when it is first used.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.diagnosis.backward_pass import BackwardSteps, backward_steps_of
from tapelab.diagnosis.dataflow import Flow
from tapelab.diagnosis.edges import NUMBER_OF, Cut, Edge, TensorSet
from tapelab.diagnosis.opaque_steps import cuts_inside
from tapelab.diagnosis.source_code import Codes
from tapelab.recording import events as e

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tapelab.recording import Recording
    from tapelab.recording.events import Located


@dataclass(frozen=True)
class Analysis:
    """A recording, and what is read out of it once for all questions."""

    recording: Recording

    @cached_property
    def flow(self) -> Flow:
        """All steps of all values."""
        return Flow(self.recording, self.codes)

    @cached_property
    def codes(self) -> Codes:
        """The learner's code."""
        return Codes(self.recording)

    @cached_property
    def requests(self) -> dict[int, e.Asked]:
        """The questions, by the numbers of their calls."""
        events = (place.event for place in self.recording.placed(e.Asked))
        return {event.call: event for event in events if isinstance(event, e.Asked)}


PIECEWISE: Final = {Cut.FLAT, Cut.INTEGER}
"""Cuts across which the true derivative is 0: beside other paths, nothing is missing."""

PIECEWISE_NUMBERS: Final = [NUMBER_OF[cut] for cut in PIECEWISE]

GRADIENT_METHODS: Final = (".gradient", ".jacobian", ".batch_jacobian")


@dataclass(frozen=True)
class Case:
    """Targets, a source, and how values flowed from one to the others.

    The gradient is that of the sum of the targets; most often there is one.
    """

    analysis: Analysis
    targets: tuple[int, ...]
    source: int
    call: int = -1

    @property
    def recording(self) -> Recording:
        """What happened."""
        return self.analysis.recording

    @property
    def flow(self) -> Flow:
        """All steps of all values."""
        return self.analysis.flow

    @property
    def codes(self) -> Codes:
        """The learner's code."""
        return self.analysis.codes

    @classmethod
    def of_call(cls, analysis: Analysis, call: int, position: int = 0) -> Case:
        """The case of one source of a question; without targets or sources where it had none."""
        request = analysis.requests[call]
        source = request.sources[position] if request.sources else -1
        return cls(analysis, request.targets, source, call)

    def beside(self, target: int, source: int) -> Case:
        """Another case of the same account."""
        return Case(self.analysis, (target,), source)

    @cached_property
    def request(self) -> Located | None:
        """The gradient call of this case, preferably one in the user's code; None without one."""
        request = self.recording.placed(e.Asked)
        own = [p for p in request if isinstance(p.event, e.Asked) and self._is_own_call(p.event)]
        return next(iter(sorted(own, key=lambda p: -p.index)), None)

    def _is_own_call(self, request: e.Asked) -> bool:
        if self.call >= 0:
            return request.call == self.call
        among = any(map(self.is_source, request.sources)) or not (
            request.sources or self.source >= 0
        )
        return request.targets == self.targets and among

    @cached_property
    def zero(self) -> bool:
        """Whether the call asks for zeros where no path exists."""
        request = self.request.event if self.request else None
        return isinstance(request, e.Asked) and request.unconnected == 1

    @cached_property
    def target(self) -> int:
        """The target to name: the first to which the source leads, else the first of all."""
        if len(self.targets) > 1 and self.path:
            return self.path[0].to
        return self.targets[0]

    @cached_property
    def variable(self) -> int:
        """The variable that the source is, -1 where it is a tensor."""
        return self.flow.variable_of(self.source) if self.source >= 0 else -1

    @cached_property
    def states(self) -> list[int]:
        """The source itself, or all states of the variable that it is."""
        return np.flatnonzero(np.frombuffer(self.source_mask, np.uint8)).tolist()

    def uses_of_source(self) -> list[Located]:
        """The events that took the source, in their order."""
        taken = {edge.event for state in self.states for edge in self.flow.out_of[state]}
        return [self.recording.located[event] for event in sorted(taken)]

    def is_source(self, tensor: int) -> bool:
        """Whether a tensor is the source, or a state of the variable that is the source."""
        return bool(self.source_mask[tensor])

    @cached_property
    def connected(self) -> bool:
        """Whether a gradient reaches the source."""
        if any(map(self.is_source, self.targets)):
            return True
        return any(each in self.alive and each in self.flow.tracked for each in self.states)

    @cached_property
    def backward(self) -> BackwardSteps | None:
        """The steps of the backward pass to the source; None if it did not arrive there."""
        return backward_steps_of(self.recording, self.targets, self.source_mask)

    @cached_property
    def alive(self) -> TensorSet:
        """The tensors that the gradient of the target reaches."""
        return self._back(self.flow.edges.columns[5] == 1)

    @cached_property
    def upstream(self) -> TensorSet:
        """The tensors from whose values the target was made, as far back as the source."""
        return self._back(None)

    @cached_property
    def downstream(self) -> TensorSet:
        """The tensors that were made from the source's value."""
        return self._ahead(None)

    @cached_property
    def source_mask(self) -> bytes:
        """For each tensor whether it is the source, or a state of it."""
        variables = self.recording.columns["tensor.variable"]
        states: NDArray[np.bool_] = np.arange(len(variables)) == self.source
        if self.variable >= 0:
            states |= variables == self.variable
        return states.tobytes()

    def _ahead(self, follows: NDArray[Any] | None) -> TensorSet:
        return TensorSet(self.flow.edges.ahead(bytearray(self.source_mask), follows))

    def _back(self, follows: NDArray[Any] | None) -> TensorSet:
        seeds = bytearray(len(self.source_mask))
        for target in self.targets:
            seeds[target] = 1
        return TensorSet(self.flow.edges.back(seeds, self.source_mask, follows))

    @cached_property
    def path(self) -> tuple[Edge, ...]:
        """The way of values from target back to source with the fewest cuts; empty without one."""
        edges = self.flow.edges
        path = edges.cheapest(self.targets, self.source_mask, self.flow.prices)
        return tuple(map(edges.edge, path))

    @cached_property
    def cuts(self) -> tuple[Edge, ...]:
        """The edges at which the gradient is lost, the most decisive first."""
        cuts = self.flow.edges.columns[4]
        if self.connected:
            smooth = self._ahead(~np.isin(cuts, PIECEWISE_NUMBERS))
            uncut = self._back((cuts == 0) | self.flow.recorded_gradients)
            first = self._crossing(cuts > 0, uncut, smooth)
            missed = (edge for edge in first if self._is_missed(edge))
            return (*missed, *cuts_inside(self.flow, self.alive, self.downstream))
        uncut = self._back(cuts == 0)
        on_path = [edge for edge in self.path if edge.cut is not None]
        first = self._crossing(cuts > 0, uncut, self.downstream)
        others = [e for e in first if e not in on_path]
        if all(edge.cut not in PIECEWISE for edge in on_path):
            others = [e for e in others if e.cut is not Cut.FLAT]
        others = [
            e
            for e in others
            if e.cut is not Cut.DERIVED or not self.flow.activity.is_recorded(e.event)
        ]
        return (*on_path, *others)

    def between(self, *cuts: Cut) -> list[Edge]:
        """The steps from source to target that were cut in some ways, in code order."""
        wanted = np.isin(self.flow.edges.columns[4], [NUMBER_OF[cut] for cut in cuts])
        return self._crossing(wanted, self.upstream, self.downstream)

    def _crossing(self, wanted: NDArray[Any], to: TensorSet, origins: TensorSet) -> list[Edge]:
        """The edges among the wanted ones that lead from some tensors to others, in code order."""
        edges, crossing = self.flow.edges, []
        for at in np.flatnonzero(wanted).tolist():
            origin, result = edges.origin[at], edges.to[at]
            if result in to and origin in origins and not self.source_mask[result]:
                crossing.append(edges.edge(at))
        return crossing

    def _is_missed(self, edge: Edge) -> bool:
        """Whether a cut makes a gradient that arrives on other paths incomplete."""
        if edge.cut is Cut.INTEGER:
            return self._is_cast_back(edge)
        if edge.cut in PIECEWISE or self._is_straight_through(edge) or self._is_ours(edge):
            return False
        if edge.cut is Cut.BEFORE:
            return self._used_before(edge)
        if edge.cut is Cut.DERIVED:
            recorded = edge.to in self.flow.tracked or self.flow.activity.is_recorded(edge.event)
            return edge.event > self.opened and not recorded
        if edge.cut in {Cut.STATE, Cut.COPIED}:
            return edge.event > self.opened
        return True

    def _is_cast_back(self, edge: Edge) -> bool:
        """Whether integers are cast back to floats, not used to count or to index."""
        ahead = (each for each in self.flow.out_of[edge.to] if each.to in self.upstream)
        return any(self.op_name(e.event) == "cast" and self.flow.is_floating(e.to) for e in ahead)

    @cached_property
    def opened(self) -> int:
        """The event with which the tape began to record."""
        return next((place.index for place in self.recording.placed(e.Opened, e.Reset)), -1)

    def _is_ours(self, edge: Edge) -> bool:
        """Whether a gradient is stopped by a function of tf, or by a gradient rule.

        In a group, such as a traced function, it may be the learner who wrote `stop_gradient`.
        """
        place = self.recording.located[edge.event]
        if edge.cut is not Cut.STOPPED or not isinstance(place.event, e.Ran):
            return False
        call = self.codes.expression(place.span)
        called = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
        own = called.endswith("stop_gradient") or self.recording.composite_of(place.event) < 0
        return called.endswith(GRADIENT_METHODS) or not own

    def _used_before(self, edge: Edge) -> bool:
        """Whether the computation before the tape used the value that the tape watches.

        What was made from an older value of a variable belongs to an earlier step of a loop, and
        a copy that was stored before the tape is meant to be constant.
        """
        backward = self.beside(edge.origin, self.source).path
        if any(step.cut in {Cut.STATE, Cut.COPIED} for step in backward):
            return False
        return (backward[-1].origin if backward else edge.origin) in self.flow.tracked

    def _is_straight_through(self, edge: Edge) -> bool:
        """`x + stop_gradient(f(x) - x)`: the gradient bypasses `f` on purpose."""
        if edge.cut is not Cut.STOPPED:
            return False
        removed = {
            back.origin
            for back in self.flow.into.get(edge.origin, ())
            if back.position == 1 and self.op_name(back.event) == "subtract"
        }
        added = {
            side.origin
            for ahead in self.flow.out_of.get(edge.to, ())
            if self.op_name(ahead.event) == "add"
            for side in self.flow.into.get(ahead.to, ())
        }
        return bool(removed & added)

    def op_run(self, event: int) -> e.Ran | None:
        """The op that ran in an event; None for events of other kinds and for -1, no event."""
        ran = self.recording.event(event) if event >= 0 else None
        return ran if isinstance(ran, e.Ran) else None

    def op_name(self, event: int) -> str:
        """The name of the op that ran in an event; empty where none did."""
        ran = self.op_run(event)
        return self.recording.ops[ran.op].name if ran else ""

    def producer(self, tensor: int) -> e.Ran | None:
        """The op that computed a tensor; None where it was made in another way."""
        return self.op_run(self.flow.maker_of.get(tensor, -1))

    def made(self, tensor: int) -> tuple[int, ...]:
        """The event that made a tensor, if one tells of it."""
        event = self.flow.maker_of.get(tensor, -1)
        return (event,) if event >= 0 else ()

    def uses(self) -> tuple[int, int]:
        """How many uses of the source led to the target, and how many of them on the tape."""
        edges = [edge for state in self.states for edge in self.flow.out_of[state]]
        edges = [edge for edge in edges if edge.to in self.upstream]
        live = {edge.event for edge in edges if edge.taped and edge.to in self.alive}
        return len({edge.event for edge in edges}), len(live)
