"""Strings split at separators or into bytes, and n-grams. Several strings give ragged rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.ops.integer_arguments import number
from tapelab.ops.shapes import reshape
from tapelab.strings.string_op import declared, one_text, text, texts

_LINES: Final = (texts(["a b", "", "c,d e"]),)


@declared(
    "StringSplitV2", "string_split", (_LINES, {"sep": b"", "maxsplit": -1}),
    (_LINES, {"sep": b",", "maxsplit": 1}), multi=True,
)  # fmt: skip
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
    pieces = raw.split(sep or None, maxsplit)
    return [*pieces, b""] if not sep and len(pieces) == maxsplit else pieces


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
    *columns, row_splits = op(x)
    if x._array.ndim == 0:
        return tuple(columns)
    from tapelab.ragged.ragged_tensor import (
        RaggedTensor,
    )  # loaded only where rows are of different lengths

    rows = [RaggedTensor.from_row_splits(each, row_splits, validate=False) for each in columns]
    for length in reversed(x._array.shape[1:]):
        rows = [RaggedTensor.from_uniform_row_length(each, length) for each in rows]
    return tuple(rows)


Pads = tuple[bytes, bytes]


@declared(
    "StringNGrams", "ngrams",
    ((texts(["a", "b", "c"]), np.array([0, 2, 3])),
     {"widths": (1, 2), "separator": b" ", "pads": (b"<", b">"), "padding": 1,
      "keep_short": False}), multi=True,
)  # fmt: skip
def _ngrams(
    x: Any, row_splits: Any, *, widths: tuple[int, ...], separator: bytes, pads: Pads, padding: int,
    keep_short: bool,
) -> Any:  # fmt: skip
    """The phrases of each width in every row of words, and where the phrases of each row begin."""
    if not x.size:  # no row has a word that a pad could stand beside
        return in_one_row([[] for _ in row_splits[1:]])
    ends = zip(row_splits[:-1].tolist(), row_splits[1:].tolist(), strict=True)
    rows = [
        list(_phrases(x[start:stop].tolist(), widths, separator, pads, padding, keep_short))
        for start, stop in ends
    ]
    return in_one_row(rows)


def _phrases(
    words: list[bytes], widths: tuple[int, ...], separator: bytes, pads: Pads, padding: int,
    keep_short: bool,
) -> Iterator[bytes]:  # fmt: skip
    has_phrase = False
    for width in widths:
        # A pad is never a phrase by itself: at most one pad less than the phrase is long.
        pad = width - 1 if padding < 0 else min(padding, width - 1)
        row = [pads[0]] * pad + words + [pads[1]] * pad if words or pad else words
        for at in range(len(row) - width + 1):
            has_phrase = True
            yield separator.join(row[at : at + width])
    if not has_phrase and keep_short and words:
        pad = max(widths) - 1 if padding < 0 else padding
        yield separator.join([pads[0]] * pad + words + [pads[1]] * pad)


@public
def ngrams(
    data: Any, ngram_width: Any, separator: str = " ", pad_values: Any = None,
    padding_width: int | None = None, preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The phrases of so many neighbours along the last axis, joined with a separator.

    `pad_values` stand before and after each row, a text for both ends or a pair. ValueError for
    scalars, and for widths below 1.
    """
    settings = ngram_settings(
        ngram_width, separator, pad_values, padding_width, preserve_short_sequences
    )
    x = text(data, "StringNGrams")
    if not x._array.ndim:
        raise ValueError("Data must have rank>0")
    *outer, length = x._array.shape
    count = int(np.prod(outer, dtype=int))
    starts = np.arange(count + 1, dtype=np.int64) * length
    phrases, ends = _ngrams(_flat(x), starts, **settings)
    return _grid(phrases, ends, outer)


def ngram_settings(
    width: Any, separator: str | bytes, pads: Any, padding: int | None, keep_short: bool
) -> dict[str, Any]:
    """The settings of the op; ValueError where they do not go together."""
    widths = tuple(int(each) for each in (width if isinstance(width, Sequence) else [width]))
    if min(widths) < 1:
        raise ValueError(f"All ngram_widths must be greater than 0. Got {width}")
    if pads is None and padding is not None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    if padding is not None and padding < 1:
        raise ValueError("padding_width must be greater than 0.")
    pair = ("", "") if pads is None else (pads, pads) if isinstance(pads, (str, bytes)) else pads
    left, right = texts(list(pair[:2]))
    (between,) = texts([separator])
    return {
        "widths": widths, "separator": between, "pads": (left, right),
        "padding": 0 if pads is None else -1 if padding is None else padding,
        "keep_short": bool(keep_short),
    }  # fmt: skip


def ngrams_of_rows(values: Tensor, row_splits: Tensor, settings: dict[str, Any]) -> Any:
    """The phrases of ragged rows of words, and where those of each row begin."""
    return _ngrams(values, row_splits, **settings)


def _flat(x: Tensor) -> Tensor:
    return reshape(x, shape=(-1,))


def _grid(phrases: Tensor, row_splits: Tensor, outer: list[int]) -> Tensor:
    """Rows that are all of one length, in their axes."""
    rows = len(row_splits._value) - 1
    return reshape(phrases, shape=(*outer, len(phrases._value) // rows if rows else 0))
