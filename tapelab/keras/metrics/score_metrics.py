"""Scores by class or by output: F-beta from precision and recall, and R²."""

from __future__ import annotations

from typing import Any, Final

from tapelab import math
from tapelab.array_ops.shape_ops import reshape, size
from tapelab.array_ops.value_ops import cast, where
from tapelab.keras import backend
from tapelab.keras.class_settings import setting
from tapelab.keras.metrics.metric import BuiltInMetric

AVERAGES: Final = (None, "micro", "macro", "weighted")
AGGREGATIONS: Final = (None, "uniform_average", "variance_weighted_average")


class _ColumnMetric(BuiltInMetric):
    """A metric with a value per column; its variables are created when the columns are known."""

    variable_names: tuple[str, ...] = ()

    def _columns(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        labels: Any = backend.convert_to_tensor(y_true, self.dtype)
        predicted: Any = backend.convert_to_tensor(y_pred, self.dtype)
        if labels.ndim != 2 or predicted.ndim != 2:
            name = "R2Score" if isinstance(self, R2Score) else "FBetaScore"
            raise ValueError(
                f"{name} expects 2D inputs with shape (batch_size, output_dim). Received input "
                f"shapes: y_pred.shape={predicted.shape} and y_true.shape={labels.shape}."
            )
        return labels, predicted

    def _ensure(self, shape: tuple[int, ...]) -> None:
        if not hasattr(self, self.variable_names[-1]):
            self._add_variables(self.variable_names, shape)

    def _weights(self, sample_weight: Any) -> Any:
        if sample_weight is None:
            return 1.0
        return reshape(backend.convert_to_tensor(sample_weight, self.dtype), [-1, 1])

    def _value(self, name: str) -> Any:
        return backend.convert_to_tensor(getattr(self, name))


class FBetaScore(_ColumnMetric):
    """The harmonic mean of precision and recall; beta above 1 gives recall more weight."""

    average: str | None = setting(None, before="name")
    beta: float = setting(1.0, before="name")
    threshold: float | None = setting(None, before="name")
    name: str = setting("fbeta_score")
    variable_names = (
        "true_positives", "false_positives", "false_negatives", "intermediate_weights",
    )  # fmt: skip

    def __post_init__(self) -> None:
        average, beta, threshold = self.average, self.beta, self.threshold
        if average not in AVERAGES:
            raise ValueError(
                "Invalid `average` argument value. Expected one of: "
                f"{{{', '.join(map(repr, AVERAGES))}}}. Received: average={average}"
            )
        if not isinstance(beta, float):
            raise ValueError(
                "Invalid `beta` argument value. It should be a Python float. Received: "
                f"{beta=} of type '{type(beta)}'"
            )
        if beta <= 0:
            raise ValueError(f"Invalid `beta` argument value. It should be > 0. Received: {beta=}")
        if threshold is not None and not isinstance(threshold, float):
            raise ValueError(
                "Invalid `threshold` argument value. It should be a Python float. Received: "
                f"threshold={threshold} of type '{type(threshold)}'"
            )
        if threshold is not None and not 0.0 < threshold <= 1.0:
            raise ValueError(
                "Invalid `threshold` argument value. It should verify 0 < threshold <= 1. "
                f"Received: threshold={threshold}"
            )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the counts of a batch, class by class."""
        labels, predicted = self._columns(y_true, y_pred)
        micro = self.average == "micro"
        self._ensure(() if micro else (labels.shape[1],))
        if self.threshold is None:
            best = math.reduce_max(predicted, axis=-1, keepdims=True)
            positive = math.logical_and(predicted >= best, math.abs(predicted) > 1e-9)
        else:
            positive = predicted > self.threshold
        chosen: Any = cast(positive, self.dtype)
        weights = self._weights(sample_weight)
        counts = {
            "true_positives": chosen * labels,
            "false_positives": chosen * (1.0 - labels),
            "false_negatives": (1.0 - chosen) * labels,
            "intermediate_weights": labels,
        }
        axis = None if micro else 0
        self._accumulate(**{n: math.reduce_sum(v * weights, axis=axis) for n, v in counts.items()})

    def result(self) -> Any:
        """Return the score since the last reset."""
        tp, fp, fn, positive = map(self._value, self.variable_names)
        tiny = backend.epsilon()
        precision, recall = tp / (tp + fp + tiny), tp / (tp + fn + tiny)
        square = self.beta**2
        score = precision * recall * (1.0 + square) / (precision * square + recall + tiny)
        if self.average == "weighted":
            return math.reduce_sum(score * positive / (math.reduce_sum(positive) + tiny))
        return math.reduce_mean(score) if self.average is not None else score


class F1Score(FBetaScore):
    """The harmonic mean of precision and recall."""

    beta = 1.0
    name: str = setting("f1_score")


class R2Score(_ColumnMetric):
    """The coefficient of determination: the share of the labels' variance that is explained."""

    class_aggregation: str | None = setting("uniform_average", before="name")
    num_regressors: int = setting(0, before="name")
    name: str = setting("r2_score")
    variable_names = ("squared_sum", "sum", "total_mse", "count")

    def __post_init__(self) -> None:
        class_aggregation, num_regressors = self.class_aggregation, self.num_regressors
        if class_aggregation not in AGGREGATIONS:
            raise ValueError(
                "Invalid value for argument `class_aggregation`. Expected one of "
                f"{AGGREGATIONS}. Received: class_aggregation={class_aggregation}"
            )
        if num_regressors < 0:
            raise ValueError(
                "Invalid value for argument `num_regressors`. Expected a value >= 0. Received: "
                f"num_regressors={num_regressors}"
            )
        self._add_variables(("num_samples",), ())

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add a batch of labels and predictions, output by output."""
        labels, predicted = self._columns(y_true, y_pred)
        self._ensure((labels.shape[1],))
        weights = self._weights(sample_weight)
        ones = labels * 0.0 + 1.0
        parts = {
            "squared_sum": math.square(labels),
            "sum": labels,
            "total_mse": math.square(labels - predicted),
            "count": ones,
        }
        sums = {n: math.reduce_sum(v * weights, axis=0) for n, v in parts.items()}
        self._accumulate(num_samples=cast(size(labels), self.dtype), **sums)

    def result(self) -> Any:
        """Return the score since the last reset; NaN before a batch was added."""
        squares, total, errors, count = map(self._value, self.variable_names)
        variance = squares - total * (total / count)
        scores: Any = 1.0 - errors / variance
        scores = where(math.is_inf(scores), 0.0, scores)
        if self.class_aggregation == "uniform_average":
            scores = math.reduce_mean(scores)
        elif self.class_aggregation is not None:
            scores = math.reduce_sum(scores * variance) / math.reduce_sum(variance)
        if not self.num_regressors:
            return scores
        samples = self._value("num_samples")
        freedom = samples - (self.num_regressors + 1.0)
        adjusted = 1.0 - (1.0 - scores) * (samples - 1.0) / freedom
        return where(freedom > 0.0, adjusted, scores)
