"""Tensors that show one row and stand for many, while a gradient rule runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapelab.core.batching import BatchedCall, Operand, run_batched, shape_of, with_batch_axis
from tapelab.core.log import BATCHED, thread
from tapelab.core.op_declaration import Op
from tapelab.core.origin import Origin, next_id
from tapelab.core.tensor import Tensor, wrap


class BatchTrace:
    """The rows behind the lanes of one step; inside its block the ops of this thread know them.

    A rule sees tensors. Where no tape is to record it (`recorded`), what it does is done to raw
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

    def lane(self, rows: Any) -> Tensor:
        """A tensor that shows the first row and stands for all."""
        made = wrap((rows._array if type(rows) is Tensor else rows)[0], next_id(), self._origin)
        self._rows[made._id] = rows
        return made

    def rows(self, flow: Any) -> Any:
        """All rows of what flows back, which may be the same in each; None where nothing does."""
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
        """Do an op that a rule calls: for all rows at once where one of its inputs is a lane."""
        operands = tuple(map(self._operand, inputs))
        shown = any(each.batched for each in operands)
        thread.token = self._token
        try:
            if shown:
                made = run_batched(BatchedCall(op, self._count, operands, settings))
            else:
                made = op(*[each.value for each in operands], **settings)
        finally:
            thread.token = BATCHED
        back = self.lane if shown else self._constant
        return tuple(map(back, made)) if op.multi else back(made)

    def _operand(self, given: Any) -> Operand:
        if type(given) is not Tensor:
            return Operand(given, shape_of(given), False)
        rows = self._rows.get(given._id)
        if rows is not None:
            return Operand(rows, given._array.shape, True)
        return Operand(given if self._recorded else given._array, given._array.shape, False)

    def _constant(self, value: Any) -> Tensor:
        return value if type(value) is Tensor else wrap(value, next_id(), self._origin)
