"""What propagates through a backward pass, and the arithmetic of it.

A cotangent is the gradient of the targets by one tensor, as far as it is known: an array, an
`IndexedSlices` of rows that were picked, or, where the pass itself is recorded, a tensor. A kind of
cotangents has three methods for the loop in `backward`: the cotangent of a target (`seed`), that of
a result which no gradient reached (`zeros`), and what an op contributes to the cotangents of its
inputs (`contributions`), each in the shape of its input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy import ndarray

from tapelab import kernels
from tapelab.core.core_ops import CORE
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.log import origin_here, scope_origin, thread
from tapelab.core.op import is_ours
from tapelab.core.op_declaration import GradRule, Op
from tapelab.core.origin import Origin
from tapelab.core.records import OpRun
from tapelab.core.tensor import Tensor, constant_of, wrap
from tapelab.core.value_types import Cotangent, Value
from tapelab.errors import NoGradientError, Refusal
from tapelab.kernels.elementwise_kernels import LARGE

Shape = tuple[int, ...]

_sum_along: Final[Any] = np.add.reduce


def accumulate(held: Cotangent | None, contribution: Cotangent) -> Cotangent:
    """A cotangent with one more contribution; `IndexedSlices` only where both are."""
    if held is None:
        return contribution
    if type(held) is ndarray and type(contribution) is ndarray:
        total = kernels.bulk.added(held, contribution) if held.size >= LARGE else None
        return np.add(held, contribution) if total is None else total
    if type(held) is Tensor and type(contribution) is Tensor:
        return held + contribution  # type: ignore[operator]  # tensors get operators from `ops`
    if isinstance(held, IndexedSlices):
        if isinstance(contribution, IndexedSlices):
            return held.merged(contribution)
        held = held.dense()
    elif isinstance(contribution, IndexedSlices):
        contribution = contribution.dense()
    return CORE.add(held, contribution)


def sum_to_shape(cotangent: Cotangent, shape: Shape) -> Cotangent:
    """A cotangent summed along the axes over which a value of this shape was broadcast."""
    if type(cotangent) is ndarray:
        if cotangent.shape == shape:
            return cotangent
        if cotangent.shape[1:] == shape and cotangent.size < LARGE:
            return _sum_along(cotangent, 0)  # a bias: the op would look at every axis
    elif isinstance(cotangent, IndexedSlices) or shape_of(cotangent) == shape:
        return cotangent
    return CORE.sum_to(cotangent, shape=shape)


def shape_of(value: Value) -> Shape:
    """The shape of a tensor, or of a raw or dropped value."""
    shape: Shape = value._array.shape if type(value) is Tensor else getattr(value, "shape", ())
    return shape


def vjp_of(
    op: Op, dy: Cotangent, y: Value, inputs: Sequence[Any], settings: dict[str, Any]
) -> Callable[[int], Cotangent | None]:
    """The VJP of an op: from the position of an input to what dy contributes there, or None.

    A joint rule for all inputs runs at once, that of a single input when it is called.
    """
    vjps, large = op.vjps, type(dy) is ndarray and dy.size >= LARGE and dy.shape == y.shape
    if vjps is not None and not large and not op.variadic:

        def of_input(position: int) -> Cotangent | None:
            vjp = vjps[position]
            return None if vjp is None else vjp(dy, y, *inputs, **settings)

        return of_input
    joint = op.together()
    if joint is not None:
        contributions = joint(dy, y, *inputs, **settings)
        return lambda position: contributions[position]

    def contribution(position: int) -> Cotangent | None:
        rule = op.rule(position)
        if rule is None:
            raise _without_gradient(op)
        if large and rule.factor is not None:
            in_bulk = _times_factor(op, rule, dy, inputs, inputs[position].shape)
            if in_bulk is not None:
                return in_bulk
        return None if rule.function is None else rule.function(dy, y, *inputs, **settings)

    return contribution


def _times_factor(
    op: Op, rule: GradRule, dy: Cotangent, inputs: Sequence[Any], shape: Shape
) -> Any:
    """A large dy times the factor of a rule, summed to a shape in the same pass where it can be."""
    if type(rule.factor) is str:
        return kernels.bulk.product_to(shape, dy, inputs[op.inputs.index(rule.factor)])
    return kernels.bulk.negative_to(shape, dy) if rule.factor == -1 else None


def _without_gradient(op: Op) -> NoGradientError:
    """The error for an op of which no gradient is known, in the pass of the last gradient call."""
    tape = thread.recent_calls[-1][0]() if thread.recent_calls else None
    refusal = Refusal("NO_GRADIENT_REGISTERED", origin_here(), tape, details={"op": op.name})
    return NoGradientError(f"gradient registry has no entry for: {op.raw}", refusal)


def as_tensors(
    run: OpRun, tensor: Callable[[Any, int, Origin], Tensor] = wrap
) -> tuple[Sequence[Tensor], Any]:
    """The inputs and the result, or results, of an op as the tensors that they were."""
    origin, inputs = run.origin, []
    for value, number in zip(run.inputs, run.input_ids, strict=True):
        inputs.append(tensor(value, number, origin))
    if type(run.result_ids) is not tuple:
        return inputs, tensor(run.results, run.result_ids, origin)
    return inputs, tuple([tensor(value, number, origin) for number, value in run.result_pairs])


class RawCotangents:
    """Arrays: nothing that the rules do is recorded."""

    def seed(self, value: Value) -> Cotangent:
        """A cotangent of a target, as it was given or computed, for the beginning."""
        return value._array if type(value) is Tensor else value

    def zeros(self, value: Value) -> Cotangent:
        """The cotangent of one of several results that no gradient reached."""
        return self.seed(np.zeros(value.shape, value.dtype))

    def primals(self, run: OpRun) -> tuple[Sequence[Any], Any]:
        """The inputs and the result, or results, of an op, as its rules are to see them."""
        return run.inputs, run.results

    def contributions(
        self, run: OpRun, dy: Cotangent, positions: Sequence[int]
    ) -> Iterable[Cotangent | None]:
        """What an op contributes to its inputs at some positions, each in the input's shape."""
        op, (inputs, y) = run.op, self.primals(run)
        vjp = vjp_of(op, dy, y, inputs, run.settings)
        for position in positions:
            contribution = vjp(position)
            if op.broadcasts and contribution is not None:
                contribution = sum_to_shape(contribution, run.inputs[position].shape)
            yield contribution


class RecordedCotangents(RawCotangents):
    """Tensors: the pass is recorded, because another tape is to differentiate it again.

    A value from the tape becomes a tensor once in a pass, marked as one that the active tapes
    follow, so that the ops of the rules take their fast path. What a rule of ours does is recorded
    where the gradient was asked for; a user's rule is recorded where it was written.
    """

    def __init__(self) -> None:
        self.fixed_origin, self.fixed_origins = scope_origin(), dict[Op, Origin]()
        self._tensors: dict[int, Tensor] = {}
        self._token = thread.token
        self._followed: set[int] = set()
        active = thread.active_tapes
        if all(tape._follows_all for tape in active):
            followed, *others = [tape._tracked for tape in active]
            self._followed = followed.intersection(*others) if others else followed

    def seed(self, value: Value) -> Cotangent:
        """A cotangent of a target as a tensor."""
        return value if type(value) is Tensor else constant_of(value)

    def primals(self, run: OpRun) -> tuple[Sequence[Any], Any]:
        """The inputs and the result, or results, as the tensors that they were."""
        return as_tensors(run, self.tensor)

    def contributions(
        self, run: OpRun, dy: Cotangent, positions: Sequence[int]
    ) -> Iterable[Cotangent | None]:
        """What an op contributes to its inputs; the ops of its rule are recorded."""
        state = thread.__dict__
        is_own = is_ours(run.op)
        state["fixed_origin"] = self.fixed_origin if is_own else None
        state["fixed_origins"] = self.fixed_origins if is_own else None
        return super().contributions(run, dy, positions)

    def tensor(self, value: Value, number: int, origin: Origin) -> Tensor:
        """The tensor that a value from the tape was, made once in a pass."""
        tensor = self._tensors.get(number)
        if tensor is None:
            tensor = self._tensors[number] = wrap(value, number, origin)
            if number in self._followed:
                tensor._tapes = self._token
        return tensor


def leave_vjp_rules() -> None:
    """Let ops of this thread be recorded where they are called: no rule of a pass is running."""
    state = thread.__dict__
    state["fixed_origin"] = state["fixed_origins"] = None
