"""How a step of its inputs moves the results of an op: its gradient rules, read forwards.

A gradient rule multiplies the upstream gradient by the transposed Jacobian, and is linear in it.
Its own gradient with respect to that upstream gradient multiplies by the Jacobian itself, which is
what a tangent needs (`_transposed`). Two kinds of ops are cheaper: in one that works element by
element the Jacobian is diagonal, so the rule itself does, and a linear op is its own Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapelab.core.core_ops import CORE
from tapelab.core.cotangents import sum_to_shape, vjp_of
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.log import origin_here, thread
from tapelab.core.op_declaration import Op, has_diagonal_jacobian
from tapelab.core.origin import InternalScope
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor, constant_of

Tangents = list[Any]
Step = Callable[[Op, list[Tensor], list[Tensor], dict[str, Any], Tangents], Tangents]


def tangents_of(
    op: Op, outputs: list[Tensor], inputs: list[Tensor], settings: dict[str, Any], moving: Tangents
) -> Tangents:
    """A tangent, or None, for every output; `moving` holds one, or None, for every input."""
    outer, origin = thread.scope, origin_here()
    thread.scope = InternalScope(f"tangent of {op.name}", outer, origin.code, origin.instruction)
    try:
        return _way(op, outputs, inputs)(op, outputs, inputs, settings, moving)
    finally:
        thread.scope = outer


def _way(op: Op, outputs: list[Tensor], inputs: list[Tensor]) -> Step:
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
    made = op(*given, **settings)
    return list(made) if op.multi else [made]


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
    found = iter(tape.gradient(back, smooth, output_gradients=along))
    return [_dense(next(found)) if each.dtype.is_differentiable else None for each in seeds]


def _dense(gradient: Any) -> Any:
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
