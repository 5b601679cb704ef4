"""Functions of `tf.keras.ops` that join, cut, move, select and count elements, as in NumPy."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapelab import linalg, math
from tapelab.array_ops import creation, gather_ops, shape_ops, sort_ops, value_ops
from tapelab.keras import backend
from tapelab.keras.keras_tensor import KerasTensor, operation
from tapelab.keras.op_declarations import as_floats, is_weak, promoted

_Cuts = int | Sequence[int]


def _tensors(values: Sequence[Any]) -> list[Any]:
    """Tensors of one dtype, that which holds all values."""
    tensors = [backend.convert_to_tensor(each) for each in values]
    dtype = tensors[0].dtype
    for tensor, value in zip(tensors[1:], values[1:], strict=True):
        dtype = backend.joint_dtype(dtype, tensor.dtype, second_is_weak=is_weak(value))
    return [value_ops.cast(each, dtype) for each in tensors]


def _flat(x: Any) -> Any:
    return shape_ops.reshape(x, [-1])


@operation
def append(x1: Any, x2: Any, axis: int | None = None) -> Any:
    """Return two tensors one behind the other along an axis, or in one row."""
    one, other = promoted(x1, x2)
    if axis is None:
        return shape_ops.concat([_flat(one), _flat(other)], 0)
    return shape_ops.concat([one, other], axis)


def array(x: Any, dtype: Any = None) -> Any:
    """Return a value as a tensor."""
    return backend.convert_to_tensor(x, dtype)


@operation
def copy(x: Any) -> Any:
    """Return a copy of a tensor."""
    return shape_ops.identity(backend.convert_to_tensor(x))


def empty(shape: Any, dtype: Any = None) -> Any:
    """Return a tensor of a shape; its elements are 0."""
    return creation.zeros(shape, dtype or backend.floatx())


@operation
def empty_like(x: Any, dtype: Any = None) -> Any:
    """Return a tensor with the shape of another; its elements are 0."""
    return creation.zeros_like(x, dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Return a matrix with ones on and below a diagonal."""
    return backend.convert_to_tensor(np.tri(N, M, k), dtype or backend.floatx())


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    """Return powers of a base with evenly spaced exponents."""
    exponents = _spaced(start, stop, num, endpoint=endpoint, axis=axis)
    return backend.convert_to_tensor(
        math.pow(value_ops.cast(base, exponents.dtype), exponents), dtype
    )


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Return numbers of which each is the same multiple of the one before."""
    first, last = (as_floats(each) for each in promoted(start, stop))
    sign = math.sign(first)
    exponents = _spaced(
        math.log(math.abs(first)), math.log(math.abs(last)), num, endpoint=endpoint, axis=axis
    )
    return backend.convert_to_tensor(sign * math.exp(exponents), dtype)


def _spaced(start: Any, stop: Any, num: int, *, endpoint: bool, axis: int) -> Any:
    first, last = (as_floats(each) for each in promoted(start, stop))
    end = last if endpoint else last - (last - first) / builtins.max(num, 1)
    return creation.linspace(first, end, num, axis=axis)


def _window(values: Callable[[int], Any], x: Any) -> Any:
    """A window of x elements as a tensor; a single element is 1."""
    size = int(x)
    return backend.convert_to_tensor(values(size), backend.floatx())


def bartlett(x: Any) -> Any:
    """Return a triangular window of x elements."""
    return _window(np.bartlett, x)


def blackman(x: Any) -> Any:
    """Return a Blackman window of x elements."""
    return _window(np.blackman, x)


def hamming(x: Any) -> Any:
    """Return a Hamming window of x elements."""
    return _window(np.hamming, x)


def hanning(x: Any) -> Any:
    """Return a Hann window of x elements."""
    return _window(np.hanning, x)


def kaiser(x: Any, beta: float) -> Any:
    """Return a Kaiser window of x elements."""
    return _window(lambda size: np.kaiser(size, beta), x)


@operation
def array_split(x: Any, indices_or_sections: _Cuts, axis: int = 0) -> Any:
    """Return parts of a tensor along an axis, of which the first may be longer by one."""
    given = backend.convert_to_tensor(x)
    length = int(given.shape[axis])
    if isinstance(indices_or_sections, int):
        size, longer = divmod(length, indices_or_sections)
        sizes = [size + (at < longer) for at in range(indices_or_sections)]
        return shape_ops.split(given, sizes, axis)
    return _cut(given, indices_or_sections, axis)


def _cut(x: Any, indices_or_sections: _Cuts, axis: int) -> Any:
    given = backend.convert_to_tensor(x)
    if isinstance(indices_or_sections, int):
        return shape_ops.split(given, indices_or_sections, axis)
    ends = [0, *indices_or_sections, int(given.shape[axis])]
    return shape_ops.split(given, np.diff(ends).tolist(), axis)


@operation
def hsplit(x: Any, indices_or_sections: _Cuts) -> Any:
    """Return parts along the second axis, or the only one."""
    given = backend.convert_to_tensor(x)
    return _cut(given, indices_or_sections, 0 if given.ndim == 1 else 1)


@operation
def vsplit(x: Any, indices_or_sections: _Cuts) -> Any:
    """Return parts along the first axis."""
    return _cut(x, indices_or_sections, 0)


@operation
def dsplit(x: Any, indices_or_sections: _Cuts) -> Any:
    """Return parts along the third axis."""
    return _cut(x, indices_or_sections, 2)


@operation
def dstack(xs: Sequence[Any]) -> Any:
    """Return tensors one behind the other along the third axis."""
    parts = []
    for each in _tensors(list(xs)):
        given = shape_ops.reshape(each, [1, -1]) if each.ndim < 2 else each
        parts.append(shape_ops.expand_dims(given, -1) if given.ndim == 2 else given)
    return shape_ops.concat(parts, 2)


@operation
def flipud(x: Any) -> Any:
    """Return the rows in reverse order."""
    return shape_ops.reverse(backend.convert_to_tensor(x), [0])


@operation
def fliplr(x: Any) -> Any:
    """Return the columns in reverse order."""
    return shape_ops.reverse(backend.convert_to_tensor(x), [1])


@operation
def rot90(array: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """Return a tensor turned by 90 degrees k times in the plane of two axes."""
    given = backend.convert_to_tensor(array)
    if given.ndim < 2:
        raise ValueError(
            f"Input array must have at least 2 dimensions. Received: array.ndim={given.ndim}"
        )
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(f"Invalid axes: {axes}. Axes must be a tuple of two different dimensions.")
    first, second = (axis % given.ndim for axis in axes)
    turns = k % 4
    if turns == 2:
        return shape_ops.reverse(given, [first, second])
    order = [*range(given.ndim)]
    order[first], order[second] = second, first
    if turns == 1:
        return shape_ops.transpose(shape_ops.reverse(given, [second]), order)
    return shape_ops.reverse(shape_ops.transpose(given, order), [second]) if turns else given


@operation
def meshgrid(*x: Any, indexing: str = "xy") -> Any:
    """Return the coordinates of a grid, a tensor for each axis."""
    if indexing not in {"xy", "ij"}:
        raise ValueError(f"Valid values for `indexing` are 'xy' and 'ij', but received {indexing}.")
    return shape_ops.meshgrid(
        *[_flat(backend.convert_to_tensor(each)) for each in x], indexing=indexing
    )


@operation
def diag(x: Any, k: int = 0) -> Any:
    """Return a diagonal of a matrix, or a matrix with a vector on a diagonal."""
    given = backend.convert_to_tensor(x)
    if given.ndim not in {1, 2}:
        raise ValueError(f"`x` must be 1d or 2d. Received: x.shape={given.shape}")
    return linalg.diag(given, k=k) if given.ndim == 1 else _diagonal(given, k)


@operation
def diagflat(x: Any, k: int = 0) -> Any:
    """Return a matrix with all elements on a diagonal."""
    return linalg.diag(_flat(backend.convert_to_tensor(x)), k=k)


def _diagonal(matrices: Any, offset: int) -> Any:
    """A diagonal of the matrices in the last two axes; empty where it lies outside."""
    rows, columns = (int(size) for size in matrices.shape[-2:])
    if not -rows < offset < columns:
        return matrices[..., 0, :0]
    return linalg.diag_part(matrices, k=offset)


def _planes_last(x: Any, axis1: int, axis2: int) -> Any:
    given = backend.convert_to_tensor(x)
    first, second = axis1 % given.ndim, axis2 % given.ndim
    order = [at for at in range(given.ndim) if at not in {first, second}]
    return shape_ops.transpose(given, [*order, first, second])


@operation
def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return a diagonal of the planes of two axes."""
    return _diagonal(_planes_last(x, axis1, axis2), offset)


@operation
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the sums of a diagonal of the planes of two axes."""
    given = backend.convert_to_tensor(x)
    if given.dtype.is_bool or given.dtype.name in {"int8", "int16"}:
        given = value_ops.cast(given, "int32")
    return math.reduce_sum(_diagonal(_planes_last(given, axis1, axis2), offset), axis=-1)


@operation
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Return the differences of neighbours along an axis, n times."""
    given: Any = backend.convert_to_tensor(a)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    at = axis % given.ndim
    later: Any = [builtins.slice(None)] * at + [builtins.slice(1, None)]
    earlier: Any = [builtins.slice(None)] * at + [builtins.slice(None, -1)]
    for _ in range(n):
        left, right = given[tuple(later)], given[tuple(earlier)]
        given = math.not_equal(left, right) if given.dtype.is_bool else left - right
    return given


@operation
def cross(
    x1: Any, x2: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    """Return the cross products of vectors of 2 or 3 elements along axes."""
    one, other = promoted(x1, x2)
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = _axis_last(one, axisa), _axis_last(other, axisb)
    sizes = {int(a.shape[-1]), int(b.shape[-1])}
    if not sizes <= {2, 3}:
        raise ValueError(
            f"`x1`'s dim on `axis={axisa}` must be either 2 or 3, "
            f"but received: {one.shape[axisa]} and {other.shape[axisb]}"
        )
    flat = sizes == {2}
    a, b = _in_space(a), _in_space(b)
    shape = np.broadcast_shapes(tuple(a.shape), tuple(b.shape))
    product: Any = linalg.cross(shape_ops.broadcast_to(a, shape), shape_ops.broadcast_to(b, shape))
    if flat:
        return product[..., 2]
    return _axis_back(product, axisc)


def _axis_last(x: Any, axis: int) -> Any:
    order = [at for at in range(x.ndim) if at != axis % x.ndim]
    return shape_ops.transpose(x, [*order, axis % x.ndim])


def _axis_back(x: Any, axis: int) -> Any:
    order = [*range(x.ndim - 1)]
    order.insert(axis % x.ndim, x.ndim - 1)
    return shape_ops.transpose(x, order)


def _in_space(vectors: Any) -> Any:
    """Vectors of 3 elements; the third of a vector of 2 is 0."""
    if vectors.shape[-1] != 2:
        return vectors
    return shape_ops.pad(vectors, [[0, 0]] * (vectors.ndim - 1) + [[0, 1]])


@operation
def inner(x1: Any, x2: Any) -> Any:
    """Return the sums of products over the last axis of both tensors."""
    one, other = promoted(x1, x2)
    if not one.ndim or not other.ndim:
        return math.multiply(one, other)
    return linalg.tensordot(one, other, [[one.ndim - 1], [other.ndim - 1]])


@operation
def vdot(x1: Any, x2: Any) -> Any:
    """Return the sum of the products of all elements, those of `x1` conjugated."""
    one, other = promoted(x1, x2)
    if not one.ndim or not other.ndim:
        return math.multiply(one, other)
    return math.reduce_sum(math.multiply(math.conj(_flat(one)), _flat(other)))


@operation
def kron(x1: Any, x2: Any) -> Any:
    """Return the Kronecker product: each element of `x1` times all of `x2`."""
    one, other = promoted(x1, x2)
    rank = builtins.max(one.ndim, other.ndim)
    rows, columns = (
        [1] * (rank - each.ndim) + [int(size) for size in each.shape] for each in (one, other)
    )
    left = shape_ops.reshape(one, [size for each in rows for size in (each, 1)])
    right = shape_ops.reshape(other, [size for each in columns for size in (1, each)])
    sizes = [a * b for a, b in zip(rows, columns, strict=True)]
    return shape_ops.reshape(math.multiply(left, right), sizes)


@operation
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Return the powers of the elements in rows, the highest first."""
    given = backend.convert_to_tensor(x)
    count = int(given.shape[0]) if N is None else N
    powers = np.arange(count) if increasing else np.arange(count - 1, -1, -1)
    exponents = value_ops.cast(powers, given.dtype)
    return math.pow(shape_ops.expand_dims(given, -1), shape_ops.expand_dims(exponents, 0))


@operation
def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Return the integral of samples along an axis by the trapezoidal rule."""
    values = _axis_last(as_floats(y), axis)
    widths: Any = dx
    if x is not None:
        places: Any = value_ops.cast(x, values.dtype)
        places = places if places.ndim == 1 else _axis_last(places, axis)
        widths = places[..., 1:] - places[..., :-1]
    return math.reduce_sum(0.5 * (values[..., 1:] + values[..., :-1]) * widths, axis=-1)


@operation
def take_along_axis(x: Any, indices: Any, axis: int | None = None) -> Any:
    """Return elements along an axis, each by an index of its own."""
    given, places = backend.convert_to_tensor(x), backend.convert_to_tensor(indices)
    if axis is None:
        if places.ndim != 1:
            raise ValueError(
                f"`indices` must be 1D if axis=None. Received: indices.shape={places.shape}"
            )
        given, axis = _flat(given), 0
    if given.ndim != places.ndim:
        raise ValueError(
            "`x` and `indices` must have the same number of dimensions, "
            f"but receive shape {given.shape} and {places.shape}."
        )
    rows, wanted = _axis_last(given, axis), _axis_last(places, axis)
    wanted = value_ops.where(wanted < 0, wanted + int(rows.shape[-1]), wanted)
    shape = np.broadcast_shapes(tuple(rows.shape[:-1]), tuple(wanted.shape[:-1]))
    rows = shape_ops.broadcast_to(rows, [*shape, rows.shape[-1]])
    wanted = shape_ops.broadcast_to(wanted, [*shape, wanted.shape[-1]])
    taken = gather_ops.gather(rows, wanted, batch_dims=len(shape), axis=-1)
    return _axis_back(taken, axis)


@operation
def get_item(x: Any, key: Any) -> Any:
    """Return `x[key]`."""
    given: Any = backend.convert_to_tensor(x)
    return given[key]


@operation
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """Return elements of the first choice whose condition holds, else the default."""
    if len(condlist) != len(choicelist):
        raise ValueError(
            "condlist and choicelist must have the same length. Received: "
            f"len(condlist)={len(condlist)}, len(choicelist)={len(choicelist)}"
        )
    *choices, chosen = _tensors([*choicelist, default])
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        chosen = value_ops.where(value_ops.cast(condition, "bool"), choice, chosen)
    return chosen


@operation
def slice(inputs: Any, start_indices: Any, shape: Any) -> Any:
    """Return a block of a shape that begins at some indices."""
    return gather_ops.slice(backend.convert_to_tensor(inputs), start_indices, shape)


@operation
def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Any:
    """Return a tensor with a block replaced that begins at some indices."""
    given, new = backend.convert_to_tensor(inputs), backend.convert_to_tensor(updates)
    block = np.moveaxis(np.indices(new.numpy().shape), 0, -1)
    is_list = isinstance(start_indices, (list, tuple))
    start = shape_ops.stack(list(start_indices)) if is_list else start_indices
    places = math.add(value_ops.cast(block, "int32"), value_ops.cast(start, "int32"))
    return gather_ops.tensor_scatter_nd_update(given, places, value_ops.cast(new, given.dtype))


@operation
def scatter(indices: Any, values: Any, shape: Any) -> Any:
    """Return zeros in a shape, to which values are added at some indices."""
    return gather_ops.scatter_nd(indices, backend.convert_to_tensor(values), shape)


_WRITERS: Final = {
    None: gather_ops.tensor_scatter_nd_update,
    "add": gather_ops.tensor_scatter_nd_add,
    "max": gather_ops.tensor_scatter_nd_max,
    "min": gather_ops.tensor_scatter_nd_min,
}


@operation
def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: str | None = None) -> Any:
    """Return a tensor with elements replaced, or combined with new ones."""
    given: Any = backend.convert_to_tensor(inputs)
    new: Any = value_ops.cast(updates, given.dtype)
    if reduction == "mul":
        factors = np.ones(tuple(given.shape), given.dtype.as_numpy_dtype)
        rows = np.asarray(backend.convert_to_tensor(indices))
        values: Any = np.asarray(new)
        np.multiply.at(factors, tuple(np.moveaxis(rows, -1, 0)), values)
        return given * backend.convert_to_tensor(factors)
    if reduction not in _WRITERS:
        raise ValueError(
            "Unsupported reduction. Expected one of None, 'add', 'max', 'min', 'mul'. "
            f"Received: {reduction}"
        )
    return _WRITERS[reduction](given, indices, new)


def unravel_index(indices: Any, shape: Any) -> Any:
    """Return the coordinates of flat indices, a tensor for each axis."""
    if isinstance(indices, KerasTensor):
        return [KerasTensor(indices.shape, indices.dtype) for _ in shape]
    places = backend.convert_to_tensor(indices)
    if None in tuple(shape):
        raise ValueError(f"`shape` argument cannot contain `None`. Received: shape={shape}")
    coordinates = []
    for size in reversed(tuple(shape)):
        coordinates.append(math.floormod(places, size))
        places = math.floordiv(places, size)
    return tuple(reversed(coordinates))


@operation
def isin(x1: Any, x2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Return which elements are among others."""
    del assume_unique
    one, other = promoted(x1, x2)
    same = math.equal(shape_ops.expand_dims(one, -1), _flat(other))
    among = math.reduce_any(same, axis=-1)
    return math.logical_not(among) if invert else among


@operation
def digitize(x: Any, bins: Any) -> Any:
    """Return how many limits are not above each element."""
    given, limits = as_floats(x), as_floats(bins)
    limits = value_ops.cast(limits, given.dtype)
    reached = math.greater_equal(shape_ops.expand_dims(given, -1), limits)
    return math.reduce_sum(value_ops.cast(reached, "int32"), axis=-1)


@operation
def searchsorted(sorted_sequence: Any, values: Any, side: str = "left") -> Any:
    """Return where values would be inserted into a sorted row."""
    row = backend.convert_to_tensor(sorted_sequence)
    if row.ndim != 1:
        raise ValueError(
            "`searchsorted` only supports 1-D sorted sequences. "
            "You can use `keras.ops.vectorized_map` to extend it to N-D sequences. "
            f"Received: sorted_sequence.shape={row.shape}"
        )
    row, wanted = promoted(row, values)
    places = sort_ops.searchsorted(row, _flat(wanted), side)
    return shape_ops.reshape(value_ops.cast(places, "int32"), wanted.shape)


@operation
def bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    """Return how often each integer occurs along the last axis, or the sums of its weights."""
    del sparse
    numbers = backend.convert_to_tensor(x)
    if not numbers.shape.is_fully_defined() or not int(shape_ops.size(numbers)):
        count = minlength
    else:
        count = builtins.max(int(math.reduce_max(numbers)) + 1, minlength or 0)
    hits: Any = math.equal(
        shape_ops.expand_dims(numbers, -1), value_ops.cast(np.arange(count), numbers.dtype)
    )
    if weights is None:
        return math.reduce_sum(value_ops.cast(hits, "int32"), axis=-2)
    given = backend.convert_to_tensor(weights)
    counted = math.multiply(value_ops.cast(hits, given.dtype), shape_ops.expand_dims(given, -1))
    return math.reduce_sum(counted, axis=-2)


@operation
def histogram(x: Any, bins: int = 10, range: Any = None) -> Any:
    """Return how many elements lie in each of equal intervals, and their limits."""
    if not isinstance(bins, int):
        raise TypeError(f"Argument `bins` must be of type `int`. Received: bins={bins}")
    if bins < 0:
        raise ValueError(f"Argument `bins` must be a non-negative integer. Received: bins={bins}")
    if range is not None and (len(range) != 2 or range[1] < range[0]):
        raise ValueError(
            f"The second element of `range` must be greater than the first. Received: range={range}"
        )
    given: Any = as_floats(x)
    if given.ndim != 1:
        raise ValueError(f"Input tensor must be 1-dimensional. Received: input.shape={given.shape}")
    low, high = (math.reduce_min(given), math.reduce_max(given)) if range is None else range
    limits: Any = creation.linspace(
        value_ops.cast(low, given.dtype), value_ops.cast(high, given.dtype), bins + 1
    )
    inside = math.logical_and(given >= limits[0], given <= limits[-1])
    places = math.subtract(sort_ops.searchsorted(limits, given, "right"), 1)
    places = math.minimum(places, bins - 1)
    rows = math.equal(
        shape_ops.expand_dims(places, -1), value_ops.cast(np.arange(bins), places.dtype)
    )
    hits = value_ops.cast(math.logical_and(rows, shape_ops.expand_dims(inside, -1)), given.dtype)
    return math.reduce_sum(hits, axis=0), limits


@operation
def argpartition(x: Any, kth: int, axis: int = -1) -> Any:
    """Return indices that put the kth smallest element in its place, smaller ones before it."""
    rows = _axis_last(backend.convert_to_tensor(x), axis)
    order: Any = value_ops.cast(sort_ops.argsort(rows, -1, stable=True), "int32")
    others = sort_ops.sort(order[..., kth + 1 :], -1)
    places: Any = shape_ops.concat([order[..., : kth + 1], others], -1)
    return _axis_back(places, axis)


@operation
def cdist(x: Any, y: Any) -> Any:
    """Return the Euclidean distances of all pairs of rows."""
    one, other = (as_floats(each) for each in promoted(x, y))
    apart = math.subtract(shape_ops.expand_dims(one, -2), shape_ops.expand_dims(other, -3))
    squares = math.reduce_sum(math.square(apart), axis=-1)
    return math.sqrt(math.maximum(squares, 0.0))


@operation
def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    """Return whether each target is among the k best predictions."""
    return math.in_top_k(targets, predictions, k)


@operation
def extract_sequences(x: Any, sequence_length: int, sequence_stride: int) -> Any:
    """Return windows along the last axis, as rows of a new one."""
    given = as_floats(x)
    last = int(given.shape[-1]) - sequence_length
    starts = np.arange(0, last + 1, sequence_stride)
    return gather_ops.gather(given, starts[:, None] + np.arange(sequence_length), axis=-1)


@operation
def view(x: Any, dtype: Any = None) -> Any:
    """Return the bytes of a tensor as elements of another dtype, along the last axis."""
    given = backend.convert_to_tensor(x)
    if dtype is None:
        return given
    kind = backend.convert_to_tensor(0, dtype).dtype
    old, new = given.dtype.size, kind.size
    if old == new:
        return value_ops.bitcast(given, kind)
    if old > new:
        shape = [*given.shape[:-1], -1]
        return shape_ops.reshape(value_ops.bitcast(given, kind), shape)
    rows = shape_ops.reshape(given, [*given.shape[:-1], -1, new // old])
    return value_ops.bitcast(rows, kind)


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    """Return a tensor with its axes named, joined and cut as in `"b (h w) c -> b h w c"`."""
    given: Any = tensor if isinstance(tensor, KerasTensor) else backend.convert_to_tensor(tensor)
    left, right = (_axes_of(side) for side in pattern.split("->"))
    sizes = dict(axes_lengths)
    for group, size in zip(left, given.shape, strict=True):
        unknown = [name for name in group if name not in sizes]
        known = int(np.prod([sizes[name] for name in group if name in sizes]))
        if len(unknown) > 1:
            raise ValueError(f"The sizes of {unknown} are not known. Pass all of them but one.")
        for name in unknown:
            sizes[name] = -1 if size is None else int(size) // known
    names = [name for group in left for name in group]
    order = [names.index(name) for group in right for name in group]
    whole = _reshaped(given, [sizes[name] for name in names])
    moved = _transposed(whole, order)
    target = [
        -1 if any(sizes[name] == -1 for name in group) else int(np.prod([sizes[n] for n in group]))
        for group in right
    ]
    return _reshaped(moved, target)


@operation
def _reshaped(x: Any, shape: Any) -> Any:
    return shape_ops.reshape(x, shape)


@operation
def _transposed(x: Any, order: Any) -> Any:
    return shape_ops.transpose(x, order)


def _axes_of(side: str) -> list[list[str]]:
    """The names of one side of a pattern, those in parentheses together."""
    groups: list[list[str]] = []
    is_open = False
    for word in side.replace("(", " ( ").replace(")", " ) ").split():
        if word in "()":
            is_open = word == "("
            groups += [[]] if is_open else []
        elif is_open:
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups


def unique(
    x: Any, sorted: bool = True, return_index: bool = False, return_inverse: bool = False,
    return_counts: bool = False, axis: int | None = None, size: int | None = None,
    fill_value: Any = None,
) -> Any:  # fmt: skip
    """Return the different elements, or slices along an axis, in ascending order.

    `size` cuts the result, or fills it up with `fill_value` (the smallest element).
    """
    del sorted
    given = backend.convert_to_tensor(x).numpy()
    values, index, inverse, counts = np.unique(
        given, return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    if size is not None:
        along = axis or 0
        values, index, counts = (
            _resized(part, size, at, fill)
            for part, at, fill in (
                (values, along, fill_value), (index, 0, None), (counts, 0, 0),
            )
        )  # fmt: skip
    wanted = [
        (True, values),
        (return_index, index),
        (return_inverse, inverse),
        (return_counts, counts),
    ]
    results = [
        backend.convert_to_tensor(part, None if part is values else "int32")
        for is_wanted, part in wanted
        if is_wanted
    ]
    return results[0] if len(results) == 1 else tuple(results)


def _resized(part: Any, size: int, axis: int, fill: Any) -> Any:
    """An array with so many elements along an axis: cut, or filled up."""
    missing = size - part.shape[axis]
    if missing <= 0:
        return np.take(part, np.arange(size), axis)
    filler = np.take(part, np.zeros(missing, int), axis)
    if fill is not None:
        filler = np.full_like(filler, fill)
    return np.concatenate([part, filler], axis)


def vectorize(pyfunc: Any, *, excluded: Any = None, signature: str | None = None) -> Any:
    """Return a function of tensors that applies a function to each element."""
    plain = np.vectorize(
        lambda *args: np.asarray(pyfunc(*args)) if signature else pyfunc(*args),
        excluded=excluded, signature=signature,
    )  # fmt: skip

    def vectorized(*args: Any, **kwargs: Any) -> Any:
        return backend.convert_to_tensor(plain(*[np.asarray(each) for each in args], **kwargs))

    return vectorized
