"""Functions applied to each slice along the first axis: map_fn, vectorized_map, scan and folds.

They run the function on one slice after the other and stack the results; each call is on the tape.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final

import numpy as np

from tapelab import nest
from tapelab.array_ops.shape_ops import stack
from tapelab.control_flow.tensor_array import TensorArray
from tapelab.core.composite_tensor import CompositeTensor, Walked
from tapelab.core.convert import to_tensor
from tapelab.core.custom_op import tapes_paused
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.type_spec import TypeSpec
from tapelab.dtypes import as_dtype
from tapelab.errors import OutOfRangeError, invalid_argument

Function = Callable[..., Any]
RAGGED: Final = "ragged"
logger: Final = logging.getLogger("tapelab")


@public
def map_fn(
    fn: Any, elems: Any, dtype: Any = None, parallel_iterations: int | None = None,
    back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True,
    name: str | None = None, fn_output_signature: Any = None,
) -> Any:  # fmt: skip
    """Apply a function to each slice along the first axis, and stack the results.

    `elems` may be a nest of tensors; the function then takes a nest of slices. Where it returns
    another structure or dtype than it takes, `fn_output_signature` tells which.
    """
    del back_prop, swap_memory
    check_function(fn)
    if parallel_iterations is not None and parallel_iterations > 1:
        _warn_of_parallel_iterations()
    if any(isinstance(each, Walked) for each in nest.flatten(elems)):
        return _map_walked(fn, elems, fn_output_signature if dtype is None else dtype)
    columns = [_slices(each) for each in nest.flatten(elems)]
    if not columns:
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. "
            f"Got {elems!r}, which does not contain any Tensors."
        )
    count = _common_length(columns)
    given = fn_output_signature if fn_output_signature is not None else dtype
    signature = given if given is not None else nest.map_structure(_kind_of, elems)
    arrays = [_collector(each, count, infer_shape=infer_shape) for each in nest.flatten(signature)]
    for at in range(count):
        result = fn(nest.pack_sequence_as(elems, [column[at] for column in columns]))
        nest.assert_same_structure(signature if given is not None else elems, result)
        for array, value in zip(arrays, nest.flatten(result), strict=True):
            array.write(at, value)
    return nest.pack_sequence_as(signature, [array.stack() for array in arrays])


def _map_walked(fn: Function, elems: Any, signature: Any) -> Any:
    """`map_fn` of a nest with extension types, the tensors of which are mapped side by side."""
    rows: list[Any] = []

    def on_parts(row: Any) -> list[Any]:
        rows.append(fn(_with_parts_in(elems, row)))
        return _parts_in(rows[-1])

    kinds = [_kind_of(each) for each in _parts_in(elems)]
    if signature is not None:
        kinds = _parts_in(signature)
    stacked = map_fn(on_parts, _parts_in(elems), fn_output_signature=kinds)
    return _with_parts_in(rows[-1] if rows else elems, stacked)


def _parts_in(structure: Any) -> list[Any]:
    """The tensors in a nest, those inside of extension types included."""
    flat = nest.flatten(structure)
    return [p for each in flat for p in (each._parts() if isinstance(each, Walked) else [each])]


def _with_parts_in(structure: Any, parts: Iterable[Any]) -> Any:
    """The same nest of other tensors."""
    rest = iter(parts)
    return nest.map_structure(
        lambda each: (
            each._with_parts([next(rest) for _ in each._parts()])
            if isinstance(each, Walked)
            else next(rest)
        ),
        structure,
    )


def _slices(column: Any) -> list[Any]:
    """What stands in the rows of a tensor, ragged and sparse ones too."""
    if getattr(column, "kind", "") == "sparse":
        return _sparse_rows(column)
    whole: Any = column if nest.is_composite(column) else to_tensor(column)
    if not nest.is_composite(whole) and whole._array.ndim == 0:
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    return [whole[at] for at in range(int(whole.shape[0]))]


def _sparse_rows(column: Any) -> list[Any]:
    from tapelab import sparse

    count, *rest = (int(n) for n in column.shape)
    origin = [0] * len(rest)
    rows = [sparse.slice(column, [at, *origin], [1, *rest]) for at in range(count)]
    return [sparse.reshape(row, rest) for row in rows]


def _common_length(columns: list[list[Any]]) -> int:
    lengths = [len(column) for column in columns]
    for length in lengths:
        if length != lengths[0]:
            raise ValueError(f"Dimensions {lengths[0]} and {length} are not compatible")
    return lengths[0]


def _kind_of(column: Any) -> Any:
    """What the results are where nothing is said of them: of the same kind as the elements."""
    return RAGGED if nest.is_composite(column) else to_tensor(column).dtype


def _collector(signature: Any, count: int, *, infer_shape: bool) -> Any:
    """What gathers the results of one place of the signature."""
    if signature is RAGGED or _is_ragged(signature):
        return _RaggedRows()
    shape = getattr(signature, "shape", None)
    kind = as_dtype(getattr(signature, "dtype", signature))
    return TensorArray(kind, count, infer_shape=infer_shape, element_shape=shape)


def _is_ragged(signature: Any) -> bool:
    """Whether it is the spec of ragged tensors, whose package is loaded only where one is used."""
    if not isinstance(signature, TypeSpec) or not issubclass(signature.value_type, CompositeTensor):
        return False
    return signature.value_type.kind == "ragged"


class _RaggedRows:
    """Rows of different lengths, stacked to a ragged tensor."""

    def __init__(self) -> None:
        self._rows: list[Any] = []

    def write(self, index: int, value: Any) -> None:
        """Take the next row; InvalidArgumentError where it is a scalar."""
        if not nest.is_composite(value) and to_tensor(value)._array.ndim == 0:
            raise invalid_argument(
                "RaggedTensorFromVariant", "Ragged values must have rank >= 1, but the function "
                f"gives a scalar for row {index}. Say so with fn_output_signature, its dtype",
            )  # fmt: skip
        self._rows.append(value)

    def stack(self) -> Any:
        """All rows as one ragged tensor."""
        from tapelab import ragged

        return ragged.stack(self._rows)


@cache
def _warn_of_parallel_iterations() -> None:
    logger.warning(
        "Setting parallel_iterations > 1 has no effect when executing eagerly. Consider calling "
        "map_fn with tf.function to execute fn in parallel."
    )


@public
def vectorized_map(
    fn: Any, elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """Apply a function to each slice along the first axis, and stack the results.

    A tensor with one slice goes with every slice of the others.
    """
    _check_callable(fn)
    wholes: list[Any] = [to_tensor(each) for each in nest.flatten(elems)]
    if not wholes:
        raise ValueError(f"max() arg is an empty sequence: elems holds no tensor, {elems!r}.")
    if any(whole._array.ndim == 0 for whole in wholes):
        raise IndexError("list index out of range: a scalar has no slices to map over.")
    count = max(len(whole._array) for whole in wholes)
    for whole in wholes:
        if len(whole._array) not in (1, count):
            length = len(whole._array)
            raise invalid_argument(
                "GatherV2", f"indices[{length}] = {length} is not in [0, {length}). The tensors "
                f"have {count} and {length} slices",
            )  # fmt: skip
    if count == 0:
        return _of_no_slices(fn, elems, wholes)
    rows = [
        fn(nest.pack_sequence_as(elems, [whole[at % len(whole._array)] for whole in wholes]))
        for at in range(count)
    ]
    return _stacked(rows)


def _stacked(rows: list[Any]) -> Any:
    columns = zip(*(nest.flatten(row) for row in rows), strict=True)
    return nest.pack_sequence_as(rows[0], [_column(column) for column in columns])


def _column(values: Iterable[Any]) -> Any:
    values = list(values)
    return None if values[0] is None else stack([to_tensor(each) for each in values])


def _of_no_slices(fn: Function, elems: Any, wholes: list[Tensor]) -> Any:
    """Tensors without slices, of the shapes that the function gives for a slice of zeros."""
    with tapes_paused():
        zeros: list[Any] = [
            to_tensor(np.zeros(each._array.shape[1:], each._array.dtype)) for each in wholes
        ]
        row = fn(nest.pack_sequence_as(elems, zeros))
        return nest.map_structure(lambda each: _none_of(stack([to_tensor(each)])), row)


def _none_of(whole: Any) -> Tensor:
    empty: Tensor = whole[:0]
    return empty


def _check_callable(fn: Any) -> None:
    if not callable(fn):
        raise TypeError(f"'{type(fn).__name__}' object is not callable")


@public
def scan(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True,
    reverse: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Carry a value along the slices of the first axis, and stack all that it was.

    The function takes what was carried so far and the next slice. Without an initializer the first
    slice is where it starts.
    """
    del parallel_iterations, back_prop, swap_memory
    check_function(fn)
    rows = _rows(elems, reverse=reverse)
    like = elems if initializer is None else initializer
    carried, seen = _start(rows, initializer)
    flat = nest.flatten(carried)
    count = len(rows)
    arrays = [
        TensorArray(each.dtype, count, element_shape=each.shape if infer_shape else None)
        for each in flat
    ]
    places = list(range(count - 1, -1, -1) if reverse else range(count))
    for at, row in zip(places, rows, strict=True):
        if seen:
            seen = False
        else:
            carried = fn(carried, row)
            nest.assert_same_structure(like, carried)
        for array, value in zip(arrays, nest.flatten(carried), strict=True):
            array.write(at, value)
    return nest.pack_sequence_as(like, [array.stack() for array in arrays])


@public
def foldl(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Carry a value along the slices from the first to the last, and give what it became."""
    return _fold(fn, _rows(elems, reverse=False), initializer)


@public
def foldr(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Carry a value along the slices from the last to the first, and give what it became."""
    rows = _rows(elems, reverse=True)
    if not rows and initializer is None:
        raise OutOfRangeError(
            None, None, "Reading from negative indices (index -1) is not allowed. There are no "
            "slices; give an initializer.",
        )  # fmt: skip
    return _fold(fn, rows, initializer)


def _fold(fn: Any, rows: list[Any], initializer: Any) -> Any:
    check_function(fn)
    carried, seen = _start(rows, initializer)
    for row in rows[1:] if seen else rows:
        carried = fn(carried, row)
    return nest.map_structure(to_tensor, carried)


def _rows(elems: Any, *, reverse: bool) -> list[Any]:
    """The slices of a nest of tensors along the first axis, each a nest."""
    wholes: list[Any] = [to_tensor(each) for each in nest.flatten(elems)]
    for whole in wholes:
        if whole._array.ndim == 0:
            raise IndexError("tuple index out of range: a scalar has no slices along a first axis.")
    count = len(wholes[0]._array)
    for whole in wholes:
        if len(whole._array) < count:
            raise _beyond(len(whole._array))
    places = range(count - 1, -1, -1) if reverse else range(count)
    return [nest.pack_sequence_as(elems, [whole[at] for whole in wholes]) for at in places]


def _start(rows: list[Any], initializer: Any) -> tuple[Any, bool]:
    """Where the carried value starts, and whether that is the first slice."""
    if initializer is not None:
        return nest.map_structure(to_tensor, initializer), False
    if not rows:
        raise _beyond(0)
    return rows[0], True


def _beyond(length: int) -> OutOfRangeError:
    return OutOfRangeError(
        None, None, f"Tried to read from index {length} but array size is: {length} "
    )


def check_function(fn: Any) -> None:
    """AttributeError, as in TensorFlow, unless it can be called."""
    if not callable(fn):
        raise AttributeError(
            f"'{type(fn).__name__}' object has no attribute '__name__': fn must be a function."
        )
