"""A value that is carried along slices: scan, foldl and foldr."""

from __future__ import annotations

from typing import Any

from tapelab import nest
from tapelab.control_flow.tensor_array import TensorArray
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.errors import OutOfRangeError


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
