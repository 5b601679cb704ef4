"""Tables of rows, whole or cut into pieces, and the rows that are looked up in them."""

from __future__ import annotations

from typing import Any

from tapelab import nest
from tapelab.array_ops.creation import ones_like
from tapelab.array_ops.creation import range as numbers
from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.partition_ops import dynamic_partition, dynamic_stitch
from tapelab.array_ops.sort_ops import unique
from tapelab.array_ops.value_ops import cast, clip_by_norm, where
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.math import divide_no_nan, sqrt
from tapelab.math.segment_reductions import segment_sum
from tapelab.ops.public import tensor
from tapelab.ops.selection import maximum
from tapelab.ops.shapes import reshape
from tapelab.sparse.sparse_tensor import SparseTensor


@public(elementwise=True)
def embedding_lookup(
    params: Any, ids: Any, max_norm: Any = None, name: str | None = None
) -> Tensor:
    """The rows of a table with the given numbers; no longer than `max_norm`, if that is given.

    A list is a table cut into as many pieces of rows that follow one another: the first of
    `[[1.0, 2.0], [3.0, 4.0]]` holds the rows 1.0 and 2.0. tf.constant makes one table of it.
    """
    if params is None:
        raise ValueError("params must be specified")
    pieces = params if isinstance(params, list) else [params]
    if not pieces:
        raise ValueError(f"Length of params is currently {len(pieces)}. Need at least one param.")
    rows = gather(pieces[0], ids) if len(pieces) == 1 else _of_pieces(pieces, ids)
    if max_norm is None:
        return rows
    entries = range(tensor(ids).ndim, rows.ndim)
    clipped: Tensor = clip_by_norm(rows, max_norm, axes=list(entries))
    return clipped


def _of_pieces(pieces: list[Any], ids: Any) -> Tensor:
    """Rows of pieces of equal length, of which the first ones have a row more where it must be."""
    tables, wanted = [tensor(each) for each in pieces], tensor(ids)
    each, more = divmod(sum(table._array.shape[0] for table in tables), len(tables))
    flat: Any = reshape(wanted, shape=(-1,))
    late: Any = flat - more
    owner: Any = maximum(flat // (each + 1), late // each)
    places = where(owner < more, flat % (each + 1), late % each)
    count = len(tables)
    own = dynamic_partition(places, owner, count)
    order = dynamic_partition(numbers(flat._array.size), owner, count)
    gathered: Any = [gather(*pair) for pair in zip(tables, own, strict=True)]
    rows: Any = dynamic_stitch(order, gathered)
    embeddings: Tensor = reshape(rows, shape=(*wanted._array.shape, *rows._array.shape[1:]))
    return embeddings


@public
def embedding_lookup_sparse(
    params: Any, sp_ids: Any, sp_weights: Any = None, combiner: str | None = None,
    max_norm: Any = None, name: str | None = None, allow_fast_lookup: bool = False,
) -> Tensor:  # fmt: skip
    """For each row of ids the sum, or weighted mean, of the rows of a table that they name.

    The combiner is "sum", "mean" (weights add up to 1) or "sqrtn" (their squares do). Ids and
    weights are sparse, or ragged with one ragged axis.
    """
    del allow_fast_lookup
    how = "mean" if combiner is None else combiner
    if how not in {"mean", "sqrtn", "sum"}:
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum', got " + str(combiner))
    ids, owners = _sparse_values(sp_ids)
    _check_kinds(sp_ids, sp_weights)
    distinct = unique(ids)
    rows: Any = gather(embedding_lookup(params, distinct.y, max_norm), distinct.idx)
    if sp_weights is None:
        weights: Any = ones_like(owners, rows.dtype)
    else:
        weights = cast(_sparse_values(sp_weights)[0], rows.dtype)
    sums: Any = segment_sum(rows * reshape(weights, shape=(-1, *[1] * (rows.ndim - 1))), owners)
    if how == "sum":
        combined: Tensor = sums
        return combined
    total: Any = segment_sum(weights if how == "mean" else weights * weights, owners)
    scale = total if how == "mean" else sqrt(total)
    embeddings: Tensor = divide_no_nan(sums, reshape(scale, shape=(-1, *[1] * (rows.ndim - 1))))
    return embeddings


def _sparse_values(given: Any) -> tuple[Tensor, Tensor]:
    """The values of a sparse or ragged matrix, and the number of the row of each."""
    if isinstance(given, SparseTensor):
        return given.values, given.indices[:, 0]  # type: ignore[index]  # tensors get it from `ops`
    if nest.is_composite(given):
        return given.values, given.value_rowids()
    raise TypeError(f"sp_ids must be SparseTensor or RaggedTensor, got {type(given)}")


def _check_kinds(ids: Any, weights: Any) -> None:
    """TypeError for dense weights, or weights of another kind; ValueError for other places."""
    if weights is None:
        return
    if not nest.is_composite(weights):
        raise TypeError(
            f"sp_weights must be either None, SparseTensor, or RaggedTensor, got {type(weights)}"
        )
    if type(ids) is not type(weights):
        raise TypeError(
            f"sp_ids and sp_weights must be of one kind, got {type(ids)} and {type(weights)}"
        )
