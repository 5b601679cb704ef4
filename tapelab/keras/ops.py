"""`tf.keras.ops`: NumPy-like names for ops that also work on symbolic tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import linalg, math, nn
from tapelab.array_ops import creation, gather_ops, shape_ops, sort_ops, value_ops
from tapelab.array_ops.creation import one_hot as _one_hot
from tapelab.core.tensor import Tensor
from tapelab.keras import activations, backend
from tapelab.keras.keras_tensor import operation
from tapelab.namespace.missing_names import in_module

abs = absolute = operation(math.abs)
add = operation(math.add)
subtract = operation(math.subtract)
multiply = operation(math.multiply)
divide = true_divide = operation(math.divide)
negative = operation(math.negative)
square = operation(math.square)
power = operation(math.pow)
sqrt = operation(math.sqrt)
rsqrt = operation(math.rsqrt)
exp = operation(math.exp)
expm1 = operation(math.expm1)
log = operation(math.log)
log1p = operation(math.log1p)
sin = operation(math.sin)
cos = operation(math.cos)
tan = operation(math.tan)
sinh = operation(math.sinh)
cosh = operation(math.cosh)
tanh = operation(math.tanh)
erf = operation(math.erf)
arcsin = operation(math.asin)
arccos = operation(math.acos)
arctan = operation(math.atan)
sign = operation(math.sign)
floor = operation(math.floor)
ceil = operation(math.ceil)
round = operation(math.round)
maximum = operation(math.maximum)
minimum = operation(math.minimum)
equal = operation(math.equal)
not_equal = operation(math.not_equal)
greater = operation(math.greater)
greater_equal = operation(math.greater_equal)
less = operation(math.less)
less_equal = operation(math.less_equal)
logical_and = operation(math.logical_and)
logical_or = operation(math.logical_or)
logical_not = operation(math.logical_not)
isnan = operation(math.is_nan)
isinf = operation(math.is_inf)
isfinite = operation(math.is_finite)
sum = operation(math.reduce_sum)
prod = operation(math.reduce_prod)
max = operation(math.reduce_max)
min = operation(math.reduce_min)
any = operation(math.reduce_any)
all = operation(math.reduce_all)
std = operation(math.reduce_std)
var = operation(math.reduce_variance)
logsumexp = operation(math.reduce_logsumexp)
matmul = operation(linalg.matmul)
einsum = operation(linalg.einsum)
tensordot = operation(linalg.tensordot)
norm = operation(linalg.norm)
reshape = operation(shape_ops.reshape)
expand_dims = operation(shape_ops.expand_dims)
squeeze = operation(shape_ops.squeeze)
transpose = operation(shape_ops.transpose)
stack = operation(shape_ops.stack)
unstack = operation(shape_ops.unstack)
tile = operation(shape_ops.tile)
repeat = operation(shape_ops.repeat)
roll = operation(shape_ops.roll)
flip = operation(shape_ops.reverse)
broadcast_to = operation(shape_ops.broadcast_to)
where = operation(value_ops.where)
clip = operation(value_ops.clip_by_value)
stop_gradient = operation(value_ops.stop_gradient)
zeros_like = operation(creation.zeros_like)
ones_like = operation(creation.ones_like)
eye = creation.eye
linspace = creation.linspace
top_k = operation(sort_ops.top_k)
sort = operation(sort_ops.sort)
argsort = operation(sort_ops.argsort)
moments = operation(nn.moments)
relu = activations.relu
relu6 = activations.relu6
softmax = activations.softmax
log_softmax = activations.log_softmax
sigmoid = activations.sigmoid
elu = activations.elu
selu = activations.selu
gelu = activations.gelu
silu = activations.silu
swish = activations.swish
softplus = activations.softplus
softsign = activations.softsign
leaky_relu = activations.leaky_relu
convert_to_tensor = backend.convert_to_tensor


@operation
def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the mean along axes; that of integers is a float."""
    x = backend.convert_to_tensor(x)
    floats = x if x.dtype.is_floating else value_ops.cast(x, "float32")
    return math.reduce_mean(floats, axis, keepdims)


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
def cumsum(x: Any, axis: Any = None) -> Any:
    """Return cumulative sums along an axis, or over all elements."""
    return math.cumsum(
        shape_ops.reshape(x, [-1]) if axis is None else x, 0 if axis is None else axis
    )


@operation
def dot(x1: Any, x2: Any) -> Any:
    """Return NumPy's dot product: matmul for matrices, else along the last axis."""
    one, other = backend.convert_to_tensor(x1), backend.convert_to_tensor(x2)
    if not one.ndim or not other.ndim:
        return math.multiply(one, other)
    return linalg.tensordot(one, other, [[one.ndim - 1], [other.ndim - 2 if other.ndim > 1 else 0]])


@operation
def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Tensor:
    """Return a padded tensor."""
    return shape_ops.pad(x, pad_width, mode.upper(), constant_values or 0)


@operation
def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None) -> Tensor:
    """Return integers as one-hot rows."""
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


__getattr__, _ = in_module(__name__)


def __dir__() -> list[str]:
    return sorted(name for name, value in globals().items() if _is_op(name, value))


def _is_op(name: str, value: Any) -> bool:
    own = getattr(value, "__module__", "").startswith("tapelab")
    return own and not name.startswith("_") and name not in {"Tensor", "operation", "in_module"}
