"""What a Dataset stores and yields: raw arrays inside, tensors without a history outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from tapelab import nest
from tapelab.core.composite_tensor import Walked
from tapelab.core.convert import to_tensor
from tapelab.core.custom_op import body
from tapelab.core.dispatch import outside_trace
from tapelab.core.log import thread
from tapelab.core.op import op
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.variable import Variable
from tapelab.framework.scopes import off_tape
from tapelab.ops import samples
from tapelab.recording.facts import DATASET


def is_structure(value: Any) -> bool:
    """Whether a value holds parts, and is not one part."""
    return isinstance(value, (tuple, Mapping, Walked))


def parts_of(value: Any) -> list[Any]:
    """The parts from left to right; those of a dict in the order of its sorted keys."""
    if isinstance(value, Mapping):
        return [part for key in sorted(value) for part in parts_of(value[key])]
    if isinstance(value, tuple):
        return [part for each in value for part in parts_of(each)]
    return list(value._parts()) if isinstance(value, Walked) else [value]


def mapped(function: Callable[..., Any], *values: Any) -> Any:
    """Apply a function to the parts of nests that are built alike."""
    first = values[0]
    if isinstance(first, Mapping):
        items = {key: mapped(function, *(value[key] for value in values)) for key in first}
        return items if type(first) is dict else type(first)(items)  # type: ignore[call-arg]  # its kind
    if isinstance(first, tuple):
        rows = [mapped(function, *row) for row in zip(*values, strict=True)]
        return type(first)(*rows) if hasattr(first, "_fields") else tuple(rows)
    if isinstance(first, Walked):
        parts = zip(*(value._parts() for value in values), strict=True)
        return first._with_parts([function(*each) for each in parts])
    return function(*values)


def rebuilt(like: Any, parts: Iterator[Any]) -> Any:
    """A nest that is built as another, of new parts in the order of `parts_of`."""
    if isinstance(like, Mapping):
        items = {key: rebuilt(like[key], parts) for key in sorted(like)}
        return {key: items[key] for key in like}
    if isinstance(like, tuple):
        rows = [rebuilt(each, parts) for each in like]
        return type(like)(*rows) if hasattr(like, "_fields") else tuple(rows)
    if isinstance(like, Walked):
        return like._with_parts([next(parts) for _ in like._parts()])
    return next(parts)


def spec(shape: Any, dtype: Any) -> Any:
    """The specification of tensors of one shape and dtype."""
    from tapelab.core.type_spec import TensorSpec

    return TensorSpec(shape, dtype)


def lengthened(each: Any, length: int | None) -> Any:
    """The specification of several such tensors stacked."""
    if not hasattr(each, "shape"):
        return each
    if hasattr(each, "_batched"):  # of a ragged tensor
        return each._batched(length)
    if each.shape.rank is None:
        return spec(None, each.dtype)
    return spec([length, *each.shape.as_list()], each.dtype)


def shortened(each: Any) -> Any:
    """The specification of one row of such tensors."""
    if hasattr(each, "_of_row"):  # of a ragged tensor
        return each._of_row()
    return spec(None if each.shape.rank is None else each.shape[1:], each.dtype)


def common(one: Any, other: Any) -> Any:
    """The specification that fits both: unknown where their shapes differ."""
    if not hasattr(one, "shape"):
        return one
    if hasattr(one, "_batched"):  # of a ragged tensor
        return one._of_row()._batched(None) if one.ragged_rank else one
    if one.shape.rank is None or one.shape.rank != other.shape.rank:
        return spec(None, one.dtype)
    pairs = zip(one.shape.as_list(), other.shape.as_list(), strict=True)
    return spec([a if a == b else None for a, b in pairs], one.dtype)


def fits(shape: Any, wanted: Any) -> bool:
    """Whether an array of a shape is what a specification promises."""
    return TensorShape(wanted).is_compatible_with(TensorShape(shape))


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
    from tapelab.ragged.ragged_shape_ops import stack

    given = [e if nest.is_composite(e) else constant_of(np.asarray(e)) for e in rows]
    return detached(stack(given))


Element = Any
SEARCHED: Final = 10_000
"""In arrays of more numbers no one looks for a row."""


def _handed_out(rng: np.random.Generator) -> list[samples.Sample]:
    """A row and the array that it was taken from."""
    rows = rng.normal(size=(2, 3))
    return [((rows[0], rows), {})]


@op(formula=r"y = \operatorname{copy}(x)", glyph="next", title="Next element of a Dataset",
    raw="IteratorGetNext", pattern="stateful", samples=_handed_out,
    reference=lambda x, given: x)  # fmt: skip
def next_element(x: Any, given: Any) -> Any:
    """An iterator hands out the next element: the numbers, and nothing of where they came from."""
    return x


next_element.no_grad(
    "x",
    "given",
    because="A Dataset is stateful: its iterator hands out copies of numbers and forgets where "
    "they came from. Keep tensors that need a gradient out of tf.data, and compute with them in "
    "the loop.",
)


def raw_of(value: Any) -> Element:
    """The raw arrays of a nest of anything that converts to tensors."""
    if is_structure(value):
        return mapped(raw_of, value)
    if nest.is_composite(value):
        return detached(value)
    if hasattr(value, "start"):  # a Dataset within a Dataset
        return value
    return np.asarray(to_tensor(value)._value)


def returned(value: Any) -> Element:
    """The raw arrays of what a function returned; a list stands for a tuple there."""
    return raw_of(tuple(value) if isinstance(value, list) else value)


def tensors_of(element: Element, sources: tuple[Tensor, ...] = ()) -> Any:
    """The tensors of an element; `sources` are tensors that the Dataset was made from."""
    if thread.log is None or not sources:
        return mapped(_tensor, element)
    return mapped(lambda part: _copied(part, sources), element)


def _tensor(part: Any) -> Any:
    return constant_of(np.asarray(part)) if isinstance(part, (np.ndarray, np.generic)) else part


def _copied(part: Any, sources: tuple[Tensor, ...]) -> Any:
    """A tensor of an element, with a note in the log of what it was copied from."""
    if not isinstance(part, (np.ndarray, np.generic)):
        return part
    copy: Any = constant_of(np.asarray(part))
    for source in [each for each in sources if _holds(each._value, copy._value)] or sources:
        copy = next_element(copy, source)
    return copy


def _holds(rows: Any, part: Any) -> bool:
    """Whether a part is all of some numbers or one of their rows, as they went in.

    A function of the learner may have changed them, or an array be too large to be searched.
    """
    if rows.shape == part.shape:
        return bool(np.array_equal(rows, part))
    if rows.shape[1:] != part.shape or rows.size > SEARCHED:
        return False
    return bool(np.any(np.all((rows == part).reshape(len(rows), -1), axis=1)))


def sources_in(value: Any) -> tuple[Tensor, ...]:
    """The tensors of a nest that may have a history, which a Dataset drops."""
    if is_structure(value) or isinstance(value, list):
        rows = value if isinstance(value, list) else parts_of(value)
        return tuple(source for row in rows for source in sources_in(row))
    if isinstance(value, Variable):
        return (to_tensor(value),)
    if nest.is_composite(value):
        return sources_in(value._numbers())
    return (value,) if type(value) is Tensor and value._array.dtype.kind in "fc" else ()


def call(function: Callable[..., Any], element: Element) -> Any:
    """What a function of the learner gives for an element; no tape of the caller records it."""
    given = tensors_of(element)
    with outside_trace(), off_tape(), body(DATASET):
        return function(*given) if isinstance(given, tuple) else function(given)


def row(array: Any, index: int) -> Any:
    """One row of an array, an array also where it is a single number."""
    if nest.is_composite(array):
        return row_of(array, index)
    return array[index, ...] if isinstance(array, np.ndarray) else array[index]


def row_count(part: Any) -> int:
    """How many rows a part has."""
    return int(part.shape[0])


def stacked(rows: list[Any]) -> Any:
    """Rows of one shape as one array."""
    return np.stack([np.asarray(each) for each in rows])
