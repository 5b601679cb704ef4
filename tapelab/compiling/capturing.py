"""Watching a replay closely: every op, every variable, and who looks at the numbers.

A `Capture` is a tape that takes every op, so that gradients asked inside are worked out on tensors
and are written down as ops like all others. While one is open, reading the numbers of a tensor goes
through a watch: what decides by them (a branch, a length, a message) would decide differently on
other numbers, so such a replay tells too little to be made a program of.
"""

from __future__ import annotations

import threading
from functools import partial
from types import CodeType, FrameType
from typing import Any, Final

from tapelab.compiling.admission import draws
from tapelab.compiling.drawing import Before, Drawing
from tapelab.compiling.glancing import asks
from tapelab.compiling.graph import Node
from tapelab.compiling.walking import leaves, mapped
from tapelab.compiling.worlds import fresh_state, thread_in
from tapelab.engine.cell import Cell
from tapelab.engine.log import Origin
from tapelab.engine.records import Record
from tapelab.engine.tape import GradientTape
from tapelab.engine.tensor import Tensor, constant_of

_MODULES: Final = frozenset(f"tapelab.engine.{name}" for name in (
    *("dispatch", "quick", "log", "watching", "flows", "cell", "custom", "ends"),
))  # fmt: skip
"""Modules that only hand numbers on, to kernels, to rules, to the log, to a variable."""
READERS: Final = frozenset(f"tapelab.{name}" for name in (
    *("engine.aside.aside", "engine.variable._operand", "engine.tape.GradientTape.watch"),
    *("engine.indexed_slices.IndexedSlices.dense", "engine.indexed_slices.IndexedSlices.preview"),
    *("engine.asking.seen", "engine.handing.undo_broadcast", "engine.jacobians._rows"),
    *("engine.convert.new_constant", "engine.jacobians.batch_jacobian", "linalg.einsum"),
    *("engine.batching_lanes.Lanes.lane", "ops.rules.numpy_dtype", "ops.rules.is_complex"),
    *("arrays.choosing.clip_by_value", "arrays.shaping.meshgrid", "image.colours.rgb_to_hsv"),
    *("control.folding._rows", "control.mapping.vectorized_map", "math.add_n"),
    *("nn.normalizing.moments", "nn.normalizing.batch_normalization", "ops.sorting.top_k_grad_x"),
))  # fmt: skip
"""Functions elsewhere that do no more, or ask for shapes and dtypes."""
HANDING_OUT: Final = frozenset({
    "tapelab.engine.indexed_slices.IndexedSlices.dense", "tapelab.ops.sorting.top_k_grad_x",
})  # fmt: skip
"""Those of them that hand out the array itself, as a setting."""


class _Everything(set[int]):
    """The ids that a capture follows."""

    def __contains__(self, _: object) -> bool:
        return True

    def update(self, *_: Any) -> None:
        """Nothing is kept: everything is in it."""


class Capture(GradientTape):
    """A tape that takes every op and knows the tensors that went in."""

    _hears_all = True

    def __init__(self) -> None:
        super().__init__(persistent=True, watch_accessed_variables=False)
        self.tensors: dict[int, Tensor] = {}
        self.cells: dict[int, Cell] = {}
        self.states: list[tuple[Cell, Tensor]] = []
        self.handed_out: set[int] = set()
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
        found: list[Record] = log.records[start:stop]
        return found

    def draw(self, node: Node, run: partial[Any]) -> Any:
        """Notice a call that draws random numbers, or asserts something, as a whole.

        What is drawn is given to a program each time.
        """
        if node.tells:
            return self._held(run)
        if not draws(node):
            return NotImplemented
        here.capture, here.drawing = None, self.drawing
        try:
            with thread_in(fresh_state()):
                result = run()
        finally:
            here.capture, here.drawing = self, None
        made = leaves(result)
        if all(type(each) is Tensor for each in made):
            self.drawing.made.append((lambda: leaves(run()), made))
        else:
            self.drawing.unusual += 1
        return result

    def _held(self, run: partial[Any]) -> None:
        """Notice an assertion, which is to hold for the numbers of each call."""
        call, (function, args, kwargs) = run.func, run.args
        tensors = [each for each in leaves((args, kwargs)) if type(each) is Tensor]

        def hold(*values: Any) -> None:
            given = iter(values)
            here, settings = mapped((args, kwargs), lambda each: (
                constant_of(next(given)) if type(each) is Tensor else each
            ))  # fmt: skip
            with thread_in(fresh_state()):
                call(function, here, settings)

        capture, here.capture = here.capture, None
        try:
            hold(*[each._value for each in tensors])
        finally:
            here.capture = capture
        self.took(hold, tuple(tensors), None)

    def took(self, function: Any, given: tuple[Any, ...], result: Any) -> None:
        """Notice numbers that are worked out beside the tape, at this place in the records."""
        self.asides.append((len(self._windows[-1][0].records), function, given, result))

    def saw(self, tensor: Tensor, value: Any, frame: FrameType) -> None:
        """Notice that the numbers of a tensor are read, and by whom."""
        self.tensors[tensor._id] = tensor
        self.by_value[id(value)] = tensor._id
        if asks(frame):
            return
        module = frame.f_globals.get("__name__", "")
        reader = f"{module}.{_function(frame.f_code)}"
        if module not in _MODULES and reader not in READERS:
            if tensor._id not in self._looked_at:
                self._looked_at.add(tensor._id)
                self.took(None, (tensor,), reader)
        elif reader in HANDING_OUT:
            self.handed_out.add(tensor._id)


_EVERYTHING: Final = _Everything()


def _function(code: CodeType) -> str:
    """The name of a function, also of one whose comprehension runs."""
    return code.co_qualname.partition(".<locals>.<")[0]


class _Here(threading.local):
    """What is noticed in a thread."""

    capture: Capture | None = None
    drawing: Drawing | None = None  # while a call draws that is noticed as a whole
    before: Before | None = None  # while all is put back afterwards that is changed


here: Final = _Here()
