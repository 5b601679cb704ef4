"""Gradient calls: their arguments, how one begins and ends, and what it returns.

A call goes from its arguments (targets, sources, output gradients) through a backward pass
(`backward`, `batched_backward`) to results. The tape keeps the request and its results as a
`GradientCall`, and the log notes whose derivatives the results are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Final
from weakref import ref

import numpy as np
from numpy import ndarray

from tapelab import nest
from tapelab.core.backward import backward
from tapelab.core.backward_report import GradientCall, StepReport, shown_value
from tapelab.core.cell import Holder
from tapelab.core.composite_tensor import numbers_of
from tapelab.core.core_ops import CORE
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.large_values import dropped
from tapelab.core.log import thread
from tapelab.core.numerics import narrowed
from tapelab.core.origin import LoggedTensor, Origin, next_id
from tapelab.core.records import Exit, kind_of, origin_of, view, write_gradient_result
from tapelab.core.tape_base import TapeBase
from tapelab.core.tensor import Tensor, wrap
from tapelab.core.value_types import Cotangent, Nest, Value
from tapelab.core.variable import Variable, handle_of, read
from tapelab.dtypes import as_dtype
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.recording.facts import KEPT_ELEMENTS, Method

observers: Final[list[Callable[[Any, GradientCall, Any], None]]] = []
"""What is called with the tape, the call and its results in full when a gradient call returns."""

_id_of: Final = attrgetter("id")


def begin_call(
    tape: TapeBase, method: Method, zero: bool, targets: Sequence[Any], sources: Sequence[Any],
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


def seen(ends: Iterable[Tensor | Variable]) -> tuple[LoggedTensor, ...]:
    """Tensors as the log remembers them, and variables in their present states."""
    logged = []
    for end in ends:
        if isinstance(end, Variable):
            tensor, owner = end._cell.state, end._cell.identity
        else:
            tensor, owner = end, None
        value: Any = tensor._array
        if type(value) is ndarray and value.size > KEPT_ELEMENTS:
            value = dropped(value.shape, value.dtype)
        logged.append(tuple.__new__(LoggedTensor, (tensor._id, value, tensor._origin, owner)))
    return tuple(logged)


def finish_call(tape: TapeBase, call: GradientCall, results: Sequence[Any]) -> None:
    """Keep the results of a call, and note whose derivatives they are; then release the tape.

    An outer tape that is active may be differentiated through them, and learns of them here.
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
    tape: TapeBase, targets: Sequence[Tensor], cotangents: Sequence[Any], sources: Sequence[Any],
    report: StepReport, *, shown: bool = True,
) -> list[Any]:  # fmt: skip
    """The gradients of the sources, computed off every active tape."""
    active, thread.active_tapes = thread.active_tapes, ()
    try:
        return backward(tape, targets, cotangents, sources, report, shown=shown)
    finally:
        thread.active_tapes = active


def as_result(
    call: GradientCall, source: Nest, cotangent: Cotangent, zero: bool, before: tuple[int, ...] = ()
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


_PLAIN: Final = frozenset({Tensor, Variable})


def targets_of(target: Nest, tape: TapeBase | None = None) -> list[Tensor]:
    """The tensors that are to be differentiated; a variable stands for its value.

    Where one is a number, the error says where the tape saw a value leave.
    """
    if type(target) is Tensor:
        return [target]
    if target is None:
        raise TypeError(
            "Argument `target` should be a list or nested structure of Tensors, Variables or "
            "CompositeTensors to be differentiated, but received None."
        )
    flat = numbers_of(nest.flatten(target))
    ends = [real(each, "target", tape) for each in flat]
    return [read(each) if isinstance(each, Holder) else each for each in ends]


def sources_of(sources: Nest) -> list[Any]:
    """The tensors and variables by which a target is differentiated."""
    if type(sources) in _PLAIN:
        return [sources]
    if type(sources) is list and _PLAIN.issuperset(map(type, sources)):
        return list(sources)
    return [real(source, "source") for source in numbers_of(nest.flatten(sources))]


def check_ends(target: Nest, sources: Nest) -> None:
    """Raise what `gradient` raises if a target or a source is neither tensor nor variable."""
    for each in numbers_of(nest.flatten(target)):
        real(each, "target")
    sources_of([] if sources is None else sources)


def real(end: Nest, part: str, tape: TapeBase | None = None) -> Any:
    """A tensor or a variable; whatever else was given raises."""
    if type(end) is Tensor or isinstance(end, (Tensor, Variable)):
        return end
    if isinstance(end, Holder):
        return handle_of(end._cell)
    if end is None:
        raise TypeError(
            f"A {part} is None; it must be a tensor or a variable. A gradient that is None has no "
            "path; look for where the path ends with tf.explain(tape, target, sources)."
        )
    kind, begin = _complaint(end)
    place = _departure(tape)
    left = f"{place} took the value off the tape. " if place else ""
    raise kind(
        f"{begin}: the {part} must be a tensor or a variable, but it is {end!r}. {left}"
        "A value from NumPy or Python has no history on the tape; compute it with tf ops."
    )


def _departure(tape: TapeBase | None) -> str:
    """Where the last value that a tape tracks left for NumPy or Python: the code and its line."""
    if tape is None:
        return ""
    for log, start, stop in reversed(tape._windows):
        for record in reversed(log.records[start:stop]):
            if kind_of(record) is Exit and view(Exit, record).tensor in tape._tracked:
                from tapelab.recording.source import extent_of, lines_of  # only for the error

                origin = origin_of(record)
                line, begin, end_line, end = extent_of(origin.code, origin.instruction)
                text = "".join(lines_of(origin.code.co_filename)[line - 1 : line])
                written = text[begin : end if line == end_line else None]
                return f"{f'`{written}`' if written else view(Exit, record).how} in line {line}"
    return ""


def _complaint(end: Nest) -> tuple[type[Exception], str]:
    """How TensorFlow refuses what is no tensor: it asks for a dtype, and 3 is the number of one."""
    try:
        if not hasattr(end, "dtype"):
            as_dtype(end)
    except TypeError:
        message = f"Cannot convert the argument `type_value`: {end!r} to a TensorFlow DType"
        return TypeError, message
    return AttributeError, f"'{type(end).__name__}' object has no attribute '_id'"


def seeds_of(tape: TapeBase, targets: Sequence[Tensor], given: Nest) -> list[Any]:
    """The output gradients that were given for the targets, in the targets' shapes.

    If the tape follows none of the targets, ones stand for output gradients that do not fit.
    """
    if any(target._id in tape._tracked for target in targets):
        return _given_seeds(targets, given)
    try:
        return _given_seeds(targets, given)
    except InvalidArgumentError:
        return ones_like(targets)


def _given_seeds(targets: Sequence[Tensor], given: Nest) -> list[Any]:
    seeds = numbers_of(nest.flatten(given))
    if any(seed is None for seed in seeds):
        raise ValueError(
            "None values not supported in output_gradients. Try tf.zeros_like(target) instead."
        )
    if len(seeds) != len(targets):
        raise ValueError(f"{len(targets)} targets need as many output_gradients, got {len(seeds)}.")
    return [_seed(seed, target._array) for seed, target in zip(seeds, targets, strict=True)]


def ones_like(targets: Sequence[Tensor]) -> list[Any]:
    """Ones in the shapes of the targets."""
    seeds = []
    for target in targets:
        value = target._array
        if type(value) is np.ndarray:
            ones = np.empty(value.shape, value.dtype)
            ones.fill(1)
            seeds.append(ones)
        else:
            seeds.append(type(value)(1))
    return seeds


def _seed(given: Nest, value: Value) -> Any:
    """An output gradient in the shape of its target; InvalidArgumentError where it does not fit."""
    # A seed may be returned as a gradient, which must not be the variable's own state.
    seed = CORE.read_value(read(given)) if isinstance(given, Holder) else given
    raw = seed._array if isinstance(seed, Tensor) else np.asarray(seed, dtype=value.dtype)[()]
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
    return CORE.broadcast_to(seed if isinstance(seed, Tensor) else raw, shape=value.shape)
