"""What is in place only while a capture is open somewhere, so that nothing else pays for it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from tapelab.compiling.capturing import Capture, here
from tapelab.compiling.drawing import Before, Place, sources
from tapelab.compiling.replay import drawing_by
from tapelab.engine import aside
from tapelab.engine import variable as variables
from tapelab.engine.cell import Cell, store
from tapelab.engine.tensor import Tensor, constant_of
from tapelab.ops import subscripts
from tapelab.random import sampling, seeding
from tapelab.random.sampling import Source
from tapelab.recording.facts import How

_lock: Final = threading.RLock()
_open: Final = [0]


class _Watch:
    """What stands for the place of the numbers in a tensor while a capture is open somewhere."""

    def __get__(self, tensor: Tensor | None, owner: Any = None) -> Any:
        if tensor is None:
            return self
        value = _SLOT.__get__(tensor)
        if here.capture is not None:
            here.capture.saw(tensor, value, sys._getframe(1))
        return value

    def __set__(self, tensor: Tensor, value: Any) -> None:
        _SLOT.__set__(tensor, value)


_SLOT: Final[Any] = vars(Tensor)["_value"]
_operand: Final = variables._operand


def _traceable_operand(cell: Cell, given: Any) -> tuple[Any, int]:
    """The operand of an assignment; what is no tensor becomes one, so that it has a place."""
    value, source = _operand(cell, given)
    if here.capture is None:
        return value, source
    here.capture.note_cell(cell)
    if source < 0:
        made = constant_of(value)
        here.capture.tensors[made._id] = made
        source = made._id
    return value, source


def _listen(function: Any, given: tuple[Any, ...], result: Any) -> None:
    if here.capture is not None:
        here.capture.took(function, given, result)


def _noticed_store(cell: Cell, value: Any, how: How, source: int) -> None:
    """Give a variable a new state, of which a capture knows where it came from."""
    if here.before is not None:
        here.before.cells.setdefault(id(cell), (cell, cell.state))
    if here.drawing is not None:
        here.drawing.seeds[id(cell)] = cell
    if here.capture is None:
        store(cell, value, how, source)
        return
    here.capture.note_cell(cell)
    store(cell, value, how, source)
    here.capture.tensors[cell.state._id] = cell.state


_take: Final = Source._take


def _noticed_take(source: Source, steps: int) -> Place:
    if here.before is not None:
        here.before.places.setdefault(id(source), (source, (source._counter, source._key)))
    if here.capture is not None:
        here.capture.drawing.unusual += 1
    elif here.drawing is not None and type(source) is not Source:
        here.drawing.generators[id(source)] = source
    return _take(source, steps)


def _noticed_source(*request: Any) -> Source:
    if here.capture is None:
        return sources(*request)
    return here.capture.drawing.sought(*request)


def _listen_to_draws(source: Source, *draw: Any) -> None:
    if here.capture is not None:
        here.capture.drawing.took(source, *draw)


@contextmanager
def captured() -> Iterator[Capture]:
    """Capture what happens in this thread inside the block."""
    capture = Capture()
    with _watching(), drawing_by(capture.draw), capture:
        here.capture = capture
        try:
            yield capture
        finally:
            here.capture = None


@contextmanager
def undone() -> Iterator[None]:
    """Put back what captured replays inside the block changed."""
    outer, here.before = here.before, Before({}, {}, seeding.mark())
    try:
        yield
    finally:
        here.before.restore()
        here.before = outer


_WATCHED: Final[tuple[tuple[Any, str, Any], ...]] = (
    (Tensor, "_value", _Watch()),
    (variables, "_operand", _traceable_operand),
    (variables, "store", _noticed_store),
    (subscripts, "store", _noticed_store),
    (Source, "_take", _noticed_take),
    (seeding, "source", _noticed_source),
)
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
