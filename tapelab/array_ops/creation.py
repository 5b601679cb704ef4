"""Tensors from nothing: constants, zeros and ones, ranges, one-hot rows, masks of lengths."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab import nest
from tapelab.core.arrays import typed_array
from tapelab.core.cell import Holder
from tapelab.core.composite_tensor import CompositeTensor, Walked
from tapelab.core.convert import new_constant, to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets
from tapelab.core.variable import read
from tapelab.dtypes import DType, as_dtype, bool_, float32, int32
from tapelab.errors import invalid_argument
from tapelab.ops import broadcasting, mask_ops, selection, shapes
from tapelab.ops.arithmetic import add, divide, multiply, subtract
from tapelab.ops.casts import cast
from tapelab.ops.concatenation import concat
from tapelab.ops.integer_arguments import lengths, number, unfit_index
from tapelab.ops.integer_arguments import lengths as as_lengths
from tapelab.ops.public import tensor


@public(graph_name="Const")
def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor of given numbers, which a tape does not watch by itself; a tensor stays itself."""
    given = _plain(value, dtype)
    if type(value) is Tensor and (shape is None or lengths(shape, "Const") == value._array.shape):
        return value
    array = typed_array(given, dtype)
    if shape is None:
        return new_constant(array, value, "tf.constant")
    wanted = lengths(shape, "Const")
    if np.size(array) == 1:
        array = np.full(wanted, array)
    elif np.size(array) != int(np.prod(wanted, dtype=int)):
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {value!r} "
            f"(converted from {value!r}) has {np.size(array)} elements, but got `shape` "
            f"{wanted} with {int(np.prod(wanted, dtype=int))} elements"
        )
    return new_constant(np.reshape(array, wanted), value, "tf.constant")


@public(graph_name="Const")
def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """The value as a tensor; a tensor is returned itself, a variable is read."""
    return to_tensor(value, dtype, dtype_hint)


def is_tensor(x: Any) -> bool:
    """Whether x is a tensor, a variable or a composite of tensors."""
    return isinstance(x, (Tensor, Holder, CompositeTensor)) and not isinstance(x, Walked)


@public(graph_name="zeros")
def zeros(shape: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A tensor of zeros."""
    return _filled(shape, dtype, 0, "tf.zeros")


@public(graph_name="ones")
def ones(shape: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A tensor of ones."""
    return _filled(shape, dtype, 1, "tf.ones")


@public(elementwise=True, graph_name="zeros_like")
def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Zeros in the shape of another tensor, and in its dtype unless another is named."""
    x = tensor(input)
    if x.dtype.name != "string" and (dtype is None or as_dtype(dtype) is x.dtype):
        return selection.zeros_like(x)
    return zeros(x.shape, x.dtype if dtype is None else dtype)


@public(elementwise=True, graph_name="ones_like")
def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Ones in the shape of another tensor, and in its dtype unless another is named."""
    x = tensor(input)
    if dtype is None or as_dtype(dtype) is x.dtype:
        return selection.ones_like(x)
    return ones(x.shape, dtype)


@public(graph_name="Fill")
def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of the given lengths with the same scalar everywhere."""
    x = tensor(value)
    if x._array.ndim and x._array.shape != (1,):
        raise invalid_argument("Fill", f"value must be a scalar, but has shape {x.shape}")
    alone = shapes.reshape(x, shape=()) if x._array.ndim else x
    return broadcasting.broadcast_to(alone, shape=_sizes(dims))


@public(graph_name="eye/diag")
def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The identity matrix: ones on the diagonal, zeros elsewhere."""
    for size in (num_rows, num_rows if num_columns is None else num_columns):
        if np.ndim(size) or isinstance(size, str) or size is None:
            raise TypeError(
                "Arguments `num_rows` and `num_columns` must be positive integer values. "
                f"Received: num_rows={num_rows}, num_columns={num_columns}"
            )
    rows = number(num_rows, "Eye")
    columns = rows if num_columns is None else number(num_columns, "Eye")
    if min(rows, columns) < 0:
        raise invalid_argument("Eye", f"Dimension {min(rows, columns)} must be >= 0")
    one = np.eye(rows, columns, dtype=_raw(dtype))
    batch = () if batch_shape is None else lengths(batch_shape, "Eye")
    return new_constant(np.broadcast_to(one, (*batch, *one.shape)).copy(), None, "tf.eye")


@public(graph_name="range")
def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Tensor:
    """Evenly spaced numbers from start up to the limit, which is left out."""
    if limit is None:
        start, limit = 0, start
    given = [_bound(each, dtype)._value for each in (start, limit, delta)]
    for which, each in zip(("start", "limit", "delta"), given, strict=True):
        if each.ndim or each.dtype.name not in _RUNGS:
            raise invalid_argument("Range", f"{which} must be one number, not {each!r}")
    wanted = _raw(dtype) if dtype is not None else max((each.dtype for each in given), key=_rung)
    first, last, step = (each.astype(wanted)[()] for each in given)
    if step == 0:
        raise invalid_argument("Range", "Requires delta != 0: 0")
    if (last - first) * step < 0 and dtype is None:
        raise invalid_argument(
            "Range",
            f"Requires start <= limit when delta > 0: {first}/{last}"
            if step > 0
            else f"Requires start >= limit when delta < 0: {first}/{last}",
        )
    return new_constant(np.arange(first, last, step, dtype=wanted), None, "tf.range")


def _bound(given: Any, dtype: Any) -> Tensor:
    """A Python number must fit the dtype that is asked for; what has a dtype of its own is cast."""
    if dtype is not None and isinstance(given, int | float):
        to_tensor(given, as_dtype(dtype))
    return tensor(given)


_RUNGS: Final = ("int32", "int64", "float16", "float32", "float64")


def _rung(dtype: np.dtype[Any]) -> int:
    return _RUNGS.index(dtype.name)


@public
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """A number of values at equal distances from start to stop, both of them included."""
    if isinstance(num, float) or (is_tensor(num) and not num.dtype.is_integer):
        raise TypeError(f"Argument `num` must be of type integer. Received {num!r}.")
    first = tensor(start)
    last = to_tensor(stop, first.dtype)
    if first.dtype.is_integer:
        first, last = (to_tensor(np.float64(each._value)) for each in (first, last))
    count = number(num, "LinSpace")
    if count < 0:
        raise invalid_argument("LinSpace", f"Requires num >= 0: {count}")
    points: Tensor = _between(*_at_one_place(first, last, axis), count, axis)
    return points


def _at_one_place(first: Any, last: Any, axis: int) -> tuple[Any, Any]:
    """Two ends in one shape, with an axis of length 1 where the steps between them belong."""
    one, other = first._array.shape, last._array.shape
    try:
        shape = np.broadcast_shapes(one, other)
    except ValueError as error:
        message = f"Incompatible shapes: {brackets(one)} vs. {brackets(other)}"
        raise invalid_argument("BroadcastArgs", message) from error
    ends = (broadcasting.broadcast_to(each, shape=shape) for each in (first, last))
    first, last = (shapes.expand_dims(each, axis=axis) for each in ends)
    return first, last


def _between(first: Any, last: Any, count: int, axis: int) -> Any:
    """So many values from first to last, each end as it is, even where it is infinite."""
    rank = first._array.ndim
    axis %= rank
    steps = np.arange(1, count - 1).astype(first._array.dtype)
    further = to_tensor(steps.reshape(-1, *(1,) * (rank - axis - 1)))
    step = divide(subtract(last, first), to_tensor(max(count - 1, 1), first.dtype))
    inner = add(first, multiply(further, step))
    points = concat(first, inner, last, axis=axis)
    return points if count > 1 else points[(*(slice(None),) * axis, slice(count))]


def _filled(shape: Any, dtype: Any, number: int, how: str) -> Tensor:
    wanted = _sizes(shape, strict=True)
    kind: DType = as_dtype(dtype)
    entry: Any = (b"" if number == 0 else b"1") if kind.name == "string" else number
    return new_constant(np.full(wanted, entry, kind.as_numpy_dtype), None, how)


def _sizes(shape: Any, *, strict: bool = False) -> tuple[int, ...]:
    wanted = lengths(shape, "Fill", strict=strict)
    if min(wanted, default=0) < 0:
        raise invalid_argument("Fill", f"Dimension {min(wanted)} must be >= 0")
    return wanted


def _raw(dtype: Any) -> np.dtype[Any]:
    return np.dtype(as_dtype(dtype).as_numpy_dtype)


def _plain(value: Any, dtype: Any) -> Any:
    """A tensor among constants: TensorFlow refuses to change its dtype, or to put it in a list."""
    if isinstance(value, (list, tuple)) and any(is_tensor(each) for each in nest.flatten(value)):
        raise ValueError(
            "tf.constant takes no list with tensors in it: their history would be lost. "
            "Try tf.stack, or tf.convert_to_tensor."
        )
    if isinstance(value, Holder):
        value = read(value)
        return value if dtype is None else np.asarray(value._value)  # copied as NumPy's arrays are
    if isinstance(value, Tensor) and dtype is not None and value.dtype is not as_dtype(dtype):
        raise TypeError(
            f"Expected tensor {value} with dtype {as_dtype(dtype)!r}, but got dtype "
            f"{value.dtype!r}. "
            f"Try tf.cast(x, {as_dtype(dtype)!r})."
        )
    return value


@public(elementwise=True, graph_name="one_hot")
def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: int | None = None,
    dtype: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Rows of zeros with a one at each index; an index outside gives zeros only."""
    x = tensor(indices)
    if not x.dtype.is_integer:
        raise unfit_index("OneHot", x._array.dtype, indices)
    kind = _dtype_of_values(on_value, off_value, None if dtype is None else as_dtype(dtype))
    on, off = (typed_array(default if value is None else value, kind)
               for value, default in ((on_value, 1), (off_value, 0)))  # fmt: skip
    where, classes = -1 if axis is None else number(axis, "OneHot"), number(depth, "OneHot")
    if classes < 0:
        raise invalid_argument("OneHot", f"depth must be non-negative, got: {classes}")
    return mask_ops.marked(x, depth=classes, on=on, off=off, axis=where)


def _dtype_of_values(on_value: Any, off_value: Any, dtype: DType | None) -> DType:
    """The dtype of the entries of one_hot; TypeError where what is given for it disagrees."""
    named = {"on_value": on_value, "off_value": off_value}
    kinds = {name: tensor(v, dtype if _is_python(v) else None).dtype
             for name, v in named.items() if v is not None}  # fmt: skip
    for name, kind in kinds.items():
        if dtype is not None and kind is not dtype:
            raise TypeError(f"dtype {kind!r} of {name} does not match dtype parameter {dtype!r}")
    if len(set(kinds.values())) > 1:
        raise TypeError(
            f"dtype {kinds['on_value']!r} of on_value does not match dtype "
            f"{kinds['off_value']!r} of off_value"
        )
    return dtype or next(iter(kinds.values()), float32)


def _is_python(value: Any) -> bool:
    return not isinstance(value, (Tensor, Holder, np.ndarray, np.generic))


@public
def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = bool_, name: str | None = None
) -> Tensor:
    """Rows that are true as far as each length, then false."""
    x = _whole_up(lengths) if maxlen is None else _whole(lengths)
    if maxlen is not None and np.ndim(typed_array(maxlen)):
        raise ValueError(
            "Argument `maxlen` must be scalar for sequence_mask, received "
            f"`maxlen` = {np.asarray(maxlen)} with shape '{np.shape(maxlen)}' instead"
        )
    longest = int(np.max(x._value, initial=0)) if maxlen is None else number(maxlen, "SequenceMask")
    mask: Tensor = mask_ops.up_to(x, longest=longest)
    return mask if as_dtype(dtype) is bool_ else cast(mask, dtype=as_dtype(dtype))


@public
def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Positions in a tensor flattened as one index per axis."""
    places = _whole(indices)
    return mask_ops.unravelled(places, dims=as_lengths(dims, "UnravelIndex"))


def _whole_up(lengths: Any) -> Tensor:
    """Lengths as integers; a fraction reaches into the place behind it."""
    x = tensor(lengths)
    return _whole(np.ceil(x._value) if x.dtype.is_floating else x)


def _whole(given: Any) -> Tensor:
    """A tensor of integers; true and false, and fractions, are cast as TensorFlow does."""
    x = tensor(given)
    integers: Tensor = x if x.dtype.is_integer else cast(x, dtype=int32)
    return integers
