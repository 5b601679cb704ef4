"""How surprised probabilities are by the labels."""

from __future__ import annotations

from typing import Any

from tapelab import math, nn
from tapelab.array_ops.shape_ops import expand_dims, squeeze
from tapelab.array_ops.value_ops import cast, clip_by_value, where
from tapelab.core.execute import composite
from tapelab.keras import backend
from tapelab.keras.losses.regression import pair


@composite
def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:  # fmt: skip
    """How surprised each probability is by its label, 0 or 1; the mean along an axis."""
    labels, predicted = pair(y_true, y_pred)
    if label_smoothing:
        labels = labels * (1.0 - label_smoothing) + 0.5 * label_smoothing
    if labels.shape != predicted.shape:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape. Received: "
            f"target.shape={labels.shape}, output.shape={predicted.shape}"
        )
    if from_logits:
        losses = nn.sigmoid_cross_entropy_with_logits(labels, predicted)
    else:
        sure = _clipped(predicted)
        losses = -(labels * math.log(sure) + (1.0 - labels) * math.log(1.0 - sure))
    return math.reduce_mean(losses, axis=axis)


@composite
def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:  # fmt: skip
    """How surprised rows of probabilities are by rows of labels, such as one-hot ones."""
    predicted: Any = backend.convert_to_tensor(y_pred)
    labels: Any = backend.convert_to_tensor(y_true, predicted.dtype)
    if label_smoothing:
        classes = labels.shape[axis]
        labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
    _check_alike(labels, predicted)
    if from_logits:
        return nn.softmax_cross_entropy_with_logits(labels, predicted, axis=axis)
    shares = predicted / math.reduce_sum(predicted, axis=axis, keepdims=True)
    return -math.reduce_sum(labels * math.log(_clipped(shares)), axis=axis)


def _check_alike(labels: Any, predicted: Any) -> None:
    shapes = f"Received: target.shape={labels.shape}, output.shape={predicted.shape}"
    if not labels.ndim:
        raise ValueError(f"Arguments `target` and `output` must be at least rank 1. {shapes}")
    if labels.ndim != predicted.ndim:
        raise ValueError(
            f"Arguments `target` and `output` must have the same rank (ndim). {shapes}. "
            "Labels that are class numbers belong to sparse_categorical_crossentropy."
        )
    if labels.shape != predicted.shape:
        raise ValueError(f"Arguments `target` and `output` must have the same shape. {shapes}")


@composite
def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: int | None = None,
    axis: int = -1,
) -> Any:  # fmt: skip
    """How surprised rows of probabilities are by the right classes, given by number."""
    predicted: Any = backend.convert_to_tensor(y_pred)
    classes: Any = cast(backend.convert_to_tensor(y_true), "int64")
    if classes.ndim == predicted.ndim and classes.ndim and classes.shape[-1] == 1:
        classes = squeeze(classes, -1)
    _check_classes(classes, predicted)
    valid = class_mask(classes, ignore_class)
    if valid is not None:
        classes = classes * cast(valid, "int64")
    scores = predicted if from_logits else math.log(_clipped(predicted))
    losses = nn.sparse_softmax_cross_entropy_with_logits(classes, scores)
    return losses if valid is None else where(valid, losses, 0.0)


def class_mask(y_true: Any, ignore_class: int | None) -> Any:
    """Which samples have a class that counts; None if all do."""
    if ignore_class is None:
        return None
    return math.not_equal(cast(backend.convert_to_tensor(y_true), "int64"), int(ignore_class))


def _check_classes(classes: Any, predicted: Any) -> None:
    shapes = f"target.shape={classes.shape}, output.shape={predicted.shape}"
    if not predicted.ndim:
        raise ValueError(f"Argument `output` must be at least rank 1. Received: {shapes}")
    if classes.ndim != predicted.ndim - 1:
        raise ValueError(
            f"Argument `output` must have rank (ndim) `target.ndim - 1`. Received: {shapes}. "
            "One-hot labels belong to categorical_crossentropy."
        )
    if classes.shape != predicted.shape[:-1]:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape up until the last "
            f"dimension: {shapes}"
        )


@composite
def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """How much is lost where the predicted distribution stands for that of the labels."""
    labels, predicted = pair(y_true, y_pred)
    labels = _floored(labels)
    return math.reduce_sum(labels * math.log(labels / _floored(predicted)), axis=-1)


@composite
def binary_focal_crossentropy(
    y_true: Any, y_pred: Any, apply_class_balancing: bool = False, alpha: float = 0.25,
    gamma: float = 2.0, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1,
) -> Any:  # fmt: skip
    """The binary cross entropy with less weight on what is predicted well already."""
    labels, predicted = pair(y_true, y_pred)
    if label_smoothing:
        labels = labels * (1.0 - label_smoothing) + 0.5 * label_smoothing
    chance = math.sigmoid(predicted) if from_logits else predicted
    losses = binary_crossentropy(expand_dims(labels, -1), expand_dims(chance, -1))
    right = labels * chance + (1.0 - labels) * (1.0 - chance)
    weighted = math.pow(1.0 - right, gamma) * losses
    if apply_class_balancing:
        weighted = (labels * alpha + (1.0 - labels) * (1.0 - alpha)) * weighted
    return math.reduce_mean(weighted, axis=axis)


@composite
def categorical_focal_crossentropy(
    y_true: Any, y_pred: Any, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False,
    label_smoothing: float = 0.0, axis: int = -1,
) -> Any:  # fmt: skip
    """The categorical cross entropy with less weight on what is predicted well already."""
    labels, predicted = pair(y_true, y_pred)
    if label_smoothing:
        labels = labels * (1.0 - label_smoothing) + label_smoothing / labels.shape[-1]
    shares = nn.softmax(predicted, axis=axis) if from_logits else predicted
    shares = _clipped(shares / math.reduce_sum(shares, axis=axis, keepdims=True))
    surprise = -labels * math.log(shares)
    return math.reduce_sum(alpha * math.pow(1.0 - shares, gamma) * surprise, axis=axis)


def _floored(shares: Any) -> Any:
    """Probabilities kept away from 0."""
    return clip_by_value(shares, backend.epsilon(), 1.0)


def _clipped(shares: Any) -> Any:
    """Probabilities kept away from 0 and 1, where the logarithm has no end."""
    return clip_by_value(shares, backend.epsilon(), 1.0 - backend.epsilon())
