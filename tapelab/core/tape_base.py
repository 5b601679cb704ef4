"""What a tape tracks: the tensors and variables that it watches, and all that is computed of them.

The ids of tracked tensors are a set that is brought up to date from the log only when it is read:
while ops run on their fast path, tensors bear the token of the active tapes instead. A variable is
tracked through its states, the tensors that it held when it was read. Tensors behind a
`stop_gradient` boundary are tracked, so that figures can show them, but have no gradient.
"""

from __future__ import annotations

from itertools import count, repeat
from typing import Any, Final

from tapelab.core.backward_report import GradientCall
from tapelab.core.cell import Cell
from tapelab.core.large_values import truncated
from tapelab.core.log import ActiveTape, origin_here, thread
from tapelab.core.origin import Origin, VariableIdentity, next_id
from tapelab.core.records import add_result_ids, write_watch
from tapelab.core.tensor import Tensor
from tapelab.core.value_types import Nest
from tapelab.core.variable import Variable, handle_of

_serials: Final = count(1)


class TapeBase:
    """The part of a tape that knows which tensors are tracked: those watched, then all results."""

    _persistent: bool

    def __init__(self, watch_accessed_variables: bool) -> None:
        self._auto = watch_accessed_variables
        self._serial = next(_serials)
        self._serials: tuple[int, ...] = (self._serial,)
        self._token: tuple[Any, Any] = (None, ())
        self._ids: set[int] = set()
        self._read_until = 0
        self._stopped_ids: set[int] = set()
        self._watched: dict[int, Variable] = {}
        self._states: dict[int, VariableIdentity] = {}
        self._followed: dict[int, Tensor] = {}
        self._windows: list[list[Any]] = []
        self._gradient_calls: list[GradientCall] = []
        self._recording = False
        self._entered = False
        self._consumed = False

    @property
    def _follows_all(self) -> bool:
        """Whether every op on tracked tensors is tracked: there is no stop_gradient boundary."""
        return not self._stopped_ids

    @property
    def _tracked(self) -> set[int]:
        """The ids of all tracked tensors, up to date with the log."""
        if self._windows:
            log, _, stop = self._windows[-1]
            end = len(log.records) if stop is None else stop
            if end > self._read_until:
                add_result_ids(self._ids, self._serial, log.records[self._read_until : end])
                self._read_until = end
        return self._ids

    def _close(self) -> None:
        """End the recording of a tape that is not persistent; RuntimeError if it was used."""
        raise NotImplementedError

    def _require_unused(self) -> None:
        """RuntimeError if a tape that is not persistent was used."""
        raise NotImplementedError

    def _release(self) -> None:
        """Release what a tape that is not persistent kept for its gradient call."""
        raise NotImplementedError

    def _follow(self, source: Nest) -> None:
        if isinstance(source, Variable):
            self._watched.setdefault(source._cell.identity.id, source)
            self._watch_state(source._cell, 0)
            return
        was_stopped = source._id in self._stopped_ids
        self._stopped_ids.discard(source._id)
        fresh = source._id not in self._tracked
        if fresh:
            self._track(source)
            self._followed[source._id] = source
        if fresh or was_stopped:
            write_watch(
                thread.__dict__, next_id(), origin_here(None, 3), tape=self._serial,
                tensor=source._id, value=truncated(source._array),
            )  # fmt: skip

    def _track(self, tensor: Tensor) -> None:
        """Begin to track a tensor; it gets the token of the active tapes if all track it."""
        for call in self._gradient_calls:
            call.report.read()
        self._ids.add(tensor._id)
        state = thread.__dict__
        active = state["active_tapes"]
        alone = len(active) == 1 and active[0] is self and not self._stopped_ids
        if alone or all(map(self._tracks_too, repeat(tensor._id), active)):
            tensor._tapes = state["token"]

    def _tracks_too(self, number: int, tape: ActiveTape) -> bool:
        """Whether an active tape tracks the tensor with an id, and all that is computed of it."""
        return bool(tape._follows_all and (tape is self or number in tape._tracked))

    def _on_read(self, cell: Cell, origin: Origin | None = None) -> None:
        identity, watched = cell.identity, self._watched
        if identity.id not in watched:
            if not (self._auto and identity.trainable):
                return
            watched[identity.id] = handle_of(cell)
        if cell.state._id not in self._states:
            self._watch_state(cell, 1, origin)

    def _watch_state(self, cell: Cell, how: int, origin: Origin | None = None) -> None:
        state, identity = cell.state, cell.identity
        if state._id in self._states:
            return
        self._states[state._id] = identity
        if state._array.dtype.kind in "fcV":  # it is differentiable
            self._track(state)
        write_watch(
            thread.__dict__, next_id(), origin or origin_here(), tape=self._serial,
            tensor=state._id, value=truncated(state._array), variable=identity, how=how,
        )  # fmt: skip

    def _forget(self) -> None:
        for memory in (self._ids, self._stopped_ids, self._watched, self._states, self._followed):
            memory.clear()
