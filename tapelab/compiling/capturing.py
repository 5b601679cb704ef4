"""Watching a replay closely: every op, every variable, and who looks at the numbers.

A `Capture` is a tape that takes every op, so that gradients asked inside are worked out on tensors
and are written down as ops like all others. While one is open, reading the numbers of a tensor goes
through a watch: what decides by them (a branch, a length, a message) would decide differently on
other numbers, so such a replay tells too little to be made a program of.
"""

from __future__ import annotations

import opcode
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, Final

from tapelab.compiling.admission import draws
from tapelab.compiling.graph import Node
from tapelab.compiling.replay import drawing_by
from tapelab.compiling.walking import leaves
from tapelab.compiling.worlds import fresh_state, thread_in
from tapelab.engine import aside
from tapelab.engine import variable as variables
from tapelab.engine.cell import Cell
from tapelab.engine.log import Origin
from tapelab.engine.records import ASSIGNED, Record
from tapelab.engine.tape import GradientTape
from tapelab.engine.tensor import Tensor, constant_of
from tapelab.random.sampling import Source

_MODULES: Final = frozenset(f"tapelab.engine.{name}" for name in (
    *("dispatch", "quick", "log", "watching", "flows", "cell", "custom", "ends"),
))  # fmt: skip
"""Modules that only hand numbers on, to kernels, to rules, to the log, to a variable."""
READERS: Final = frozenset(f"tapelab.{name}" for name in (
    *("engine.aside.aside", "engine.variable._operand", "engine.tape.GradientTape.watch"),
    *("engine.indexed_slices.IndexedSlices.dense", "engine.indexed_slices.IndexedSlices.preview"),
    *("engine.asking.seen", "engine.handing.undo_broadcast", "engine.jacobians._rows"),
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
FACTS: Final = frozenset({"shape", "dtype", "ndim", "size"})
"""What may be asked of an array without looking at its numbers."""


class _Everything(set[int]):
    """The ids that a capture follows."""

    def __contains__(self, _: object) -> bool:
        return True

    def update(self, *_: Any) -> None:
        """Nothing is kept: everything is in it."""


class Capture(GradientTape):
    """A tape that takes every op and knows the tensors that went in."""

    def __init__(self) -> None:
        super().__init__(persistent=True, watch_accessed_variables=False)
        self.tensors: dict[int, Tensor] = {}
        self.cells: dict[int, Cell] = {}
        self.states: list[tuple[Cell, Tensor]] = []
        self.looked_at: dict[int, str] = {}
        self.handed_out: set[int] = set()
        self.by_value: dict[int, int] = {}
        self.asides: list[tuple[int, Any, tuple[Any, ...], Any]] = []
        self.draws: list[tuple[Callable[[], Any], list[Tensor]]] = []
        self.seeds: set[int] = set()
        self.drew = False

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
        state = fresh_state()
        _here.capture = None
        try:
            with thread_in(state):
                result = run()
        finally:
            _here.capture = self
        made = leaves(result)
        if all(type(each) is Tensor for each in made):
            self.draws.append((run, made))
        else:
            self.drew = True
        written = {record[4].id for record in state["records"] if record[0] == ASSIGNED}
        self.seeds |= written
        return result

    def took(self, function: Any, given: tuple[Any, ...], result: Any) -> None:
        """Notice numbers that are worked out beside the tape, at this place in the records."""
        self.asides.append((len(self._windows[-1][0].records), function, given, result))

    def saw(self, tensor: Tensor, value: Any, frame: FrameType) -> None:
        """Notice that the numbers of a tensor are read, and by whom."""
        self.tensors[tensor._id] = tensor
        self.by_value[id(value)] = tensor._id
        if _asks(frame):
            return
        module = frame.f_globals.get("__name__", "")
        reader = f"{module}.{_function(frame.f_code)}"
        if module not in _MODULES and reader not in READERS:
            self.looked_at.setdefault(tensor._id, reader)
        elif reader in HANDING_OUT:
            self.handed_out.add(tensor._id)


_EVERYTHING: Final = _Everything()


def _function(code: CodeType) -> str:
    """The name of a function, also of one whose comprehension runs."""
    return code.co_qualname.partition(".<locals>.<")[0]


def _asks(frame: FrameType) -> bool:
    """Whether the read is of the form `tensor._value.shape`."""
    key = frame.f_code, frame.f_lasti
    found = _asked.get(key)
    if found is None:
        found = _asked[key] = _next_attribute(*key) in FACTS
    return found


_asked: Final[dict[tuple[CodeType, int], bool]] = {}


def _next_attribute(code: CodeType, at: int) -> str:
    """The attribute that the instruction after the one at an offset takes, if it takes one."""
    caches: Any = vars(opcode)["_inline_cache_entries"]  # whose types are published nowhere
    raw = code.co_code
    after = at + 2 + 2 * _entries(caches, raw[at])
    high = 0
    while raw[after] == opcode.EXTENDED_ARG:
        high, after = (high | raw[after + 1]) << 8, after + 2
    if opcode.opname[raw[after]] != "LOAD_ATTR":
        return ""
    number = high | raw[after + 1]
    return code.co_names[number >> 1 if sys.version_info >= (3, 12) else number]


def _entries(caches: Any, code: int) -> int:
    return int(caches.get(opcode.opname[code], 0) if isinstance(caches, dict) else caches[code])


class _Here(threading.local):
    capture: Capture | None = None


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


_take: Final = Source._take


def _noticed_take(source: Source, count: int) -> Any:
    if _here.capture is not None:
        _here.capture.drew = True
    return _take(source, count)


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


_WATCHED: Final[tuple[tuple[Any, str, Any], ...]] = (
    (Tensor, "_value", _Watch()),
    (variables, "_operand", _traceable_operand),
    (Source, "_take", _noticed_take),
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
    try:
        yield
    finally:
        with _lock:
            _open[0] -= 1
            if not _open[0]:
                _put(_UNWATCHED)
                aside.listeners.remove(_listen)


def _put(things: tuple[tuple[Any, str, Any], ...]) -> None:
    for owner, name, thing in things:
        setattr(owner, name, thing)
