"""Metrics at the best threshold: one share of the confusion matrix where another is high enough."""

from __future__ import annotations

from typing import Any

from tapelab import math
from tapelab.array_ops.value_ops import where
from tapelab.keras import backend
from tapelab.keras.class_settings import setting
from tapelab.keras.metrics.confusion_metrics import COUNTS, counts
from tapelab.keras.metrics.metric import BuiltInMetric

Parts = tuple[str, str]
"""Two of the four counts; their share is the first of both."""
SENSITIVITY: Parts = ("true_positives", "false_negatives")
SPECIFICITY: Parts = ("true_negatives", "false_positives")
PRECISION: Parts = ("true_positives", "false_positives")


class _BestShare(BuiltInMetric):
    """The largest share over all thresholds at which another is at least a bound."""

    bound = "value"
    num_thresholds: int = setting(200, before="name")
    class_id: int | None = setting(None, before="name")
    wanted: Parts = SENSITIVITY
    bounded: Parts = SPECIFICITY

    def __post_init__(self) -> None:
        limit = getattr(self, self.bound)
        if not 0 <= limit <= 1:
            raise ValueError(
                f"Argument `{self.bound}` must be in the range [0, 1]. "
                f"Received: {self.bound}={limit}"
            )
        if self.num_thresholds <= 0:
            raise ValueError(
                "Argument `num_thresholds` must be an integer > 0. "
                f"Received: num_thresholds={self.num_thresholds}"
            )
        count = self.num_thresholds
        inner = [(at + 1) / (count - 1) for at in range(count - 2)]
        self.thresholds = [0.5] if count == 1 else [0.0, *inner, 1.0]
        self._add_variables(COUNTS, (len(self.thresholds),))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the counts of a batch at each threshold."""
        labels: Any
        predicted: Any
        labels, predicted = (backend.convert_to_tensor(x, self.dtype) for x in (y_true, y_pred))
        if self.class_id is not None:
            labels, predicted = labels[..., self.class_id], predicted[..., self.class_id]
        self._accumulate(**counts(labels, predicted, self.thresholds, sample_weight, self.dtype))

    def result(self) -> Any:
        """Return the largest share since the last reset; 0 where the bound is not reached."""
        wanted, bounded = (
            math.divide_no_nan(getattr(self, a) + 0.0, getattr(self, a) + getattr(self, b))
            for a, b in (self.wanted, self.bounded)
        )
        reached = bounded >= getattr(self, self.bound)
        return math.reduce_max(where(reached, wanted, 0.0))


class SensitivityAtSpecificity(_BestShare):
    """The best sensitivity where the specificity is high enough."""

    bound = "specificity"
    specificity: float = setting(before="num_thresholds")


class SpecificityAtSensitivity(_BestShare):
    """The best specificity where the sensitivity is high enough."""

    bound = "sensitivity"
    sensitivity: float = setting(before="num_thresholds")
    wanted, bounded = SPECIFICITY, SENSITIVITY


class PrecisionAtRecall(_BestShare):
    """The best precision where the recall is high enough."""

    bound = "recall"
    recall: float = setting(before="num_thresholds")
    wanted, bounded = PRECISION, SENSITIVITY


class RecallAtPrecision(_BestShare):
    """The best recall where the precision is high enough."""

    bound = "precision"
    precision: float = setting(before="num_thresholds")
    wanted, bounded = SENSITIVITY, PRECISION
