"""Where elements come from: arrays, ranges, generators, files and their lines."""

from __future__ import annotations

import glob
import gzip
import itertools
from collections.abc import Callable, Iterator
from typing import Any, Final

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
    row,
    sources_in,
    spec,
    tensors_of,
)
from tapelab.data.stage import INFINITE, UNKNOWN, Stage
from tapelab.dtypes import BY_NUMPY, as_dtype, int64, string
from tapelab.errors import NotFoundError, invalid_argument
from tapelab.ops.public import strict_operand

Made = tuple[str, Callable[[], Iterator[Element]], Callable[[], Any], int, Any]
"""The fields of a stage."""


def whole_tensors(tensors: Any) -> Made:
    """One element: the tensors themselves."""
    element = raw_of(tensors)
    return (
        "_TensorDataset", lambda: iter([element]), lambda: mapped(_spec, element), 1,
        sources_in(tensors),
    )  # fmt: skip


def slices(tensors: Any) -> Made:
    """One element for each row of the tensors."""
    arrays = None if tensors is None else raw_of(tensors)
    parts = [] if arrays is None else parts_of(arrays)
    if not parts:
        raise ValueError("Invalid `element`. `element` should not be empty.")
    lengths = [_length(part) for part in parts]
    for each in lengths:
        if each != lengths[0]:
            raise ValueError(
                f"Dimensions {lengths[0]} and {each} are not compatible: all parts need the same "
                f"number of rows, and these have {', '.join(map(str, lengths))}."
            )
    count = lengths[0]

    def start() -> Iterator[Element]:
        for index in range(count):
            yield mapped(lambda part, at=index: row(part, at), arrays)

    return (
        "_TensorSliceDataset", start, lambda: mapped(lambda part: _spec(part, 1), arrays), count,
        sources_in(tensors),
    )  # fmt: skip


def _length(part: Any) -> int:
    if nest.is_composite(part):
        return int(part.shape[0])
    if part.ndim == 0:
        raise ValueError(
            "Unbatching a tensor is only supported for rank >= 1: a single number has no rows. "
            "Try a list, or tf.data.Dataset.from_tensors."
        )
    return len(part)


def _spec(part: Any, skipped: int = 0) -> Any:
    if isinstance(part, Stage):
        return DatasetSpec(part.element_spec)
    if nest.is_composite(part):
        return spec_of_composite(part, skipped)
    return spec(part.shape[skipped:], BY_NUMPY[part.dtype])


def spec_of_element(element: Element) -> Any:
    """The shapes and dtypes of one element."""
    return mapped(_spec, element)


class DatasetSpec:
    """What the elements of a Dataset look like, where Datasets are elements themselves."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self.element_spec = element_spec
        self._shape = TensorShape(dataset_shape)

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, {self._shape!r})"


def numbers(args: tuple[Any, ...], output_type: Any) -> Made:
    """The integers of a range."""
    if not 1 <= len(args) <= 3:
        raise ValueError(
            f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}."
        )
    bounds = range(*(int(strict_operand(each, int64)._value) for each in args))
    kind = as_dtype(output_type).as_numpy_dtype

    def start() -> Iterator[Element]:
        return (np.asarray(number, kind) for number in bounds)

    return "_RangeDataset", start, lambda: spec((), as_dtype(output_type)), len(bounds), ()


def counting(first: int, step: int, dtype: Any) -> Made:
    """Integers without an end."""
    kind = as_dtype(dtype)

    def start() -> Iterator[Element]:
        return (np.asarray(each, kind.as_numpy_dtype) for each in itertools.count(first, step))

    return "_ScanDataset", start, lambda: spec((), kind), INFINITE, ()


def chances(draws: np.random.Generator) -> Made:
    """Random integers without an end."""

    def start() -> Iterator[Element]:
        return (np.asarray(draws.integers(2**32), np.int64) for _ in itertools.count())

    return "_RandomDataset", start, lambda: spec((), int64), INFINITE, ()


def generated(
    generator: Any, output_types: Any, output_shapes: Any, args: Any, output_signature: Any
) -> Made:
    """What a Python generator yields, in the promised shapes and dtypes."""
    if not callable(generator):
        raise TypeError(
            "`generator` must be a Python callable. Pass the generator function itself, without "
            "calling it."
        )
    if output_signature is None and output_types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` "
            "argument or the `output_types` argument. Try output_signature=tf.TensorSpec("
            "shape=(), dtype=tf.float32)."
        )
    signature = output_signature
    if signature is None:
        signature = _signature(output_types, output_shapes)
    given = tuple(tensor.numpy() for tensor in map(tensors_of, map(raw_of, args or ())))

    def start() -> Iterator[Element]:
        return (_checked(each, signature) for each in generator(*given))

    return "_FlatMapDataset", start, lambda: signature, UNKNOWN, ()


def _signature(types: Any, shapes: Any) -> Any:
    if shapes is None:
        return mapped(lambda each: spec(None, as_dtype(each)), types)
    kinds = [as_dtype(each) for each in parts_of(types)]
    sizes = parts_of(shapes) if is_structure(types) else [shapes]
    return rebuilt(types, map(spec, sizes, kinds))


def _checked(value: Any, signature: Any) -> Element:
    """What a generator yielded as raw arrays; an error where it breaks its promise."""
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
    return mapped(_one_checked, signature, value)


def _one_checked(wanted: Any, value: Any) -> Any:
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


OPENERS: Final[dict[str, Callable[..., Any]]] = {"": open, "GZIP": gzip.open}
"""How a file is opened, by the kind of its compression."""


def named(patterns: Any) -> Made:
    """The names of the files that match a pattern, or several."""
    wanted = [each.decode() for each in np.ravel(raw_of(patterns))]
    names = sorted(n for pattern in wanted for n in glob.glob(pattern))  # noqa: PTH207 - names stay as written
    if not names:
        raise invalid_argument("Assert", f"No files matched pattern: {', '.join(wanted)}")
    return slices(names)


def lines(filenames: Any, compression_type: str | None) -> Made:
    """The lines of a file, or of several one after the other, without their ends."""
    names = [each.decode() for each in np.ravel(raw_of(filenames))]
    opener = OPENERS[compression_type or ""]

    def start() -> Iterator[Element]:
        for name in names:
            try:
                with opener(name, "rb") as file:
                    for line in file:
                        yield np.array(line.rstrip(b"\r\n"), object)
            except FileNotFoundError:
                raise NotFoundError(
                    None,
                    "IteratorGetNext",
                    f"{name}; No such file or directory [Op:IteratorGetNext]",
                ) from None

    return "TextLineDatasetV2", start, lambda: spec((), string), UNKNOWN, ()
