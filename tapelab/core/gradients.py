"""Gradient calls: how one begins and ends, and what is kept of it.

A call goes from its arguments (`gradient_arguments`) through a backward pass (`backward`,
`batched_backward`) to results. What was asked and what came of it is kept on the tape as a
`GradientCall`, and the log notes whose derivatives the results are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Final
from weakref import ref

import numpy as np
from numpy import ndarray

from tapelab.core.backward import backward
from tapelab.core.gradient_call import GradientCall
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.log import thread
from tapelab.core.narrow import narrowed
from tapelab.core.origin import LoggedTensor, Origin, next_id
from tapelab.core.records import dropped, write_gradient_result
from tapelab.core.step_report import StepReport, shown_value
from tapelab.core.tensor import Tensor, wrap
from tapelab.core.variable import Variable
from tapelab.core.watching import Watching
from tapelab.recording.facts import KEPT_ELEMENTS, Method

observers: Final[list[Callable[[Any, GradientCall, Any], None]]] = []
"""What is called with the tape, the call and its results in full when a gradient call returns."""

_id_of: Final = attrgetter("id")


def begin_call(
    tape: Watching, method: Method, zero: bool, targets: Sequence[Any], sources: Sequence[Any],
    origin: Origin,
) -> GradientCall:  # fmt: skip
    """A call that the tape remembers; its results are yet to come."""
    ends, begins = seen(targets), seen(sources)
    call = GradientCall(next_id(), origin, method, zero, ends, begins, (None,) * len(begins))
    if method is not Method.PICTURE:
        reference: Any = ref(tape)
        thread.recent_calls.append((reference, call.serial, origin))
    tape._gradient_calls.append(call)
    return call


def seen(things: Iterable[Tensor | Variable]) -> tuple[LoggedTensor, ...]:
    """Tensors as the log remembers them, and variables in their present states."""
    found = []
    for thing in things:
        if isinstance(thing, Variable):
            tensor, owner = thing._cell.state, thing._cell.identity
        else:
            tensor, owner = thing, None
        value: Any = tensor._array
        if type(value) is ndarray and value.size > KEPT_ELEMENTS:
            value = dropped(value.shape, value.dtype)
        found.append(tuple.__new__(LoggedTensor, (tensor._id, value, tensor._origin, owner)))
    return tuple(found)


def finish_call(tape: Watching, call: GradientCall, results: Sequence[Any]) -> None:
    """Keep the results of a call, and note whose derivatives they are; then release the tape.

    An outer tape may be asked about them, and does not hear of this call otherwise.
    """
    shown, ids = [], []
    for result in results:
        value = result._array if type(result) is Tensor else result
        is_small = type(value) is not ndarray or value.size <= KEPT_ELEMENTS
        shown.append(value if is_small and value is not result else shown_value(value))
        ids.append(-1 if value is result else result._id)
    call.results, call.result_ids = tuple(shown), tuple(ids)
    write_gradient_result(
        thread.__dict__, next_id(), call.origin, targets=tuple(map(_id_of, call.targets)),
        results=call.result_ids, values=call.results,
    )  # fmt: skip
    for observe in observers:
        observe(tape, call, results)
    tape._release()


def unrecorded(
    tape: Watching, targets: Sequence[Tensor], cotangents: Sequence[Any], sources: Sequence[Any],
    report: StepReport, *, shown: bool = True,
) -> list[Any]:  # fmt: skip
    """The gradients of the sources, computed off every active tape."""
    active, thread.active_tapes = thread.active_tapes, ()
    try:
        return backward(tape, targets, cotangents, sources, report, shown=shown)
    finally:
        thread.active_tapes = active


def as_result(
    call: GradientCall, source: Any, cotangent: Any, zero: bool, before: tuple[int, ...] = ()
) -> Any:
    """What a call returns for a source: a tensor, None without a path, or zeros on request."""
    if isinstance(cotangent, (ndarray, np.generic)):
        value = source._array if type(source) is Tensor else source._cell.state._array
        if cotangent.dtype is value.dtype:
            return wrap(cotangent, next_id(), call.origin)
    if isinstance(cotangent, (Tensor, IndexedSlices)):
        return cotangent
    if cotangent is None:
        if not zero:
            return None
        cotangent = np.zeros((*before, *source.shape), source.dtype.as_numpy_dtype)[()]
    return wrap(narrowed(cotangent, source.dtype._numpy), next_id(), call.origin)
