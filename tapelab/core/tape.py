"""The gradient tape: when it records, what it watches, and the gradients it gives.

While its block runs, a tape is one of the active tapes of its thread. The ops that run are written
to the log of the outermost tape (`log`), each with the tapes that took it; a tape itself holds only
windows into logs and the ids that it tracks (`tape_base`). `gradient` visits the records of its
windows backwards (`backward`). Invariants: a tape that is not persistent gives gradients once, and
then releases large values that no other tape needs; a tape is entered, paused and left in one
thread; the records of a closed window never change, except that large values may be dropped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from operator import is_
from typing import TYPE_CHECKING, Any, Final, Self

from tapelab import nest
from tapelab.core.backward import backward
from tapelab.core.cell import Holder
from tapelab.core.composite_tensor import CompositeTensor, Walked, gradients_like
from tapelab.core.dispatch import public
from tapelab.core.garbage_collection import relax_gc, restore_gc
from tapelab.core.gradient_call import (
    as_result,
    begin_call,
    finish_call,
    ones_like,
    seeds_of,
    sources_of,
    targets_of,
)
from tapelab.core.helper_calls import enter, user_frame
from tapelab.core.log import Log, origin_here, recent, thread
from tapelab.core.logger import warn
from tapelab.core.origin import Origin, Scope, next_id
from tapelab.core.records import (
    TapeClosed,
    TapeEvent,
    TapeOpened,
    TapePaused,
    TapeReset,
    TapeResumed,
    write_tape_event,
    write_watch,
)
from tapelab.core.tape_base import TapeBase
from tapelab.core.tensor import Tensor
from tapelab.core.value_types import Nest
from tapelab.core.variable import Variable
from tapelab.errors import Refusal, RefusedError
from tapelab.recording.facts import Method

if TYPE_CHECKING:
    from tapelab.recording import Recording

_frame: Final = sys._getframe
CONSUMED: Final = (
    "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
)
CONSUMED_HELP: Final = (
    "Try tf.GradientTape(persistent=True), or ask for all sources at once: "
    "tape.gradient(target, [x, y])."
)


recorders: Final[list[Callable[[GradientTape, Any, Any], Recording]]] = []
"""What makes a recording of a tape, a target and sources: the recorder, which lies above."""


class UnconnectedGradients(Enum):
    """What `gradient` returns where no path leads from the target to a source."""

    NONE = "none"
    ZERO = "zero"


class GradientTape(TapeBase):
    """Records the ops that run in its block, and computes gradients from them afterwards.

    A trainable variable is watched from its first read; a tensor only after `watch`. The tape
    belongs to the thread that entered it. Unless `persistent`, it gives gradients once and then
    releases what it kept.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        super().__init__(watch_accessed_variables)
        self._persistent = persistent
        self._origin = origin_here(None, 2)
        self._opened = self._closed = 0
        self._thread = thread.number

    @public(effect="tape")
    def __enter__(self) -> Self:
        if self._recording:
            raise ValueError(
                "Tape is still recording, this can happen if you try to re-enter an "
                "already-active tape. Leave its block first."
            )
        if self._consumed:
            self._start_afresh()
        self._push()
        return self

    @public(effect="tape")
    def __exit__(self, *exception: object) -> None:
        if self._recording:
            self._pop()

    def _start_afresh(self) -> None:
        self._forget()
        self._windows, self._gradient_calls = [], []
        self._opened, self._consumed = 0, False

    def _push(self) -> None:
        if self._windows:
            self._ids = self._tracked  # looks at what was recorded before a new window opens
        self._recording = self._entered = True
        state = thread.__dict__
        log = state["log"]
        if log is None:
            log = state["log"] = self._windows[-1][0] if self._windows else Log(recent.so_far())
            log.base = self._origin.code
            state["records"] = log.records
        else:  # what a function computes before its own tape may have been seen without a log
            enter(log, user_frame(_frame(1)))
        log.add_holder(self)
        self._thread = state["number"]
        state["tapes"].append(self)
        thread.active_tapes = (*state["active_tapes"], self)
        relax_gc()
        self._read_until = begun = len(log.records)
        self._windows.append([log, begun, None])
        if not self._opened:
            self._opened = self._note(TapeOpened)

    def _note(self, kind: type[TapeEvent]) -> int:
        """Write to the log what happens to this tape; returns the serial of the record."""
        origin = origin_here(None, 3)
        return write_tape_event(thread.__dict__, next_id(), origin, kind, tape=self._serial)

    def _pop(self) -> None:
        self._recording = False
        restore_gc()
        self._closed = self._note(TapeClosed)
        self._leave()

    def _leave(self) -> None:
        """Record nothing any more in this thread; the log of the last tape becomes history."""
        state = thread.__dict__
        tapes = state["tapes"]
        if self in tapes:
            tapes.remove(self)
        thread.active_tapes = tuple([tape for tape in state["active_tapes"] if tape is not self])
        self._token = (None, ())  # which lead to this tape: Python would have to search for it
        if self._windows and self._windows[-1][2] is None:
            self._windows[-1][2] = len(self._windows[-1][0].records)
        log = state["log"]
        if log is not None and not (
            tapes and any(isinstance(each, GradientTape) for each in tapes)
        ):
            state["log"] = None
            state["records"] = recent
            recent.extend(log.latest())

    def _abandon(self) -> None:
        """End the recording wherever an interrupt in `__enter__` or `__exit__` has left it."""
        if self._recording:
            self._recording = False
            with suppress(IndexError):  # the interrupt came before `relax_gc`
                restore_gc()
        self._leave()

    @public(effect="tape")
    def watch(self, tensor: Nest) -> None:
        """Track a tensor, a variable, or any nest of them, from here on."""
        if self._consumed:
            raise AttributeError(
                "This tape has given its one answer and cannot watch any more. Watch before you "
                "ask it, or make it with tf.GradientTape(persistent=True)."
            )
        for item in (tensor,) if type(tensor) is Tensor else _watchable(tensor):
            each = item._numbers() if isinstance(item, CompositeTensor) else item
            if not isinstance(each, (Tensor, Variable)):
                raise ValueError(
                    f"Passed in object {each!r} of type {type(each).__name__!r}, not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                    f"{_instead(each)}"
                )
            if not self._entered:
                raise AttributeError(
                    "This tape was never entered, so it cannot watch. "
                    "Call watch inside its block: with tf.GradientTape() as tape: tape.watch(x)."
                )
            known = each._array.dtype.kind in "fcV" if type(each) is Tensor else False
            if not (known or each.dtype.is_differentiable):
                warn(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r",
                    each.dtype,
                )
                if isinstance(each, Tensor):
                    if self._recording:
                        write_watch(
                            thread.__dict__, next_id(), origin_here(), tape=self._serial,
                            tensor=each._id, value=each._array,
                        )  # fmt: skip
                    continue
            if self._recording:
                self._follow(each)

    @public
    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables this tape watches, in the order in which they were created."""
        return tuple(self._watched[number] for number in sorted(self._watched))

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Compute off this tape for the length of a block."""
        self._pause()
        try:
            yield
        finally:
            self._resume()

    @public(effect="tape")
    def _pause(self) -> None:
        if not self._entered or self._consumed:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._note(TapePaused)
        thread.active_tapes = tuple(tape for tape in thread.active_tapes if tape is not self)
        self._recording = False

    @public(effect="tape")
    def _resume(self) -> None:
        self._recording = True
        thread.active_tapes = tuple(tape for tape in thread.tapes if tape._recording)
        self._note(TapeResumed)

    @public(effect="stateful")
    def reset(self) -> None:
        """Forget all ops and all watched variables, and go on recording."""
        if not self._recording:
            raise ValueError("Tape is not recording.")
        for call in self._gradient_calls:
            call.report.read()
        self._forget()
        self._opened = self._note(TapeReset)
        log = self._windows[-1][0]
        self._windows = [[log, len(log.records) - 1, None]]  # from the reset on
        self._read_until = len(log.records)
        thread.active_tapes = (*thread.active_tapes,)  # a new token: no tensor is tracked yet

    @public
    def gradient(
        self, target: Nest, sources: Nest, output_gradients: Nest = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:  # fmt: skip
        """How the (summed) target changes with each source, in the structure of the sources.

        `None`, or zeros with `unconnected_gradients`, where no path leads to a source.
        """
        zero = unconnected_gradients is not UnconnectedGradients.NONE
        zero = zero and _wants_zero(unconnected_gradients)
        state, here = thread.__dict__, origin_here(None, 3)
        outer, place = state["scope"], (here.code, here.instruction)
        scope = state["scope"] = tuple.__new__(Scope, ("gradient", outer, *place))
        try:  # what `composite` does, written out because this runs often
            if self._recording or self._consumed or not self._entered:
                self._close()
            targets = [target] if type(target) is Tensor else targets_of(target, self)
            ends = [sources] if type(sources) is Tensor else sources_of(sources)
            given = output_gradients is not None
            seeds = seeds_of(self, targets, output_gradients) if given else ones_like(targets)
            origin = tuple.__new__(Origin, (None, *place, scope))
            call = begin_call(self, Method.GRADIENT, zero, targets, ends, origin)
            cotangents = backward(self, targets, seeds, ends, call.report, final=True)
            gradients = []
            for source, cotangent in zip(ends, cotangents, strict=True):
                gradients.append(as_result(call, source, cotangent, zero))
            finish_call(self, call, gradients)
        finally:
            state["scope"] = outer
        if ends and sources is ends[0]:
            return gradients[0]
        if type(sources) is list and len(sources) == len(ends) and all(map(is_, sources, ends)):
            return gradients
        return nest.pack_sequence_as(sources, gradients_like(nest.flatten(sources), gradients))

    @public
    def jacobian(
        self, target: Nest, sources: Nest,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None, experimental_use_pfor: bool = True,
    ) -> Any:  # fmt: skip
        """How each element of the target changes with each element of the sources.

        The shape is that of the target followed by that of the source.
        """
        del parallel_iterations
        from tapelab.core.jacobians import jacobian  # not before somebody asks

        zero = _wants_zero(unconnected_gradients)
        return jacobian(self, target, sources, zero, experimental_use_pfor)

    @public
    def batch_jacobian(
        self, target: Nest, source: Nest,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None, experimental_use_pfor: bool = True,
    ) -> Any:  # fmt: skip
        """One Jacobian per row of a batch, of shape [batch, target…, source…]."""
        del unconnected_gradients
        from tapelab.core.jacobians import batch_jacobian  # not before somebody asks

        pfor = experimental_use_pfor and parallel_iterations is None
        return batch_jacobian(self, target, source, pfor)

    def recording(self, target: Nest = None, sources: Nest = None) -> Recording:
        """What this tape saw and was asked, as plain data.

        With a target, the backward pass to the sources (by default: all that is watched) is part of
        it even if that gradient was not asked for yet; a non-persistent tape keeps its one answer.
        """
        (make,) = recorders
        return make(self, target, sources)

    def _all_watched(self) -> list[Any]:
        return [*self.watched_variables(), *self._followed.values()]

    def _close(self) -> None:
        """End the recording before the one call of a tape that is not persistent."""
        self._require_unused()
        if self._persistent:
            if self._recording:
                warn(
                    "Calling GradientTape.gradient on a persistent tape inside its context is "
                    "significantly less efficient than calling it outside the context (it causes "
                    "the gradient ops to be recorded on the tape, leading to increased CPU and "
                    "memory usage). Only call GradientTape.gradient inside the context if you "
                    "actually want to trace the gradient in order to compute higher order "
                    "derivatives."
                )
            return
        if self._recording:
            self._pop()

    def _require_unused(self) -> None:
        if self._consumed or not self._entered:
            refusal = Refusal("TAPE_CONSUMED", origin_here(), self)
            error = RefusedError(CONSUMED, refusal)
            error.add_note(CONSUMED_HELP)
            raise error

    def _release(self) -> None:
        """Release what a gradient call needed; a call that was refused leaves all in place."""
        if not self._persistent:
            self._consumed = True
            self._followed.clear()
            for log, _, _ in self._windows:
                log.release(self)


def _instead(value: Nest) -> str:
    return " Try its .value." if isinstance(value, Holder) else " Try x = tf.constant(…) first."


def _wants_zero(unconnected: UnconnectedGradients | str) -> bool:
    if unconnected is UnconnectedGradients.NONE:
        return False
    try:
        return UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: {unconnected!r}. "
            "Try tf.UnconnectedGradients.ZERO or tf.UnconnectedGradients.NONE."
        ) from None


def _watchable(things: Nest) -> Iterator[Any]:
    """What a tape can watch in a nest; it does not watch integers inside extension types."""
    for item in nest.flatten(things):
        if not isinstance(item, Walked):
            yield item
            continue
        yield from (part for part in item._parts() if part.dtype.is_differentiable)
