"""Rows of ragged tensors in a pipeline: a batch of such rows is ragged, whatever their lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import nest
from tapelab.core.tensor import Tensor, constant_of


class RaggedRow(np.ndarray[Any, Any]):
    """One row of a ragged tensor, as an array that remembers this."""


def detached(ragged: Any) -> Any:
    """The same ragged tensor without its history."""
    return ragged._like(constant_of(ragged._numbers()._value))


def row_of(ragged: Any, index: int) -> Any:
    """One row of a ragged or sparse tensor, as a pipeline holds it."""
    if hasattr(ragged, "_row"):  # a sparse one
        return ragged._row(index)
    piece = ragged[index]
    return marked(piece._value) if isinstance(piece, Tensor) else detached(piece)


def marked(row: Any) -> RaggedRow:
    """An array as a row of a ragged tensor."""
    return np.asarray(row).view(RaggedRow)


def are_ragged(rows: Any) -> bool:
    """Whether rows become a ragged tensor when they are put together."""
    return any(isinstance(each, RaggedRow) or nest.is_composite(each) for each in rows)


def joined(rows: Any) -> Any:
    """Rows as one ragged tensor, sparse rows as a sparse one."""
    if hasattr(rows[0], "_piled"):
        return rows[0]._piled(rows)
    from tapelab.ragged.shape_ops import stack

    given = [e if nest.is_composite(e) else constant_of(np.asarray(e)) for e in rows]
    return detached(stack(given))
