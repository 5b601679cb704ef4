"""`tf.keras.ops`: NumPy's names for ops, with Keras's parameters and promotion of dtypes.

They also work on symbolic tensors. Where two dtypes meet, the wider one is used, and a float one
where a float meets an integer; what only floats have, such as a square root, makes integers floats.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

import numpy as np

from tapelab import linalg, math, nn
from tapelab.array_ops import creation, gather_ops, shape_ops, sort_ops, value_ops
from tapelab.array_ops.creation import one_hot as _one_hot
from tapelab.core.tensor import Tensor
from tapelab.keras import activations, backend
from tapelab.keras.keras_tensor import Function as _Function
from tapelab.keras.keras_tensor import operation
from tapelab.keras.op_declarations import as_floats as _floats
from tapelab.keras.op_declarations import binary as _binary
from tapelab.keras.op_declarations import promoted as _promoted
from tapelab.keras.op_declarations import reduction as _reduction
from tapelab.keras.op_declarations import summable as _summable
from tapelab.keras.op_declarations import unary as _unary
from tapelab.namespace.missing_names import missing

abs = absolute = _unary("absolute", math.abs)
negative = _unary("negative", math.negative)
square = _unary("square", math.square)
sign = _unary("sign", math.sign)
floor = _unary("floor", math.floor, floats=True)
ceil = _unary("ceil", math.ceil, floats=True)
sqrt = _unary("sqrt", math.sqrt, floats=True)
rsqrt = _unary("rsqrt", math.rsqrt, floats=True)
reciprocal = _unary("reciprocal", math.reciprocal, floats=True)
exp = _unary("exp", math.exp, floats=True)
expm1 = _unary("expm1", math.expm1, floats=True)
log = _unary("log", math.log, floats=True)
log1p = _unary("log1p", math.log1p, floats=True)
sin = _unary("sin", math.sin, floats=True)
cos = _unary("cos", math.cos, floats=True)
tan = _unary("tan", math.tan, floats=True)
sinh = _unary("sinh", math.sinh, floats=True)
cosh = _unary("cosh", math.cosh, floats=True)
tanh = _unary("tanh", math.tanh, floats=True)
arcsin = _unary("arcsin", math.asin, floats=True)
arccos = _unary("arccos", math.acos, floats=True)
arctan = _unary("arctan", math.atan, floats=True)
arcsinh = _unary("arcsinh", math.asinh, floats=True)
arccosh = _unary("arccosh", math.acosh, floats=True)
arctanh = _unary("arctanh", math.atanh, floats=True)
erf = _unary("erf", math.erf)
erfinv = _unary("erfinv", math.erfinv, floats=True)
isnan = _unary("isnan", math.is_nan, floats=True)
isinf = _unary("isinf", math.is_inf, floats=True)
isfinite = _unary("isfinite", math.is_finite, floats=True)
real = _unary("real", math.real)
imag = _unary("imag", math.imag)
conj = conjugate = _unary("conjugate", math.conj)
logical_not = _unary("logical_not", math.logical_not)
add = _binary("add", math.add)
subtract = _binary("subtract", math.subtract)
multiply = _binary("multiply", math.multiply)
divide = true_divide = _binary("divide", math.divide, floats=True)
floor_divide = _binary("floor_divide", math.floordiv)
mod = _binary("mod", math.floormod)
power = _binary("power", math.pow)
maximum = _binary("maximum", math.maximum)
minimum = _binary("minimum", math.minimum)
arctan2 = _binary("arctan2", math.atan2, floats=True)
divide_no_nan = _binary("divide_no_nan", math.divide_no_nan, floats=True)
equal = _binary("equal", math.equal)
not_equal = _binary("not_equal", math.not_equal)
greater = _binary("greater", math.greater)
greater_equal = _binary("greater_equal", math.greater_equal)
less = _binary("less", math.less)
less_equal = _binary("less_equal", math.less_equal)
logical_and = _binary("logical_and", math.logical_and)
logical_or = _binary("logical_or", math.logical_or)
logical_xor = _binary("logical_xor", math.logical_xor)
matmul = _binary("matmul", linalg.matmul)
any = _reduction("any", math.reduce_any)
all = _reduction("all", math.reduce_all)
std = _reduction("std", math.reduce_std, floats=True)
var = _reduction("var", math.reduce_variance, floats=True)
mean = _reduction("mean", math.reduce_mean, floats=True)
logsumexp = _reduction("logsumexp", math.reduce_logsumexp)
relu = activations.relu
relu6 = activations.relu6
softmax = activations.softmax
log_softmax = activations.log_softmax
sigmoid = activations.sigmoid
log_sigmoid = activations.log_sigmoid
hard_sigmoid = activations.hard_sigmoid
hard_silu = hard_swish = activations.hard_silu
elu = activations.elu
celu = activations.celu
selu = activations.selu
silu = activations.silu
swish = activations.swish
softplus = activations.softplus
softsign = activations.softsign
leaky_relu = activations.leaky_relu


@operation
def gelu(x: Any, approximate: bool = True) -> Any:
    """Return x times the normal distribution function at x, or its approximation by tanh."""
    return activations.gelu(x, approximate)


@operation
def max(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """Return the largest elements along axes, at least `initial`."""
    largest = math.reduce_max(x, axis, keepdims)
    return largest if initial is None else math.maximum(largest, initial)


@operation
def min(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """Return the smallest elements along axes, at most `initial`."""
    smallest = math.reduce_min(x, axis, keepdims)
    return smallest if initial is None else math.minimum(smallest, initial)


@operation
def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return sums along axes."""
    axes = list(axis) if isinstance(axis, tuple) else axis
    return math.reduce_sum(_summable(backend.convert_to_tensor(x)), axes, keepdims)


@operation
def prod(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """Return products along axes."""
    given = backend.convert_to_tensor(x, dtype)
    return math.reduce_prod(_summable(given) if dtype is None else given, axis, keepdims)


@operation
def cumsum(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Return cumulative sums along an axis, or over all elements."""
    return _cumulative(math.cumsum, x, axis, dtype)


@operation
def cumprod(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Return cumulative products along an axis, or over all elements."""
    return _cumulative(math.cumprod, x, axis, dtype)


def _cumulative(function: _Function, x: Any, axis: Any, dtype: Any) -> Any:
    given = backend.convert_to_tensor(x, dtype)
    return function(_flat(given), 0) if axis is None else function(given, axis)


def _flat(x: Any) -> Any:
    return shape_ops.reshape(x, [-1])


@operation
def count_nonzero(x: Any, axis: Any = None) -> Any:
    """Return how many elements along axes are not 0, int32."""
    return math.count_nonzero(x, axis, dtype="int32")


@operation
def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    """Return the mean and the variance along axes."""
    del synchronized  # there is one device
    return nn.moments(x, axes if isinstance(axes, int) else list(axes), keepdims=keepdims)


@operation
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the norm of vectors or matrices, the Euclidean one by default."""
    return linalg.norm(_floats(x), "euclidean" if ord is None else ord, axis, keepdims)


@operation
def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Return Einstein sums."""
    return linalg.einsum(subscripts, *operands, **kwargs)


@operation
def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    """Return the sums of products over axes of both tensors."""
    return linalg.tensordot(*_promoted(x1, x2), axes)


@operation
def dot(x1: Any, x2: Any) -> Any:
    """Return NumPy's dot product: matmul for matrices, else along the last axis."""
    one, other = _promoted(x1, x2)
    if not one.ndim or not other.ndim:
        return math.multiply(one, other)
    return linalg.tensordot(one, other, [[one.ndim - 1], [other.ndim - 2 if other.ndim > 1 else 0]])


@operation
def outer(x1: Any, x2: Any) -> Any:
    """Return the products of all elements of one tensor with all of another."""
    one, other = _promoted(x1, x2)
    return math.multiply(shape_ops.reshape(one, [-1, 1]), shape_ops.reshape(other, [1, -1]))


@operation
def reshape(x: Any, newshape: Any) -> Any:
    """Return the elements in another shape."""
    return shape_ops.reshape(x, newshape)


@operation
def ravel(x: Any) -> Any:
    """Return the elements in one row."""
    return _flat(x)


@operation
def expand_dims(x: Any, axis: Any) -> Any:
    """Return a tensor with another axis of size 1."""
    return shape_ops.expand_dims(x, axis)


@operation
def squeeze(x: Any, axis: Any = None) -> Any:
    """Return a tensor without axes of size 1."""
    return shape_ops.squeeze(x, axis)


@operation
def transpose(x: Any, axes: Any = None) -> Any:
    """Return a tensor with its axes in another order, reversed by default."""
    return shape_ops.transpose(x, axes)


@operation
def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Return a tensor with two axes exchanged."""
    given = backend.convert_to_tensor(x)
    order = [*range(given.ndim)]
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return shape_ops.transpose(given, order)


@operation
def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Return a tensor with some axes moved to other places."""
    given = backend.convert_to_tensor(x)
    sources, places = (
        [axis % given.ndim for axis in ([axes] if isinstance(axes, int) else axes)]
        for axes in (source, destination)
    )
    order = [axis for axis in range(given.ndim) if axis not in sources]
    for place, axis in builtins.sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return shape_ops.transpose(given, order)


@operation
def stack(x: Sequence[Any], axis: int = 0) -> Any:
    """Return tensors of one shape along a new axis."""
    return shape_ops.stack(list(x), axis)


@operation
def unstack(x: Any, num: int | None = None, axis: int = 0) -> Any:
    """Return the parts of a tensor along an axis, which they do not have any more."""
    return shape_ops.unstack(x, num, axis)


@operation
def hstack(xs: Sequence[Any]) -> Any:
    """Return tensors side by side: along the second axis, or the only one."""
    parts = [backend.convert_to_tensor(each) for each in xs]
    parts = [shape_ops.reshape(each, [1]) if not each.ndim else each for each in parts]
    return shape_ops.concat(parts, 0 if parts[0].ndim == 1 else 1)


@operation
def vstack(xs: Sequence[Any]) -> Any:
    """Return tensors along their first axis; vectors become one row, as Keras does it."""
    return shape_ops.concat(list(xs), 0)


@operation
def tile(x: Any, repeats: Any) -> Any:
    """Return copies of a tensor side by side, so many along each axis."""
    given = backend.convert_to_tensor(x)
    counts = [repeats] if isinstance(repeats, int) else list(repeats)
    counts = [1] * (given.ndim - len(counts)) + counts
    missing = [1] * (len(counts) - given.ndim)
    return shape_ops.tile(shape_ops.reshape(given, [*missing, *given.shape]), counts)


@operation
def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Return each element so many times, along an axis or in one row."""
    return shape_ops.repeat(x, repeats, axis)


@operation
def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Return the elements shifted along axes, or in one row; what leaves comes back in front."""
    given = backend.convert_to_tensor(x)
    if axis is not None:
        return shape_ops.roll(given, shift, axis)
    return shape_ops.reshape(shape_ops.roll(_flat(given), shift, 0), given.shape)


@operation
def flip(x: Any, axis: Any = None) -> Any:
    """Return the elements in reverse order along axes, along all by default."""
    given = backend.convert_to_tensor(x)
    axes = range(given.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    return shape_ops.reverse(given, list(axes))


@operation
def broadcast_to(x: Any, shape: Any) -> Any:
    """Return a tensor repeated until it has a shape."""
    return shape_ops.broadcast_to(x, shape)


@operation
def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """Return elements of one tensor where a condition holds, else of another; or the places."""
    if x1 is None or x2 is None:
        return nonzero(condition)
    return value_ops.where(value_ops.cast(condition, "bool"), *_promoted(x1, x2))


@operation
def nonzero(x: Any) -> Any:
    """Return the indices of the elements that are not 0, a tensor for each axis."""
    places = value_ops.where(value_ops.cast(x, "bool"))
    return shape_ops.unstack(value_ops.cast(places, "int32"), axis=1)


@operation
def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Return the elements, none below or above two limits."""
    return value_ops.clip_by_value(x, x_min, x_max)


@operation
def round(x: Any, decimals: int = 0) -> Any:
    """Return the elements rounded to so many decimals, halves to the even digit."""
    given = _floats(x)
    if not decimals:
        return math.round(given)
    scaled: Any = math.round(given * 10.0**decimals)
    return scaled / 10.0**decimals


@operation
def sort(x: Any, axis: int = -1) -> Any:
    """Return the elements in ascending order along an axis."""
    return sort_ops.sort(x, axis)


@operation
def argsort(x: Any, axis: int | None = -1) -> Any:
    """Return the indices that sort a tensor along an axis, or all its elements."""
    given = backend.convert_to_tensor(x)
    return sort_ops.argsort(_flat(given) if axis is None else given, -1 if axis is None else axis)


@operation
def top_k(x: Any, k: int, sorted: bool = True) -> Any:
    """Return the k largest elements along the last axis, and their indices."""
    return sort_ops.top_k(x, k, sorted)


@operation
def stop_gradient(variable: Any) -> Any:
    """Return the value, through which no gradient passes."""
    return value_ops.stop_gradient(variable)


@operation
def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Return zeros in the shape of a tensor."""
    return creation.zeros_like(x, dtype)


@operation
def ones_like(x: Any, dtype: Any = None) -> Any:
    """Return ones in the shape of a tensor."""
    return creation.ones_like(x, dtype)


@operation
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Return one number in the shape of a tensor."""
    given = backend.convert_to_tensor(x)
    return value_ops.cast(creation.fill(shape_ops.shape(given), fill_value), dtype or given.dtype)


@operation
def tril(x: Any, k: int = 0) -> Any:
    """Return matrices with zeros above a diagonal."""
    return _triangle(x, k, lower=True)


@operation
def triu(x: Any, k: int = 0) -> Any:
    """Return matrices with zeros below a diagonal."""
    return _triangle(x, k, lower=False)


def _triangle(x: Any, k: int, *, lower: bool) -> Any:
    given: Any = backend.convert_to_tensor(x)
    rows, columns = (int(size) for size in given.shape[-2:])
    whole = np.ones((rows, columns), bool)
    shown = np.tril(whole, k) if lower else np.triu(whole, k)
    return given * value_ops.cast(shown, given.dtype)


@operation
def segment_sum(
    data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False
) -> Any:
    """Return the sums of the rows that have the same number."""
    return _by_segment(math.unsorted_segment_sum, data, segment_ids, num_segments)


@operation
def segment_max(
    data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False
) -> Any:
    """Return the largest elements of the rows that have the same number."""
    return _by_segment(math.unsorted_segment_max, data, segment_ids, num_segments)


def _by_segment(function: _Function, data: Any, numbers: Any, count: int | None) -> Any:
    count = int(math.reduce_max(numbers)) + 1 if count is None else count
    return function(data, numbers, count)


@operation
def isclose(
    x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    """Return where two tensors agree within tolerances."""
    one, other = (_floats(each) for each in _promoted(x1, x2))
    near = math.abs(one - other) <= atol + rtol * math.abs(other)
    same = math.logical_or(math.equal(one, other), math.logical_and(near, math.is_finite(other)))
    both = math.logical_and(math.is_nan(one), math.is_nan(other))
    return math.logical_or(same, both) if equal_nan else same


def allclose(
    x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    """Return whether two tensors agree everywhere within tolerances."""
    return math.reduce_all(isclose(x1, x2, rtol, atol, equal_nan))


def is_tensor(x: Any) -> bool:
    """Return whether a value is a tensor."""
    return isinstance(x, Tensor)


def ndim(x: Any) -> int:
    """Return the number of axes."""
    return int(backend.convert_to_tensor(x).ndim)


def size(x: Any) -> Any:
    """Return the number of elements."""
    return shape_ops.size(x)


def dtype(x: Any) -> str:
    """Return the dtype as a string."""
    return str(backend.convert_to_tensor(x).dtype.name)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Return a matrix with ones on a diagonal and zeros elsewhere."""
    return backend.convert_to_tensor(np.eye(N, M, k), dtype or backend.floatx())


def identity(n: int, dtype: Any = None) -> Any:
    """Return a square matrix with ones on the diagonal and zeros elsewhere."""
    return eye(n, dtype=dtype)


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    """Return evenly spaced numbers; with `retstep` also their distance."""
    first, last = (_floats(each) for each in _promoted(start, stop))
    step = (last - first) / builtins.max(num - 1 if endpoint else num, 1)
    end = last if endpoint else last - step
    numbers = value_ops.cast(creation.linspace(first, end, num, axis=axis), dtype or first.dtype)
    return (numbers, step) if retstep else numbers


def convert_to_tensor(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
    """Return the value as a dense tensor."""
    del sparse, ragged
    return backend.convert_to_tensor(x, dtype)


@operation
def cast(x: Any, dtype: Any) -> Tensor:
    """Return the values in another dtype."""
    return value_ops.cast(x, dtype)


@operation
def concatenate(xs: Any, axis: int = 0) -> Tensor:
    """Return the concatenation of tensors along an axis."""
    return shape_ops.concat(list(xs), axis)


@operation
def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Return equal parts of a tensor along an axis, or parts cut at some indices."""
    if isinstance(indices_or_sections, int):
        return shape_ops.split(x, indices_or_sections, axis)
    length = backend.convert_to_tensor(x).shape[axis]
    ends = [0, *indices_or_sections, length]
    return shape_ops.split(x, np.diff(ends).tolist(), axis)


@operation
def take(x: Any, indices: Any, axis: int | None = None) -> Tensor:
    """Return elements, or slices along an axis, by index."""
    if axis is None:
        return gather_ops.gather(shape_ops.reshape(x, [-1]), indices)
    return gather_ops.gather(x, indices, axis=axis)


@operation
def argmax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the index of the largest element."""
    return _index_of(math.argmax, x, axis, keepdims=keepdims)


@operation
def argmin(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the index of the smallest element."""
    return _index_of(math.argmin, x, axis, keepdims=keepdims)


@operation
def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Tensor:
    """Return a padded tensor."""
    return shape_ops.pad(x, pad_width, mode.upper(), constant_values or 0)


@operation
def one_hot(
    x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False
) -> Tensor:
    """Return integers as one-hot rows, dense ones."""
    del sparse
    return _one_hot(x, num_classes, axis=axis, dtype=dtype or backend.floatx())


def zeros(shape: Any, dtype: Any = None) -> Tensor:
    """Return a tensor of zeros."""
    return creation.zeros(shape, dtype or backend.floatx())


def ones(shape: Any, dtype: Any = None) -> Tensor:
    """Return a tensor of ones."""
    return creation.ones(shape, dtype or backend.floatx())


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """Return a tensor filled with one number."""
    return value_ops.cast(creation.fill(shape, fill_value), dtype or backend.floatx())


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Tensor:
    """Return evenly spaced numbers from `start` to `stop`, without `stop`."""
    if stop is None:
        start, stop = 0, start
    return creation.range(start, stop, step, dtype)


def shape(x: Any) -> Any:
    """Return the shape as a tuple."""
    return tuple(x.shape) if hasattr(x, "shape") else tuple(shape_ops.shape(x).numpy().tolist())


def convert_to_numpy(x: Any) -> Any:
    """Return a copy as an array, which is off the tape."""
    return backend.convert_to_tensor(x).numpy()


def _index_of(search: Any, x: Any, axis: Any, *, keepdims: bool) -> Tensor:
    x = backend.convert_to_tensor(x)
    flat = shape_ops.reshape(x, [-1]) if axis is None else x
    index: Tensor = search(flat, 0 if axis is None else axis, "int32")
    return shape_ops.expand_dims(index, axis) if keepdims and axis is not None else index


_MORE: Final = {
    "activations": (
        "glu hard_shrink hard_tanh soft_shrink sparse_plus sparse_sigmoid sparsemax "
        "squareplus tanh_shrink threshold"
    ),
    "array_functions": (
        "append argpartition array array_split bartlett bincount blackman cdist copy "
        "cross diag diagflat diagonal diff digitize dsplit dstack empty empty_like "
        "extract_sequences fliplr flipud geomspace get_item hamming hanning histogram "
        "hsplit in_top_k inner isin kaiser kron logspace meshgrid rearrange rot90 scatter "
        "scatter_update searchsorted select slice slice_update take_along_axis trace "
        "trapezoid tri unique unravel_index vander vdot vectorize view vsplit"
    ),
    "loop_functions": (
        "associative_scan cond custom_gradient fori_loop map scan switch vectorized_map while_loop"
    ),
    "linear_functions": (
        "cholesky cholesky_inverse det eig eigh fft fft2 ifft2 inv irfft istft jvp logdet "
        "lstsq lu_factor matrix_rank pinv qr rfft slogdet solve solve_triangular stft svd"
    ),
    "network_functions": (
        "adaptive_average_pool adaptive_max_pool average_pool batch_normalization "
        "binary_crossentropy categorical_crossentropy conv conv_transpose depth_to_space "
        "depthwise_conv dot_product_attention fold layer_normalization max_pool multi_hot "
        "normalize psnr rms_normalization separable_conv space_to_depth "
        "sparse_categorical_crossentropy unfold"
    ),
    "numeric_functions": (
        "angle bitwise_and bitwise_invert bitwise_left_shift bitwise_not bitwise_or "
        "bitwise_right_shift bitwise_xor cbrt deg2rad erfc exp2 fabs fmax fmin fmod gcd "
        "heaviside hypot i0 isneginf isposinf isreal lcm ldexp left_shift log10 log2 "
        "logaddexp logaddexp2 nan_to_num nextafter polar rad2deg right_shift "
        "saturate_cast signbit sinc trunc view_as_complex view_as_real"
    ),
    "statistics_functions": (
        "amax amin average corrcoef correlate median nanargmax nanargmin nancumprod "
        "nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile "
        "nanstd nansum nanvar percentile ptp quantile"
    ),
}
"""The functions that stand in other files, by the file."""

_HOMES: Final = {name: home for home, names in _MORE.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise missing(__name__, name)
    return getattr(import_module(f"tapelab.keras.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    own = (name for name, value in globals().items() if _is_op(name, value))
    return sorted({*own, *_HOMES})


def _is_op(name: str, value: Any) -> bool:
    own = getattr(value, "__module__", "").startswith("tapelab")
    return own and not name.startswith("_") and name not in {"Tensor", "missing", "operation"}
