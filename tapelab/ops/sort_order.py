"""Sorted values and positions: sort, argsort, top_k, argmax, and where entries are true."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final, Literal

import numpy as np

from tapelab.core.batching import BatchedCall, along_axis
from tapelab.core.host_values import as_setting, compute_on_host
from tapelab.core.op import op
from tapelab.core.tensor import Tensor
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.rules import REALS, WHOLE

PLACES: Final = "{} answers with places, and those do not change when x changes a little."


def orders(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays of distinct entries with the axis and direction to sort them in."""
    x, y = (rng.permutation(n).reshape(shape) + 0.5 for n, shape in ((4, (4,)), (6, (2, 3))))
    return [((x,), {"axis": -1, "descending": True}), ((y,), {"axis": 0, "descending": False})]


def largest(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays of distinct entries with how many of the largest to find."""
    return [((rng.permutation(6).reshape(2, 3) + 0.5,), {"k": 2})]


along = samples.normals(((2, 3), {"indices": np.array([[2, 0], [1, 1]]), "axis": 1}))
"""Arrays with the places to pick along an axis."""


def sought(rng: np.random.Generator) -> list[samples.Sample]:
    """Sorted rows with the values to find a place for."""
    rows = np.sort(rng.normal(size=(2, 4)), axis=-1)
    one, two = rng.normal(size=3), rng.normal(size=(2, 3))
    return [((rows[0], one), {"side": "left"}), ((rows, two), {"side": "right"})]


def repeated(rng: np.random.Generator) -> list[samples.Sample]:
    """Rows in which values occur more than once."""
    return [((rng.integers(0, 3, size=(6,)) + 0.5,), {})]


back = samples.normals(
    ((2, 2), {"indices": np.array([[2, 0], [1, 1]]), "axis": 1, "shape": (2, 3)})
)
"""Picked entries with the places they came from."""


@op(formula=r"y = \operatorname{sort}(x)", glyph="sort", raw="TopKV2", samples=orders,
    kinds=REALS, batching=along_axis)  # fmt: skip
def sort(x: Any, *, axis: int = -1, descending: bool = False) -> Any:
    """The entries in order along an axis; each keeps its own gradient."""
    return np.take_along_axis(x, _order(x, axis, descending), axis)


@sort.grad("x", r"\bar x = \operatorname{unsort}(\bar y)")
def sort_grad_x(dy: Any, y: Any, x: Any, *, axis: int = -1, descending: bool = False) -> Any:
    places = compute_on_host(partial(_order, axis=axis, descending=descending), x)
    return put_along(dy, indices=places, axis=axis, shape=tuple(x.shape))


@op(formula=r"y = \operatorname{pick}(x)", glyph="pick", title="Pick along", samples=along)
def pick_along(x: Any, *, indices: Any, axis: int) -> Any:
    """In each row the entries at the places given for that row."""
    return np.take_along_axis(x, indices, axis)


@pick_along.grad("x", r"\bar x = \operatorname{put}(\bar y)")
def pick_along_grad_x(dy: Any, y: Any, x: Any, *, indices: Any, axis: int) -> Any:
    return put_along(dy, indices=indices, axis=axis, shape=tuple(x.shape))


@op(formula=r"y = \operatorname{put}(x)", glyph="put", title="Put along", samples=back)
def put_along(x: Any, *, indices: Any, axis: int, shape: tuple[int, ...]) -> Any:
    """In each row of zeros the entries at the places given for that row; repeats add up."""
    whole = np.zeros(shape, x.dtype)
    where = list(np.ogrid[tuple(slice(n) for n in indices.shape)])
    where[axis] = indices
    np.add.at(whole, tuple(where), x)
    return whole


@pick_along.batch
@put_along.batch
def pick_along_batch(call: BatchedCall) -> Any:
    """At the same places in each row."""
    (x,), shape, axis = call.operands, call.settings.get("shape"), call.settings["axis"]
    indices = call.settings["indices"]
    shared = np.broadcast_to(indices, (call.rows, *indices.shape))
    whole = {} if shape is None else {"shape": (call.rows, *shape)}
    return call.run(x.value, indices=shared, axis=axis + 1 if axis >= 0 else axis, **whole)


@put_along.grad("x", r"\bar x = \operatorname{pick}(\bar y)")
def put_along_grad_x(dy: Any, y: Any, x: Any, *, indices: Any, axis: int, shape: Any) -> Any:
    return pick_along(dy, indices=indices, axis=axis)


@op(formula=r"y = \operatorname{argsort}(x)", glyph="argsort", pattern="index-only", raw="TopKV2",
    samples=orders, kinds=REALS)  # fmt: skip
def argsort(x: Any, *, axis: int = -1, descending: bool = False) -> Any:
    """The places of the entries in order along an axis."""
    return _order(x, axis, descending).astype(np.int32)


argsort.no_grad("x", because=PLACES.format("argsort"))


@op(formula=r"y = \operatorname{top}(x)", glyph="top k", raw="TopKV2", samples=largest, kinds=REALS,
    multi=True)  # fmt: skip
def top_k(x: Any, *, k: int) -> Any:
    """The k largest entries of each row, largest first, and their places."""
    if k < 0:
        raise invalid_argument("TopKV2", f"Need k >= 0, got {k}")
    if x.ndim < 1 or x.shape[-1] < k:
        raise invalid_argument(
            "TopKV2", f"input must have at least k columns. Had {x.shape[-1] if x.ndim else 0}, "
            f"needed {k}",
        )  # fmt: skip
    places = _order(x, -1, descending=True)[..., :k]
    return np.take_along_axis(x, places, -1), places.astype(np.int32)


@top_k.grad("x", r"\bar x = \operatorname{put}(\bar y)")
def top_k_grad_x(dy: Any, y: Any, x: Any, *, k: int) -> Any:
    places = as_setting(y[1]) if type(y[1]) is Tensor else y[1]
    return put_along(dy[0], indices=places, axis=len(x.shape) - 1, shape=tuple(x.shape))


@op(formula=r"z = \operatorname{searchsorted}(x, y)", glyph="search", pattern="integer",
    raw="LowerBound", samples=sought, same_dtype=True)  # fmt: skip
def search_sorted(x: Any, y: Any, *, side: Literal["left", "right"]) -> Any:
    """Where each entry of y would have to stand in the sorted row x."""
    for name, each in (("sorted_sequence", x), ("values", y)):
        if not each.ndim:
            raise invalid_argument("LowerBound", f"{name} must have at least one axis")
    if x.ndim == 1:
        return np.searchsorted(x, y, side).astype(np.int32)[()]
    flat = (each.reshape(math.prod(each.shape[:-1]), each.shape[-1]) for each in (x, y))
    rows = zip(*flat, strict=True)
    places = [np.searchsorted(row, values, side) for row, values in rows]
    return np.array(places, np.int32).reshape(y.shape)


search_sorted.no_grad("x", "y", because=PLACES.format("searchsorted"))


@op(formula=r"y = \operatorname{unique}(x)", glyph="unique", pattern="not implemented",
    samples=repeated, multi=True)  # fmt: skip
def unique(x: Any) -> Any:
    """Each value once, in the order of first sight; where each entry is; how often each occurs."""
    values, first, places, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first, kind="stable")
    rank = np.empty(order.size, np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    return values[order], rank[places.reshape(-1)], counts[order].astype(np.int32)


def _order(x: Any, axis: int, descending: bool) -> Any:
    """The places in order; equal entries keep the order they had."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    backwards = np.argsort(np.flip(x, axis), axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(backwards, axis)


def along_one_axis(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays of distinct numbers with one axis."""
    shapes = [((3,), 0), ((2, 3), 1), ((2, 3), 0)]
    return [((samples.distinct(rng, shape),), {"axis": axis}) for shape, axis in shapes]


@op(formula=r"y = \operatorname{argmax}(x)", glyph="argmax", raw="ArgMax", pattern="integer",
    samples=along_one_axis, kinds=REALS + "b", reference=lambda x,
    axis: np.argsort(x, axis).take(-1, axis))  # fmt: skip
def argmax(x: Any, *, axis: int = 0) -> Any:
    """The position of the largest entry along the axis, of the first one if there are several."""
    return np.argmax(x, axis=axis)


@op(formula=r"y = \operatorname{argmin}(x)", glyph="argmin", raw="ArgMin", pattern="integer",
    samples=along_one_axis, kinds=REALS + "b", reference=lambda x,
    axis: np.argsort(x, axis).take(0, axis))  # fmt: skip
def argmin(x: Any, *, axis: int = 0) -> Any:
    """The position of the smallest entry along the axis, of the first one if there are several."""
    return np.argmin(x, axis=axis)


for _position in (argmax, argmin):
    _position.no_grad("x", because=WHOLE.format(_position.name))


@op(formula=r"y = \operatorname{where}(x)", glyph="where?", raw="Where", pattern="integer",
    samples=samples.integers_with_axes, dtypes=("int32",),
    reference=lambda x: np.transpose(np.nonzero(x)))  # fmt: skip
def true_positions(x: Any) -> Any:
    """The positions of the entries that are true, or not 0, one row each."""
    if x.ndim == 0:
        raise invalid_argument("Where", "WhereOp : Unhandled input dimensions: 0")
    return np.argwhere(x)


true_positions.no_grad("x", because=WHOLE.format("where() of one argument"))
