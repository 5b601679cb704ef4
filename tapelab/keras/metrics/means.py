"""Sums and means over batches, also of what a function says of labels and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab import math
from tapelab.array_ops.shape_ops import broadcast_to, size
from tapelab.array_ops.value_ops import cast
from tapelab.keras import backend
from tapelab.keras.losses.reduction import masked, same_rank
from tapelab.keras.masks import masks_of
from tapelab.keras.metrics.metric import Metric


def by_sample(values: Any, sample_weight: Any, reduce: Callable[..., Any], dtype: str) -> Any:
    """One weighted value for each sample, and the weights; None where there are none."""
    found: Any = backend.convert_to_tensor(values, dtype)
    weights: Any = None
    if sample_weight is not None:
        found, weights = same_rank(found, backend.convert_to_tensor(sample_weight, dtype))
        rank = weights.ndim
        if found.ndim > rank:
            found = reduce(found, axis=list(range(rank, found.ndim)))
        weights = broadcast_to(weights, found.shape)
        found = found * weights
        if rank > 1:
            weights = reduce(weights, axis=list(range(1, rank)))
    if found.ndim > 1:
        found = reduce(found, axis=list(range(1, found.ndim)))
    return found, weights


class Sum(Metric):
    """The sum of all values."""

    def __init__(self, name: str = "sum", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_variable(name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Take values into the sum."""
        found, _ = by_sample(values, sample_weight, math.reduce_sum, self.dtype)
        self.total.assign(self.total + math.reduce_sum(found))

    def result(self) -> Any:
        """The sum since the last reset."""
        return backend.convert_to_tensor(self.total)


def count_of(values: Any) -> Any:
    """How many values there are; a tensor where a function that is traced does not know yet."""
    known = values.shape[0] if values.ndim else 1
    return cast(size(values), values.dtype) if known is None else float(known)


class Mean(Metric):
    """The mean of all values, weighted or not."""

    def __init__(self, name: str = "mean", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_variable(name="total")
        self.count = self.add_variable(name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Take values into the mean."""
        found, weights = by_sample(values, sample_weight, math.reduce_mean, self.dtype)
        count: Any = count_of(found)
        if weights is not None:
            count = math.reduce_sum(weights)
        self.total.assign(self.total + math.reduce_sum(found))
        self.count.assign(self.count + count)

    def result(self) -> Any:
        """The mean since the last reset; 0 where there is nothing yet."""
        return math.divide_no_nan(self.total, self.count)


class MeanMetricWrapper(Mean):
    """The mean of what a function says of labels and predictions."""

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name or "mean_metric_wrapper", dtype=dtype)
        self._fn = fn
        self._fn_kwargs = kwargs

    def update_state(  # type: ignore[override]  # a batch has two parts, as in TensorFlow
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Take a batch of labels and predictions into the mean."""
        labels = backend.convert_to_tensor(y_true)
        predicted = backend.convert_to_tensor(y_pred)
        values = self._fn(labels, predicted, **self._fn_kwargs)
        weights = masked(sample_weight, masks_of(y_pred), self.dtype, "sum")
        super().update_state(values, weights)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same metric again."""
        own = {"fn": self._fn} if type(self) is MeanMetricWrapper else {}
        return {**super().get_config(), **own, **self._fn_kwargs}
