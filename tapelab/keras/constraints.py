"""`tf.keras.constraints`: what weights are held to after each step of an optimizer."""

from __future__ import annotations

from typing import Any, Final

from tapelab import math
from tapelab.array_ops import value_ops
from tapelab.keras import backend
from tapelab.keras.serialization import Configured, resolver, serialized
from tapelab.namespace.missing_names import in_module


class Constraint(Configured):
    """Makes a weight that is allowed from one that may not be: `constraint(w)`."""

    def __call__(self, w: Any) -> Any:
        """The nearest weight that is allowed."""
        raise NotImplementedError("A constraint needs a `__call__()` method.")


class NonNeg(Constraint):
    """No entry below 0."""

    def __call__(self, w: Any) -> Any:
        """The weight without what is below 0."""
        x: Any = backend.convert_to_tensor(w)
        return x * value_ops.cast(x >= 0.0, x.dtype)


class _Normed(Constraint):
    """Holds the length of the weights of each unit, along an axis."""

    axis: Any

    def _norms(self, x: Any) -> Any:
        return math.sqrt(math.reduce_sum(math.square(x), axis=self.axis, keepdims=True))


class MaxNorm(_Normed):
    """The weights of a unit are no longer than a limit."""

    _settings = ("max_value", "axis")

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Any:
        """The weight, shortened where it is too long."""
        x: Any = backend.convert_to_tensor(w)
        norms = self._norms(x)
        wanted = value_ops.clip_by_value(norms, 0.0, float(self.max_value))
        return x * (wanted / (backend.epsilon() + norms))


class UnitNorm(_Normed):
    """The weights of a unit have length 1."""

    _settings = ("axis",)

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        """The weight over its length."""
        x: Any = backend.convert_to_tensor(w)
        return x / (backend.epsilon() + self._norms(x))


class MinMaxNorm(_Normed):
    """The weights of a unit are no shorter and no longer than two limits."""

    _settings = ("min_value", "max_value", "rate", "axis")

    def __init__(
        self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0
    ) -> None:
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w: Any) -> Any:
        """The weight, moved towards the limits by the rate."""
        x: Any = backend.convert_to_tensor(w)
        norms = self._norms(x)
        within: Any = value_ops.clip_by_value(norms, float(self.min_value), float(self.max_value))
        wanted = self.rate * within + (1.0 - self.rate) * norms
        return x * (wanted / (backend.epsilon() + norms))


max_norm, min_max_norm, non_neg, unit_norm = MaxNorm, MinMaxNorm, NonNeg, UnitNorm

_KNOWN: Final[dict[str, Any]] = {
    "MaxNorm": MaxNorm, "MinMaxNorm": MinMaxNorm, "NonNeg": NonNeg, "UnitNorm": UnitNorm,
}  # fmt: skip
get = resolver("constraint", _KNOWN)
deserialize = get
serialize = serialized

__getattr__, __dir__ = in_module(__name__)
