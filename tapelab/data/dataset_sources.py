"""The specs of the elements of a source, and the check of what a generator yields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tapelab import nest
from tapelab.core.arrays import typed_array
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.type_spec import spec_of_composite
from tapelab.data.dataset_elements import (
    Element,
    fits,
    is_structure,
    mapped,
    parts_of,
    raw_of,
    rebuilt,
    spec,
)
from tapelab.data.stage import Stage
from tapelab.dtypes import BY_NUMPY, as_dtype
from tapelab.errors import invalid_argument


def slice_count(part: Any) -> int:
    """Return the number of rows of a part; ValueError for a scalar."""
    if nest.is_composite(part):
        return int(part.shape[0])
    if part.ndim == 0:
        raise ValueError(
            "Unbatching a tensor is only supported for rank >= 1: a single number has no rows. "
            "Try a list, or tf.data.Dataset.from_tensors."
        )
    return len(part)


def spec_of_part(part: Any, skipped: int = 0) -> Any:
    """Return the spec of a part of an element, without its first `skipped` axes."""
    if isinstance(part, Stage):
        return DatasetSpec(part.element_spec)
    if nest.is_composite(part):
        return spec_of_composite(part, skipped)
    return spec(part.shape[skipped:], BY_NUMPY[part.dtype])


def spec_of_element(element: Element) -> Any:
    """The shapes and dtypes of one element."""
    return mapped(spec_of_part, element)


class DatasetSpec:
    """What the elements of a Dataset look like, where Datasets are elements themselves."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self.element_spec = element_spec
        self._shape = TensorShape(dataset_shape)

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, {self._shape!r})"


def signature_of(types: Any, shapes: Any) -> Any:
    """Return the specs of elements with the given dtypes and shapes; any shape for None."""
    if shapes is None:
        return mapped(lambda each: spec(None, as_dtype(each)), types)
    kinds = [as_dtype(each) for each in parts_of(types)]
    return rebuilt(types, map(spec, _shapes_in(types, shapes), kinds))


def _shapes_in(types: Any, shapes: Any) -> list[Any]:
    """The shapes of the parts of a nest of dtypes; a tuple of lengths is one shape."""
    if not is_structure(types):
        return [shapes]
    keys = sorted(types) if isinstance(types, Mapping) else range(len(types))
    return [shape for key in keys for shape in _shapes_in(types[key], shapes[key])]


def checked_element(value: Any, signature: Any) -> Element:
    """Return what a generator yielded as raw arrays.

    InvalidArgumentError if it does not match the signature.
    """
    if isinstance(signature, tuple) and isinstance(value, list):
        value = tuple(value)
    if is_structure(signature) and (
        not is_structure(value) or len(parts_of(value)) != len(parts_of(signature))
    ):
        raise invalid_argument(
            "IteratorGetNext",
            "TypeError: `generator` yielded an element that did not match the expected structure. "
            f"The expected structure was {signature}, but the yielded element was {value}.",
        )
    return mapped(_checked_part, signature, value)


def _checked_part(wanted: Any, value: Any) -> Any:
    if not hasattr(wanted, "dtype") or type(wanted).__name__ != "TensorSpec":
        return raw_of(value)
    kind = as_dtype(wanted.dtype)
    try:
        array = np.asarray(
            typed_array(value, kind)
            if kind.as_numpy_dtype is object or isinstance(value, (str, bytes))
            else np.asarray(value, kind.as_numpy_dtype)
        )
    except (TypeError, ValueError) as error:
        raise invalid_argument(
            "IteratorGetNext",
            f"TypeError: `generator` yielded an element that could not be converted to the "
            f"expected type. The expected type was {kind.name}, but the yielded element was "
            f"{value}.",
        ) from error
    if not fits(array.shape, wanted.shape):
        raise invalid_argument(
            "IteratorGetNext",
            f"TypeError: `generator` yielded an element of shape {array.shape} where an element "
            f"of shape {wanted.shape} was expected.",
        )
    return array
