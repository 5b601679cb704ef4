"""Metrics that are the mean of a function of labels and predictions: accuracies, and the losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab import math
from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.shape_ops import expand_dims, reshape, squeeze
from tapelab.array_ops.value_ops import cast
from tapelab.keras import backend, losses
from tapelab.keras.class_settings import setting
from tapelab.keras.loss import class_of_function, pair, same_rank
from tapelab.keras.metrics.metric import FunctionMetric, Mean


def _as_float(is_correct: Any) -> Any:
    return cast(is_correct, backend.floatx())


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return 1 for each prediction that equals its label, else 0."""
    predicted = backend.convert_to_tensor(y_pred)
    labels, predicted = same_rank(backend.convert_to_tensor(y_true, predicted.dtype), predicted)
    return _as_float(math.equal(labels, predicted))


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Return 1 for each prediction on its label's side of the threshold, else 0."""
    predicted = backend.convert_to_tensor(y_pred, backend.floatx())
    labels, predicted = same_rank(backend.convert_to_tensor(y_true, predicted.dtype), predicted)
    return _as_float(math.equal(labels, _as_float(math.greater(predicted, threshold))))


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return 1 for each row whose largest prediction is the one-hot label's class, else 0."""
    labels = math.argmax(backend.convert_to_tensor(y_true), axis=-1)
    return _as_float(math.equal(labels, math.argmax(backend.convert_to_tensor(y_pred), axis=-1)))


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return 1 for each row whose largest prediction is the label's class number, else 0."""
    predicted = backend.convert_to_tensor(y_pred)
    labels = _without_last_axis(backend.convert_to_tensor(y_true), predicted)
    return _as_float(math.equal(cast(labels, "int64"), math.argmax(predicted, axis=-1)))


def _without_last_axis(labels: Any, predicted: Any) -> Any:
    """Class numbers without a last axis of size 1 that predictions do not have."""
    if labels.ndim == predicted.ndim and labels.shape[-1] == 1:
        return squeeze(labels, -1)
    return labels


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Return 1 for each row with the one-hot label's class among the k largest predictions."""
    return sparse_top_k_categorical_accuracy(
        math.argmax(backend.convert_to_tensor(y_true), axis=-1), y_pred, k
    )


def sparse_top_k_categorical_accuracy(
    y_true: Any, y_pred: Any, k: int = 5, from_sorted_ids: bool = False
) -> Any:
    """Return 1 for each row with the label's class number among the k largest predictions."""
    predicted: Any = backend.convert_to_tensor(y_pred)
    labels = cast(_without_last_axis(backend.convert_to_tensor(y_true), predicted), "int64")
    if from_sorted_ids:
        ids = cast(predicted[..., :k], "int64")
        return _as_float(math.reduce_any(math.equal(expand_dims(labels, -1), ids), axis=-1))
    shape, classes = labels.shape, predicted.shape[-1]
    rows = reshape(predicted, [-1, classes])
    of_label = gather(rows, reshape(labels, [-1]), batch_dims=1)
    better = math.reduce_sum(_as_float(math.greater(rows, expand_dims(of_label, -1))), axis=-1)
    return reshape(_as_float(math.less(better, float(k))), shape)


class BinaryAccuracy(FunctionMetric, function=binary_accuracy):
    """The share of predictions on their label's side of a threshold."""

    threshold: float = setting(0.5)

    def __post_init__(self) -> None:
        threshold = self.threshold
        if threshold is not None and not 0 < threshold < 1:
            raise ValueError(
                "Invalid value for argument `threshold`. Expected a value in interval (0, 1). "
                f"Received: threshold={threshold}"
            )


class TopKCategoricalAccuracy(FunctionMetric, function=top_k_categorical_accuracy):
    """The share of rows with the one-hot label's class among the k largest predictions."""

    k: int = setting(5, before="name")


class SparseTopKCategoricalAccuracy(FunctionMetric, function=sparse_top_k_categorical_accuracy):
    """The share of rows with the label's class number among the k largest predictions."""

    k: int = setting(5, before="name")
    from_sorted_ids: bool = setting(False)


class RootMeanSquaredError(Mean):
    """The square root of the mean of `(y_true - y_pred)²`."""

    name: str = setting("root_mean_squared_error")

    def update_state(  # type: ignore[override]  # a batch has two parts, as in TensorFlow
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Add a batch of labels and predictions."""
        labels, predicted = pair(y_true, backend.convert_to_tensor(y_pred, self.dtype))
        super().update_state(math.square(predicted - labels), sample_weight)

    def result(self) -> Any:
        """Return the square root of the mean since the last reset."""
        return math.sqrt(super().result())


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Return the cosine of the angle to the labels: 1 for the same direction."""
    return -losses.cosine_similarity(y_true, y_pred, axis=axis)


class BinaryCrossentropy(FunctionMetric, function=losses.binary_crossentropy):
    """The mean cross entropy of labels 0 and 1 and probabilities, or logits."""

    from_logits: bool = setting(False)
    label_smoothing: float = setting(0)


class CategoricalCrossentropy(FunctionMetric, function=losses.categorical_crossentropy):
    """The mean cross entropy of one-hot labels and probabilities, or logits."""

    from_logits: bool = setting(False)
    label_smoothing: float = setting(0)
    axis: int = setting(-1)


def _class(name: str, function: Callable[..., Any], **options: Any) -> type[FunctionMetric]:
    lead = "The mean over all batches of this value per sample: "
    return class_of_function(FunctionMetric, name, function, module=__name__, lead=lead, **options)


Accuracy = _class("Accuracy", accuracy)
CategoricalAccuracy = _class("CategoricalAccuracy", categorical_accuracy)
SparseCategoricalAccuracy = _class("SparseCategoricalAccuracy", sparse_categorical_accuracy)
MeanSquaredError = _class("MeanSquaredError", losses.mean_squared_error)
MeanAbsoluteError = _class("MeanAbsoluteError", losses.mean_absolute_error)
MeanAbsolutePercentageError = _class(
    "MeanAbsolutePercentageError", losses.mean_absolute_percentage_error
)
MeanSquaredLogarithmicError = _class(
    "MeanSquaredLogarithmicError", losses.mean_squared_logarithmic_error
)
CosineSimilarity = _class("CosineSimilarity", cosine_similarity, in_config=False)
LogCoshError = _class("LogCoshError", losses.log_cosh, title="logcosh")
Hinge = _class("Hinge", losses.hinge)
SquaredHinge = _class("SquaredHinge", losses.squared_hinge)
CategoricalHinge = _class("CategoricalHinge", losses.categorical_hinge)
Poisson = _class("Poisson", losses.poisson)
KLDivergence = _class("KLDivergence", losses.kl_divergence)
SparseCategoricalCrossentropy = _class(
    "SparseCategoricalCrossentropy", losses.sparse_categorical_crossentropy
)
