"""Watching a replay closely: every op, every variable, and who looks at the numbers.

A `Capture` is a tape that takes every op, so that gradients asked inside are worked out on tensors
and are written down as ops like all others. While one is open, reading the numbers of a tensor goes
through a watch: what decides by them (a branch, a length, a message) would decide differently on
other numbers, so such a replay tells too little to be made a program of.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, Final

from tapelab.compiling.admission import draws
from tapelab.compiling.drawing import Before, Drawing, Place, sources
from tapelab.compiling.glancing import asks
from tapelab.compiling.graph import Node
from tapelab.compiling.replay import drawing_by
from tapelab.compiling.walking import leaves
from tapelab.compiling.worlds import fresh_state, thread_in
from tapelab.engine import aside
from tapelab.engine import variable as variables
from tapelab.engine.cell import Cell, store
from tapelab.engine.log import Origin
from tapelab.engine.records import Record
from tapelab.engine.tape import GradientTape
from tapelab.engine.tensor import Tensor, constant_of
from tapelab.ops import subscripts
from tapelab.random import sampling, seeding
from tapelab.random.sampling import Source
from tapelab.recording.facts import How

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

    def draw(self, node: Node, run: Callable[[], Any]) -> Any:
        """Notice a call that draws random numbers: its results are given to a program each time."""
        if not draws(node):
            return NotImplemented
        _here.capture, _here.drawing = None, self.drawing
        try:
            with thread_in(fresh_state()):
                result = run()
        finally:
            _here.capture, _here.drawing = self, None
        made = leaves(result)
        if all(type(each) is Tensor for each in made):
            self.drawing.made.append((lambda: leaves(run()), made))
        else:
            self.drawing.unusual += 1
        return result

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
    capture: Capture | None = None
    drawing: Drawing | None = None  # while a call draws that is noticed as a whole
    before: Before | None = None  # while all is put back afterwards that is changed


_here: Final = _Here()
_lock: Final = threading.RLock()
_open: Final = [0]


class _Watch:
    """What stands for the place of the numbers in a tensor while a capture is open somewhere."""

    def __get__(self, tensor: Tensor | None, owner: Any = None) -> Any:
        if tensor is None:
            return self
        value = _SLOT.__get__(tensor)
        if _here.capture is not None:
            _here.capture.saw(tensor, value, sys._getframe(1))
        return value

    def __set__(self, tensor: Tensor, value: Any) -> None:
        _SLOT.__set__(tensor, value)


_SLOT: Final[Any] = vars(Tensor)["_value"]
_operand: Final = variables._operand


def _traceable_operand(cell: Cell, given: Any) -> tuple[Any, int]:
    """The operand of an assignment; what is no tensor becomes one, so that it has a place."""
    value, source = _operand(cell, given)
    if _here.capture is None:
        return value, source
    _here.capture.note_cell(cell)
    if source < 0:
        made = constant_of(value)
        _here.capture.tensors[made._id] = made
        source = made._id
    return value, source


def _listen(function: Any, given: tuple[Any, ...], result: Any) -> None:
    if _here.capture is not None:
        _here.capture.took(function, given, result)


def _noticed_store(cell: Cell, value: Any, how: How, source: int) -> None:
    """Give a variable a new state, of which a capture knows where it came from."""
    if _here.before is not None:
        _here.before.cells.setdefault(id(cell), (cell, cell.state))
    if _here.drawing is not None:
        _here.drawing.seeds[id(cell)] = cell
    if _here.capture is None:
        store(cell, value, how, source)
        return
    _here.capture.note_cell(cell)
    store(cell, value, how, source)
    _here.capture.tensors[cell.state._id] = cell.state


_take: Final = Source._take


def _noticed_take(source: Source, steps: int) -> Place:
    if _here.before is not None:
        _here.before.places.setdefault(id(source), (source, (source._counter, source._key)))
    if _here.capture is not None:
        _here.capture.drawing.unusual += 1
    elif _here.drawing is not None and type(source) is not Source:
        _here.drawing.generators[id(source)] = source
    return _take(source, steps)


def _noticed_source(*request: Any) -> Source:
    if _here.capture is None:
        return sources(*request)
    return _here.capture.drawing.sought(*request)


def _listen_to_draws(source: Source, *draw: Any) -> None:
    if _here.capture is not None:
        _here.capture.drawing.took(source, *draw)


@contextmanager
def captured() -> Iterator[Capture]:
    """Capture what happens in this thread inside the block."""
    capture = Capture()
    with _watching(), drawing_by(capture.draw), capture:
        _here.capture = capture
        try:
            yield capture
        finally:
            _here.capture = None


@contextmanager
def undone() -> Iterator[None]:
    """Put back what captured replays inside the block changed."""
    outer, _here.before = _here.before, Before({}, {}, seeding.mark())
    try:
        yield
    finally:
        _here.before.restore()
        _here.before = outer


_WATCHED: Final[tuple[tuple[Any, str, Any], ...]] = (
    (Tensor, "_value", _Watch()),
    (variables, "_operand", _traceable_operand),
    (variables, "store", _noticed_store),
    (subscripts, "store", _noticed_store),
    (Source, "_take", _noticed_take),
    (seeding, "source", _noticed_source),
)
"""What is in place only while a capture is open somewhere, so that nothing else pays for it."""
_UNWATCHED: Final = tuple((owner, name, vars(owner)[name]) for owner, name, _ in _WATCHED)


@contextmanager
def _watching() -> Iterator[None]:
    with _lock:
        _open[0] += 1
        if _open[0] == 1:
            _put(_WATCHED)
            aside.listeners.append(_listen)
            sampling.listeners.append(_listen_to_draws)
    try:
        yield
    finally:
        with _lock:
            _open[0] -= 1
            if not _open[0]:
                _put(_UNWATCHED)
                aside.listeners.remove(_listen)
            sampling.listeners.remove(_listen_to_draws)


def _put(things: tuple[tuple[Any, str, Any], ...]) -> None:
    for owner, name, thing in things:
        setattr(owner, name, thing)
