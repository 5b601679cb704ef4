"""Texts taken apart: at separators, or into their bytes. Several texts give ragged rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.ops import samples
from tapelab.ops.settings import number
from tapelab.strings.texts import declared, one_text, text, texts


def lines(rng: np.random.Generator) -> list[samples.Sample]:
    """A row of lines with the way to split them."""
    del rng
    row = texts(["a b", "", "c,d e"])
    return [((row,), {"sep": b"", "maxsplit": -1}), ((row,), {"sep": b",", "maxsplit": 1})]


@declared("StringSplitV2", "string_split", lines, multi=True)
def _split(x: Any, *, sep: bytes, maxsplit: int) -> Any:
    """The pieces of all texts in one row, and where the pieces of each text begin."""
    return in_one_row([_pieces(raw, sep, maxsplit) for raw in x.ravel()])


@declared("StringBytesSplit", "bytes_split", multi=True)
def _bytes_split(x: Any) -> Any:
    """The bytes of all texts in one row, and where the bytes of each text begin."""
    return in_one_row([[raw[at : at + 1] for at in range(len(raw))] for raw in x.ravel()])


@public
def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """The pieces between separators, or between white space: a row for one text, ragged rows else.

    With `maxsplit`, at most so many cuts are made and the rest stays in one piece.
    """
    raw = "StringSplitV2"
    between = b"" if sep is None else one_text(sep, raw, "sep")
    most = number(maxsplit, raw)
    cuts = max(most, -1)
    return per_text(text(input, raw), lambda x: _split(x, sep=between, maxsplit=cuts))


@public
def bytes_split(input: Any, name: str | None = None) -> Any:
    """The bytes of texts: a row for one text, ragged rows for several."""
    return per_text(text(input, "StringBytesSplit"), _bytes_split)


def _pieces(raw: bytes, sep: bytes, maxsplit: int) -> list[bytes]:
    """The pieces of one text; after the last cut at white space its rest, even an empty one."""
    if not maxsplit:
        return [raw]
    found = raw.split(sep or None, maxsplit)
    return [*found, b""] if not sep and len(found) == maxsplit else found


def in_one_row(rows: list[list[bytes]]) -> tuple[Any, Any]:
    """Rows of pieces end to end, and the places at which they begin and end."""
    return texts([piece for row in rows for piece in row]), splits(rows)


def splits(rows: list[Any]) -> Any:
    """The places at which rows begin and end when they stand end to end."""
    return np.cumsum([0, *map(len, rows)], dtype=np.int64)


def per_text(x: Tensor, op: Callable[..., Any]) -> Any:
    """What an op of pieces and row splits gives: a row for one text, ragged rows for several."""
    first, *_ = many_per_text(x, op)
    return first


def many_per_text(x: Tensor, op: Callable[..., Any]) -> tuple[Any, ...]:
    """The same for an op that gives several things per piece; its row splits come last."""
    *found, row_splits = op(x)
    if x._array.ndim == 0:
        return tuple(found)
    from tapelab.ragged.ragged_tensor import (
        RaggedTensor,
    )  # loaded only where rows are of different lengths

    rows = [RaggedTensor.from_row_splits(each, row_splits, validate=False) for each in found]
    for length in reversed(x._array.shape[1:]):
        rows = [RaggedTensor.from_uniform_row_length(each, length) for each in rows]
    return tuple(rows)
