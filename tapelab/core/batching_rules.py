"""How an op is done for many rows at once, op by op.

A rule is made of ops itself, so that it works on raw arrays and on tensors alike. An op without
one is done row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final

import numpy as np

from tapelab.core.batching_products import einsum, matmul, solve
from tapelab.core.batching_rows import Call, Shape, reshaped, shape_of
from tapelab.core.op import REGISTRY, Op

Rule = Callable[[Call], Any]


def on_all_rows(call: Call) -> Any:
    """The results of an op for all rows."""
    return _rule_for(call.op)(call)


@lru_cache(maxsize=1024)
def is_diagonal(op: Op) -> bool:
    """Whether each entry of the result depends on the entries at its own place only."""
    rules = [rule for rule in op.rules.values() if rule.function is not None]
    local = bool(rules) and all(rule.facts.local for rule in rules)
    return local and not op.multi and op.joint is None


def _rule_for(op: Op) -> Rule:
    if REGISTRY.get(op.name) is not op:  # a learner's function may have the name of an op
        return _row_by_row
    return RULES.get(op.name) or (_aligned if op.broadcasts or is_diagonal(op) else _row_by_row)


def _row_by_row(call: Call) -> Any:
    unstack, stack = REGISTRY["unstack"], REGISTRY["stack"]
    rows = [unstack(x.value) if x.batched else (x.value,) * call.rows for x in call.operands]
    made = [call.of(*each) for each in zip(*rows, strict=True)]
    if call.op.multi:
        return tuple(stack(*each) for each in zip(*made, strict=True))
    return stack(*made)


def _aligned(call: Call) -> Any:
    """An op that broadcasts: rows of fewer axes get some of length 1, as one row would."""
    return call.of(*call.with_rank(max(len(x.shape) for x in call.operands)))


def _from_behind(call: Call) -> Any:
    """An op on single entries, or on axes that are counted from the last."""
    return call.of(*call.spread())


def _along(axis: int) -> Rule:
    """An op along one axis, which comes one later where it is counted from the front."""

    def along(call: Call) -> Any:
        at = call.settings.get("axis", axis)
        return call.of(*call.spread(), axis=at + 1 if at >= 0 else at)

    return along


def _along_several(call: Call) -> Any:
    """An op along several axes, or along all of them."""
    (x,) = call.operands
    return call.of(x.value, axis=_later(call.settings.get("axis"), len(x.shape)))


def _later(axes: Iterable[int] | None, rank: int) -> Shape:
    return tuple([at % rank + 1 for at in (range(rank) if axes is None else axes)])


def _to_shape(call: Call) -> Any:
    """An op that is told the shape of its result."""
    (x,) = call.operands
    return call.of(x.value, shape=(call.rows, *call.settings["shape"]))


def _broadcast_to(call: Call) -> Any:
    shape = call.settings["shape"]
    return call.of(*call.with_rank(len(shape)), shape=(call.rows, *shape))


def _sum_to(call: Call) -> Any:
    (x,), shape = call.operands, call.settings["shape"]
    ones = (1,) * (len(x.shape) - len(shape))
    summed = call.of(x.value, shape=(call.rows, *ones, *shape))
    return reshaped(summed, (call.rows, *shape)) if ones else summed


def _spread(call: Call) -> Any:
    (x,), shape, axis = call.operands, call.settings["shape"], call.settings["axis"]
    rows = x.value
    if len(x.shape) != len(shape):
        gone = range(len(shape)) if axis is None else [each % len(shape) for each in axis]
        left = [1 if at in gone else length for at, length in enumerate(shape)]
        rows = reshaped(rows, (call.rows, *left))
    return REGISTRY["broadcast_to"](rows, shape=(call.rows, *shape))


def _transpose(call: Call) -> Any:
    (x,), perm = call.operands, call.settings.get("perm")
    rank = len(x.shape)
    return call.of(x.value, perm=(0, *_later(range(rank)[::-1] if perm is None else perm, rank)))


def _squeeze(call: Call) -> Any:
    (x,), axis = call.operands, call.settings.get("axis")
    rank = len(x.shape)
    gone = [each % rank for each in axis] if axis else [i for i in range(rank) if x.shape[i] == 1]
    return reshaped(x.value, (call.rows, *(n for at, n in enumerate(x.shape) if at not in gone)))


def _slice(call: Call) -> Any:
    """Cutting pieces out, or putting them back into a shape."""
    (x,), shape = call.operands, call.settings.get("shape")
    whole = {} if shape is None else {"shape": (call.rows, *shape)}
    return call.of(x.value, key=(slice(None), *call.settings["key"]), **whole)


def _tile(call: Call) -> Any:
    (x,) = call.operands
    return call.of(x.value, multiples=(1, *call.settings["multiples"]))


def _pad(call: Call) -> Any:
    (x,) = call.operands
    return call.of(x.value, paddings=((0, 0), *call.settings["paddings"]))


def _roll(call: Call) -> Any:
    (x,) = call.operands
    return call.of(x.value, axis=_later(call.settings["axis"], len(x.shape)))


def _transformed(call: Call) -> Any:
    """A Fourier transform along some axes."""
    (x,) = call.operands
    return call.of(x.value, axes=_later(call.settings["axes"], len(x.shape)))


def _pictures(call: Call) -> Any:
    """An op on a number of pictures, with filters that all rows have in common: more pictures."""
    x, *filters = call.operands
    if not x.batched or any(each.batched for each in filters):
        return _row_by_row(call)
    pictures, *rest = x.shape
    shape = call.settings.get("shape")
    whole = {} if shape is None else {"shape": (call.rows * pictures, *shape[1:])}
    laid = reshaped(x.value, (call.rows * pictures, *rest))
    made = call.of(laid, *(each.value for each in filters), **whole)
    return reshaped(made, (call.rows, pictures, *shape_of(made)[1:]))


def _at_places(call: Call) -> Any:
    """Picking or adding up along an axis at places that all rows have in common."""
    x, places = call.operands
    depth, shape = call.settings.get("batch_dims", 0), call.settings.get("shape")
    rank = len(x.shape if shape is None else shape)
    if places.batched:
        return _row_by_row(call)
    whole = {} if shape is None else {"shape": (call.rows, *shape)}
    found = call.spread()[1] if depth else places.value
    axis = call.settings.get("axis", 0) % rank + 1
    return call.of(x.value, found, axis=axis, batch_dims=depth + 1 if depth else 0, **whole)


def _scatter_rows(call: Call) -> Any:
    (x,), shape, places = call.operands, call.settings["shape"], call.settings["indices"]
    whole = (call.rows, *shape)
    return REGISTRY["add_at"](x.value, np.asarray(places), shape=whole, axis=1, batch_dims=0)


def _along_own(call: Call) -> Any:
    """Picking or putting along an axis at places of its own for each entry of a row."""
    (x,), shape, axis = call.operands, call.settings.get("shape"), call.settings["axis"]
    places = call.settings["indices"]
    whole = {} if shape is None else {"shape": (call.rows, *shape)}
    common = np.broadcast_to(places, (call.rows, *places.shape))
    return call.of(x.value, indices=common, axis=axis + 1 if axis >= 0 else axis, **whole)


def _masked(call: Call) -> Any:
    x, mask = call.operands
    axis, shape = call.settings["axis"], call.settings.get("shape")
    if mask.batched or axis < 0:
        return _row_by_row(call)
    whole = {} if shape is None else {"shape": (call.rows, *shape)}
    return call.of(x.value, mask.value, axis=axis + 1, **whole)


def _rows_last(call: Call) -> Any:
    """An op that picks along the first axes: the rows go behind them meanwhile."""
    numbers = [x.value if not x.batched and _counts(x) else _last(rows)
               for x, rows in zip(call.operands, call.spread(), strict=True)]  # fmt: skip
    shape = call.settings.get("shape")
    made = call.of(*numbers, **({} if shape is None else {"shape": (*shape, call.rows)}))
    rank = len(shape_of(made))
    return REGISTRY["transpose"](made, perm=(rank - 1, *range(rank - 1)))


def _counts(x: Any) -> bool:
    dtype: np.dtype[Any] = getattr(x.value, "_value", x.value).dtype
    return dtype.kind in "iu"


def _last(rows: Any) -> Any:
    rank = len(shape_of(rows))
    return REGISTRY["transpose"](rows, perm=(*range(1, rank), 0))


_LAST_AXIS: Final = _along(-1)
_FIRST_AXIS: Final = _along(0)

RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys(("reduce_sum", "reduce_mean", "reduce_max", "reduce_min"), _along_several),
    **dict.fromkeys(("reduce_prod", "reduce_logsumexp", "reverse"), _along_several),
    **dict.fromkeys(("reduce_all", "reduce_any", "reduce_euclidean_norm"), _along_several),
    **dict.fromkeys(("softmax", "log_softmax", "softmax_slope", "sort"), _LAST_AXIS),
    **dict.fromkeys(("stack", "unstack", "concat", "split", "expand_dims"), _FIRST_AXIS),
    **dict.fromkeys(("cumsum", "cumprod", "cumulative_logsumexp"), _FIRST_AXIS),
    **dict.fromkeys(("repeat", "sum_runs"), _FIRST_AXIS),
    **dict.fromkeys(("cast", "conj", "real", "imag", "zeros_like", "ones_like"), _from_behind),
    **dict.fromkeys(("diagonal", "diagonal_part", "set_diagonal", "band_part"), _from_behind),
    **dict.fromkeys(("inverse", "cholesky", "identity_n", "stop_gradient"), _from_behind),
    **dict.fromkeys(("reshape", "put_diagonal"), _to_shape),
    **dict.fromkeys(("gather", "add_at"), _at_places),
    **dict.fromkeys(("pick_along", "put_along"), _along_own),
    **dict.fromkeys(("strided_slice", "put_back"), _slice),
    **dict.fromkeys(("boolean_mask", "unmask"), _masked),
    **dict.fromkeys(("gather_nd", "scatter_nd", "segment_sum", "of_segment"), _rows_last),
    **dict.fromkeys(("tensor_scatter_nd_update", "tensor_scatter_nd_add"), _rows_last),
    **dict.fromkeys(("solve", "triangular_solve"), solve),
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft"), _transformed),
    **dict.fromkeys(("convolution", "convolution_input", "avg_pool", "avg_unpool"), _pictures),
    "roll": _roll,
    "broadcast_to": _broadcast_to,
    "sum_to": _sum_to,
    "spread": _spread,
    "transpose": _transpose,
    "squeeze": _squeeze,
    "tile": _tile,
    "pad": _pad,
    "scatter_rows": _scatter_rows,
    "matmul": matmul,
    "einsum": einsum,
}
"""The ops that gradient rules are made of; one that broadcasts, or works entry by entry, has none
of its own.
"""
