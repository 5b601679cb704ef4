"""One question, `why is this gradient missing?`, with the paths that could answer it."""

from __future__ import annotations

import ast
import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis.code import Codes
from tapelab.diagnosis.flow import Cut, Edge, Flow
from tapelab.diagnosis.way import Way, way_of
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.recording import Recording
    from tapelab.recording.events import Located

PIECEWISE: Final = {Cut.FLAT, Cut.INTEGER}
"""Cuts across which the true slope is zero: where other paths live, nothing is missing."""

QUESTIONS: Final = (".gradient", ".jacobian", ".batch_jacobian")


@dataclass(frozen=True)
class Account:
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
    def asked(self) -> dict[int, e.Asked]:
        """The questions, by the numbers of their calls."""
        events = (place.event for place in self.recording.located)
        return {event.call: event for event in events if isinstance(event, e.Asked)}


@dataclass(frozen=True)
class Case:
    """Targets, a source, and how values flowed from one to the others.

    The gradient is that of the sum of the targets; most often there is one.
    """

    account: Account
    targets: tuple[int, ...]
    source: int
    call: int = -1

    @property
    def recording(self) -> Recording:
        """What happened."""
        return self.account.recording

    @property
    def flow(self) -> Flow:
        """All steps of all values."""
        return self.account.flow

    @property
    def codes(self) -> Codes:
        """The learner's code."""
        return self.account.codes

    @classmethod
    def of_call(cls, account: Account, call: int, position: int = 0) -> Case:
        """The case of one source of a question; without targets or sources where it had none."""
        asked = account.asked[call]
        source = asked.sources[position] if asked.sources else -1
        return cls(account, asked.targets, source, call)

    def beside(self, target: int, source: int) -> Case:
        """Another case of the same account."""
        return Case(self.account, (target,), source)

    @cached_property
    def question(self) -> Located | None:
        """The question that was put to the tape, by the learner if it was; None without one."""
        asked = [p for p in self.recording.located if isinstance(p.event, e.Asked)]
        own = [p for p in asked if isinstance(p.event, e.Asked) and self._is_put_by(p.event)]
        return next(iter(sorted(own, key=lambda p: -p.index)), None)

    def _is_put_by(self, asked: e.Asked) -> bool:
        if self.call >= 0:
            return asked.call == self.call
        return asked.targets == self.targets and any(map(self.is_source, asked.sources))

    @cached_property
    def zero(self) -> bool:
        """Whether the question was to be answered with zeros where no path leads."""
        asked = self.question.event if self.question else None
        return isinstance(asked, e.Asked) and asked.unconnected == 1

    @cached_property
    def target(self) -> int:
        """The target to speak of: the first to which the source leads, else the first of all."""
        if len(self.targets) > 1 and self.path:
            return self.path[0].to
        return self.targets[0]

    @cached_property
    def variable(self) -> int:
        """The variable that the source is, -1 where it is a tensor."""
        return self.flow.variable_of(self.source)

    def is_source(self, tensor: int) -> bool:
        """Whether a tensor is the source, or a state of the variable that is the source."""
        if tensor == self.source:
            return True
        return self.variable >= 0 and self.flow.variable_of(tensor) == self.variable

    @cached_property
    def connected(self) -> bool:
        """Whether a gradient reaches the source."""
        if any(map(self.is_source, self.targets)):
            return True
        ends = (tensor for tensor in self.alive if self.is_source(tensor))
        return any(tensor in self.flow.tracked for tensor in ends)

    @cached_property
    def way(self) -> Way | None:
        """The way back that an answer took to the source, with what is known of its numbers."""
        return way_of(self)

    @cached_property
    def alive(self) -> set[int]:
        """The tensors that the gradient of the target reaches."""
        return self._back(set(self.targets), lambda edge: edge.taped)

    @cached_property
    def upstream(self) -> set[int]:
        """The tensors from whose values the target was made, as far back as the source."""
        return self._back(set(self.targets), lambda edge: True)

    @cached_property
    def downstream(self) -> set[int]:
        """The tensors that were made from the source's value."""
        return self._ahead(lambda edge: True)

    def _ahead(self, follows: Callable[[Edge], bool]) -> set[int]:
        seeds = {self.source} | {tensor for tensor in self.flow.out_of if self.is_source(tensor)}

        def after(tensor: int) -> Iterable[int]:
            return (edge.to for edge in self.flow.out_of.get(tensor, ()) if follows(edge))

        return _reach(seeds, after)

    def _back(self, seeds: set[int], follows: Callable[[Edge], bool]) -> set[int]:
        def before(tensor: int) -> Iterable[int]:
            if self.is_source(tensor):
                return ()
            return (edge.origin for edge in self.flow.into.get(tensor, ()) if follows(edge))

        return _reach(seeds, before)

    @cached_property
    def path(self) -> tuple[Edge, ...]:
        """The way of values from target back to source with the fewest cuts; empty without one."""
        came: dict[int, Edge] = {}
        costs = dict.fromkeys(self.targets, (0, 0))
        queue = [(0, 0, target) for target in self.targets]
        heapq.heapify(queue)
        while queue:
            cuts, steps, tensor = heapq.heappop(queue)
            if self.is_source(tensor):
                return self._way(came, tensor)
            for edge in self.flow.into.get(tensor, ()):
                cost = cuts + (edge.cut is not None), steps + 1
                if cost < costs.get(edge.origin, (len(self.recording) + 1, 0)):
                    costs[edge.origin] = cost
                    came[edge.origin] = edge
                    heapq.heappush(queue, (*cost, edge.origin))
        return ()

    def _way(self, came: dict[int, Edge], tensor: int) -> tuple[Edge, ...]:
        way: list[Edge] = []
        while tensor in came:
            way.append(came[tensor])
            tensor = came[tensor].to
        return tuple(reversed(way))

    @cached_property
    def cuts(self) -> tuple[Edge, ...]:
        """The steps at which the gradient is lost, the most decisive first."""
        uncut = self._back(set(self.targets), lambda edge: edge.cut is None)
        if self.connected:
            smooth = self._ahead(lambda edge: edge.cut not in PIECEWISE)
            first = self._frontier(uncut, smooth)
            return tuple(edge for edge in first if self._is_missed(edge))
        on_path = [edge for edge in self.path if edge.cut is not None]
        others = [e for e in self._frontier(uncut, self.downstream) if e not in on_path]
        others = [e for e in others if e.cut is not Cut.DERIVED or not self.flow.is_heard(e.event)]
        return (*on_path, *others)

    def _frontier(self, reached: set[int], origins: set[int]) -> list[Edge]:
        """The first cuts on the ways back from a set of tensors to others, in code order."""
        edges = (
            edge
            for tensor in reached
            if not self.is_source(tensor)
            for edge in self.flow.into.get(tensor, ())
            if edge.cut is not None and edge.origin in origins
        )
        return sorted(edges, key=lambda edge: edge.event)

    def between(self, *cuts: Cut) -> list[Edge]:
        """The steps from source to target that were cut in some ways, in code order."""
        edges = (edge for tensor in self.upstream for edge in self.flow.into.get(tensor, ()))
        found = [e for e in edges if e.cut in cuts and e.origin in self.downstream]
        return sorted(found, key=lambda edge: edge.event)

    def _is_missed(self, edge: Edge) -> bool:
        """Whether a cut takes something from a gradient that arrives by other ways."""
        if edge.cut in PIECEWISE or self._is_straight_through(edge) or self._is_ours(edge):
            return False
        if edge.cut is Cut.BEFORE:
            return self._used_before(edge)
        if edge.cut is Cut.DERIVED:
            heard = edge.to in self.flow.tracked or self.flow.is_heard(edge.event)
            return edge.event > self.opened and not heard
        if edge.cut in {Cut.STATE, Cut.COPIED}:
            return edge.event > self.opened
        return True

    @cached_property
    def opened(self) -> int:
        """The event with which the tape began to record."""
        marks = (p.index for p in self.recording.located if isinstance(p.event, e.Opened))
        return next(marks, -1)

    def _is_ours(self, edge: Edge) -> bool:
        """Whether a gradient is stopped by a function of tf, or by a rule on the way back."""
        place = self.recording.located[edge.event]
        if edge.cut is not Cut.STOPPED or not isinstance(place.event, e.Ran):
            return False
        call = self.codes.expression(place.span)
        asked = isinstance(call, ast.Call) and ast.unparse(call.func).endswith(QUESTIONS)
        return place.event.group >= 0 or asked

    def _used_before(self, edge: Edge) -> bool:
        """Whether the part before the tape used the very value that the tape watches.

        What was made from an older value of a variable belongs to an earlier step of a loop.
        """
        way = self.beside(edge.origin, self.source).path
        return (way[-1].origin if way else edge.origin) in self.flow.tracked

    def _is_straight_through(self, edge: Edge) -> bool:
        """`x + stop_gradient(f(x) - x)`: the gradient takes the way around on purpose."""
        if edge.cut is not Cut.STOPPED:
            return False
        removed = {
            back.origin
            for back in self.flow.into.get(edge.origin, ())
            if back.position == 1 and self.op_name(back) == "subtract"
        }
        added = {
            side.origin
            for ahead in self.flow.out_of.get(edge.to, ())
            if self.op_name(ahead) == "add"
            for side in self.flow.into.get(ahead.to, ())
        }
        return bool(removed & added)

    def op_name(self, edge: Edge) -> str:
        """The op of a step; empty where it was none."""
        event = self.recording.event(edge.event)
        return self.recording.ops[event.op].name if isinstance(event, e.Ran) else ""

    def made(self, tensor: int) -> tuple[int, ...]:
        """The event that made a tensor, if one tells of it."""
        event = self.flow.maker_of.get(tensor, -1)
        return (event,) if event >= 0 else ()

    def uses(self) -> tuple[int, int]:
        """How many uses of the source led to the target, and how many of them on the tape."""
        edges = [
            edge
            for tensor, found in self.flow.out_of.items()
            if self.is_source(tensor)
            for edge in found
            if edge.to in self.upstream
        ]
        live = {edge.event for edge in edges if edge.taped and edge.to in self.alive}
        return len({edge.event for edge in edges}), len(live)


def _reach(seeds: set[int], ahead: Callable[[int], Iterable[int]]) -> set[int]:
    reached, pending = set(seeds), list(seeds)
    while pending:
        for tensor in ahead(pending.pop()):
            if tensor not in reached:
                reached.add(tensor)
                pending.append(tensor)
    return reached
