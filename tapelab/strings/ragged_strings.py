"""Ragged rows of texts in functions that make rows, or use them up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.array_ops.shape_ops import expand_dims
from tapelab.core.composite_tensor import CompositeTensor, composite_in
from tapelab.core.dispatch import implements
from tapelab.core.tensor import Tensor
from tapelab.framework.logging_ops import entry
from tapelab.ops.integer_arguments import lengths
from tapelab.ops.shapes import reshape
from tapelab.strings import joins, splits, unicode
from tapelab.strings.string_op import one_text, text


def _on_values(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of the values of ragged rows, whatever rows it makes of each."""

    def handler(input: Any, *args: Any, **kwargs: Any) -> Any:
        results = function(input.values, *args, **kwargs)
        if isinstance(results, tuple):
            return tuple(input.with_values(each) for each in results)
        return input.with_values(results)

    return handler


for _function in (
    splits.split,
    splits.bytes_split,
    unicode.unicode_decode,
    unicode.unicode_decode_with_offsets,
    unicode.unicode_split,
    unicode.unicode_split_with_offsets,
):
    implements("ragged", _function)(_on_values(_function))


@implements("ragged", joins.join)
def _join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Rows of equal lengths go together entry by entry; a scalar goes with each."""
    first: Any = composite_in(inputs)
    parts = [each.flat_values if hasattr(each, "flat_values") else each for each in inputs]
    sizes = {len(each.flat_values) for each in inputs if hasattr(each, "flat_values")}
    if len(sizes) > 1:
        raise ValueError(
            "Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got "
            f"sizes: {sizes}"
        )
    return first.with_flat_values(joins.join(parts, separator))


@implements("ragged", joins.reduce_join)
def _reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "",
    name: str | None = None,
) -> Any:  # fmt: skip
    """Along one axis of rows: down the columns, or each innermost row; or along all of them."""
    axes = range(inputs.shape.rank) if axis is None else lengths(axis, "ReduceJoin")
    if len(axes) == inputs.shape.rank:
        whole = joins.reduce_join(inputs.flat_values, separator=separator)
        return reshape(whole, shape=(1,) * inputs.shape.rank) if keepdims else whole
    if len(axes) != 1:
        return NotImplemented
    along = axes[0] + inputs.shape.rank if axes[0] < 0 else axes[0]
    if keepdims:
        joined = _reduce_join(inputs, along, separator=separator)
        return joined if joined is NotImplemented else expand_dims(joined, along)
    if inputs.ragged_rank > 1 and along > 1:
        return inputs.with_values(_reduce_join(inputs.values, along - 1, separator=separator))
    if inputs.shape.rank > 2 or along > 1:
        return NotImplemented
    between = one_text(separator, "ReduceJoin", "separator")
    rows, splits = text(inputs.values, "ReduceJoin"), np.asarray(inputs.row_splits._value)
    if along:
        return joins.join_rows(rows, splits, separator=between)
    widths = np.diff(splits)
    columns = np.arange(splits[-1]) - np.repeat(splits[:-1], widths)
    return joins.unsorted_segment_join(rows, columns, widths.max(initial=0), separator)


@implements("ragged", joins.format)
def _format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """Ragged rows in a template are written as `tf.print` writes them."""
    pieces = template.split(placeholder)
    given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    for at, each in reversed(list(enumerate(given))):
        if isinstance(each, CompositeTensor) and at + 1 < len(pieces):
            pieces[at : at + 2] = [pieces[at] + each._printed(entry, summarize) + pieces[at + 1]]
    dense = [each for each in given if not isinstance(each, CompositeTensor)]
    return joins.filled(pieces, dense, summarize)


@implements("ragged", splits.ngrams)
def _ngrams(
    data: Any, ngram_width: Any, separator: str = " ", pad_values: Any = None,
    padding_width: int | None = None, preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The phrases of each innermost row."""
    settings = ngram_width, separator, pad_values, padding_width, preserve_short_sequences
    if data.ragged_rank > 1:
        return data.with_values(_ngrams(data.values, *settings))
    checked = splits.ngram_settings(*settings)
    phrases, ends = splits.ngrams_of_rows(data.values, data.row_splits, checked)
    return type(data).from_row_splits(phrases, ends, validate=False)


@implements("ragged", unicode.unicode_encode)
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
