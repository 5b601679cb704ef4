"""The replay of a graph: its calls again, in order, on real tensors and real variables.

A replay is the reference for what a traced function returns; compiled programs must agree with it.
Each node is called from the line that recorded it, so errors, recordings and tapes show that line.
Tapes of the graph are new tapes in each replay, and arguments that are objects or variables stand
in the places of those that were traced.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from tapelab.compile.abstract_evaluation import current_environment, is_eager, twin
from tapelab.compile.call_graph import Graph, Node, Site, Slot
from tapelab.compile.pytree import Leaf, Tree, leaves, mapped
from tapelab.core.cell import Cell, Holder
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import GraphScope, ModuleScope, Scope
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable

Draw = Callable[[Node, partial[Any]], Any]


class _Running(threading.local):
    replay: Replay | None = None
    draw: Draw | None = None


_running: Final = _Running()


@contextmanager
def intercepted_by(draw: Draw) -> Iterator[None]:
    """Let somebody see each call of the replays in this thread first, for the length of a block.

    What they return is the result of the call, unless it is NotImplemented.
    """
    _running.draw = draw
    try:
        yield
    finally:
        _running.draw = None


class Replay:
    """One run of a graph: what is in its slots, its tapes, and what stands for its arguments."""

    def __init__(
        self, graph: Graph, stand_ins: dict[int, Any] | None = None, *, within: bool = False
    ) -> None:
        self.graph = graph
        self.slots: dict[int, Any] = {}
        self._around = _running.replay if within else None
        self._stand_ins: dict[int, Any] = (
            self._around._stand_ins if self._around else stand_ins or {}
        )
        self._tapes: dict[int, GradientTape] = self._around._tapes if self._around else {}

    @property
    def other_variables(self) -> bool:
        """Whether other variables stand in the places of those that were traced."""
        return any(isinstance(each, Cell) for each in self._stand_ins.values())

    def fill(self, leaf: Leaf) -> Any:
        """What belongs in the place of a leaf of the arguments."""
        if type(leaf) is Slot:
            return self.slots[leaf.number]
        if isinstance(leaf, GradientTape) and id(leaf) in self.graph.tapes:
            if id(leaf) not in self._tapes:
                self._tapes[id(leaf)] = twin(leaf)
            return self._tapes[id(leaf)]
        if self._stand_ins and isinstance(leaf, Holder):
            cell = self._stand_ins.get(id(leaf._cell))
            return leaf if cell is None else Variable._of(cell)
        return self._stand_ins.get(id(leaf), leaf) if self._stand_ins else leaf

    def run(self, inputs: Tree, captures: Any = ()) -> Any:
        """Call everything and return the outputs."""
        places = (*self.graph.inputs, *self.graph.captures)
        for slot, tensor in zip(places, (*inputs, *captures), strict=True):
            self.slots[slot.number] = tensor
        outer, here, before = thread.scope, origin_here(), _running.replay
        _running.replay = self
        scope = GraphScope(self.graph.name, outer, here.code, here.instruction)
        thread.scope = scope
        modules: dict[int, Scope] = {id(None): scope}
        last = None
        try:
            for node, call, within in self.graph.steps:
                if within is not last:
                    thread.scope, last = _module_scope(within, modules), within
                self.step(node, call)
        finally:
            thread.scope, _running.replay = outer, before
            if self._around is None:
                self._leave_tapes()
        return mapped(self.graph.outputs, self.fill)

    def step(self, node: Node, call: Site) -> None:
        """Call one node from its place and keep its results."""
        result = self._result(node, call)
        if not node.results:
            return
        if node.simple and type(result) is Tensor:
            self.slots[node.results[0].number] = result  # type: ignore[union-attr]  # a tensor
            return
        result_leaves = leaves(result)
        for slot, leaf in zip(node.results, result_leaves, strict=False):
            if slot is not None and is_eager(leaf):
                self.slots[slot.number] = leaf

    def _result(self, node: Node, call: Site) -> Any:
        environment = current_environment()
        if environment is not None and (node.replay_only or node.examples):
            return node.examples[environment.number] if node.examples else None
        if node.simple and environment is None:
            slots = self.slots
            args = [slots[each.number] if type(each) is Slot else each for each in node.args]
            return call(node.function, args, {})
        args, kwargs = mapped(node.args, self.fill), mapped(node.kwargs, self.fill)
        if environment is None and _running.draw is not None:
            drawn = _running.draw(node, partial(call, node.function, args, kwargs))
            if drawn is not NotImplemented:
                return drawn
        if environment is not None:
            args, kwargs = mapped(args, environment.stand_in), mapped(kwargs, environment.stand_in)
        return call(node.function, args, kwargs)

    def _leave_tapes(self) -> None:
        """Close the tapes that an error left open."""
        for tape in self._tapes.values():
            if tape in thread.tapes:
                tape._pop()


def _module_scope(scope: ModuleScope | None, known: dict[int, Scope]) -> Scope:
    """The scope of one replay that is like one of the graph; None stands for the graph itself."""
    replayed = known.get(id(scope))
    if replayed is None:
        assert scope is not None
        outer: Any = scope.outer  # of modules alone, see `Trace`
        replayed = ModuleScope(
            scope.name, _module_scope(outer, known), scope.code, scope.instruction
        )
        known[id(scope)] = replayed
    return replayed
