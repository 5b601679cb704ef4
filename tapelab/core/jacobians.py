"""Jacobians: a gradient for each element of the target, all of them from one sweep."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import nest
from tapelab.core.backward_report import GradientCall
from tapelab.core.batched_backward import BasisSeeds, backward_rows
from tapelab.core.core_ops import CORE
from tapelab.core.execute import composite
from tapelab.core.gradient_call import (
    as_result,
    begin_call,
    finish_call,
    real,
    sources_of,
    targets_of,
    unrecorded,
)
from tapelab.core.log import origin_here, scope_origin
from tapelab.core.tape_base import TapeBase
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.value_types import Nest, Value
from tapelab.errors import Refusal, RefusedError
from tapelab.recording.facts import Method


@composite
def jacobian(tape: TapeBase, target: Nest, sources: Nest, zero: bool, pfor: bool) -> Any:
    """One gradient per element of the target, laid into target shape + source shape."""
    if not pfor and not tape._persistent:
        raise _needs_persistent(
            tape,
            "GradientTape must be created with persistent=True to compute the jacobian with "
            "experimental_use_pfor set to False.",
        )
    tape._close()
    _require_one(target, "jacobian")
    (end,), origins = targets_of(target), sources_of(sources)
    call = begin_call(tape, Method.JACOBIAN, zero, [end], origins, scope_origin())
    empty, before = not end._array.size, end._array.shape
    results = []
    for source, rows in zip(origins, _rows(tape, end, origins, call), strict=True):
        gradient = None if rows is None or empty else _shaped(rows, (*before, *source.shape))
        results.append(as_result(call, source, gradient, zero or rows is not None, before))
    finish_call(tape, call, results)
    return nest.pack_sequence_as(sources, results)


@composite
def batch_jacobian(tape: TapeBase, target: Nest, source: Nest, pfor: bool) -> Any:
    """The Jacobian of each row of the target by the same row of the source."""
    tape._require_unused()
    _require_one(target, "batch_jacobian")
    _check_batch(real(target, "target"), real(source, "source"))
    if not pfor and not tape._persistent:
        raise _needs_persistent(
            tape,
            "GradientTape must be created with persistent=True to compute the batch_jacobian "
            "with parallel_iterations.",
        )
    tape._close()
    (end,), origins = targets_of(target), sources_of(source)
    value, rows = end._array, None
    call = begin_call(tape, Method.BATCH_JACOBIAN, True, [end], origins, scope_origin())
    if value.size and _recorded(tape, end):
        seeds = BasisSeeds(value[0], value.shape[:1])
        (rows,) = backward_rows(tape, end, seeds, origins, call.report)
    (origin,) = origins
    shape = (*value.shape, *origin.shape[1:])
    rows_by_batch = (
        np.zeros(shape, value.dtype) if rows is None else _shaped(_by_batch(rows), shape)
    )
    result = rows_by_batch if isinstance(rows_by_batch, Tensor) else constant_of(rows_by_batch)
    finish_call(tape, call, [result])
    return result


def _require_one(target: Nest, how: str) -> None:
    """AttributeError for several targets, for None and for a Python number."""
    if not hasattr(target, "shape"):
        raise AttributeError(
            f"'{type(target).__name__}' object has no attribute 'shape': {how} takes one tensor "
            "as target. Ask once for each, or tf.stack them first."
        )


def _needs_persistent(tape: TapeBase, message: str) -> RefusedError:
    """The error for a Jacobian that is computed row by row from a tape that is not persistent."""
    refusal = Refusal("TAPE_CONSUMED", origin_here(), tape, details={"rows": True})
    return RefusedError(message, refusal)


def _rows(tape: TapeBase, target: Tensor, origins: Nest, call: GradientCall) -> list[Any]:
    """For each source a row for every element of the target, or None where no path leads to it.

    A target that the tape does not track has no path even to itself: as in TensorFlow, it is
    flattened first, off the tape.
    """
    if not _recorded(tape, target):
        return [None] * len(origins)
    if not target._array.size:
        return unrecorded(tape, [target], [target._array], origins, call.report)
    return backward_rows(tape, target, BasisSeeds(target._array), origins, call.report)


def _recorded(tape: TapeBase, target: Tensor) -> bool:
    """Whether a tape follows a tensor, which lies behind no stop_gradient."""
    return target._id in tape._tracked and target._id not in tape._stopped_ids


def _shaped(rows: Value, shape: tuple[int, ...]) -> Any:
    return CORE.reshape(rows, shape=shape)


def _by_batch(rows: Value) -> Any:
    """Rows of batches as batches of rows."""
    axes = len(rows._array.shape if isinstance(rows, Tensor) else rows.shape)
    return CORE.transpose(rows, perm=(1, 0, *range(2, axes)))


def _check_batch(target: Nest, source: Nest) -> None:
    ours, theirs = target.shape, source.shape
    for shape in (theirs, ours):
        if len(shape) < 2:
            raise ValueError(f"Shape {shape} must have rank at least 2. Try tape.jacobian.")
    if ours[0] != theirs[0]:
        raise ValueError(
            f"Need first dimension of target shape ({ours}) and source shape ({theirs}) to match."
        )
