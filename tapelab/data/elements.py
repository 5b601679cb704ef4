"""What a Dataset holds and hands out: raw arrays inside, tensors without a history outside.

Inside a pipeline an element is a nest of raw arrays. Where a function of the learner or a loop gets
it, its parts become tensors; what the function returns becomes raw again. So no gradient enters a
Dataset and none comes out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab import nest
from tapelab.core.convert import to_tensor
from tapelab.core.custom import body
from tapelab.core.log import thread
from tapelab.core.op import op
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.variable import Variable
from tapelab.data.ragged_rows import detached, row_of
from tapelab.data.structure import is_structure, mapped
from tapelab.framework.scopes import off_tape
from tapelab.ops import samples
from tapelab.recording.facts import DATASET

Element = Any
SEARCHED: Final = 10_000
"""In arrays of more numbers nobody looks for a row."""


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
    made: Any = constant_of(np.asarray(part))
    for source in [each for each in sources if _holds(each._value, made._value)] or sources:
        made = next_element(made, source)
    return made


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
        rows = value.values() if hasattr(value, "values") else value
        return tuple(found for row in rows for found in sources_in(row))
    if isinstance(value, Variable):
        return (to_tensor(value),)
    if nest.is_composite(value):
        return sources_in(value._numbers())
    return (value,) if type(value) is Tensor and value._array.dtype.kind in "fc" else ()


def call(function: Callable[..., Any], element: Element) -> Any:
    """What a function of the learner gives for an element; no tape of the caller records it."""
    given = tensors_of(element)
    with off_tape(), body(DATASET):
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
