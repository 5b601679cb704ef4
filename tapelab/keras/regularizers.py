"""`tf.keras.regularizers`: penalties on large weights, which are added to the loss."""

from __future__ import annotations

from typing import Any, Final

from tapelab import linalg, math
from tapelab.keras import backend
from tapelab.keras.class_settings import Configured, setting
from tapelab.keras.name_scopes import named_group
from tapelab.keras.serialization import resolver, serialized
from tapelab.namespace.missing_names import in_module


def _coefficient(name: str, default: float) -> Any:
    """Declare a non-negative factor; None stands for the default."""

    def convert(value: Any) -> float:
        value = default if value is None else value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e30:
            raise ValueError(
                f"Invalid value for argument {name}: expected a non-negative float."
                f"Received: {name}={value}"
            )
        return float(value)

    return setting(default, convert=convert)


class Regularizer(Configured):
    """Computes a penalty that is added to the loss from a weight: `regularizer(w)`."""

    def __call__(self, x: Any) -> Any:
        """Return the penalty, a scalar."""
        return 0.0


class _Penalty(Regularizer):
    """Converts the weight for `_penalty` of a subclass."""

    def __call__(self, x: Any) -> Any:
        """Return the penalty, a scalar."""
        return self._penalty(backend.convert_to_tensor(x))

    def _penalty(self, x: Any) -> Any:
        raise NotImplementedError


class L1L2(_Penalty):
    """The penalty `l1 · Σ|w| + l2 · Σw²`."""

    l1: float = _coefficient("l1", 0.0)
    l2: float = _coefficient("l2", 0.0)

    def _penalty(self, x: Any) -> Any:
        return _absolute_and_square(x, self.l1, self.l2)


class L1(_Penalty):
    """The penalty `l1 · Σ|w|`, which drives weights to 0 (lasso)."""

    l1: float = _coefficient("l1", 0.01)

    def _penalty(self, x: Any) -> Any:
        return _absolute(x, self.l1)


class L2(_Penalty):
    """The penalty `l2 · Σw²`, which keeps weights small (ridge)."""

    l2: float = _coefficient("l2", 0.01)

    def _penalty(self, x: Any) -> Any:
        return _square(x, self.l2)


class OrthogonalRegularizer(_Penalty):
    """Penalizes the cosine similarity between the rows (or columns) of a matrix."""

    factor: float = _coefficient("factor", 0.01)
    mode: str = setting("rows")

    def __post_init__(self) -> None:
        if self.mode not in {"rows", "columns"}:
            raise ValueError(
                'Invalid value for argument `mode`. Expected one of {"rows", "columns"}. '
                f"Received: mode={self.mode}"
            )

    def _penalty(self, x: Any) -> Any:
        if x.ndim != 2:
            raise ValueError(
                f"Inputs to OrthogonalRegularizer must have rank 2. Received: "
                f"inputs.shape={x.shape}"
            )
        return _similarity(x, self.factor, by_rows=self.mode == "rows")


@named_group
def _absolute_and_square(x: Any, l1: float, l2: float) -> Any:
    penalty: Any = 0.0
    if l1:
        penalty = penalty + l1 * math.reduce_sum(math.abs(x))
    if l2:
        penalty = penalty + l2 * math.reduce_sum(math.square(x))
    return penalty


@named_group
def _absolute(x: Any, l1: float) -> Any:
    return l1 * math.reduce_sum(math.abs(x))


@named_group
def _square(x: Any, l2: float) -> Any:
    return l2 * math.reduce_sum(math.square(x))


@named_group
def _similarity(x: Any, factor: float, *, by_rows: bool) -> Any:
    unit = math.l2_normalize(x, axis=1 if by_rows else 0)
    products: Any = linalg.matmul(unit, unit, transpose_a=not by_rows, transpose_b=by_rows)
    size = int(products.shape[0] or 0)
    identity: Any = linalg.eye(size, dtype=products.dtype)
    off_diagonal = products * (1.0 - identity)
    return factor * 0.5 * math.reduce_sum(math.abs(off_diagonal)) / (size * (size - 1.0) / 2.0)


l1, l2, l1_l2, orthogonal_regularizer = L1, L2, L1L2, OrthogonalRegularizer

_KNOWN: Final[dict[str, Any]] = {
    "L1": L1, "L2": L2, "L1L2": L1L2, "OrthogonalRegularizer": OrthogonalRegularizer,
    "l1_l2": L1L2,
}  # fmt: skip
get = resolver("regularizer", _KNOWN)
deserialize = get
serialize = serialized

__getattr__, __dir__ = in_module(__name__)
