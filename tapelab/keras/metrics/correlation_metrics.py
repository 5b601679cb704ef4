"""Metrics of how labels and predictions vary together."""

from __future__ import annotations

from typing import Any

from tapelab import math
from tapelab.keras import backend
from tapelab.keras.class_settings import setting
from tapelab.keras.loss import pair
from tapelab.keras.metrics.metric import FunctionMetric


def _apart(x: Any, axis: Any) -> tuple[Any, Any]:
    """The distances from the mean along axes, and the mean."""
    mean = math.reduce_mean(x, axis=axis, keepdims=True)
    return x - mean, mean


def pearson_correlation(y_true: Any, y_pred: Any, axis: Any = -1) -> Any:
    """Return Pearson's correlation along axes: 1 for a rising line, -1 for a falling one."""
    labels, predicted = (_apart(each, axis)[0] for each in pair(y_true, y_pred))
    both = labels / math.reduce_std(labels, axis=axis, keepdims=True) * predicted
    return math.reduce_mean(both / math.reduce_std(predicted, axis=axis, keepdims=True), axis=axis)


def concordance_correlation(y_true: Any, y_pred: Any, axis: Any = -1) -> Any:
    """Return Lin's concordance along axes: 1 where predictions equal the labels.

    As Keras computes it, the labels are taken from the mean of the predictions.
    """
    labels, predicted = pair(y_true, y_pred)
    (_, label_mean), (apart, mean) = _apart(labels, axis), _apart(predicted, axis)
    spread = math.reduce_variance(labels - label_mean, axis=axis, keepdims=True)
    spread = spread + math.reduce_variance(apart, axis=axis, keepdims=True)
    whole = spread + math.square(label_mean - mean) + backend.epsilon()
    return math.reduce_mean(2.0 * (labels - mean) * apart / whole, axis=axis)


class PearsonCorrelation(FunctionMetric, function=pearson_correlation):
    """The mean of Pearson's correlations."""

    axis: Any = setting(-1)


class ConcordanceCorrelation(FunctionMetric, function=concordance_correlation):
    """The mean of Lin's concordances."""

    axis: Any = setting(-1)
