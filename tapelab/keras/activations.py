"""`tf.keras.activations`: functions that are applied to each element between layers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab import math, nn
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.array_ops.sort_ops import sort
from tapelab.keras import backend, logits
from tapelab.keras.keras_tensor import Function, operation
from tapelab.keras.name_scopes import named_group
from tapelab.keras.serialization import resolver, serialized
from tapelab.namespace.missing_names import in_module


@operation
def linear(x: Any) -> Any:
    """Return the input."""
    return x


def _elementwise(name: str, function: Function, doc: str) -> Function:
    """An activation function without settings."""

    def activation(x: Any) -> Any:
        return function(backend.convert_to_tensor(x))

    activation.__name__ = activation.__qualname__ = name
    activation.__doc__ = doc
    return operation(activation)


relu6 = _elementwise("relu6", nn.relu6, "Return the values limited to 0 to 6.")
selu = _elementwise("selu", nn.selu, "Return an elu that keeps mean 0 and variance 1.")
softplus = _elementwise("softplus", nn.softplus, "Return `ln(1 + eˣ)`, a smooth relu.")
softsign = _elementwise("softsign", nn.softsign, "Return `x / (1 + |x|)`.")
silu = _elementwise("silu", nn.silu, "Return `x · sigmoid(x)`.")
tanh = _elementwise("tanh", nn.tanh, "Return the hyperbolic tangent.")
log_sigmoid = _elementwise("log_sigmoid", nn.log_sigmoid, "Return the logarithm of the sigmoid.")
exponential = _elementwise("exponential", math.exp, "Return `eˣ`.")
swish = silu


@operation
def relu(
    x: Any, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0
) -> Any:
    """Return values above a threshold, up to a maximum; smaller ones are 0 or scaled."""
    x = backend.convert_to_tensor(x)
    if (negative_slope, max_value, threshold) == (0.0, None, 0.0):
        return nn.relu(x)
    if max_value is None and threshold == 0.0:
        return nn.leaky_relu(x, negative_slope)
    return _general_relu(x, negative_slope, max_value, threshold)


@named_group
def _general_relu(x: Any, negative_slope: float, max_value: float | None, threshold: float) -> Any:
    low = nn.relu(threshold - x) * negative_slope if negative_slope else None
    high = x * value_ops.cast(x > threshold, x.dtype) if threshold else nn.relu(x)
    if max_value is not None:
        high = value_ops.clip_by_value(high, 0.0, float(max_value))
    return high if low is None else high - low


@operation
def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """Return positive values, and negative ones times `negative_slope`."""
    return nn.leaky_relu(backend.convert_to_tensor(x), negative_slope)


@operation
def sigmoid(x: Any) -> Any:
    """Return `1 / (1 + e⁻ˣ)`."""
    x = backend.convert_to_tensor(x)
    return logits.remember(nn.sigmoid(x), x)


@operation
def softmax(x: Any, axis: Any = -1) -> Any:
    """Return `exp(x) / Σ exp(x)` along an axis, or several together: scores as probabilities."""
    x = backend.convert_to_tensor(x)
    if isinstance(axis, int):
        return logits.remember(nn.softmax(x, axis), x)
    return math.exp(x - math.reduce_logsumexp(x, list(axis), keepdims=True))


@operation
def log_softmax(x: Any, axis: Any = -1) -> Any:
    """Return the logarithm of the softmax along an axis, or several together."""
    x = backend.convert_to_tensor(x)
    if isinstance(axis, int):
        return nn.log_softmax(x, axis)
    return x - math.reduce_logsumexp(x, list(axis), keepdims=True)


@operation
def elu(x: Any, alpha: float = 1.0) -> Any:
    """Return positive values, and `alpha · (eˣ − 1)` for negative ones."""
    x = backend.convert_to_tensor(x)
    return nn.elu(x) if alpha == 1.0 else _scaled_elu(x, alpha)


@named_group
def _scaled_elu(x: Any, alpha: float) -> Any:
    return value_ops.where(x > 0, nn.elu(x), alpha * nn.elu(x))


@operation
def celu(x: Any, alpha: float = 1.0) -> Any:
    """Return positive values, and `alpha · (e^(x/alpha) − 1)` for negative ones."""
    return _celu(backend.convert_to_tensor(x), alpha)


@named_group
def _celu(x: Any, alpha: float) -> Any:
    return math.maximum(x, 0.0) + alpha * math.expm1(math.minimum(x, 0.0) / alpha)


@operation
def gelu(x: Any, approximate: bool = False) -> Any:
    """Return `x · Φ(x)` with the distribution function Φ of the normal distribution."""
    return nn.gelu(backend.convert_to_tensor(x), approximate)


@operation
def hard_sigmoid(x: Any) -> Any:
    """Return `relu6(x + 3) / 6`, a piecewise linear sigmoid."""
    return _hard_sigmoid(backend.convert_to_tensor(x))


@named_group
def _hard_sigmoid(x: Any) -> Any:
    return nn.relu6(x + 3.0) / 6.0


@operation
def hard_silu(x: Any) -> Any:
    """Return `x · hard_sigmoid(x)`."""
    x = backend.convert_to_tensor(x)
    return x * hard_sigmoid(x)


hard_swish = hard_silu


@operation
def hard_tanh(x: Any) -> Any:
    """Return the values limited to −1 to 1."""
    return value_ops.clip_by_value(backend.convert_to_tensor(x), -1.0, 1.0)


@operation
def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """Return the values, and 0 for those within the threshold."""
    given: Any = backend.convert_to_tensor(x)
    return given * value_ops.cast(math.abs(given) > threshold, given.dtype)


@operation
def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """Return the values moved towards 0 by the threshold, at most to 0."""
    return _soft_shrink(backend.convert_to_tensor(x), threshold)


@named_group
def _soft_shrink(x: Any, threshold: float) -> Any:
    return nn.relu(x - threshold) - nn.relu(-x - threshold)


@operation
def tanh_shrink(x: Any) -> Any:
    """Return `x − tanh(x)`."""
    x = backend.convert_to_tensor(x)
    return x - math.tanh(x)


@operation
def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """Return the values above a threshold, and `default_value` for the others."""
    given: Any = backend.convert_to_tensor(x)
    return value_ops.where(given > threshold, given, default_value)


@operation
def mish(x: Any) -> Any:
    """Return `x · tanh(softplus(x))`."""
    x = backend.convert_to_tensor(x)
    return x * math.tanh(nn.softplus(x))


@operation
def squareplus(x: Any, b: float = 4) -> Any:
    """Return `(x + √(x² + b)) / 2`, a smooth relu."""
    x = backend.convert_to_tensor(x)
    return (x + math.sqrt(math.square(x) + float(b))) / 2.0


@operation
def glu(x: Any, axis: int = -1) -> Any:
    """Return the first half of the values times the sigmoid of the second, along an axis."""
    first, second = shape_ops.split(backend.convert_to_tensor(x), 2, axis)
    return first * math.sigmoid(second)


@operation
def sparse_plus(x: Any) -> Any:
    """Return 0 up to -1, x from 1, and `(x + 1)² / 4` between."""
    given: Any = backend.convert_to_tensor(x)
    inside: Any = 0.25 * math.square(given + 1.0)
    upper: Any = value_ops.where(given < 1.0, inside, given)
    return value_ops.where(given <= -1.0, creation.zeros_like(given), upper)


@operation
def sparse_sigmoid(x: Any) -> Any:
    """Return 0 up to -1, 1 from 1, and `(x + 1) / 2` between."""
    given: Any = backend.convert_to_tensor(x)
    inside: Any = 0.5 * (given + 1.0)
    upper: Any = value_ops.where(given >= 1.0, creation.ones_like(given), inside)
    return value_ops.where(given <= -1.0, creation.zeros_like(given), upper)


@operation
def sparsemax(x: Any, axis: int = -1) -> Any:
    """Return scores above a threshold, less the threshold; the others are 0 (Martins, Astudillo).

    As in Keras the threshold comes from the sum of the running sums: a row in which several scores
    are left does not add up to 1.
    """
    scores = backend.convert_to_tensor(x)
    ordered: Any = sort(scores, axis=axis, direction="DESCENDING")
    sums: Any = math.cumsum(ordered, axis=axis)
    count = int(scores.shape[axis])
    shape = [count if at == axis % scores.ndim else 1 for at in range(scores.ndim)]
    places: Any = value_ops.cast(np.arange(1, count + 1).reshape(shape), scores.dtype)
    kept: Any = ordered - (sums - 1.0) / places > 0.0
    size: Any = math.reduce_sum(value_ops.cast(kept, scores.dtype), axis=axis, keepdims=True)
    total: Any = math.reduce_sum(value_ops.where(kept, sums, 0.0), axis=axis, keepdims=True)
    return math.maximum(scores - (total - 1.0) / size, 0.0)


_KNOWN: Final[dict[str, Any]] = {
    function.__name__: function
    for function in (
        linear, relu, leaky_relu, relu6, softmax, log_softmax, elu, celu, selu, softplus, softsign,
        silu, gelu, tanh, sigmoid, log_sigmoid, exponential, hard_sigmoid, hard_silu, hard_tanh,
        hard_shrink, soft_shrink, tanh_shrink, threshold, mish, squareplus, glu,
        sparse_plus, sparse_sigmoid, sparsemax,
    )
} | {"swish": silu, "hard_swish": hard_silu}  # fmt: skip
get = resolver("activation function", _KNOWN, {"none": linear})
deserialize = get
serialize = serialized

__getattr__, __dir__ = in_module(__name__)
