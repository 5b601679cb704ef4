"""`tf.keras.ops`: NumPy-like names for ops that also work on symbolic tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import choosing, creation, linalg, math, measuring, nn, picking, shaping, sorting
from tapelab.engine.tensor import Tensor
from tapelab.keras import activations, backend
from tapelab.keras.operations import operation
from tapelab.marking import one_hot as _one_hot
from tapelab.missing import in_module

abs = absolute = operation(math.abs)
add, subtract, multiply = operation(math.add), operation(math.subtract), operation(math.multiply)
divide = true_divide = operation(math.divide)
negative, square, power = operation(math.negative), operation(math.square), operation(math.pow)
sqrt, rsqrt = operation(math.sqrt), operation(math.rsqrt)
exp, expm1 = operation(math.exp), operation(math.expm1)
log, log1p, sin, cos, tan = map(operation, (math.log, math.log1p, math.sin, math.cos, math.tan))
sinh, cosh, tanh, erf = map(operation, (math.sinh, math.cosh, math.tanh, math.erf))
arcsin, arccos, arctan = map(operation, (math.asin, math.acos, math.atan))
sign, floor, ceil, round = map(operation, (math.sign, math.floor, math.ceil, math.round))
maximum, minimum = operation(math.maximum), operation(math.minimum)
equal, not_equal = operation(math.equal), operation(math.not_equal)
greater, greater_equal = operation(math.greater), operation(math.greater_equal)
less, less_equal = operation(math.less), operation(math.less_equal)
logical_and, logical_or = operation(math.logical_and), operation(math.logical_or)
logical_not = operation(math.logical_not)
isnan, isinf, isfinite = map(operation, (math.is_nan, math.is_inf, math.is_finite))
sum, prod = operation(math.reduce_sum), operation(math.reduce_prod)
max, min = operation(math.reduce_max), operation(math.reduce_min)
any, all = operation(math.reduce_any), operation(math.reduce_all)
std, var = operation(math.reduce_std), operation(math.reduce_variance)
logsumexp = operation(math.reduce_logsumexp)
matmul, einsum = operation(linalg.matmul), operation(linalg.einsum)
tensordot, norm = operation(linalg.tensordot), operation(linalg.norm)
reshape, expand_dims = operation(shaping.reshape), operation(shaping.expand_dims)
squeeze, transpose = operation(shaping.squeeze), operation(shaping.transpose)
stack, unstack = operation(shaping.stack), operation(shaping.unstack)
tile, repeat = operation(shaping.tile), operation(shaping.repeat)
roll, flip = operation(shaping.roll), operation(shaping.reverse)
broadcast_to, where = operation(shaping.broadcast_to), operation(choosing.where)
clip, stop_gradient = operation(choosing.clip_by_value), operation(choosing.stop_gradient)
zeros_like, ones_like = operation(creation.zeros_like), operation(creation.ones_like)
eye, linspace = creation.eye, creation.linspace
top_k, sort = operation(sorting.top_k), operation(sorting.sort)
argsort = operation(sorting.argsort)
moments = operation(nn.moments)
relu, relu6, softmax = activations.relu, activations.relu6, activations.softmax
log_softmax, sigmoid, elu = activations.log_softmax, activations.sigmoid, activations.elu
selu, gelu, silu, swish = activations.selu, activations.gelu, activations.silu, activations.swish
softplus, softsign, leaky_relu = (
    activations.softplus, activations.softsign, activations.leaky_relu
)  # fmt: skip
convert_to_tensor = backend.convert_to_tensor


@operation
def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean along axes; that of whole numbers is a float."""
    given = backend.convert_to_tensor(x)
    floats = given if given.dtype.is_floating else choosing.cast(given, "float32")
    return math.reduce_mean(floats, axis, keepdims)


@operation
def cast(x: Any, dtype: Any) -> Tensor:
    """The same numbers in another dtype."""
    return choosing.cast(x, dtype)


@operation
def concatenate(xs: Any, axis: int = 0) -> Tensor:
    """Tensors one after the other along an axis."""
    return shaping.concat(list(xs), axis)


@operation
def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Pieces of a tensor along an axis: so many equal ones, or cut at these places."""
    if isinstance(indices_or_sections, int):
        return shaping.split(x, indices_or_sections, axis)
    length = backend.convert_to_tensor(x).shape[axis]
    ends = [0, *indices_or_sections, length]
    return shaping.split(x, np.diff(ends).tolist(), axis)


@operation
def take(x: Any, indices: Any, axis: int | None = None) -> Tensor:
    """Entries, or rows along an axis, by position."""
    if axis is None:
        return picking.gather(shaping.reshape(x, [-1]), indices)
    return picking.gather(x, indices, axis=axis)


@operation
def argmax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The position of the largest entry."""
    return _position(math.argmax, x, axis, keepdims=keepdims)


@operation
def argmin(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The position of the smallest entry."""
    return _position(math.argmin, x, axis, keepdims=keepdims)


@operation
def cumsum(x: Any, axis: Any = None) -> Any:
    """Running sums along an axis, or through all entries."""
    return math.cumsum(shaping.reshape(x, [-1]) if axis is None else x, 0 if axis is None else axis)


@operation
def dot(x1: Any, x2: Any) -> Any:
    """NumPy's product: matrices as matmul, else along the last axis."""
    one, other = backend.convert_to_tensor(x1), backend.convert_to_tensor(x2)
    if not one.ndim or not other.ndim:
        return math.multiply(one, other)
    return linalg.tensordot(one, other, [[one.ndim - 1], [other.ndim - 2 if other.ndim > 1 else 0]])


@operation
def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Tensor:
    """Entries with others around them."""
    return shaping.pad(x, pad_width, mode.upper(), constant_values or 0)


@operation
def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None) -> Tensor:
    """Whole numbers as rows with a 1 at the place of the number."""
    return _one_hot(x, num_classes, axis=axis, dtype=dtype or backend.floatx())


def zeros(shape: Any, dtype: Any = None) -> Tensor:
    """A tensor of zeros."""
    return creation.zeros(shape, dtype or backend.floatx())


def ones(shape: Any, dtype: Any = None) -> Tensor:
    """A tensor of ones."""
    return creation.ones(shape, dtype or backend.floatx())


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """A tensor of one number."""
    return choosing.cast(creation.fill(shape, fill_value), dtype or backend.floatx())


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Tensor:
    """Numbers from a start up to a stop."""
    if stop is None:
        start, stop = 0, start
    return creation.range(start, stop, step, dtype)


def shape(x: Any) -> Any:
    """The lengths of the axes, as a tuple."""
    return tuple(x.shape) if hasattr(x, "shape") else tuple(measuring.shape(x).numpy().tolist())


def convert_to_numpy(x: Any) -> Any:
    """A copy of the numbers; from here on they are off the tape."""
    return backend.convert_to_tensor(x).numpy()


def _position(find: Any, x: Any, axis: Any, *, keepdims: bool) -> Tensor:
    given = backend.convert_to_tensor(x)
    flat = shaping.reshape(given, [-1]) if axis is None else given
    found: Tensor = find(flat, 0 if axis is None else axis, "int32")
    if keepdims and axis is not None:
        return shaping.expand_dims(found, axis)
    return found


__getattr__, _ = in_module(__name__)


def __dir__() -> list[str]:
    return sorted(name for name, thing in globals().items() if _is_op(name, thing))


def _is_op(name: str, thing: Any) -> bool:
    own = getattr(thing, "__module__", "").startswith("tapelab")
    return own and not name.startswith("_") and name not in {"Tensor", "operation", "in_module"}
