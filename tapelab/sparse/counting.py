"""How often each whole number occurs, as a sparse tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import constant_of
from tapelab.errors import invalid_argument
from tapelab.ops.public import tensor
from tapelab.ops.settings import number
from tapelab.sparse.parts import cells_of, made_of, shape_of
from tapelab.sparse.tensor import SparseTensor


@public
def bincount(
    values: Any, weights: Any = None, axis: Any = 0, minlength: Any = None, maxlength: Any = None,
    binary_output: bool = False, name: str | None = None,
) -> SparseTensor:  # fmt: skip
    """How often each number occurs, over all (`axis=0`) or in each row (`axis=-1`).

    With `weights` their sums, with `binary_output` only whether it occurs; numbers from
    `maxlength` on are left out.
    """
    if axis not in {0, -1, None}:
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    rows, ids, shape, kind = _rows_and_ids(values)
    counts = _weights(weights, ids, binary_output, kind)
    lead = shape[:1] if axis == -1 and len(shape) > 1 else ()
    rows = rows if lead else np.zeros_like(rows)
    if (ids < 0).any():
        raise invalid_argument("SparseCountSparseOutput", "Input values must all be non-negative")
    ceiling = None if maxlength is None else number(maxlength, "SparseCountSparseOutput")
    kept = ids < (np.inf if ceiling is None else ceiling)
    rows, ids, counts = rows[kept], ids[kept], counts[kept]
    width = int(ids.max(initial=-1)) + 1
    width = width if minlength is None else max(width, number(minlength, "SparseCountSparseOutput"))
    width = width if ceiling is None else ceiling
    return _tallied(rows, ids, counts, (*lead, width), binary_output)


def _tallied(rows: Any, ids: Any, counts: Any, shape: Any, binary: bool) -> SparseTensor:
    pairs, places = np.unique(np.stack([rows, ids], axis=1), axis=0, return_inverse=True)
    total = np.zeros(len(pairs), counts.dtype)
    np.add.at(total, np.ravel(places), counts)
    found = np.ones_like(total) if binary else total
    return made_of(pairs[:, -len(shape) :], constant_of(found), shape)


def _rows_and_ids(values: Any) -> tuple[Any, Any, tuple[int, ...], Any]:
    """The row that each number stands in, the numbers, the shape of the whole and its dtype."""
    if isinstance(values, SparseTensor):
        x = values.values._value
        return cells_of(values)[:, 0], x.astype(np.int64), shape_of(values), x.dtype
    x = tensor(values)._value
    if x.ndim > 2:
        raise ValueError(f"bincount() takes one row or a matrix of them, not rank {x.ndim}.")
    rows = np.repeat(np.arange(len(x)), x.shape[1]) if x.ndim == 2 else np.zeros(x.size, int)
    return rows, np.ravel(x).astype(np.int64), x.shape, x.dtype


def _weights(weights: Any, ids: Any, binary: bool, kind: Any) -> Any:
    if weights is None:
        return np.ones(len(ids), kind)
    if binary:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive.")
    given = weights.values if isinstance(weights, SparseTensor) else tensor(weights)
    return np.ravel(given._value)
