"""Broadcasting and its VJP: stretching an array, and summing what was stretched."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.core.batching import BatchedCall, reshaped
from tapelab.core.op import op
from tapelab.ops import samples

Shape = tuple[int, ...]
_sum: Final[Any] = np.add.reduce


stretched = samples.normals(
    ((), {"shape": (2, 3)}), ((3,), {"shape": (2, 3)}), ((2, 1), {"shape": (2, 3)})
)
"""Arrays with the shape to stretch them to."""
summed = samples.normals(
    ((2, 3), {"shape": ()}), ((2, 3), {"shape": (3,)}), ((2, 3), {"shape": (2, 1)})
)
"""Arrays with the shape to sum them down to."""


@op(formula=r"y = \operatorname{broadcast}(x)", samples=stretched, linear=True)
def broadcast_to(x: Any, *, shape: Shape) -> Any:
    """Repeat an array along new or length-1 axes until it has the given shape."""
    return np.broadcast_to(x, shape)


@op(formula=r"y = \sum x", glyph="Σ", title="Sum to shape", raw="Sum", samples=summed, linear=True)
def sum_to(x: Any, *, shape: Shape) -> Any:
    """Sum an array over the axes along which an array of the given shape was broadcast."""
    there = np.shape(x)
    extra = len(there) - len(shape)
    stretched = [i + extra for i, n in enumerate(shape) if n == 1 and there[i + extra] != 1]
    axes = (*range(extra), *stretched)
    if not axes:
        return np.reshape(x, shape)
    y = _sum(x, axis=axes)
    return y if y.shape == shape else y.reshape(shape)


@broadcast_to.batch
def broadcast_to_batch(call: BatchedCall) -> Any:
    shape = call.settings["shape"]
    return call.run(*call.with_rank(len(shape)), shape=(call.rows, *shape))


@broadcast_to.grad("x", r"\bar x = \sum \bar y")
def broadcast_to_grad_x(dy: Any, y: Any, x: Any, *, shape: Any) -> Any:
    """An entry that was repeated receives the sum of all its copies' gradients."""
    return sum_to(dy, shape=tuple(x.shape))


@sum_to.batch
def sum_to_batch(call: BatchedCall) -> Any:
    (x,), shape = call.operands, call.settings["shape"]
    ones = (1,) * (len(x.shape) - len(shape))
    summed = call.run(x.value, shape=(call.rows, *ones, *shape))
    return reshaped(summed, (call.rows, *shape)) if ones else summed


@sum_to.grad("x", r"\bar x = \operatorname{broadcast}(\bar y)")
def sum_to_grad_x(dy: Any, y: Any, x: Any, *, shape: Any) -> Any:
    """Every entry counts in full, so each receives the whole gradient."""
    return broadcast_to(dy, shape=tuple(x.shape))
