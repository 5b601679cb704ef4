"""Ragged rows of texts in functions that make rows, or use them up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.engine.composite_tensor import composite_in, handles
from tapelab.engine.tensor import Tensor
from tapelab.strings import joining, phrases, splitting, unicode
from tapelab.strings.texts import one_text, text


def _on_values(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of the values of ragged rows, whatever rows it makes of each."""

    def handler(input: Any, *args: Any, **kwargs: Any) -> Any:
        found = function(input.values, *args, **kwargs)
        if isinstance(found, tuple):
            return tuple(input.with_values(each) for each in found)
        return input.with_values(found)

    return handler


_MAKING_ROWS: Final[dict[str, Callable[..., Any]]] = {
    "strings.split": splitting.split,
    "strings.bytes_split": splitting.bytes_split,
    "strings.unicode_decode": unicode.unicode_decode,
    "strings.unicode_decode_with_offsets": unicode.unicode_decode_with_offsets,
    "strings.unicode_split": unicode.unicode_split,
    "strings.unicode_split_with_offsets": unicode.unicode_split_with_offsets,
}
for _name, _function in _MAKING_ROWS.items():
    handles("ragged", _name)(_on_values(_function))


@handles("ragged", "strings.join")
def _join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Rows of equal lengths go together entry by entry; a scalar goes with each."""
    first: Any = composite_in(inputs)
    parts = [each.flat_values if hasattr(each, "flat_values") else each for each in inputs]
    return first.with_flat_values(joining.join(parts, separator))


@handles("ragged", "strings.reduce_join")
def _reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "",
    name: str | None = None,
) -> Any:  # fmt: skip
    """Along the innermost axis, row by row; along all axes, from first to last."""
    if axis is None and not keepdims:
        return joining.reduce_join(inputs.flat_values, separator=separator)
    if keepdims or axis not in {-1, inputs.shape.rank - 1}:
        return NotImplemented
    if inputs.ragged_rank > 1:
        return inputs.with_values(_reduce_join(inputs.values, -1, separator=separator))
    between = one_text(separator, "ReduceJoin", "separator")
    rows, splits = text(inputs.values, "ReduceJoin"), np.asarray(inputs.row_splits._value)
    made: Tensor = joining.join_rows(rows, splits, separator=between)
    return made


@handles("ragged", "strings.ngrams")
def _ngrams(
    data: Any, ngram_width: Any, separator: str = " ", pad_values: Any = None,
    padding_width: int | None = None, preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The phrases of each innermost row."""
    settings = ngram_width, separator, pad_values, padding_width, preserve_short_sequences
    if data.ragged_rank > 1:
        return data.with_values(_ngrams(data.values, *settings))
    checked = phrases.ngram_settings(*settings)
    found, ends = phrases.ngrams_of_rows(data.values, data.row_splits, checked)
    return type(data).from_row_splits(found, ends, validate=False)


@handles("ragged", "strings.unicode_encode")
def _unicode_encode(
    input: Any, output_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The text of each innermost row."""
    if input.ragged_rank > 1:
        inner = _unicode_encode(input.values, output_encoding, errors, replacement_char)
        return input.with_values(inner)
    rules = unicode.encoding_rules(output_encoding, errors, replacement_char)
    return unicode.encode_rows(input.values, input.row_splits, rules)
