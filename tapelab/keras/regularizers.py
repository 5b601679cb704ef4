"""`tf.keras.regularizers`: what large weights cost."""

from __future__ import annotations

from typing import Any, Final

from tapelab import linalg, math
from tapelab.keras import backend
from tapelab.keras.grouping import grouped
from tapelab.keras.serialization import Configured, resolver, serialized
from tapelab.namespace.missing_names import in_module


class Regularizer(Configured):
    """Makes a number to add to the loss from a weight: `regularizer(w)`."""

    def __call__(self, x: Any) -> Any:
        """The cost of the weight."""
        return 0.0


class L1L2(Regularizer):
    """Costs `l1 · Σ|w| + l2 · Σw²`."""

    _settings: tuple[str, ...] = ("l1", "l2")

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = _amount("l1", l1 or 0.0), _amount("l2", l2 or 0.0)

    def __call__(self, x: Any) -> Any:
        """The cost of the weight."""
        return _absolute_and_square(backend.convert_to_tensor(x), self.l1, self.l2)


class L1(Regularizer):
    """Costs `l1 · Σ|w|`: drives weights to 0."""

    _settings: tuple[str, ...] = ("l1",)

    def __init__(self, l1: float = 0.01) -> None:
        self.l1 = _amount("l1", 0.01 if l1 is None else l1)

    def __call__(self, x: Any) -> Any:
        """The cost of the weight."""
        return _absolute(backend.convert_to_tensor(x), self.l1)


class L2(Regularizer):
    """Costs `l2 · Σw²`: keeps weights small."""

    _settings: tuple[str, ...] = ("l2",)

    def __init__(self, l2: float = 0.01) -> None:
        self.l2 = _amount("l2", 0.01 if l2 is None else l2)

    def __call__(self, x: Any) -> Any:
        """The cost of the weight."""
        return _square(backend.convert_to_tensor(x), self.l2)


class OrthogonalRegularizer(Regularizer):
    """Costs what rows (or columns) of a matrix have in common."""

    _settings: tuple[str, ...] = ("factor", "mode")

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        if mode not in {"rows", "columns"}:
            raise ValueError(
                "Invalid value for argument `mode`: expected one of "
                f"{{'rows', 'columns'}}. Received: mode={mode}"
            )
        self.factor, self.mode = _amount("factor", factor), mode

    def __call__(self, x: Any) -> Any:
        """The cost of the weight."""
        given = backend.convert_to_tensor(x)
        if given.ndim != 2:
            raise ValueError(
                "Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape="
                f"{given.shape}"
            )
        return _likeness(given, self.factor, by_rows=self.mode == "rows")


@grouped
def _absolute_and_square(x: Any, l1: float, l2: float) -> Any:
    cost: Any = 0.0
    if l1:
        cost = cost + l1 * math.reduce_sum(math.abs(x))
    if l2:
        cost = cost + l2 * math.reduce_sum(math.square(x))
    return cost


@grouped
def _absolute(x: Any, l1: float) -> Any:
    return l1 * math.reduce_sum(math.abs(x))


@grouped
def _square(x: Any, l2: float) -> Any:
    return l2 * math.reduce_sum(math.square(x))


@grouped
def _likeness(x: Any, factor: float, *, by_rows: bool) -> Any:
    unit = math.l2_normalize(x, axis=1 if by_rows else 0)
    products: Any = linalg.matmul(unit, unit, transpose_a=not by_rows, transpose_b=by_rows)
    size = int(products.shape[0] or 0)
    self_product: Any = linalg.eye(size, dtype=products.dtype)
    apart = products * (1.0 - self_product)
    return factor * 0.5 * math.reduce_sum(math.abs(apart)) / (size * (size - 1.0) / 2.0)


def _amount(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e30:
        raise ValueError(
            f"Invalid value for argument {name}: expected a non-negative float."
            f"Received: {name}={value}"
        )
    return float(value)


l1, l2, l1_l2, orthogonal_regularizer = L1, L2, L1L2, OrthogonalRegularizer

_KNOWN: Final[dict[str, Any]] = {
    "L1": L1, "L2": L2, "L1L2": L1L2, "OrthogonalRegularizer": OrthogonalRegularizer,
    "l1_l2": L1L2,
}  # fmt: skip
get = resolver("regularizer", _KNOWN)
deserialize = get
serialize = serialized

__getattr__, __dir__ = in_module(__name__)
