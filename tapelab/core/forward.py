"""Forward mode: a tangent travels along with each value, op by op, as the code runs.

While an accumulator listens, an observer of the thread follows each op forward as soon as it ran.
The JVP of an op comes from its gradient rule (`tangents`), and what is computed is seen by the
tapes and accumulators that were opened before, which can differentiate it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from tapelab.core.log import thread
from tapelab.core.observer import Observer
from tapelab.core.origin import Origin
from tapelab.core.records import OpRun, Record, tapes_of, view
from tapelab.core.tangents import tangents_of
from tapelab.core.tensor import Tensor, wrap

if TYPE_CHECKING:
    from tapelab.core.cell import Cell

_serials: Final = count(-1, -1)
"""Below zero, where no tape has its number."""


class Accumulating:
    """Follows tangents forward; to the ops it looks like one more tape that listens."""

    _follows_all = False  # each op that it hears is more than an entry

    def __init__(self) -> None:
        self._serial = next(_serials)
        self._token: tuple[Any, Any] = (None, ())
        self._serials: tuple[int, ...] = (self._serial,)
        self._tracked: set[int] = set()
        self._stopped_ids: set[int] = set()
        self._tangents: dict[int, Tensor] = {}
        self._of_variable: dict[int, Tensor] = {}
        self._recording = False

    def _follow(self, number: int, tangent: Tensor) -> None:
        self._tracked.add(number)
        self._tangents[number] = tangent

    def _on_read(self, cell: Cell, origin: Origin | None = None) -> None:
        tangent = self._of_variable.get(cell.identity.id)
        if tangent is not None:
            self._follow(cell.state._id, tangent)

    def _push(self) -> None:
        self._recording = True
        thread.tapes.append(self)
        thread.active_tapes = (*thread.active_tapes, self)
        if _FORWARD not in thread.observers:
            thread.observers = (*thread.observers, _FORWARD)

    def _pop(self) -> None:
        self._recording = False
        thread.tapes.remove(self)
        thread.active_tapes = tuple(each for each in thread.active_tapes if each is not self)
        if not any(isinstance(each, Accumulating) for each in thread.tapes):
            thread.observers = tuple(each for each in thread.observers if each is not _FORWARD)

    def _advance(self, run: OpRun) -> None:
        """Give the results of an op their tangents."""
        origin, made = run.origin, dict(run.result_pairs)
        moving = [self._tangents.get(each) for each in run.input_ids]
        known = self._from_body(made, run.settings)
        if len(known) < len(made) and any(each is not None for each in moving):
            with _heard_by_those_before(self):
                ends = zip(run.inputs, run.input_ids, strict=True)
                inputs = [wrap(x, each, origin) for x, each in ends]
                outputs = [wrap(y, each, origin) for each, y in made.items()]
                found = tangents_of(run.op, outputs, inputs, run.settings, moving)
            known = dict(zip(made, found, strict=True)) | known
        self._tangents.update((each, new) for each, new in known.items() if new is not None)

    def _from_body(self, made: dict[int, Any], settings: dict[str, Any]) -> dict[int, Tensor]:
        """The tangents that came through the body of a function with a gradient of its own."""
        inside = settings.get("body", ())
        return {
            each: self._tangents[other]
            for each, other in zip(made, inside, strict=False)
            if other in self._tangents
        }


class ForwardPass(Observer):
    """Lets each accumulator that knows an input of an op advance by it."""

    def op_recorded(self, record: Record) -> None:
        """Give the results of an op their tangents, in the accumulators that listen to it."""
        tapes = tapes_of(record)
        if tapes:
            for each in tuple(thread.tapes):  # the outer ones first, for the inner use them
                if each._serial in tapes and isinstance(each, Accumulating):
                    each._advance(view(OpRun, record))


_FORWARD: Final = ForwardPass()


@contextmanager
def _heard_by_those_before(accumulator: Accumulating) -> Iterator[None]:
    active = thread.active_tapes
    at = next(i for i, each in enumerate(active) if each is accumulator)
    thread.active_tapes = active[:at]
    try:
        yield
    finally:
        thread.active_tapes = active
