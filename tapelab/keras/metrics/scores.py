"""Scores that weigh two things against each other: precision and recall, fit and spread."""

from __future__ import annotations

from typing import Any, Final

from tapelab import math
from tapelab.array_ops.shape_ops import reshape
from tapelab.array_ops.value_ops import cast, where
from tapelab.keras import backend
from tapelab.keras.metrics.metric import Metric

AVERAGES: Final = (None, "micro", "macro", "weighted")
AGGREGATIONS: Final = (None, "uniform_average", "variance_weighted_average")


class _ByColumn(Metric):
    """A metric of rows with one column for each class or output; its variables come with them."""

    kept: tuple[str, ...] = ()

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
        if not self._variables:
            for name in self.kept:
                setattr(self, name, self.add_variable(shape, name=name))

    def _add(self, **found: Any) -> None:
        for name, value in found.items():
            variable = getattr(self, name)
            variable.assign(variable + value)

    def _weights(self, sample_weight: Any) -> Any:
        if sample_weight is None:
            return 1.0
        return reshape(backend.convert_to_tensor(sample_weight, self.dtype), [-1, 1])

    def _value(self, name: str) -> Any:
        return backend.convert_to_tensor(getattr(self, name))


class FBetaScore(_ByColumn):
    """Precision and recall in one number; a beta above 1 gives recall more weight."""

    kept = ("true_positives", "false_positives", "false_negatives", "intermediate_weights")

    def __init__(
        self, average: str | None = None, beta: float = 1.0, threshold: float | None = None,
        name: str = "fbeta_score", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype)
        if average not in AVERAGES:
            raise ValueError(
                "Invalid `average` argument value. Expected one of: "
                f"{{{', '.join(map(repr, AVERAGES))}}}. Received: average={average}"
            )
        if not isinstance(beta, float) or beta <= 0:
            raise ValueError(f"Invalid `beta` argument value. It should be > 0. Received: {beta=}")
        if threshold is not None and not isinstance(threshold, float):
            raise ValueError(
                "Invalid `threshold` argument value. It should be a Python float. Received: "
                f"threshold={threshold} of type '{type(threshold)}'"
            )
        self.average, self.beta, self.threshold = average, beta, threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count the right and wrong answers of a batch, class by class."""
        labels, predicted = self._columns(y_true, y_pred)
        micro = self.average == "micro"
        self._ensure(() if micro else (labels.shape[1],))
        if self.threshold is None:
            best = math.reduce_max(predicted, axis=-1, keepdims=True)
            told = math.logical_and(predicted >= best, math.abs(predicted) > 1e-9)
        else:
            told = predicted > self.threshold
        said: Any = cast(told, self.dtype)
        weights = self._weights(sample_weight)
        counts = {
            "true_positives": said * labels,
            "false_positives": said * (1.0 - labels),
            "false_negatives": (1.0 - said) * labels,
            "intermediate_weights": labels,
        }
        axis = None if micro else 0
        self._add(**{n: math.reduce_sum(v * weights, axis=axis) for n, v in counts.items()})

    def result(self) -> Any:
        """The score since the last reset."""
        found, wrong, missed, there = map(self._value, self.kept)
        tiny = backend.epsilon()
        precision, recall = found / (found + wrong + tiny), found / (found + missed + tiny)
        square = self.beta**2
        score = precision * recall * (1.0 + square) / (precision * square + recall + tiny)
        if self.average == "weighted":
            return math.reduce_sum(score * there / (math.reduce_sum(there) + tiny))
        return math.reduce_mean(score) if self.average is not None else score

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same metric again."""
        own = {"average": self.average, "beta": self.beta, "threshold": self.threshold}
        return {**super().get_config(), **own}


class F1Score(FBetaScore):
    """Precision and recall in one number, with equal weight."""

    def __init__(
        self, average: str | None = None, threshold: float | None = None, name: str = "f1_score",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(average, 1.0, threshold, name, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same metric again."""
        config = super().get_config()
        del config["beta"]
        return config


class R2Score(_ByColumn):
    """Which share of the spread of the labels the predictions explain."""

    kept = ("squared_sum", "sum", "total_mse", "count")

    def __init__(
        self, class_aggregation: str | None = "uniform_average", num_regressors: int = 0,
        name: str = "r2_score", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype)
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
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.num_samples = 0

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Take a batch of labels and predictions in, output by output."""
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
        self._add(**{n: math.reduce_sum(v * weights, axis=0) for n, v in parts.items()})
        self.num_samples += labels.shape[0]

    def reset_state(self) -> None:
        """Forget all batches."""
        super().reset_state()
        self.num_samples = 0

    def result(self) -> Any:
        """The score since the last reset."""
        squares, total, errors, count = map(self._value, self.kept)
        spread = squares - total * math.divide_no_nan(total, count)
        share: Any = math.divide_no_nan(errors, spread)
        scores: Any = where(math.equal(spread, 0.0), 0.0, 1.0 - share)
        if self.class_aggregation == "uniform_average":
            scores = math.reduce_mean(scores)
        elif self.class_aggregation is not None:
            scores = math.reduce_sum(scores * spread) / math.reduce_sum(spread)
        if not self.num_regressors:
            return scores
        freedom = self.num_samples - self.num_regressors - 1
        return 1.0 - (1.0 - scores) * (self.num_samples - 1.0) / freedom if freedom > 0 else scores

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same metric again."""
        own = {"class_aggregation": self.class_aggregation, "num_regressors": self.num_regressors}
        return {**super().get_config(), **own}
