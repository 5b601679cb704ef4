"""Questions to a tape: gradient, jacobian and batch_jacobian, their checks and their answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from tapelab import nest
from tapelab.engine.backprop import sweep
from tapelab.engine.cell import Holder
from tapelab.engine.composite_tensor import gradients_like, numbers_of
from tapelab.engine.dispatch import composite
from tapelab.engine.flows import Flows, plain
from tapelab.engine.indexed_slices import IndexedSlices
from tapelab.engine.log import Origin, Seen, next_id, origin_here, small, thread
from tapelab.engine.narrow import narrowed
from tapelab.engine.op import REGISTRY
from tapelab.engine.reaching import forgotten
from tapelab.engine.tensor import Tensor, constant_of
from tapelab.engine.variable import Variable, handle_of, read
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.recording.facts import Method

if TYPE_CHECKING:
    from tapelab.engine.tape import GradientTape


@dataclass(eq=False, repr=False)
class Answer:
    """A question that was put to a tape and what came of it, for the recording."""

    serial: int
    origin: Origin
    method: Method
    zero: bool
    targets: tuple[Seen, ...]
    sources: tuple[Seen, ...]
    results: tuple[Any, ...] = ()
    flows: Flows = field(default_factory=Flows)


@composite
def gradient(tape: GradientTape, target: Any, sources: Any, seeds: Any, zero: bool) -> Any:
    """The gradient of the sum of the targets for each source."""
    tape._close()
    targets, origins = _targets(target), _sources(sources)
    upstream = _fitting(tape, targets, seeds)
    answer = _ask(tape, Method.GRADIENT, zero, targets, origins)
    found = sweep(tape, targets, upstream, origins, answer.flows)
    results = [_filled(source, each, zero) for source, each in zip(origins, found, strict=True)]
    answer.results = _kept(results)
    tape._release()
    return nest.pack_sequence_as(sources, gradients_like(nest.flatten(sources), results))


def picture(tape: GradientTape, target: Any, sources: Any) -> None:
    """The way back for a picture: nothing is returned, recorded or used up.

    Where the tape has let go of numbers that it would take, only the question is kept.
    """
    targets, origins = _targets(target), _sources(sources)
    answer = _ask(tape, Method.PICTURE, False, targets, origins)
    if forgotten(tape):
        answer.results = (None,) * len(origins)
        return
    found = _unseen(tape, targets, _upstream(targets, None), origins, answer.flows)
    answer.results = _kept(found)


@composite
def jacobian(tape: GradientTape, target: Any, sources: Any, zero: bool, pfor: bool) -> Any:
    """One gradient per element of the target, stacked into target shape + source shape."""
    if not pfor and not tape._persistent:
        raise RuntimeError(
            "GradientTape must be created with persistent=True to compute the jacobian with "
            "experimental_use_pfor set to False."
        )
    tape._close()
    if nest.is_nested(target) or target is None:
        raise AttributeError(
            f"'{type(target).__name__}' object has no attribute 'shape': jacobian takes one tensor "
            "as target. Ask once for each, or tf.stack them first."
        )
    targets, origins = _targets(target), _sources(sources)
    answer = _ask(tape, Method.JACOBIAN, zero, targets, origins)
    shape = targets[0]._value.shape
    columns = _columns(tape, targets, origins, answer)
    results = [
        _filled(source, _stack(column, (*shape, *source.shape)), zero or column == (), shape)
        for source, column in zip(origins, columns, strict=True)
    ]
    answer.results = _kept(results)
    tape._release()
    return nest.pack_sequence_as(sources, results)


@composite
def batch_jacobian(tape: GradientTape, target: Any, source: Any, pfor: bool) -> Any:
    """The Jacobian of each row of the target by the same row of the source."""
    tape._require_unasked()
    _check_batch(_real(target, "target"), _real(source, "source"))
    if not pfor and not tape._persistent:
        raise RuntimeError(
            "GradientTape must be created with persistent=True to compute the batch_jacobian "
            "with parallel_iterations."
        )
    tape._close()
    targets, origins = _targets(target), _sources(source)
    value = targets[0]._value
    answer = _ask(tape, Method.BATCH_JACOBIAN, True, targets, origins)
    seeds = (np.broadcast_to(each, value.shape) for each in _one_hot(value[:1]))
    followed = _recorded(tape, targets[0])
    rows = [_row(tape, targets, seed, origins, answer)[0] for seed in seeds if followed]
    batch, *rest = value.shape
    shape = (batch, *rest, *origins[0].shape[1:])
    stacked = _stack(rows, (len(rows), *origins[0].shape))
    found: Any
    if stacked is None:
        found = np.zeros(shape, value.dtype)
    else:
        order = (1, 0, *range(2, len(origins[0].shape) + 1))
        found = REGISTRY["reshape"](REGISTRY["transpose"](stacked, perm=order), shape=shape)
    result = found if isinstance(found, Tensor) else constant_of(found)
    answer.results = _kept([result])
    tape._release()
    return result


def place_of(tape: GradientTape, target: Any, source: Any) -> tuple[int, int] | None:
    """The last call that asked for one source of one target, and the source's place in it."""
    wanted = (target._cell.state if isinstance(target, Holder) else target)._id
    own = source._cell.identity if isinstance(source, Holder) else source._id
    for call, answer in reversed(list(enumerate(tape._answers))):
        sources = [end.id if end.owner is None else end.owner for end in answer.sources]
        if [end.id for end in answer.targets] == [wanted] and own in sources:
            return call, sources.index(own)
    return None


def _ask(tape: GradientTape, method: Method, zero: bool, targets: Any, sources: Any) -> Answer:
    ends = tuple(map(seen, targets)), tuple(map(seen, sources))
    answer = Answer(next_id(), origin_here(), method, zero, *ends)
    if method is not Method.PICTURE:
        thread.asked.append((ref(tape), answer.serial))
    tape._answers.append(answer)
    return answer


def seen(thing: Any) -> Seen:
    """A tensor as the log remembers it, or the present state of a variable."""
    if isinstance(thing, Variable):
        cell = thing._cell
        return Seen(cell.state._id, small(cell.state._value), cell.state._origin, cell.identity)
    return Seen(thing._id, small(thing._value), thing._origin)


def _kept(results: Any) -> tuple[Any, ...]:
    """The results as a recording shows them, without the large ones."""
    return tuple(map(plain, results))


def _targets(target: Any) -> list[Tensor]:
    if target is None:
        raise TypeError(
            "Argument `target` should be a list or nested structure of Tensors, Variables or "
            "CompositeTensors to be differentiated, but received None."
        )
    flat = numbers_of(nest.flatten(target))
    return [read(_real(t, "target")) if isinstance(t, Holder) else _real(t, "target") for t in flat]


def _sources(sources: Any) -> list[Any]:
    return [_real(source, "source") for source in numbers_of(nest.flatten(sources))]


def check_ends(target: Any, sources: Any) -> None:
    """Raise what `gradient` raises if a target or a source is neither tensor nor variable."""
    for each in numbers_of(nest.flatten(target)):
        _real(each, "target")
    _sources([] if sources is None else sources)


def _real(thing: Any, part: str) -> Any:
    if isinstance(thing, (Tensor, Variable)):
        return thing
    if isinstance(thing, Holder):
        return handle_of(thing._cell)
    if thing is None:
        raise TypeError(
            f"A {part} is None; it must be a tensor or a variable. A gradient that is None has no "
            "path; look for where the path ends with tf.explain(tape, target, sources)."
        )
    raise AttributeError(
        f"'{type(thing).__name__}' object has no attribute '_id': the {part} must be a tensor or a "
        f"variable, but it is {thing!r}. A value from NumPy or Python has no history on the tape; "
        "compute it with tf ops."
    )


def _fitting(tape: GradientTape, targets: list[Tensor], seeds: Any) -> list[Any]:
    """The seeds of the targets; nobody looks at those of targets that the tape does not follow."""
    if any(target._id in tape._tracked for target in targets):
        return _upstream(targets, seeds)
    try:
        return _upstream(targets, seeds)
    except InvalidArgumentError:
        return _upstream(targets, None)


def _unseen(
    tape: GradientTape, targets: list[Tensor], seeds: list[Any], origins: Any, flows: Flows
) -> list[Any]:
    """What flows back, computed off every tape that listens."""
    listening, thread.active = thread.active, ()
    try:
        return sweep(tape, targets, seeds, origins, flows)
    finally:
        thread.active = listening


def _upstream(targets: list[Tensor], seeds: Any) -> list[Any]:
    ones = [np.ones_like(t._value)[()] for t in targets]
    if seeds is None:
        return ones
    given = numbers_of(nest.flatten(seeds))
    if any(seed is None for seed in given):
        raise ValueError(
            "None values not supported in output_gradients. Try tf.zeros_like(target) instead."
        )
    if len(given) != len(targets):
        raise ValueError(f"{len(targets)} targets need as many output_gradients, got {len(given)}.")
    return [_seed(each, target._value) for each, target in zip(given, targets, strict=True)]


def _seed(given: Any, value: Any) -> Any:
    """An output gradient in the shape of its target; InvalidArgumentError where it does not fit."""
    seed = read(given) if isinstance(given, Holder) else given
    raw = seed._value if isinstance(seed, Tensor) else np.asarray(seed, dtype=value.dtype)[()]
    if raw.dtype != value.dtype:
        raise invalid_argument(
            "Mul", f"The output gradient is {raw.dtype}, but its target is {value.dtype}; tensors "
            f"are never cast silently. Try tf.cast(seed, tf.{value.dtype})",
        )  # fmt: skip
    if raw.shape == value.shape:
        return seed if isinstance(seed, Tensor) else raw
    try:
        np.broadcast_to(raw, value.shape)
    except ValueError as error:
        raise invalid_argument(
            "Mul", f"Incompatible shapes: {list(raw.shape)} vs. {list(value.shape)}. An output "
            "gradient needs the shape of its target; try tf.ones_like(target)",
        ) from error  # fmt: skip
    return REGISTRY["broadcast_to"](seed if isinstance(seed, Tensor) else raw, shape=value.shape)


def _recorded(tape: GradientTape, target: Tensor) -> bool:
    """Whether a tape follows a tensor, which lies behind no stop_gradient."""
    return target._id in tape._tracked and target._id not in tape._walled


def _columns(tape: GradientTape, targets: list[Tensor], origins: Any, answer: Answer) -> list[Any]:
    """For each source a row for every element of the target, or None where no path leads to it.

    A target that the tape does not follow has no path even to itself: it is laid flat first, as
    in TensorFlow, and nobody saw that.
    """
    target = targets[0]
    if not _recorded(tape, target):
        return [None] * len(origins)
    if not target._value.size:
        found = _unseen(tape, targets, [target._value], origins, answer.flows)
        return [None if each is None else () for each in found]
    rows = [_row(tape, targets, seed, origins, answer) for seed in _one_hot(target._value)]
    return list(zip(*rows, strict=True))


def _filled(source: Any, found: Any, zero: bool, before: tuple[int, ...] = ()) -> Any:
    if found is None:
        if not zero:
            return None
        dtype = source.dtype.as_numpy_dtype
        return constant_of(np.zeros((*before, *source.shape), dtype)[()])
    if isinstance(found, (Tensor, IndexedSlices)):
        return found
    return constant_of(narrowed(found, source.dtype._numpy))


def _row(tape: Any, targets: Any, seed: Any, origins: Any, answer: Answer) -> list[Any]:
    return [_dense(each) for each in sweep(tape, targets, [seed], origins, answer.flows)]


def _dense(found: Any) -> Any:
    return found.dense() if isinstance(found, IndexedSlices) else found


def _one_hot(value: Any) -> Any:
    for index in range(value.size):
        seed = np.zeros(value.size, value.dtype)
        seed[index] = 1
        yield seed.reshape(value.shape)[()]


def _stack(rows: Any, shape: tuple[int, ...]) -> Any:
    rows = list(rows or ())
    if not rows or rows[0] is None:
        return None
    stacked = REGISTRY["stack"](*rows, axis=0)
    return REGISTRY["reshape"](stacked, shape=tuple(shape))


def _check_batch(target: Any, source: Any) -> None:
    ours, theirs = target.shape, source.shape
    if len(ours) < 2 or len(theirs) < 2:
        raise ValueError(
            f"Need first dimension of target shape ({ours}) and source shape ({theirs}) to match, "
            "and both to have rank 2 or more. Try tape.jacobian."
        )
    if ours[0] != theirs[0]:
        raise ValueError(
            f"Need first dimension of target shape ({ours}) and source shape ({theirs}) to match."
        )
