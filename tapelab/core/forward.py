"""Forward mode: a tangent travels along with each value, op by op, as the code runs.

While an accumulator is active, an observer of the thread follows each op forward as soon as it ran.
The JVP of an op is derived from its VJP rules. The ops that compute it are recorded by the tapes
and accumulators that were opened before, which can differentiate it again.

A VJP multiplies the upstream gradient by the transposed Jacobian, and is linear in it. The VJP of
that VJP with respect to the upstream gradient multiplies by the Jacobian itself, which is what a
tangent needs (`_transposed`). Two kinds of ops are cheaper: the Jacobian of an elementwise op is
diagonal, so its VJP is its JVP, and a linear op is its own Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.core.core_ops import CORE
from tapelab.core.cotangents import sum_to_shape, vjp_of
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.log import origin_here, thread
from tapelab.core.observer import Observer
from tapelab.core.op_declaration import Op, has_diagonal_jacobian
from tapelab.core.origin import InternalScope, Origin
from tapelab.core.records import OpRun, Record, tapes_of, view
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor, constant_of, wrap
from tapelab.core.value_types import Cotangent

if TYPE_CHECKING:
    from tapelab.core.cell import Cell


Tangents = list[Any]
Step = Callable[[Op, list[Tensor], list[Tensor], dict[str, Any], Tangents], Tangents]


def tangents_of(
    op: Op, outputs: list[Tensor], inputs: list[Tensor], settings: dict[str, Any], moving: Tangents
) -> Tangents:
    """A tangent, or None, for every output; `moving` holds one, or None, for every input."""
    outer, origin = thread.scope, origin_here()
    thread.scope = InternalScope(f"tangent of {op.name}", outer, origin.code, origin.instruction)
    try:
        return _jvp_of(op, outputs, inputs)(op, outputs, inputs, settings, moving)
    finally:
        thread.scope = outer


def _jvp_of(op: Op, outputs: list[Tensor], inputs: list[Tensor]) -> Step:
    if op.linear:
        return _linear if op.linear is True else _by_product_rule
    return _diagonal if _is_diagonal(op, outputs, inputs) else _transposed


def _is_diagonal(op: Op, outputs: list[Tensor], inputs: list[Tensor]) -> bool:
    """Whether each entry of the result depends on the entries at its own place only."""
    if not has_diagonal_jacobian(op):
        return False
    real = all(each._array.dtype.kind == "f" for each in (*outputs, *inputs))
    shape = outputs[0]._array.shape
    return real and (op.broadcasts or all(each._array.shape == shape for each in inputs))


def _linear(
    op: Op, outputs: list[Tensor], inputs: list[Tensor], settings: dict[str, Any], moving: Tangents
) -> Tangents:
    """The op itself, of the tangents; an input that does not move is 0, a position stays."""
    given = [
        dx if dx is not None else _zeros(x) if x.dtype.is_differentiable else x
        for x, dx in zip(inputs, moving, strict=True)
    ]
    results = op(*given, **settings)
    return list(results) if op.multi else [results]


def _by_product_rule(
    op: Op, outputs: list[Tensor], inputs: list[Tensor], settings: dict[str, Any], moving: Tangents
) -> Tangents:
    """One factor moves at a time."""
    parts = [
        op(*inputs[:position], dx, *inputs[position + 1 :], **settings)
        for position, dx in enumerate(moving)
        if dx is not None
    ]
    return [_sum(parts)]


def _diagonal(
    op: Op, outputs: list[Tensor], inputs: list[Tensor], settings: dict[str, Any], moving: Tangents
) -> Tangents:
    """The gradient rules themselves: a diagonal Jacobian is its own transpose."""
    y, shape, parts = outputs[0], outputs[0]._array.shape, []
    for position, dx in enumerate(moving):
        rule = op.rule(position)
        if dx is None or rule is None or rule.function is None:
            continue
        full = dx if dx._array.shape == shape else CORE.broadcast_to(dx, shape=shape)
        parts.append(rule.function(full, y, *inputs, **settings))
    return [_sum(parts)]


def _transposed(
    op: Op, outputs: list[Tensor], inputs: list[Tensor], settings: dict[str, Any], moving: Tangents
) -> Tangents:
    """The gradient of the gradient rules with respect to their upstream gradient."""
    seeds = [constant_of(np.ones_like(each._array)) for each in outputs]
    smooth = [each for each in seeds if each.dtype.is_differentiable]
    back, along = [], []
    with GradientTape() as tape:
        tape.watch(smooth)
        dy, y = (tuple(seeds), tuple(outputs)) if op.multi else (seeds[0], outputs[0])
        vjp = vjp_of(op, dy, y, inputs, settings)
        for position, (x, dx) in enumerate(zip(inputs, moving, strict=True)):
            flows = _dense(vjp(position)) if dx is not None else None
            if isinstance(flows, Tensor):
                back.append(sum_to_shape(flows, x._array.shape))
                along.append(dx)
    if not back:
        return [None] * len(outputs)
    tangents = iter(tape.gradient(back, smooth, output_gradients=along))
    return [_dense(next(tangents)) if each.dtype.is_differentiable else None for each in seeds]


def _dense(gradient: Cotangent) -> Any:
    """A gradient as one tensor; None stays None."""
    if not isinstance(gradient, IndexedSlices):
        return gradient
    whole = gradient.dense()
    return whole if isinstance(whole, Tensor) else constant_of(whole)


def _zeros(x: Tensor) -> Tensor:
    return constant_of(np.zeros(x._array.shape, x._array.dtype)[()])


def _sum(parts: Sequence[Any]) -> Any:
    total = None
    for each in parts:
        total = each if total is None else CORE.add(total, each)
    return total


_serials: Final = count(-1, -1)
"""Below zero, where no tape has its number."""


class Accumulating:
    """Computes tangents forward; to the ops it looks like one more active tape."""

    _follows_all = False  # each op has to be observed: it gets a JVP

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
        origin, results = run.origin, dict(run.result_pairs)
        input_tangents = [self._tangents.get(each) for each in run.input_ids]
        known = self._from_body(results, run.settings)
        if len(known) < len(results) and any(each is not None for each in input_tangents):
            with _recorded_by_earlier(self):
                ends = zip(run.inputs, run.input_ids, strict=True)
                inputs = [wrap(x, each, origin) for x, each in ends]
                outputs = [wrap(y, each, origin) for each, y in results.items()]
                tangents = tangents_of(run.op, outputs, inputs, run.settings, input_tangents)
            known = dict(zip(results, tangents, strict=True)) | known
        self._tangents.update((each, new) for each, new in known.items() if new is not None)

    def _from_body(self, results: dict[int, Any], settings: dict[str, Any]) -> dict[int, Tensor]:
        """The tangents that came through the body of a function with a gradient of its own."""
        inside = settings.get("body", ())
        return {
            each: self._tangents[other]
            for each, other in zip(results, inside, strict=False)
            if other in self._tangents
        }


class ForwardPass(Observer):
    """Lets each accumulator that knows an input of an op advance by it."""

    def op_recorded(self, record: Record) -> None:
        """Give the results of an op their tangents, in the accumulators that take it."""
        tapes = tapes_of(record)
        if tapes:
            for each in tuple(thread.tapes):  # the outer ones first, for the inner use them
                if each._serial in tapes and isinstance(each, Accumulating):
                    each._advance(view(OpRun, record))


_FORWARD: Final = ForwardPass()


@contextmanager
def _recorded_by_earlier(accumulator: Accumulating) -> Iterator[None]:
    active = thread.active_tapes
    at = next(i for i, each in enumerate(active) if each is accumulator)
    thread.active_tapes = active[:at]
    try:
        yield
    finally:
        thread.active_tapes = active
