"""Capturing a run of a graph: every op, every variable, and who looks at values.

A `Capture` is a tape that takes every op, so that gradients inside are computed on tensors and are
recorded as ops like all others. It is also an observer of the thread: Python code that looks at the
values of a tensor (a branch, a length, a message) could do otherwise on other values, so the
program that is made of the run is guarded by these values, or is not made at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import CodeType, FrameType
from typing import Any, Final

from tapelab.compile.abstract_evaluation import fresh_state, thread_in
from tapelab.compile.call_graph import Node
from tapelab.compile.eligibility import draws
from tapelab.compile.pytree import Tree, leaves, mapped
from tapelab.compile.random_draws import Before, Drawing, Undo, WholeDraw
from tapelab.compile.replay import intercepted_by
from tapelab.core.cell import Cell
from tapelab.core.log import thread
from tapelab.core.observer import Observer
from tapelab.core.origin import Origin
from tapelab.core.records import Record
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor, constant_of
from tapelab.random import seeds
from tapelab.random.streams import Source


class _Everything(set[int]):
    """The ids that a capture follows."""

    def __contains__(self, _: object) -> bool:
        return True

    def update(self, *_: Any) -> None:
        """Nothing is kept: everything is in it."""


class Capture(GradientTape, Observer):
    """A tape that takes every op and knows the tensors that went in."""

    _observes_all = True
    _follows_all = False  # so that no op takes a fast path, and all of them are observed

    def __init__(self) -> None:
        super().__init__(persistent=True, watch_accessed_variables=False)
        self.tensors: dict[int, Tensor] = {}
        self.cells: dict[int, Cell] = {}
        self.states: list[tuple[Cell, Tensor]] = []
        self.arrays_out: set[int] = set()
        self.by_value: dict[int, int] = {}
        self.asides: list[tuple[int, Any, tuple[Any, ...], Any]] = []
        self.drawing = Drawing()
        self._looked_at: set[int] = set()

    @property
    def _tracked(self) -> set[int]:
        return _EVERYTHING

    def _on_read(self, cell: Cell, origin: Origin | None = None) -> None:
        self.note_cell(cell)

    def note_cell(self, cell: Cell) -> None:
        """Remember a variable and the state in which it was met first."""
        if cell.identity.id not in self.cells:
            self.cells[cell.identity.id] = cell
            self.states.append((cell, cell.state))

    def records(self) -> list[Record]:
        """Everything that happened, in order."""
        log, start, stop = self._windows[-1]
        records: list[Record] = log.records[start:stop]
        return records

    def draw(self, node: Node, run: partial[Any]) -> Any:
        """Notice a call that draws random numbers, or asserts something, as a whole.

        What is drawn is given to a program each time.
        """
        if node.replay_only:
            return self._held(run)
        if not draws(node):
            return NotImplemented
        with observed_by(WholeDraw(self.drawing), instead_of=self), thread_in(fresh_state()):
            result = run()
        drawn = leaves(result)
        if all(type(each) is Tensor for each in drawn):
            self.drawing.made.append((lambda: leaves(run()), drawn))
        else:
            self.drawing.unusual += 1
        return result

    def _held(self, run: partial[Any]) -> None:
        """Notice an assertion, which is to hold for the numbers of each call."""
        call, (function, args, kwargs) = run.func, run.args
        tensors = [each for each in leaves((args, kwargs)) if type(each) is Tensor]

        def hold(*values: Tree) -> None:
            given = iter(values)
            here, settings = mapped((args, kwargs), lambda each: (
                constant_of(next(given)) if type(each) is Tensor else each
            ))  # fmt: skip
            with thread_in(fresh_state()):
                call(function, here, settings)

        with observed_by(instead_of=self):
            hold(*[each._array for each in tensors])
        self.host_computed(hold, tuple(tensors), None)

    def host_computed(self, function: Callable[..., Any] | None, given: Tree, result: Tree) -> None:
        """Notice values that are computed beside the tape, at this place in the records."""
        self.op_starts(given)
        self.asides.append((len(self._windows[-1][0].records), function, given, result))

    def op_starts(self, inputs: Sequence[Any]) -> None:
        """Know the inputs of an op again, and their arrays where they are settings."""
        for each in inputs:
            if isinstance(each, Tensor):
                self._know(each)

    def _know(self, tensor: Tensor) -> None:
        self.tensors[tensor._id] = tensor
        self.by_value[id(tensor._array)] = tensor._id

    def array_taken(self, tensor: Tensor) -> None:
        """Know a tensor whose array becomes a setting."""
        self._know(tensor)
        self.arrays_out.add(tensor._id)

    def value_read(self, tensor: Tensor, frame: FrameType) -> None:
        """Notice that the values of a tensor are read, and by whom."""
        self._know(tensor)
        if tensor._id not in self._looked_at:
            self._looked_at.add(tensor._id)
            module = frame.f_globals.get("__name__", "")
            self.host_computed(None, (tensor,), f"{module}.{_function(frame.f_code)}")

    def assigning(self, cell: Cell) -> None:
        """Know a variable before it gets its new state."""
        self.note_cell(cell)

    def assigned(self, cell: Cell) -> None:
        """Know the new state of a variable."""
        self.tensors[cell.state._id] = cell.state

    def advanced(self, source: Source) -> None:
        """Notice that random numbers are taken; `drew` says what was made of them."""
        self.drawing.unusual += 1

    def drew(self, source: Source, steps: int, make: Callable[..., Any], result: Tree) -> None:
        """Notice a draw."""
        self.drawing.took(source, steps, make, result)

    def requested(self, source: Source, request: tuple[Any, ...]) -> None:
        """Know one of the shared sequences again."""
        self.drawing.sought(source, request)


_EVERYTHING: Final = _Everything()


def _function(code: CodeType) -> str:
    """The name of a function, also of one whose comprehension runs."""
    return code.co_qualname.partition(".<locals>.<")[0]


@contextmanager
def captured() -> Iterator[Capture]:
    """Capture what happens in this thread inside the block."""
    capture = Capture()
    with intercepted_by(capture.draw), capture, observed_by(capture):
        yield capture


@contextmanager
def undone() -> Iterator[None]:
    """Put back what the block changes: variables, generators, shared sequences."""
    before = Before({}, {}, seeds.mark())
    with observed_by(Undo(before)):
        try:
            yield
        finally:
            before.restore()


@contextmanager
def observed_by(*more: Observer, instead_of: Observer | None = None) -> Iterator[None]:
    """Let further observers see what this thread does inside the block, one of those there not."""
    outer = thread.observers
    thread.observers = (*[each for each in outer if each is not instead_of], *more)
    try:
        yield
    finally:
        thread.observers = outer
