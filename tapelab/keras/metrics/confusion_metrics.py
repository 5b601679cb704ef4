"""Metrics of the confusion matrix: its four counts, precision, recall, IoU and AUC."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab import math
from tapelab.array_ops.creation import fill, one_hot, ones_like
from tapelab.array_ops.shape_ops import broadcast_to, expand_dims, reshape
from tapelab.array_ops.sort_ops import top_k as top_k_of
from tapelab.array_ops.value_ops import cast, clip_by_value, where
from tapelab.keras import backend
from tapelab.keras.class_settings import setting
from tapelab.keras.loss import same_rank
from tapelab.keras.metrics.metric import BuiltInMetric

CURVES: Final = ("PR", "ROC", "PRGAIN")
SUMMATIONS: Final = ("interpolation", "majoring", "minoring")
COUNTS: Final = {
    "true_positives": (True, True),
    "false_positives": (False, True),
    "true_negatives": (False, False),
    "false_negatives": (True, False),
}
"""Each count by the label and the prediction."""


def counts(
    y_true: Any, y_pred: Any, thresholds: Any, sample_weight: Any, dtype: str, *,
    multi_label: bool = False, label_weights: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the four counts at each threshold, times the weights of samples and labels.

    With `multi_label` each column of the labels has counts of its own.
    """
    predicted: Any = backend.convert_to_tensor(y_pred, dtype)
    labels: Any = backend.convert_to_tensor(y_true, dtype)
    labels, predicted = same_rank(labels, predicted)
    weight: Any = ones_like(predicted)
    if sample_weight is not None:
        given, _ = same_rank(backend.convert_to_tensor(sample_weight, dtype), predicted)
        while given.ndim < predicted.ndim:
            given = expand_dims(given, -1)
        weight = broadcast_to(given, predicted.shape)
    if label_weights is not None:
        weight = weight * backend.convert_to_tensor(label_weights, dtype)
    shape = [1, -1, int(predicted.shape[-1])] if multi_label else [1, -1]
    positive = reshape(cast(labels, "bool"), shape)
    limits = np.reshape(np.asarray(thresholds, dtype), [-1] + [1] * (len(shape) - 1))
    predicted_positive = math.greater(reshape(predicted, shape), backend.convert_to_tensor(limits))
    weights = reshape(weight, shape)
    totals = {}
    for name, (label, prediction) in COUNTS.items():
        right_prediction = math.equal(predicted_positive, prediction)
        counted: Any = cast(math.logical_and(math.equal(positive, label), right_prediction), dtype)
        totals[name] = math.reduce_sum(counted * weights, axis=1)
    return totals


def checked_thresholds(thresholds: Any, default: float = 0.5) -> list[float]:
    """Return the thresholds as a list; ValueError for one outside [0, 1]."""
    if thresholds is None:
        return [default]
    several = list(thresholds) if np.ndim(thresholds) else [thresholds]
    outside = [each for each in several if each is None or not 0 <= each <= 1]
    if outside:
        raise ValueError(f"Threshold values must be in [0, 1]. Received: {outside}")
    return [float(each) for each in several]


class ConfusionMetric(BuiltInMetric):
    """A metric computed from some of the four counts."""

    thresholds: Any = setting(None, before="name")
    top_k: int | None = setting(None, before="name")
    class_id: int | None = setting(None, before="name")
    used_counts: tuple[str, ...] = ()
    true_positives: Any
    false_positives: Any
    true_negatives: Any
    false_negatives: Any

    def __post_init__(self) -> None:
        self.init_thresholds = self.thresholds
        default = 0.5 if self.top_k is None else -np.inf
        self.thresholds = checked_thresholds(self.thresholds, default)
        self._add_variables(self.used_counts, (len(self.thresholds),))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the counts of a batch."""
        predicted, labels = backend.convert_to_tensor(y_pred), backend.convert_to_tensor(y_true)
        labels, predicted = _selected(labels, predicted, self.top_k, self.class_id)
        counted = counts(labels, predicted, self.thresholds, sample_weight, self.dtype)
        self._accumulate(**{name: counted[name] for name in self.used_counts})

    def _per_threshold(self, values: Any) -> Any:
        return values[0] if len(self.thresholds) == 1 else values

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal metric."""
        return {**super().get_config(), "thresholds": self.init_thresholds}


def _selected(labels: Any, predicted: Any, top_k: int | None, class_id: int | None) -> Any:
    """The labels and predictions that count: the k largest of each row, or of one class."""
    if top_k is not None:
        places: Any = top_k_of(predicted, top_k)[1]
        rows = one_hot(places, predicted.shape[-1], on_value=True, off_value=False)
        never = cast(fill(predicted.shape, -np.inf), predicted.dtype)
        predicted = where(math.reduce_any(rows, axis=-2), predicted, never)
    if class_id is not None:
        if predicted.ndim == 1:
            raise ValueError(
                "When class_id is provided, y_pred must be a 2D array with shape (num_samples, "
                f"num_classes), found shape: {predicted.shape}"
            )
        return labels[..., class_id], predicted[..., class_id]
    return labels, predicted


class Precision(ConfusionMetric):
    """The share of positive predictions that are correct: `TP / (TP + FP)`."""

    used_counts = ("true_positives", "false_positives")

    def result(self) -> Any:
        """Return the precision since the last reset."""
        predicted = self.true_positives + self.false_positives
        return self._per_threshold(math.divide_no_nan(self.true_positives, predicted))


class Recall(ConfusionMetric):
    """The share of positive labels that are found: `TP / (TP + FN)`."""

    used_counts = ("true_positives", "false_negatives")

    def result(self) -> Any:
        """Return the recall since the last reset."""
        positive = self.true_positives + self.false_negatives
        return self._per_threshold(math.divide_no_nan(self.true_positives, positive))


class _Count(ConfusionMetric):
    """One of the four counts."""

    top_k = class_id = None

    def result(self) -> Any:
        """Return the count since the last reset."""
        return self._per_threshold(backend.convert_to_tensor(getattr(self, self.used_counts[0])))


class TruePositives(_Count):
    """The number of positive labels that are predicted."""

    used_counts = ("true_positives",)


class FalsePositives(_Count):
    """The number of negative labels that are predicted positive."""

    used_counts = ("false_positives",)


class TrueNegatives(_Count):
    """The number of negative labels that are predicted."""

    used_counts = ("true_negatives",)


class FalseNegatives(_Count):
    """The number of positive labels that are predicted negative."""

    used_counts = ("false_negatives",)


class AUC(BuiltInMetric):
    """The area under the ROC curve, or under the curve of precision over recall ("PR")."""

    num_thresholds: int = setting(200, before="name")
    curve: str = setting("ROC", before="name")
    summation_method: str = setting("interpolation", before="name")
    thresholds: Any = setting(None, in_config=False)
    multi_label: bool = setting(False)
    num_labels: int | None = setting(None)
    label_weights: Any = setting(None)
    from_logits: bool = setting(False)

    def __post_init__(self) -> None:
        if self.num_labels and not self.multi_label:
            raise ValueError("`num_labels` is needed only when `multi_label` is True.")
        if self.curve not in CURVES:
            raise ValueError(
                f'Invalid AUC curve value: "{self.curve}". Expected values are {list(CURVES)}'
            )
        if self.summation_method not in SUMMATIONS:
            raise ValueError(
                f'Invalid AUC summation method value: "{self.summation_method}". '
                f"Expected values are {list(SUMMATIONS)}"
            )
        if self.thresholds is None:
            inner = _inner_thresholds(self.num_thresholds)
        else:
            inner = sorted(self.thresholds)
        self.num_thresholds = len(inner) + 2
        margin = backend.epsilon()
        self.thresholds = [-margin, *inner, 1.0 + margin]
        if not self.multi_label:
            self._add_variables(COUNTS, (self.num_thresholds,))
        elif self.num_labels:
            self._add_variables(COUNTS, (self.num_thresholds, self.num_labels))

    def _ensure_columns(self, shape: Any) -> None:
        """Create the counts of each label, when their number is known."""
        if len(shape) != 2:
            raise ValueError(
                "`y_pred` must have rank 2 when `multi_label=True`. "
                f"Found rank {len(shape)}. Full shape received for `y_pred`: {shape}"
            )
        if not hasattr(self, "true_positives"):
            self._add_variables(COUNTS, (self.num_thresholds, shape[1]))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the counts of a batch at each threshold."""
        predicted: Any = backend.convert_to_tensor(y_pred, self.dtype)
        if self.multi_label:
            self._ensure_columns(predicted.shape)
        shares = math.sigmoid(predicted) if self.from_logits else predicted
        clipped = clip_by_value(shares, 0.0, 1.0)
        self._accumulate(**counts(
            y_true, clipped, self.thresholds, sample_weight, self.dtype,
            multi_label=self.multi_label,
            label_weights=None if self.multi_label else self.label_weights,
        ))  # fmt: skip

    def result(self) -> Any:
        """Return the area since the last reset; of several labels the weighted mean."""
        areas = self._areas()
        if not self.multi_label:
            return areas
        if self.label_weights is None:
            return math.reduce_mean(areas)
        weights: Any = backend.convert_to_tensor(self.label_weights, self.dtype)
        return math.divide_no_nan(math.reduce_sum(areas * weights), math.reduce_sum(weights))

    def _areas(self) -> Any:
        """The area, or that of each label."""
        totals: list[Any] = [backend.convert_to_tensor(getattr(self, name)) for name in COUNTS]
        tp, fp, tn, fn = totals
        recall = _share(tp, tp + fn)
        if self.curve == "PR" and self.summation_method == "interpolation":
            return _interpolated(tp, fp, fn)
        if self.curve == "ROC":
            x, y = _share(fp, fp + tn), recall
        elif self.curve == "PR":
            x, y = recall, _share(tp, tp + fp)
        else:
            x, y = _gains(tp, fp, tn, fn)
        heights = {
            "interpolation": (y[:-1] + y[1:]) / 2.0,
            "minoring": math.minimum(y[:-1], y[1:]),
            "majoring": math.maximum(y[:-1], y[1:]),
        }[self.summation_method]
        return math.reduce_sum((x[:-1] - x[1:]) * heights, axis=0)


def _inner_thresholds(count: int) -> list[float]:
    if count <= 1:
        raise ValueError(
            f"Argument `num_thresholds` must be an integer > 1. Received: num_thresholds={count}"
        )
    return [(place + 1) / (count - 1) for place in range(count - 2)]


def _share(part: Any, whole: Any) -> Any:
    return math.divide_no_nan(part, whole)


def _gains(tp: Any, fp: Any, tn: Any, fn: Any) -> tuple[Any, Any]:
    """The recall gain and the precision gain (Flach, Kull 2015): 0 is as good as always positive.

    Without true positives they are 0 and 1; a negative recall gain counts as 0.
    """
    scale = _share(tp + fn, tn + fp)
    recall, precision = (1.0 - scale * _share(each, tp) for each in (fn, fp))
    nothing = math.equal(tp, 0.0)
    return math.maximum(where(nothing, 0.0, recall), 0.0), where(nothing, 1.0, precision)


def _interpolated(tp: Any, fp: Any, fn: Any) -> Any:
    """The area under precision over recall, with true positives linear between thresholds.

    Davis and Goadrich (2006) show that a straight line between two points would be too much.
    """
    predicted = tp + fp
    dtp, dp = tp[:-1] - tp[1:], predicted[:-1] - predicted[1:]
    gain = _share(dtp, math.maximum(dp, 0.0))
    intercept = tp[1:] - gain * predicted[1:]
    both = math.logical_and(predicted[:-1] > 0, predicted[1:] > 0)
    ratio = where(both, _share(predicted[:-1], math.maximum(predicted[1:], 0.0)), 1.0)
    areas = _share(gain * (dtp + intercept * math.log(ratio)), tp[1:] + fn[1:])
    return math.reduce_sum(areas, axis=0)
