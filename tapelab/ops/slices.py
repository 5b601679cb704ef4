"""Basic slices and square brackets: `x[1]`, `x[::2]`, `x[tf.newaxis]`, `x[mask]`, `v[0].assign`."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from tapelab.core.arrays import checked, typed_array
from tapelab.core.batching import BatchedCall
from tapelab.core.cell import Cell, Holder, store
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.fast_path import fast_path_with_settings
from tapelab.core.host_values import compute_on_host
from tapelab.core.log import thread
from tapelab.core.numpy_behavior import behavior
from tapelab.core.op import op
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.text_forms import brackets
from tapelab.core.variable import UnreadVariable, Variable, read
from tapelab.errors import OpError, invalid_argument
from tapelab.ops import samples
from tapelab.ops.mask_ops import boolean_mask, check_mask
from tapelab.recording.facts import How

Key = tuple[Any, ...]
"""One entry per axis: an int, a slice of ints, None for a new axis, or `...` once."""


def cuts(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with the key of a piece of them."""
    cases: list[tuple[tuple[int, ...], Key]] = [
        *(((4,), (1,)), ((4,), (slice(None, None, -2),)), ((2, 3), (..., 0))),
        *(((2, 3), (1, slice(0, 2))), ((2, 3), (None, slice(0, 1))), ((), (None,))),
    ]
    return [((rng.normal(size=shape),), {"key": key}) for shape, key in cases]


pieces = samples.normals(
    ((2,), {"key": (slice(None, None, 2),), "shape": (4,)}), ((), {"key": (1, 2), "shape": (2, 3)})
)
"""Pieces with the shape of the whole and their key in it."""


@op(formula=r"y = \operatorname{slice}(x)", glyph="slice", title="Slice", samples=cuts, linear=True)
def strided_slice(x: Any, *, key: Key) -> Any:
    """The piece of a tensor that an index in square brackets cuts out."""
    try:
        y = x[key]
    except (IndexError, ValueError, TypeError) as error:
        raise out_of_bounds(x, key) from error
    if type(y) is bytes:
        return np.array(y, object)
    return y if y.ndim else y[()]


@strided_slice.grad("x", r"\bar x = \operatorname{pad}(\bar y)")
def strided_slice_grad_x(dy: Any, y: Any, x: Any, *, key: Key) -> Any:
    return put_back(dy, key=key, shape=tuple(x.shape))


@op(formula=r"y = \operatorname{pad}(x)", glyph="put back", raw="StridedSliceGrad", samples=pieces)
def put_back(x: Any, *, key: Key, shape: tuple[int, ...]) -> Any:
    """A piece at its place in an array of zeros: the VJP of slicing."""
    whole = np.zeros(shape, x.dtype)
    whole[key] = x
    return whole if shape else whole[()]


@strided_slice.batch
@put_back.batch
def slice_batch(call: BatchedCall) -> Any:
    """A whole row is cut out, or put back, along the batch axis."""
    (x,), shape = call.operands, call.settings.get("shape")
    whole = {} if shape is None else {"shape": (call.rows, *shape)}
    return call.run(x.value, key=(slice(None), *call.settings["key"]), **whole)


@put_back.grad("x", r"\bar x = \operatorname{slice}(\bar y)")
def put_back_grad_x(dy: Any, y: Any, x: Any, *, key: Key, shape: tuple[int, ...]) -> Any:
    return strided_slice(dy, key=key)


def out_of_bounds(x: Any, key: Key) -> OpError:
    """Why a key does not fit an array, in TensorFlow's words."""
    raw = "StridedSlice"
    if key.count(...) > 1:
        return invalid_argument(raw, "Multiple ellipses in slice spec not allowed")
    used = sum(each is not None and each is not ... for each in key)
    if not x.ndim:
        return invalid_argument(raw, "Attempting to slice scalar input.")
    if used > x.ndim:
        return invalid_argument(
            raw, f"Index out of range using input dim {x.ndim}; input has only {x.ndim} dims"
        )
    axis = 0
    for at, each in enumerate(key):
        if each is ...:
            axis += x.ndim - used
        elif each is not None:
            reason = _misfit(each, at, axis, x.shape[axis])
            if reason:
                return invalid_argument(raw, reason)
            axis += 1
    return invalid_argument(raw, f"The index {key} does not fit the shape {x.shape}")


def _misfit(each: Any, at: int, axis: int, length: int) -> str:
    if isinstance(each, slice):
        return f"strides[{at}] must be non-zero" if each.step == 0 else ""
    if -length <= each < length:
        return ""
    return f"slice index {each if each >= 0 else each + length} of dimension {axis} out of bounds."


_ALLOWED: Final = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices, got "
)


def _key_setting(array: Any, key: Any) -> dict[str, Any] | None:
    plain = type(key) is int or (type(key) is slice and _is_plain(key))
    return {"key": (key,)} if plain else None


@public(graph_name="strided_slice", fast_path=fast_path_with_settings(strided_slice, _key_setting))
def tensor_item(self: Tensor, key: Any) -> Tensor:
    """The piece of a tensor that an index cuts out."""
    if type(key) is int or (type(key) is slice and _is_plain(key)):
        key = (key,)
    elif _is_mask(key):
        return _masked(self, key)
    elif behavior.enabled:
        piece: Tensor = behavior.indexed(self, key)
        return piece
    else:
        key = _normal(self, key)
    return strided_slice(self, key=key)


def variable_item(self: Variable, key: Any) -> Tensor:
    """The piece of a variable's value; its `assign` writes into the variable."""
    piece = _piece(self, key)
    if thread.__dict__["trace"] is not None:
        piece._slice_of = partial(assign_piece, self, key)
    return piece


@public(effect="assigns")
def assign_piece(variable: Variable, key: Any, value: Any, name: str | None = None) -> Any:
    """Assign to the piece of a variable that an index cuts out, as `v[key].assign(value)` does."""
    return variable_item(variable, key).assign(value, name=name)


@public(graph_name="strided_slice")
def _piece(self: Variable, key: Any) -> Tensor:
    tensor = read(self)
    if _is_mask(key):
        return _masked(tensor, key)
    normal = _normal(tensor, key)
    piece: Tensor = strided_slice(tensor, key=normal)
    piece._slice_of = partial(_write, self._cell, normal)
    return piece


def _masked(tensor: Tensor, mask: Any) -> Tensor:
    kept = to_tensor(mask)
    check_mask(tensor._array.shape, kept._array.shape, 0)
    return boolean_mask(tensor, kept)


def _write(cell: Cell, key: Key, value: Any, name: str | None = None) -> Variable:
    """Replace a piece of a variable's value; the rest of it stays."""
    del name
    given = read(value) if isinstance(value, Holder) else value
    known = type(given) is Tensor
    fit = checked(given, cell.dtype) if known else typed_array(given, cell.dtype)
    piece = fit if known else constant_of(fit)
    whole = compute_on_host(partial(_with_piece, key=key), cell.state, piece)
    store(cell, whole, How.SLICE, given._id if known else -1)
    return UnreadVariable._of(cell)


def _with_piece(value: Any, piece: Any, *, key: Key) -> Any:
    """A value with a piece of it replaced."""
    whole = np.array(value)
    place = whole[key].shape
    try:
        whole[key] = np.broadcast_to(piece, place)
    except ValueError as error:
        raise invalid_argument(
            "ResourceStridedSliceAssign",
            f"Cannot broadcast input shape {brackets(np.shape(piece))} into final shape "
            f"{brackets(place)}",
        ) from error
    return whole


def _is_mask(key: Any) -> bool:
    if isinstance(key, bool):
        raise ValueError("mask cannot be scalar.")
    if type(key) is Tensor:
        return key.dtype.is_bool
    if isinstance(key, Holder):
        return key._cell.dtype.is_bool
    return isinstance(key, (np.ndarray, np.bool_)) and np.dtype(key.dtype) == np.bool_


def _is_plain(key: slice) -> bool:
    return all(type(part) is int or part is None for part in (key.start, key.stop, key.step))


def _normal(tensor: Tensor, key: Any) -> Key:
    """An index as a tuple of Python ints, slices, None and `...`."""
    if isinstance(key, list):
        _check_list(tensor, key)
    parts = tuple(key) if isinstance(key, (list, tuple)) else (key,)
    return tuple(_part(each) for each in parts)


def _part(each: Any) -> Any:
    if each is None or each is ... or type(each) is int:
        return each
    if isinstance(each, slice):
        return slice(
            *(None if p is None else _whole(p) for p in (each.start, each.stop, each.step))
        )
    return _whole(each)


def _whole(number: Any) -> int:
    if isinstance(number, Holder):
        number = read(number)
    value = number._value if type(number) is Tensor else number
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value[()]
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    raise TypeError(f"{_ALLOWED}{number!r}")


def _check_list(tensor: Tensor, key: list[Any]) -> None:
    """A list means one index per axis, which surprises those who come from NumPy."""
    if any(isinstance(each, (bool, np.bool_)) for each in key):
        raise _list_error(
            "Value for attr 'Index' of bool is not in the list of allowed values: int16, int32, "
            f"int64. To pick by true and false, try x[tf.constant({key})]"
        )
    rank = tensor._array.ndim
    if rank and len(key) > rank and all(isinstance(each, (int, np.integer)) for each in key):
        inside = ", ".join(map(str, key))
        raise _list_error(
            f"Index out of range using input dim {rank}; input has only {rank} dims. A list in "
            f"square brackets gives one index per axis: x[{key}] means x[{inside}]. To pick rows "
            f"{inside}, try tf.gather(x, {key})"
        )


def _list_error(message: str) -> OpError:
    return invalid_argument("StridedSlice", message)


def install() -> None:
    """Give tensors and variables their square brackets."""
    for kind, item in ((Tensor, tensor_item), (Variable, variable_item)):
        setattr(kind, "__getitem__", item)  # noqa: B010 - mypy knows no assignment to a type
