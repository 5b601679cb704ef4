"""How far numbers are from the right ones: one loss for each row, the mean over its last axis."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab import math, nn
from tapelab.array_ops.value_ops import where
from tapelab.core.execute import composite
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype
from tapelab.keras import backend
from tapelab.keras.losses.reduction import same_rank

LOG_2: Final = float(np.log(2.0))


def pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Labels and predictions as tensors of the predictions' dtype and of one rank."""
    predicted: Tensor = backend.convert_to_tensor(y_pred)
    if not predicted.dtype.is_floating:
        predicted = backend.convert_to_tensor(predicted, as_dtype(backend.floatx()))
    return same_rank(backend.convert_to_tensor(y_true, predicted.dtype), predicted)


def _mean(losses: Any) -> Any:
    return math.reduce_mean(losses, axis=-1)


@composite
def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """The mean squared distance of each row from its labels."""
    labels, predicted = pair(y_true, y_pred)
    return _mean(math.square(labels - predicted))


@composite
def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """The mean distance of each row from its labels."""
    labels, predicted = pair(y_true, y_pred)
    return _mean(math.abs(labels - predicted))


@composite
def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """The mean distance of each row from its labels, in percent of the labels."""
    labels, predicted = pair(y_true, y_pred)
    size = math.maximum(math.abs(labels), backend.epsilon())
    return 100.0 * _mean(math.abs((labels - predicted) / size))


@composite
def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """The mean squared distance between the logarithms, which looks at ratios."""
    labels, predicted = pair(y_true, y_pred)
    log_predicted = math.log(math.maximum(predicted, backend.epsilon()) + 1.0)
    log_labels = math.log(math.maximum(labels, backend.epsilon()) + 1.0)
    return _mean(math.square(log_predicted - log_labels))


@composite
def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Half the squared distance up to delta, and a straight line beyond it."""
    labels, predicted = pair(y_true, y_pred)
    distance = math.abs(predicted - labels)
    square = 0.5 * math.square(distance)
    line = delta * distance - 0.5 * delta * delta
    return _mean(where(distance <= delta, square, line))


@composite
def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """The logarithm of cosh of the distance: squared near 0, a straight line far away."""
    labels, predicted = pair(y_true, y_pred)
    away = predicted - labels
    return _mean(away + nn.softplus(-2.0 * away) - LOG_2)


@composite
def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Minus the cosine of the angle to the labels: -1 where both point the same way."""
    labels, predicted = pair(y_true, y_pred)
    return -math.reduce_sum(_unit(labels, axis) * _unit(predicted, axis), axis=axis)


def _unit(x: Any, axis: int) -> Any:
    squares = math.reduce_sum(math.square(x), axis=axis, keepdims=True)
    return x * math.rsqrt(math.maximum(squares, backend.epsilon() ** 2))


@composite
def poisson(y_true: Any, y_pred: Any) -> Any:
    """How unlikely the counts are if they come from Poisson distributions with these means."""
    labels, predicted = pair(y_true, y_pred)
    return _mean(predicted - labels * math.log(predicted + backend.epsilon()))


@composite
def hinge(y_true: Any, y_pred: Any) -> Any:
    """How far each score is from 1 on the side of its label, -1 or 1."""
    labels, predicted = pair(y_true, y_pred)
    return _mean(math.maximum(1.0 - _signs(labels) * predicted, 0.0))


@composite
def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """The square of the hinge loss of each score."""
    labels, predicted = pair(y_true, y_pred)
    return _mean(math.square(math.maximum(1.0 - _signs(labels) * predicted, 0.0)))


def _signs(labels: Any) -> Any:
    """Labels of 0 and 1 as -1 and 1; others as they are."""
    binary = math.reduce_all(math.logical_or(math.equal(labels, 0.0), math.equal(labels, 1.0)))
    return where(binary, 2.0 * labels - 1.0, labels)


@composite
def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """How far the right class is from leading by 1 over the best wrong one."""
    labels, predicted = pair(y_true, y_pred)
    right = math.reduce_sum(labels * predicted, axis=-1)
    wrong = math.reduce_max((1.0 - labels) * predicted, axis=-1)
    return math.maximum(wrong - right + 1.0, 0.0)


@composite
def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """One minus twice the overlap of two regions, as a share of both."""
    labels, predicted = pair(y_true, y_pred)
    overlap = math.reduce_sum(labels * predicted, axis=axis)
    both = math.reduce_sum(labels, axis=axis) + math.reduce_sum(predicted, axis=axis)
    return 1.0 - 2.0 * overlap / (both + backend.epsilon())


@composite
def tversky(
    y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None
) -> Any:
    """As dice, with a weight of its own for what is found wrongly and for what is missed."""
    labels, predicted = pair(y_true, y_pred)
    overlap = math.reduce_sum(labels * predicted, axis=axis)
    wrong = math.reduce_sum((1.0 - labels) * predicted, axis=axis)
    missed = math.reduce_sum(labels * (1.0 - predicted), axis=axis)
    whole = overlap + alpha * wrong + beta * missed
    return 1.0 - overlap / (whole + backend.epsilon())
