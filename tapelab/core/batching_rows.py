"""Rows of one kind of value, laid along one more axis in front: what all their rules need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from tapelab.core.op import REGISTRY
from tapelab.core.tensor import Tensor

Shape = tuple[int, ...]


class Operand(NamedTuple):
    """An input of an op: one value, or a value for each of many rows; the shape is that of one."""

    value: Any
    shape: Shape
    batched: bool


class Call(NamedTuple):
    """An op that is to be done for a number of rows at once."""

    op: Any
    rows: int
    operands: tuple[Operand, ...]
    settings: dict[str, Any]

    def of(self, *values: Any, **settings: Any) -> Any:
        """What the op makes of values that hold all rows."""
        return self.op(*values, **{**self.settings, **settings})

    def spread(self) -> list[Any]:
        """The operands with as many rows each."""
        return [x.value if x.batched else spread_over(x.value, x.shape, self.rows)
                for x in self.operands]  # fmt: skip

    def with_rank(self, rank: int) -> list[Any]:
        """The operands with so many axes in each row, the new ones of length 1 in front."""
        return [
            reshaped(x.value, (self.rows, *(1,) * (rank - len(x.shape)), *x.shape))
            if x.batched and len(x.shape) < rank
            else x.value
            for x in self.operands
        ]


def shape_of(value: Any) -> Shape:
    """The shape of a raw value or of a tensor."""
    shape: Shape = value._array.shape if type(value) is Tensor else np.shape(value)
    return shape


def reshaped(value: Any, shape: Iterable[int]) -> Any:
    """The same entries in another shape."""
    if type(value) is np.ndarray:
        return value.reshape(tuple(shape))
    return REGISTRY["reshape"](value, shape=tuple(shape))


def spread_over(value: Any, shape: Shape, count: int) -> Any:
    """The same value for each row."""
    return REGISTRY["broadcast_to"](value, shape=(count, *shape))
