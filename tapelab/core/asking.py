"""Questions to a tape, and what is kept of them: gradients, and what a picture asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import is_
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

import numpy as np
from numpy import ndarray

from tapelab import nest
from tapelab.core.backprop import sweep
from tapelab.core.composite_tensor import gradients_like
from tapelab.core.ends import fitting_seeds, sources_of, targets_of
from tapelab.core.execute import composite
from tapelab.core.flows import Flows, plain
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.log import Origin, Seen, asked_from, next_id, thread
from tapelab.core.narrow import narrowed
from tapelab.core.reaching import needed_once
from tapelab.core.records import truncated, write_gradient_result
from tapelab.core.tensor import Tensor, wrap
from tapelab.core.variable import Variable
from tapelab.recording.facts import Method

if TYPE_CHECKING:
    from tapelab.core.tape import GradientTape


@dataclass(eq=False, repr=False, slots=True)
class Answer:
    """A question that was put to a tape and what came of it, for the recording."""

    serial: int
    origin: Origin
    method: Method
    zero: bool
    targets: tuple[Seen, ...]
    sources: tuple[Seen, ...]
    results: tuple[Any, ...] = ()
    made: tuple[int, ...] = ()  # the ids of the results, -1 for none
    flows: Flows = field(default_factory=Flows)


@composite
def gradient(tape: GradientTape, target: Any, sources: Any, seeds: Any, zero: bool) -> Any:
    """The gradient of the sum of the targets for each source."""
    tape._close()
    targets, origins = targets_of(target), sources_of(sources)
    upstream = fitting_seeds(tape, targets, seeds)
    answer = ask(tape, Method.GRADIENT, zero, targets, origins, asked_from())
    once = needed_once(tape)
    try:
        found = sweep(tape, targets, upstream, origins, answer.flows, once=once)
    except BaseException:
        if once:  # values that are behind are gone
            tape._release()
        raise
    results = [
        filled(answer, source, each, zero) for source, each in zip(origins, found, strict=True)
    ]
    keep(tape, answer, results)
    tape._release()
    if origins and sources is origins[0]:
        return results[0]
    if type(sources) is list and len(sources) == len(origins) and all(map(is_, sources, origins)):
        return results
    return nest.pack_sequence_as(sources, gradients_like(nest.flatten(sources), results))


def ask(
    tape: GradientTape, method: Method, zero: bool, targets: Any, sources: Any, origin: Origin
) -> Answer:
    """Remember a question; its answer is yet to come."""
    ends, begins = tuple(map(seen, targets)), tuple(map(seen, sources))
    answer = Answer(next_id(), origin, method, zero, ends, begins, (None,) * len(begins))
    if method is not Method.PICTURE:
        thread.asked.append((ref(tape), answer.serial, origin))
    tape._answers.append(answer)
    return answer


def seen(thing: Any) -> Seen:
    """A tensor as the log remembers it, or the present state of a variable."""
    owner = None
    if type(thing) is not Tensor and isinstance(thing, Variable):
        cell = thing._cell
        thing, owner = cell.state, cell.identity
    return tuple.__new__(Seen, (thing._id, truncated(thing._array), thing._origin, owner))


hearers: Final[list[Callable[[GradientTape, Answer, Any], None]]] = []
"""Who is told of each answer when it is given, with its results in full."""


def keep(tape: GradientTape, answer: Answer, results: Any) -> None:
    """Keep what came of a question, and write down whose derivatives the results are.

    An outer tape may be asked about them, and does not hear of this question otherwise.
    """
    answer.results = kept(results)
    answer.made = tuple([each._id if type(each) is Tensor else -1 for each in results])
    ends = tuple([each.id for each in answer.targets])
    write_gradient_result(
        thread.__dict__, next_id(), answer.origin, targets=ends, results=answer.made,
        values=answer.results,
    )  # fmt: skip
    for hear in hearers:
        hear(tape, answer, results)


def kept(results: Any) -> tuple[Any, ...]:
    """The results as a recording shows them, without the large ones."""
    return tuple(map(plain, results))


def unrecorded(
    tape: GradientTape, targets: list[Tensor], seeds: list[Any], origins: Any, flows: Flows,
    *, shown: bool = True,
) -> list[Any]:  # fmt: skip
    """What flows back, computed off every tape that listens."""
    listening, thread.active = thread.active, ()
    try:
        return sweep(tape, targets, seeds, origins, flows, shown=shown)
    finally:
        thread.active = listening


def filled(
    answer: Answer, source: Any, found: Any, zero: bool, before: tuple[int, ...] = ()
) -> Any:
    """What a tape answers for a source: a tensor, None without a path, or zeros on request."""
    if type(found) is ndarray:
        value = source._array if type(source) is Tensor else source._cell.state._array
        if found.dtype is value.dtype:
            return wrap(found, next_id(), answer.origin)
    if isinstance(found, (Tensor, IndexedSlices)):
        return found
    if found is None:
        if not zero:
            return None
        found = np.zeros((*before, *source.shape), source.dtype.as_numpy_dtype)[()]
    return wrap(narrowed(found, source.dtype._numpy), next_id(), answer.origin)
