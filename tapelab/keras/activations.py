"""`tf.keras.activations`: the bends between the layers."""

from __future__ import annotations

from typing import Any, Final

from tapelab import math, nn
from tapelab.array_ops import shape_ops, value_ops
from tapelab.keras import backend
from tapelab.keras.keras_tensor import operation
from tapelab.keras.name_scopes import named_group
from tapelab.keras.serialization import resolver, serialized
from tapelab.namespace.missing_names import in_module


@operation
def linear(x: Any) -> Any:
    """The entries as they are."""
    return x


@operation
def relu(
    x: Any, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0
) -> Any:
    """The entries above a threshold, at most a limit; below, they are 0 or made small."""
    given = backend.convert_to_tensor(x)
    if (negative_slope, max_value, threshold) == (0.0, None, 0.0):
        return nn.relu(given)
    return _bent(given, negative_slope, max_value, threshold)


@named_group
def _bent(x: Any, negative_slope: float, max_value: float | None, threshold: float) -> Any:
    low = nn.relu(threshold - x) * negative_slope if negative_slope else None
    high = x * value_ops.cast(x > threshold, x.dtype) if threshold else nn.relu(x)
    if max_value is not None:
        high = value_ops.clip_by_value(high, 0.0, float(max_value))
    return high if low is None else high - low


@operation
def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """Positive entries as they are, the others made small."""
    return nn.leaky_relu(backend.convert_to_tensor(x), negative_slope)


@operation
def relu6(x: Any) -> Any:
    """Entries held between 0 and 6."""
    return nn.relu6(backend.convert_to_tensor(x))


@operation
def softmax(x: Any, axis: int = -1) -> Any:
    """Scores as probabilities along an axis."""
    return nn.softmax(backend.convert_to_tensor(x), axis)


@operation
def log_softmax(x: Any, axis: int = -1) -> Any:
    """The logarithms of the probabilities."""
    return nn.log_softmax(backend.convert_to_tensor(x), axis)


@operation
def elu(x: Any, alpha: float = 1.0) -> Any:
    """Positive entries as they are, negative ones as `alpha · (eˣ − 1)`."""
    given = backend.convert_to_tensor(x)
    return nn.elu(given) if alpha == 1.0 else _scaled_elu(given, alpha)


@named_group
def _scaled_elu(x: Any, alpha: float) -> Any:
    return value_ops.where(x > 0, nn.elu(x), alpha * nn.elu(x))


@operation
def celu(x: Any, alpha: float = 1.0) -> Any:
    """Positive entries as they are, negative ones as `alpha · (e^(x/alpha) − 1)`."""
    return _celu(backend.convert_to_tensor(x), alpha)


@named_group
def _celu(x: Any, alpha: float) -> Any:
    return math.maximum(x, 0.0) + alpha * math.expm1(math.minimum(x, 0.0) / alpha)


@operation
def selu(x: Any) -> Any:
    """An elu scaled so that signals keep mean 0 and variance 1."""
    return nn.selu(backend.convert_to_tensor(x))


@operation
def softplus(x: Any) -> Any:
    """A smooth relu: `ln(1 + eˣ)`."""
    return nn.softplus(backend.convert_to_tensor(x))


@operation
def softsign(x: Any) -> Any:
    """Entries between −1 and 1: `x / (1 + |x|)`."""
    return nn.softsign(backend.convert_to_tensor(x))


@operation
def silu(x: Any) -> Any:
    """Each entry times its sigmoid."""
    return nn.silu(backend.convert_to_tensor(x))


swish = silu


@operation
def gelu(x: Any, approximate: bool = False) -> Any:
    """Each entry times the share of a normal distribution below it."""
    return nn.gelu(backend.convert_to_tensor(x), approximate)


@operation
def tanh(x: Any) -> Any:
    """Entries between −1 and 1."""
    return nn.tanh(backend.convert_to_tensor(x))


@operation
def sigmoid(x: Any) -> Any:
    """Entries between 0 and 1."""
    return nn.sigmoid(backend.convert_to_tensor(x))


@operation
def log_sigmoid(x: Any) -> Any:
    """The logarithm of the sigmoid."""
    return nn.log_sigmoid(backend.convert_to_tensor(x))


@operation
def exponential(x: Any) -> Any:
    """The number e raised to each entry."""
    return math.exp(backend.convert_to_tensor(x))


@operation
def hard_sigmoid(x: Any) -> Any:
    """A sigmoid of three straight pieces."""
    return _hard_sigmoid(backend.convert_to_tensor(x))


@named_group
def _hard_sigmoid(x: Any) -> Any:
    return nn.relu6(x + 3.0) / 6.0


@operation
def hard_silu(x: Any) -> Any:
    """Each entry times its hard sigmoid."""
    given: Any = backend.convert_to_tensor(x)
    return given * hard_sigmoid(given)


hard_swish = hard_silu


@operation
def hard_tanh(x: Any) -> Any:
    """Entries held between −1 and 1."""
    return value_ops.clip_by_value(backend.convert_to_tensor(x), -1.0, 1.0)


@operation
def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """Entries as they are, those near 0 set to 0."""
    given: Any = backend.convert_to_tensor(x)
    return given * value_ops.cast(math.abs(given) > threshold, given.dtype)


@operation
def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """Entries moved towards 0 by a threshold, and no further."""
    return _soft_shrink(backend.convert_to_tensor(x), threshold)


@named_group
def _soft_shrink(x: Any, threshold: float) -> Any:
    return nn.relu(x - threshold) - nn.relu(-x - threshold)


@operation
def tanh_shrink(x: Any) -> Any:
    """What tanh takes away."""
    given: Any = backend.convert_to_tensor(x)
    return given - math.tanh(given)


@operation
def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """Entries above a threshold; a fixed number in the place of the others."""
    given: Any = backend.convert_to_tensor(x)
    return value_ops.where(given > threshold, given, default_value)


@operation
def mish(x: Any) -> Any:
    """Each entry times the tanh of its softplus."""
    given: Any = backend.convert_to_tensor(x)
    return given * math.tanh(nn.softplus(given))


@operation
def squareplus(x: Any, b: float = 4) -> Any:
    """A smooth relu made of a root: `(x + √(x² + b)) / 2`."""
    given: Any = backend.convert_to_tensor(x)
    return (given + math.sqrt(math.square(given) + float(b))) / 2.0


@operation
def glu(x: Any, axis: int = -1) -> Any:
    """The first half of the entries times the sigmoid of the second."""
    first, second = shape_ops.split(backend.convert_to_tensor(x), 2, axis)
    return first * math.sigmoid(second)


_KNOWN: Final[dict[str, Any]] = {
    function.__name__: function
    for function in (
        linear, relu, leaky_relu, relu6, softmax, log_softmax, elu, celu, selu, softplus, softsign,
        silu, gelu, tanh, sigmoid, log_sigmoid, exponential, hard_sigmoid, hard_silu, hard_tanh,
        hard_shrink, soft_shrink, tanh_shrink, threshold, mish, squareplus, glu,
    )
} | {"swish": silu, "hard_swish": hard_silu}  # fmt: skip
get = resolver("activation function", _KNOWN, {"none": linear})
deserialize = get
serialize = serialized

__getattr__, __dir__ = in_module(__name__)
