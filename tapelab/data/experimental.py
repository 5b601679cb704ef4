"""`tf.data.experimental`: older names of what a Dataset does by itself now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab.core.tensor import Tensor
from tapelab.data.dataset import Dataset
from tapelab.data.stage import AUTOTUNE as TUNED
from tapelab.data.stage import INFINITE, UNKNOWN
from tapelab.namespace.missing_names import in_module

AUTOTUNE = TUNED
INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN

Transformation = Callable[[Dataset], Dataset]


def cardinality(dataset: Dataset) -> Tensor:
    """How many elements there are: -1 for ever, -2 where no one knows."""
    return dataset.cardinality()


def assert_cardinality(expected_cardinality: int) -> Transformation:
    """The same elements, with a number of them that the caller promises."""
    return lambda dataset: dataset.then(
        "_AssertCardinalityDataset", dataset.start, size=int(expected_cardinality)
    )


def enumerate_dataset(start: Any = 0) -> Transformation:
    """Pairs of a running number and an element."""
    return lambda dataset: dataset.enumerate(start)


def get_single_element(dataset: Dataset) -> Any:
    """The only element; an error if there are more, or none."""
    return dataset.get_single_element()


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """The elements up to the first for which a function says False."""
    return lambda dataset: dataset.take_while(predicate)


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """What a function gives for each element and a state that it passes on."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def unbatch() -> Transformation:
    """The rows of the elements, one by one."""
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """Each element once, when it comes first."""
    return lambda dataset: dataset.unique()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The shapes and dtypes of an element, in its structure."""
    return dataset_or_iterator.element_spec


__getattr__, __dir__ = in_module(__name__)
