"""How often yes and no are said rightly and wrongly, at one threshold or at many."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab import math
from tapelab.array_ops.creation import eye, fill, one_hot, ones_like
from tapelab.array_ops.shape_ops import broadcast_to, expand_dims, reshape
from tapelab.array_ops.sort_ops import top_k as top_k_of
from tapelab.array_ops.value_ops import cast, where
from tapelab.keras import backend
from tapelab.keras.losses.reduction import same_rank
from tapelab.keras.metrics.metric import Metric
from tapelab.linalg import matmul

COUNTS: Final = {
    "true_positives": (True, True),
    "false_positives": (False, True),
    "true_negatives": (False, False),
    "false_negatives": (True, False),
}
"""Each count by what the label says and what is predicted."""


def counts(
    y_true: Any, y_pred: Any, thresholds: Any, sample_weight: Any, dtype: str
) -> dict[str, Any]:
    """The four counts at each threshold."""
    predicted: Any = backend.convert_to_tensor(y_pred, dtype)
    labels: Any = backend.convert_to_tensor(y_true, dtype)
    labels, predicted = same_rank(labels, predicted)
    weight: Any = ones_like(predicted)
    if sample_weight is not None:
        given, _ = same_rank(backend.convert_to_tensor(sample_weight, dtype), predicted)
        while given.ndim < predicted.ndim:
            given = expand_dims(given, -1)
        weight = broadcast_to(given, predicted.shape)
    yes = reshape(cast(labels, "bool"), [1, -1])
    limits = backend.convert_to_tensor(np.asarray(thresholds, dtype))
    said = math.greater(reshape(predicted, [1, -1]), expand_dims(limits, -1))
    weights = reshape(weight, [1, -1])
    return {
        name: math.reduce_sum(_both(yes, true, said, positive, dtype) * weights, axis=1)
        for name, (true, positive) in COUNTS.items()
    }


def _both(yes: Any, true: bool, said: Any, positive: bool, dtype: str) -> Any:
    """1 where the label and the answer are as asked for, else 0."""
    return cast(math.logical_and(math.equal(yes, true), math.equal(said, positive)), dtype)


def checked_thresholds(thresholds: Any, default: float = 0.5) -> list[float]:
    """The thresholds as a list; ValueError where one is no share."""
    if thresholds is None:
        return [default]
    given = [float(each) for each in np.reshape(np.asarray(thresholds), -1)]
    outside = [each for each in given if not 0 <= each <= 1]
    if outside:
        raise ValueError(f"Threshold values must be in [0, 1]. Received: {outside}")
    return given


class Counting(Metric):
    """A metric made of some of the four counts."""

    kept: tuple[str, ...] = ()
    true_positives: Any
    false_positives: Any
    true_negatives: Any
    false_negatives: Any

    def __init__(
        self, thresholds: Any = None, top_k: int | None = None, class_id: int | None = None,
        name: str | None = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.top_k, self.class_id = top_k, class_id
        self.thresholds = checked_thresholds(thresholds, 0.5 if top_k is None else -np.inf)
        for each in self.kept:
            setattr(self, each, self.add_variable((len(self.thresholds),), name=each))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count the right and wrong answers of a batch."""
        predicted, labels = backend.convert_to_tensor(y_pred), backend.convert_to_tensor(y_true)
        labels, predicted = _selected(labels, predicted, self.top_k, self.class_id)
        found = counts(labels, predicted, self.thresholds, sample_weight, self.dtype)
        for each in self.kept:
            variable = getattr(self, each)
            variable.assign(variable + found[each])

    def _one_or_all(self, values: Any) -> Any:
        return values[0] if len(self.thresholds) == 1 else values

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same metric again."""
        return {
            **super().get_config(),
            "thresholds": self.init_thresholds,
            "top_k": self.top_k,
            "class_id": self.class_id,
        }


def _selected(labels: Any, predicted: Any, top_k: int | None, class_id: int | None) -> Any:
    """What counts: the k largest predictions of each row, and one class if asked."""
    if top_k is not None:
        largest: Any = top_k_of(predicted, top_k)[0]
        least = largest[..., -1:]
        never = fill(predicted.shape, -np.inf)
        predicted = where(math.greater_equal(predicted, least), predicted, never)
    if class_id is not None:
        return labels[..., class_id], predicted[..., class_id]
    return labels, predicted


class Precision(Counting):
    """Which share of the positive answers is right."""

    kept = ("true_positives", "false_positives")

    def result(self) -> Any:
        """The share since the last reset."""
        said = self.true_positives + self.false_positives
        return self._one_or_all(math.divide_no_nan(self.true_positives, said))


class Recall(Counting):
    """Which share of the positive labels is found."""

    kept = ("true_positives", "false_negatives")

    def result(self) -> Any:
        """The share since the last reset."""
        there = self.true_positives + self.false_negatives
        return self._one_or_all(math.divide_no_nan(self.true_positives, there))


class _OneCount(Counting):
    """One of the four counts."""

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(thresholds, name=name, dtype=dtype)

    def result(self) -> Any:
        """The count since the last reset."""
        return self._one_or_all(backend.convert_to_tensor(getattr(self, self.kept[0])))

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same metric again."""
        return {"name": self.name, "dtype": self.dtype, "thresholds": self.init_thresholds}


class TruePositives(_OneCount):
    """How many positive labels were found."""

    kept = ("true_positives",)


class FalsePositives(_OneCount):
    """How many positive answers were wrong."""

    kept = ("false_positives",)


class TrueNegatives(_OneCount):
    """How many negative labels were seen as such."""

    kept = ("true_negatives",)


class FalseNegatives(_OneCount):
    """How many positive labels were missed."""

    kept = ("false_negatives",)


class MeanIoU(Metric):
    """How much predicted and true regions overlap, as a share of both: the mean over classes."""

    def __init__(self, num_classes: int, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name or "mean_io_u", dtype=dtype)
        self.num_classes = num_classes
        self.total_cm = self.add_variable(
            (num_classes, num_classes), dtype="int64", name="total_confusion_matrix"
        )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Take a batch of class numbers into the table of labels against predictions."""
        count = self.num_classes
        rows, columns = (
            one_hot(reshape(cast(backend.convert_to_tensor(each), "int64"), [-1]), count)
            for each in (y_true, y_pred)
        )
        if sample_weight is not None:
            weights = reshape(backend.convert_to_tensor(sample_weight, "float32"), [-1, 1])
            columns = math.multiply(columns, weights)
        table = matmul(rows, columns, transpose_a=True)
        self.total_cm.assign(self.total_cm + cast(table, "int64"))

    def result(self) -> Any:
        """The mean over the classes that occur."""
        table: Any = backend.convert_to_tensor(self.total_cm, self.dtype)
        shared = math.reduce_sum(table * eye(self.num_classes, dtype=self.dtype), axis=0)
        both = math.reduce_sum(table, axis=0) + math.reduce_sum(table, axis=1) - shared
        present = math.reduce_sum(cast(math.greater(both, 0.0), self.dtype))
        shares = math.reduce_sum(math.divide_no_nan(shared, both))
        return math.divide_no_nan(shares, present)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same metric again."""
        return {"num_classes": self.num_classes, **super().get_config()}
