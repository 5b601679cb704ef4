"""The two worlds in which every call of a traced function is tried out on example tensors.

A world has copies of the variables, tapes and random generators that the function uses, and a state
of the thread of its own. So trying out a call tells which tensors it returns, of which shapes and
dtypes, and where a gradient is None, while nothing happens to what belongs to the learner.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from tapelab.compile import examples
from tapelab.compile.symbolic import Symbolic
from tapelab.compile.walking import mapped
from tapelab.core.cell import Cell, Holder
from tapelab.core.composite_tensor import CompositeTensor
from tapelab.core.dispatch import DispatchedType
from tapelab.core.log import thread
from tapelab.core.records import OP_RUNS, as_op_run, kind_of
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable
from tapelab.random.streams import Source

STATE: Final = ("tapes", "active_tapes", "log", "records", "scope", "trace")
_REMEMBERED: Final = 64


@contextmanager
def thread_in(state: dict[str, Any]) -> Iterator[None]:
    """Give the thread another state for the length of a block; what it becomes is kept."""
    before = {name: getattr(thread, name) for name in STATE}
    for name, value in state.items():
        setattr(thread, name, value)
    try:
        yield
    finally:
        state.update({name: getattr(thread, name) for name in STATE})
        for name, value in before.items():
            setattr(thread, name, value)


def fresh_state(trace: Any = None) -> dict[str, Any]:
    """The state of a thread in which no tape listens."""
    records: Any = deque(maxlen=_REMEMBERED)
    empty = {"tapes": [], "active_tapes": (), "log": None, "records": records, "scope": None}
    return {**empty, "trace": trace}


def world_here() -> World | None:
    """The world in which this thread is trying out a call, if it is."""
    found: World | None = thread.__dict__.get("world")
    return found


class World:
    """One of the worlds: what stands for the learner's things in it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._state = fresh_state()
        self._copies: dict[int, tuple[Any, Any]] = {}
        self._originals: dict[int, Any] = {}

    def run(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a function on what stands for its arguments here."""
        here, settings = mapped(args, self.stand_in), mapped(kwargs, self.stand_in)
        before, thread.__dict__["world"] = world_here(), self
        try:
            with thread_in(self._state), np.errstate(all="ignore"):
                return function(*here, **settings)
        finally:
            thread.__dict__["world"] = before

    def taped(self) -> bool:
        """Whether a tape is open here."""
        return bool(self._state["tapes"])

    def last_record(self) -> Any:
        """The record of what happened last, if anything did."""
        records = self._state["records"]
        return records[-1] if records else None

    def last_op(self) -> str:
        """The raw name of the op that ran last."""
        for record in reversed(self._state["records"]):
            if kind_of(record) in OP_RUNS:
                return as_op_run(record).op.raw
        return ""

    def stand_in(self, leaf: Any) -> Any:
        """What stands for one of the learner's things in this world."""
        if isinstance(leaf, Symbolic):
            return leaf._examples[self.number]
        if isinstance(leaf, Holder):
            cell = self._copy_of(leaf._cell, self._cell)
            return (type(leaf) if isinstance(leaf, Variable) else Variable)._of(cell)
        if isinstance(leaf, GradientTape):
            return self._copy_of(leaf, twin)
        if isinstance(leaf, Source):
            return self._copy_of(leaf, copy.deepcopy)
        if hasattr(type(leaf), "copy_with_state"):  # an object that holds variables of its own
            return self._copy_of(leaf, lambda each: each.copy_with_state(self.stand_in))
        return leaf

    def original(self, leaf: Any) -> Any:
        """The learner's thing that something in this world stands for."""
        if isinstance(leaf, Variable):
            cell = self._originals.get(id(leaf._cell))
            return leaf if cell is None else type(leaf)._of(cell)
        return self._originals.get(id(leaf), leaf)

    def _copy_of(self, thing: Any, make: Callable[[Any], Any]) -> Any:
        found = self._copies.get(id(thing))
        if found is None:
            found = self._copies[id(thing)] = thing, make(thing)
            self._originals[id(found[1])] = thing
        return found[1]

    def _cell(self, cell: Cell) -> Cell:
        state = cell.state
        if self.number and not cell.shape.is_fully_defined():
            state = examples.opposite(state, cell.shape)
        return Cell(cell.identity, cell.shape, state)


def twin(tape: GradientTape) -> GradientTape:
    """A tape of the same settings that has seen nothing yet."""
    return GradientTape(tape._persistent, tape._auto)


def is_eager(leaf: Any) -> bool:
    """Whether a leaf of a result takes a slot: a concrete tensor, a composite, a `TensorArray`."""
    eager = type(leaf) is Tensor or isinstance(type(leaf), DispatchedType)
    return eager or is_composite(leaf)


def is_composite(leaf: Any) -> bool:
    """Whether a leaf is a ragged or sparse tensor, which goes through a graph as one thing."""
    return isinstance(leaf, CompositeTensor)
