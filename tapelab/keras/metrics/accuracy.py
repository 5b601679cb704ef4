"""Which predictions are right: 1 for each that is, 0 for each that is not."""

from __future__ import annotations

from typing import Any

from tapelab import math
from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.shape_ops import expand_dims, reshape, squeeze
from tapelab.array_ops.value_ops import cast
from tapelab.keras import backend
from tapelab.keras.losses.reduction import same_rank
from tapelab.keras.metrics.means import MeanMetricWrapper


def _hits(right: Any) -> Any:
    return cast(right, backend.floatx())


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """Whether each prediction equals its label."""
    predicted = backend.convert_to_tensor(y_pred)
    labels, predicted = same_rank(backend.convert_to_tensor(y_true, predicted.dtype), predicted)
    return _hits(math.equal(labels, predicted))


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Whether each prediction is on the side of the threshold that its label says."""
    predicted = backend.convert_to_tensor(y_pred, backend.floatx())
    labels, predicted = same_rank(backend.convert_to_tensor(y_true, predicted.dtype), predicted)
    return _hits(math.equal(labels, _hits(math.greater(predicted, threshold))))


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Whether the largest prediction of each row stands where its label is largest."""
    labels = math.argmax(backend.convert_to_tensor(y_true), axis=-1)
    return _hits(math.equal(labels, math.argmax(backend.convert_to_tensor(y_pred), axis=-1)))


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Whether the largest prediction of each row stands at the number of its class."""
    predicted = backend.convert_to_tensor(y_pred)
    labels = _without_last(backend.convert_to_tensor(y_true), predicted)
    return _hits(math.equal(cast(labels, "int64"), math.argmax(predicted, axis=-1)))


def _without_last(labels: Any, predicted: Any) -> Any:
    """Class numbers without a last axis of length 1 that predictions do not have."""
    if labels.ndim == predicted.ndim and labels.shape[-1] == 1:
        return squeeze(labels, -1)
    return labels


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Whether the class of the label is among the k largest predictions of its row."""
    return sparse_top_k_categorical_accuracy(
        math.argmax(backend.convert_to_tensor(y_true), axis=-1), y_pred, k
    )


def sparse_top_k_categorical_accuracy(
    y_true: Any, y_pred: Any, k: int = 5, from_sorted_ids: bool = False
) -> Any:
    """Whether the class, given by number, is among the k largest predictions of its row."""
    predicted: Any = backend.convert_to_tensor(y_pred)
    labels = cast(_without_last(backend.convert_to_tensor(y_true), predicted), "int64")
    if from_sorted_ids:
        ids = cast(predicted[..., :k], "int64")
        return _hits(math.reduce_any(math.equal(expand_dims(labels, -1), ids), axis=-1))
    shape, classes = labels.shape, predicted.shape[-1]
    rows = reshape(predicted, [-1, classes])
    chosen = gather(rows, reshape(labels, [-1]), batch_dims=1)
    better = math.reduce_sum(_hits(math.greater(rows, expand_dims(chosen, -1))), axis=-1)
    return reshape(_hits(math.less(better, float(k))), shape)


class Accuracy(MeanMetricWrapper):
    """The share of predictions that equal their labels."""

    def __init__(self, name: str = "accuracy", dtype: Any = None) -> None:
        super().__init__(accuracy, name, dtype)


class BinaryAccuracy(MeanMetricWrapper):
    """The share of predictions on the right side of a threshold."""

    def __init__(
        self, name: str = "binary_accuracy", dtype: Any = None, threshold: float = 0.5
    ) -> None:
        if threshold is not None and not 0 < threshold < 1:
            raise ValueError(
                "Invalid value for argument `threshold`. Expected a value in interval (0, 1). "
                f"Received: threshold={threshold}"
            )
        super().__init__(binary_accuracy, name, dtype, threshold=threshold)


class CategoricalAccuracy(MeanMetricWrapper):
    """The share of rows whose largest prediction is the one-hot label's class."""

    def __init__(self, name: str = "categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(categorical_accuracy, name, dtype)


class SparseCategoricalAccuracy(MeanMetricWrapper):
    """The share of rows whose largest prediction is the class, given by number."""

    def __init__(self, name: str = "sparse_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(sparse_categorical_accuracy, name, dtype)


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """The share of rows with the label's class among the k largest predictions."""

    def __init__(
        self, k: int = 5, name: str = "top_k_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(top_k_categorical_accuracy, name, dtype, k=k)
        self.k = k


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """The share of rows with the class, given by number, among the k largest predictions."""

    def __init__(
        self, k: int = 5, name: str = "sparse_top_k_categorical_accuracy", dtype: Any = None,
        from_sorted_ids: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(
            sparse_top_k_categorical_accuracy, name, dtype, k=k, from_sorted_ids=from_sorted_ids
        )
        self.k = k
