"""Iteration over a Dataset: as tensors, or as NumPy data."""

from __future__ import annotations

from collections.abc import Iterator as PythonIterator
from itertools import islice
from typing import Any, Final

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.log import thread
from tapelab.core.tensor import constant_of
from tapelab.data.dataset_elements import Element, mapped, tensors_of
from tapelab.data.stage import Stage
from tapelab.errors import OutOfRangeError, invalid_argument

MOST_IN_A_FUNCTION: Final = 32
"""How many elements Python may ask an iterator for while a function is traced."""

_GONE_THROUGH_BY_PYTHON: Final = (
    "An unusually high number of `tf.data.Iterator.get_next()` calls was detected. In a function "
    "Python never comes to the end of a dataset, which is gone through when the function runs. "
    "This suggests that list(), tuple(), sum(), `in` or a comprehension goes over a dataset there, "
    "or a `for` loop with AutoGraph disabled. Try a `for` loop with AutoGraph, Dataset.reduce, or "
    "do it outside of the function."
)


class Iterator:
    """Hands out one element after the other."""

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        raise NotImplementedError

    def next(self) -> Any:
        """The next element; StopIteration at the end."""
        return next(self)

    def get_next(self) -> Any:
        """The next element; OutOfRangeError at the end."""
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(
                None, "IteratorGetNext", "End of sequence [Op:IteratorGetNext]"
            ) from None

    def get_next_as_optional(self) -> Optional:
        """The next element in a box, which is empty at the end."""
        return Optional(tuple(islice(self, 1)))


class Optional:
    """An element, or the end of the elements."""

    def __init__(self, elements: tuple[Any, ...]) -> None:
        self._elements = elements

    def has_value(self, name: str | None = None) -> Any:
        """Whether there is an element."""
        return constant_of(np.bool_(bool(self._elements)))

    def get_value(self, name: str | None = None) -> Any:
        """The element; InvalidArgumentError if there is none."""
        if not self._elements:
            raise invalid_argument(
                "OptionalGetValue",
                "The given optional does not have a value.",
            )
        return self._elements[0]


class DatasetIterator(Iterator):
    """Goes through a Dataset once; its elements are tensors without a history."""

    _elements: PythonIterator[Element] = iter(())
    _taken = 0

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._taken_by_python = 0
        _restart(self)

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of an element, in its structure."""
        return self._stage.element_spec

    def _saved_value(self) -> Any:
        """The number of elements that were taken, which a checkpoint stores."""
        return np.asarray(self._taken, np.int64)

    def _restore_value(self, taken: Any) -> None:
        """Begin again, and skip the elements that were taken before a checkpoint was saved."""
        self._elements = self._stage.start()
        self._taken = sum(1 for _ in islice(self._elements, int(taken)))

    def __next__(self) -> Any:
        if thread.trace is not None:
            self._taken_by_python += 1
            if self._taken_by_python > MOST_IN_A_FUNCTION:
                raise ValueError(_GONE_THROUGH_BY_PYTHON)
        try:
            return _take(self)
        except OutOfRangeError:
            raise StopIteration from None

    def get_next(self) -> Any:
        """The next element; OutOfRangeError at the end."""
        return _take(self)


@public(effect="host")
def _restart(iterator: DatasetIterator) -> None:
    """Begin with the first element, in a function at each call."""
    iterator._elements = iterator._stage.start()
    iterator._taken = 0


def _spec_of_element(iterator: DatasetIterator) -> Any:
    return iterator.element_spec


@public(effect="host", result_spec=_spec_of_element)
def _take(iterator: DatasetIterator) -> Any:
    """The next element; OutOfRangeError at the end."""
    try:
        element = next(iterator._elements)
    except StopIteration:
        raise OutOfRangeError(
            None, "IteratorGetNext", "End of sequence [Op:IteratorGetNext]"
        ) from None
    iterator._taken += 1
    return tensors_of(element, iterator._stage.sources)


class NumpyIterator(Iterator):
    """Goes through a Dataset once; the parts of its elements are NumPy data."""

    def __init__(self, tensors: Iterator) -> None:
        self._tensors = tensors

    def __next__(self) -> Element:
        return mapped(_plain, next(self._tensors))


def _plain(part: Any) -> Any:
    if isinstance(part, Stage):
        return NumpyIterator(DatasetIterator(part))
    if getattr(part, "kind", "") == "sparse":
        from tapelab.sparse import to_dense  # loaded where a sparse tensor is already

        part = to_dense(part)
    array = part.numpy()
    if not isinstance(array, np.ndarray):
        return array
    own = array.copy()
    own.flags.writeable = False
    return own
