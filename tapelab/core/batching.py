"""Running an op for a whole batch at once: the batch axis, batching rules, and the batch trace.

A batching rule takes a `BatchedCall`: an op with its settings and its operands, of which some have
one more axis in front, the batch axis, with a row for each member of the batch. It returns what the
op returns, with that axis in front. An op declares its rule where it is defined: one of the rules
below by `@op(batching=…)`, one of its own by `@that_op.batch`. Without a rule, an op that
broadcasts or works elementwise runs on operands whose ranks are aligned, and any other op runs row
by row. A rule is made of ops, and so works on raw arrays and on tensors alike.

`BatchTrace` runs code that was written for one row, such as a VJP rule, for all rows: the code sees
tracers, tensors of the shape of one row, and each op it calls runs by its batching rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapelab.core.core_ops import CORE
from tapelab.core.log import BATCHED, thread
from tapelab.core.op_declaration import Op, has_diagonal_jacobian
from tapelab.core.origin import Origin, next_id
from tapelab.core.tensor import Tensor, wrap
from tapelab.core.value_types import Cotangent, Nest, Value, Values

Shape = tuple[int, ...]


class Operand(NamedTuple):
    """An input of an op: one value, or a value for each member of a batch, and the shape of one."""

    value: Any
    shape: Shape
    batched: bool


class BatchedCall(NamedTuple):
    """An op that is to run for a batch of so many rows."""

    op: Op
    rows: int
    operands: tuple[Operand, ...]
    settings: dict[str, Any]

    def run(self, *values: Values, **settings: Any) -> Any:
        """What the op makes of values that hold all rows, with some settings changed."""
        return self.op(*values, **{**self.settings, **settings})

    def setting(self, name: str) -> Any:
        """A setting of the op, or its default."""
        return self.settings[name] if name in self.settings else self.op.defaults[name]

    def all_batched(self) -> list[Any]:
        """The operands, each with the batch axis."""
        return [x.value if x.batched else with_batch_axis(x.value, x.shape, self.rows)
                for x in self.operands]  # fmt: skip

    def with_rank(self, rank: int) -> list[Any]:
        """The operands with so many axes in each row, the new ones of length 1 in front."""
        return [
            reshaped(x.value, (self.rows, *(1,) * (rank - len(x.shape)), *x.shape))
            if x.batched and len(x.shape) < rank
            else x.value
            for x in self.operands
        ]


def run_batched(call: BatchedCall) -> Any:
    """The results of an op for all rows."""
    op = call.op
    if op.batching is not None:
        return op.batching(call)
    return aligned(call) if op.broadcasts or has_diagonal_jacobian(op) else row_by_row(call)


def shape_of(value: Value) -> Shape:
    """The shape of a raw value or of a tensor."""
    shape: Shape = value._array.shape if type(value) is Tensor else np.shape(value)
    return shape


def reshaped(value: Value, shape: Iterable[int]) -> Any:
    """The same elements in another shape."""
    if type(value) is np.ndarray:
        return value.reshape(tuple(shape))
    return CORE.reshape(value, shape=tuple(shape))


def with_batch_axis(value: Value, shape: Shape, rows: int) -> Any:
    """The same value for each row."""
    return CORE.broadcast_to(value, shape=(rows, *shape))


def axes_behind_batch(axes: Iterable[int] | None, rank: int) -> Shape:
    """Axes of one row, None for all, as axes of the batch."""
    return tuple([axis % rank + 1 for axis in (range(rank) if axes is None else axes)])


def row_by_row(call: BatchedCall) -> Any:
    """Any op, once for each row."""
    unstack, stack = CORE.unstack, CORE.stack
    rows = [unstack(x.value) if x.batched else (x.value,) * call.rows for x in call.operands]
    results = [call.run(*values) for values in zip(*rows, strict=True)]
    if call.op.multi:
        return tuple(stack(*parts) for parts in zip(*results, strict=True))
    return stack(*results)


def aligned(call: BatchedCall) -> Any:
    """An op that broadcasts: rows of fewer axes get some of length 1, as one row would."""
    return call.run(*call.with_rank(max(len(x.shape) for x in call.operands)))


def on_last_axes(call: BatchedCall) -> Any:
    """An op on single elements, or on axes that are counted from the last."""
    return call.run(*call.all_batched())


def along_axis(call: BatchedCall) -> Any:
    """An op along the axis in its setting `axis`, one further if it is counted from the first."""
    axis = call.setting("axis")
    return call.run(*call.all_batched(), axis=axis + 1 if axis >= 0 else axis)


def along_axes(call: BatchedCall) -> Any:
    """An op of one operand along the axes in its setting `axis`, or along all of them."""
    (x,) = call.operands
    return call.run(x.value, axis=axes_behind_batch(call.setting("axis"), len(x.shape)))


def to_shape(call: BatchedCall) -> Any:
    """An op of one operand whose setting `shape` is the shape of its result."""
    (x,) = call.operands
    return call.run(x.value, shape=(call.rows, *call.settings["shape"]))


def along_first_axes(call: BatchedCall) -> Any:
    """An op along the first axes: the batch axis goes behind the others meanwhile."""
    values = [x.value if not x.batched and _holds_integers(x) else _batch_axis_last(rows)
              for x, rows in zip(call.operands, call.all_batched(), strict=True)]  # fmt: skip
    shape = call.settings.get("shape")
    results = call.run(*values, **({} if shape is None else {"shape": (*shape, call.rows)}))
    rank = len(shape_of(results))
    return CORE.transpose(results, perm=(rank - 1, *range(rank - 1)))


def _holds_integers(x: Operand) -> bool:
    dtype: np.dtype[Any] = getattr(x.value, "_value", x.value).dtype
    return dtype.kind in "iu"


def _batch_axis_last(rows: Value) -> Any:
    rank = len(shape_of(rows))
    return CORE.transpose(rows, perm=(*range(1, rank), 0))


def joined_with_first_axis(call: BatchedCall) -> Any:
    """An op on many images, the first axis of its first operand: a batch of those is more images.

    The other operands are filters that all rows share; with filters of their own, row by row.
    """
    x, *filters = call.operands
    if not x.batched or any(each.batched for each in filters):
        return row_by_row(call)
    images, *rest = x.shape
    shape = call.settings.get("shape")
    whole = {} if shape is None else {"shape": (call.rows * images, *shape[1:])}
    joined = reshaped(x.value, (call.rows * images, *rest))
    results = call.run(joined, *(each.value for each in filters), **whole)
    return reshaped(results, (call.rows, images, *shape_of(results)[1:]))


class BatchTrace:
    """The batches that the tracers of one VJP stand for; ops of this thread ask it in its block.

    The VJP sees tensors. Where no tape is to record it (`recorded` is False), its ops run on raw
    arrays nevertheless.
    """

    def __init__(self, count: int, origin: Origin, *, recorded: bool) -> None:
        self._count, self._origin, self._recorded = count, origin, recorded
        self._rows: dict[int, Any] = {}
        self._token: tuple[int, ...] = ()

    def __enter__(self) -> None:
        self._token, thread.token, thread.batch_trace = thread.token, BATCHED, self

    def __exit__(self, *exception: object) -> None:
        thread.token, thread.batch_trace = self._token, None

    def tracer(self, rows: Value) -> Tensor:
        """A tensor with the values of the first row that stands for all rows."""
        tracer = wrap((rows._array if type(rows) is Tensor else rows)[0], next_id(), self._origin)
        self._rows[tracer._id] = rows
        return tracer

    def rows(self, flow: Cotangent) -> Any:
        """All rows of a contribution, which may be the same in each; None stays None."""
        if flow is None:
            return None
        operand = self._operand(flow)
        if operand.batched:
            return operand.value
        thread.token = self._token
        try:
            return with_batch_axis(operand.value, operand.shape, self._count)
        finally:
            thread.token = BATCHED

    def run(self, op: Op, inputs: Sequence[Any], settings: dict[str, Any]) -> Any:
        """Run an op that a VJP calls: for all rows at once if one of its inputs is a tracer."""
        operands = tuple(map(self._operand, inputs))
        is_batched = any(each.batched for each in operands)
        thread.token = self._token
        try:
            if is_batched:
                results = run_batched(BatchedCall(op, self._count, operands, settings))
            else:
                results = op(*[each.value for each in operands], **settings)
        finally:
            thread.token = BATCHED
        as_tensor = self.tracer if is_batched else self._constant
        return tuple(map(as_tensor, results)) if op.multi else as_tensor(results)

    def _operand(self, given: Nest) -> Operand:
        if type(given) is not Tensor:
            return Operand(given, shape_of(given), False)
        rows = self._rows.get(given._id)
        if rows is not None:
            return Operand(rows, given._array.shape, True)
        return Operand(given if self._recorded else given._array, given._array.shape, False)

    def _constant(self, value: Value) -> Tensor:
        return value if type(value) is Tensor else wrap(value, next_id(), self._origin)
