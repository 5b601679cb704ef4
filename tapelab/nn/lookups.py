"""Tables of rows, whole or cut into pieces, and the rows that are looked up in them."""

from __future__ import annotations

from typing import Any

from tapelab.array_ops.creation import range as numbers
from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.partition_ops import dynamic_partition, dynamic_stitch
from tapelab.array_ops.value_ops import clip_by_norm, where
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.ops.public import tensor
from tapelab.ops.selection import maximum
from tapelab.ops.shapes import reshape


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
