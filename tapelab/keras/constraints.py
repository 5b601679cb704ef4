"""`tf.keras.constraints`: what weights must satisfy after each step of an optimizer."""

from __future__ import annotations

from typing import Any, Final

from tapelab import math
from tapelab.array_ops import value_ops
from tapelab.keras import backend
from tapelab.keras.class_settings import Configured, setting
from tapelab.keras.serialization import resolver, serialized
from tapelab.namespace.missing_names import in_module


class Constraint(Configured):
    """Projects a weight onto the allowed values after an optimizer step: `constraint(w)`."""

    def __call__(self, w: Any) -> Any:
        """Return the allowed weight; here every weight is."""
        return w


class _Projection(Constraint):
    """Converts the weight for `_project` of a subclass."""

    def __call__(self, w: Any) -> Any:
        """Return the allowed weight."""
        return self._project(backend.convert_to_tensor(w))

    def _project(self, x: Any) -> Any:
        raise NotImplementedError


class NonNeg(_Projection):
    """Allows no negative element."""

    def _project(self, x: Any) -> Any:
        return x * value_ops.cast(x >= 0.0, x.dtype)


def _norms(x: Any, axis: Any) -> Any:
    return math.sqrt(math.reduce_sum(math.square(x), axis=axis, keepdims=True))


class MaxNorm(_Projection):
    """Limits the Euclidean norm of each unit's weights, along an axis."""

    max_value: float = setting(2)
    axis: Any = setting(0)

    def _project(self, x: Any) -> Any:
        norms = _norms(x, self.axis)
        limited = value_ops.clip_by_value(norms, 0.0, float(self.max_value))
        return x * (limited / (backend.epsilon() + norms))


class UnitNorm(_Projection):
    """Scales each unit's weights to Euclidean norm 1, along an axis."""

    axis: Any = setting(0)

    def _project(self, x: Any) -> Any:
        return x / (backend.epsilon() + _norms(x, self.axis))


class MinMaxNorm(_Projection):
    """Moves the norm of each unit's weights between two limits, at a rate from 0 to 1."""

    min_value: float = setting(0.0)
    max_value: float = setting(1.0)
    rate: float = setting(1.0)
    axis: Any = setting(0)

    def _project(self, x: Any) -> Any:
        norms = _norms(x, self.axis)
        limited: Any = value_ops.clip_by_value(norms, float(self.min_value), float(self.max_value))
        target = self.rate * limited + (1.0 - self.rate) * norms
        return x * (target / (backend.epsilon() + norms))


max_norm, min_max_norm, non_neg, unit_norm = MaxNorm, MinMaxNorm, NonNeg, UnitNorm

_KNOWN: Final[dict[str, Any]] = {
    "MaxNorm": MaxNorm, "MinMaxNorm": MinMaxNorm, "NonNeg": NonNeg, "UnitNorm": UnitNorm,
}  # fmt: skip
get = resolver("constraint", _KNOWN)
deserialize = get
serialize = serialized

__getattr__, __dir__ = in_module(__name__)
