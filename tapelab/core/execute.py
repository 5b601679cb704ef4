"""Running an op on tensors: the kernel, the record in the log, and the tapes that take it.

Every op on tensors that misses its fast path comes here. If a batch trace or the trace of a
function is open, it takes the op. Else `run` runs the kernel on the raw arrays, wraps the results,
finds the active tapes that track an input, and writes one record. Invariants: a tensor that bears
the token of the active tapes is tracked by all of them, so that their sets need not be searched;
large values stay in the log only as long as a tape may need them for a backward pass.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from tapelab.core.large_values import truncated
from tapelab.core.log import BATCHED, TRACED, ActiveTape, Log, origin_here, thread
from tapelab.core.numerics import is_brain_float, widened
from tapelab.core.origin import Origin, Scope, next_id
from tapelab.core.records import OpRun, Record, differentiable, op_run, summarised, tapes_of
from tapelab.core.tensor import Tensor, wrap
from tapelab.core.text_forms import brackets, spoken, unlike
from tapelab.core.value_types import Ids, Nest, Value, Values
from tapelab.dtypes import ALL, DType, float32, int32
from tapelab.errors import OpError, Refusal, invalid_argument
from tapelab.recording.facts import KEPT_ELEMENTS

if TYPE_CHECKING:
    from tapelab.core.op_declaration import Op


def run(op: Op, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Run an op on tensors (raw arrays among them are constants), and record it."""
    state = thread.__dict__
    token = state["token"]
    if token is BATCHED:
        return thread.batch_trace.run(op, inputs, settings)
    if token is TRACED:
        return state["trace"].bind(op, inputs, settings)
    observers = state["observers"]
    for observer in observers:
        observer.op_starts(inputs)
    values: tuple[Any, ...]
    ids: tuple[int, ...]
    if len(inputs) == 1:  # it is a tensor
        (x,) = inputs
        values, ids = (x._array,), (x._id,)
    else:
        values = tuple([x._array if type(x) is Tensor else x for x in inputs])
        ids = tuple([x._id if type(x) is Tensor else next_id() for x in inputs])
    kernel = op.kernel
    if op.kinds and values[0].dtype.kind not in op.kinds:
        kernel = _kernel_for(op, values[0])
    if op.same_dtype:
        first, second = values[-2].dtype, values[-1].dtype
        if first is not second and first != second:
            raise _mixed_dtypes(op, inputs, values)
    try:
        result = kernel(*values, **settings)
    except (OpError, TypeError):
        raise
    except (ValueError, np.linalg.LinAlgError) as error:
        raise _refused(op, values, error) from error
    origins = state["fixed_origins"]
    origin = None if origins is None else origins.get(op)
    if origin is None or origin[3] is not state["scope"]:
        origin = origin_here(op, 3)
        if origins is not None:
            origins[op] = origin
    if op.multi:
        return _several(op, origin, ids, values, result, settings)
    number = next_id()  # after `origin_here`, which may note the call that the op runs in
    tensor = wrap(result, number, origin)
    result = tensor._array
    tensor._tapes = tapes = _tapes(token, op, inputs, ids, number, result) if token else ()
    if tapes:
        _register_large_values(state["log"], result, values)
    else:  # no backward pass will need the large values
        values, result = tuple([truncated(value) for value in values]), truncated(result)
    record: Any = (
        OpRun, number, state["number"], origin, ids, values, number, result, settings, tapes,
    )  # fmt: skip
    if observers:
        write_observed(record)
    else:
        state["records"].append(record)
    return tensor


def write_observed(record: Record) -> None:
    """Write the run of an op to the log, and let the observers of the thread see it whole."""
    state = thread.__dict__
    for observer in state["observers"]:
        observer.op_recorded(record)
    kept = state["log"] is not None or not tapes_of(record)
    state["records"].append(record if kept else summarised(record))


def _several(
    op: Op,
    origin: Origin,
    ids: Ids,
    values: tuple[Any, ...],
    results: Values,
    settings: dict[str, Any],
) -> tuple[Tensor, ...]:
    """Record the run of an op that has several results."""
    tensors = tuple([wrap(each, next_id(), origin) for each in results])
    result_ids = tuple([each._id for each in tensors])
    tapes = recording_tapes(op, ids, result_ids, results) if thread.token else ()
    for each in tensors:
        each._tapes = tapes
    if tapes:
        _register_large_values(thread.log, None, (*values, *results))
    else:
        values, results = tuple(map(truncated, values)), tuple(map(truncated, results))
    write_observed(op_run(
        result_ids[0], thread.number, origin, input_ids=ids, inputs=values, result_ids=result_ids,
        results=results, settings=settings, tapes=tapes,
    ))  # fmt: skip
    return tensors


def _tapes(
    token: tuple[int, ...], op: Op, inputs: tuple[Any, ...], ids: Ids, number: int, result: Values
) -> tuple[int, ...]:
    """The tapes that record an op: all active ones if an input bears their token."""
    if op.pattern != "stop":
        for each in inputs:
            if type(each) is Tensor and each._tapes is token:
                return token if result.dtype.kind in "fcV" else ()
    tapes = recording_tapes(op, ids, number, result)
    return token if tapes == token else tapes


def _register_large_values(log: Log | None, result: Values, values: tuple[Any, ...]) -> None:
    """Register the next record with the log if it holds large values."""
    if log is None:
        return
    for each in (result, *values):
        if type(each) is ndarray and each.size > KEPT_ELEMENTS:
            log.expect_large_values()
            return


def recording_tapes(op: Op, ids: Ids, result_ids: Ids, results: Values) -> tuple[int, ...]:
    """The tapes that record this op; from now on they track its differentiable results."""
    tapes: tuple[int, ...] = ()
    for tape in thread.active_tapes:
        tracked = tape._tracked
        for each in ids:
            if each in tracked:
                followed = differentiable(result_ids, results)
                if followed:
                    tracked.update(followed)
                    tapes += tape._serials
                    if tape._stopped_ids or op.pattern == "stop":
                        _add_stopped(tape, op, ids, followed)
                break
    return tapes


def _add_stopped(tape: ActiveTape, op: Op, ids: Ids, followed: tuple[int, ...]) -> None:
    """Note results behind a stop_gradient boundary: they are recorded, but have no gradient."""
    stopped = tape._stopped_ids
    if op.pattern == "stop" or not any(i in tape._tracked and i not in stopped for i in ids):
        stopped.update(followed)
        thread.active_tapes = (*thread.active_tapes,)  # a new token, which no tensor bears


def composite(function: Callable[..., Any]) -> Callable[..., Any]:
    """Run a function of several ops in a scope of its name, so that a figure can fold them."""

    @wraps(function)
    def grouped(*args: Nest, **kwargs: Nest) -> Any:
        origin, state = origin_here(None, 2), thread.__dict__
        outer = state["scope"]
        state["scope"] = tuple.__new__(Scope, (function.__name__, outer, origin[1], origin[2]))
        try:
            return function(*args, **kwargs)
        finally:
            state["scope"] = outer

    return grouped


def _mixed_dtypes(op: Op, inputs: tuple[Any, ...], values: tuple[Any, ...]) -> OpError:
    one, other = values[-2:]
    got = f"{op.name}() got {_shown(one)} and {_shown(other)}"
    error = unlike(op.raw, len(values) - 1, one.dtype, other.dtype, got)
    tape = next((each for each in reversed(thread.tapes) if hasattr(each, "_gradient_calls")), None)
    dtypes = tuple(str(value.dtype) for value in (one, other))
    details = {"op": op.name, "first": len(inputs) - 2, "dtypes": dtypes}
    error.refusal = Refusal("MIXED_DTYPE", origin_here(op), tape, details=details)
    return error


def _kernel_for(op: Op, value: Value) -> Callable[..., Any]:
    """A kernel for bfloat16, which is no float to NumPy; an error for other dtypes."""
    if "f" in op.kinds and is_brain_float(value.dtype):
        return widened(op.kernel, value.dtype)
    raise _wrong_kind(op, value)


def _wrong_kind(op: Op, value: Value) -> OpError:
    allowed = [dtype for dtype in ALL if dtype._numpy.kind in op.kinds]
    return invalid_argument(
        op.raw,
        f"Value for attr 'T' of {spoken(value.dtype)} is not in the list of allowed values: "
        f"{', '.join(spoken(dtype.name) for dtype in allowed)}. {op.name}() got {_shown(value)}; "
        f"tensors are never cast silently. Try tf.cast(x, {_suggested(allowed)!r})",
    )


def _suggested(allowed: list[DType]) -> DType:
    return next((dtype for dtype in (float32, int32) if dtype in allowed), allowed[0])


def _shown(value: Value) -> str:
    return f"{value.dtype}[{', '.join(map(str, np.shape(value)))}]"


def _refused(op: Op, values: tuple[Any, ...], error: Exception) -> OpError:
    shapes = " vs. ".join(brackets(np.shape(value)) for value in values)
    if op.broadcasts:
        return invalid_argument(
            op.raw,
            f"Incompatible shapes: {shapes}. {op.name}() needs equal lengths along each axis, "
            "or 1; shapes are compared from the last axis on. Try tf.reshape or tf.expand_dims",
        )
    return invalid_argument(op.raw, f"{op.name}() cannot work with {shapes}: {error}")
