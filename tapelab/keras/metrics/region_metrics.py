"""Metrics of regions: intersection over union, from a confusion matrix of class numbers."""

from __future__ import annotations

from typing import Any

from tapelab import math
from tapelab.array_ops.creation import one_hot, ones_like
from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.shape_ops import broadcast_to, reshape
from tapelab.array_ops.value_ops import cast, where
from tapelab.keras import backend
from tapelab.keras.class_settings import setting
from tapelab.keras.metrics.metric import BuiltInMetric
from tapelab.linalg import diag_part, matmul

_LEAST_AREA = 1e-9


class IoU(BuiltInMetric):
    """The mean of intersection over union of some classes, from a confusion matrix."""

    num_classes: int = setting(before="name")
    target_class_ids: Any = setting(before="name")
    ignore_class: int | None = setting(None)
    sparse_y_true: bool = setting(True)
    sparse_y_pred: bool = setting(True)
    axis: int = setting(-1)

    def _begin(self, arguments: dict[str, Any]) -> None:
        arguments["dtype"] = arguments["dtype"] or "int64"
        super()._begin(arguments)

    def __post_init__(self) -> None:
        if max(self.target_class_ids) >= self.num_classes:
            raise ValueError(
                f"Target class id {max(self.target_class_ids)} is out of range, which is "
                f"[{0}, {self.num_classes})."
            )
        self.target_class_ids = list(self.target_class_ids)
        shape = (self.num_classes, self.num_classes)
        self.total_cm = self.add_variable(shape, name="total_confusion_matrix")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add a batch of labels and predictions to the confusion matrix."""
        labels, predicted = backend.convert_to_tensor(y_true), backend.convert_to_tensor(y_pred)
        if not self.sparse_y_true:
            labels = math.argmax(labels, axis=self.axis)
        if not self.sparse_y_pred:
            predicted = math.argmax(predicted, axis=self.axis)
        labels, predicted = (reshape(cast(x, "int64"), [-1]) for x in (labels, predicted))
        inside: Any = math.logical_and(self._is_class(labels), self._is_class(predicted))
        if self.ignore_class is not None:
            inside = math.logical_and(inside, math.not_equal(labels, self.ignore_class))
        weights: Any = ones_like(labels, self.dtype)
        if sample_weight is not None:
            given = backend.convert_to_tensor(sample_weight, self.dtype)
            weights = broadcast_to(reshape(given, [-1]) if given.ndim else given, labels.shape)
        weights = weights * cast(inside, self.dtype)
        rows, columns = (
            one_hot(where(inside, x, 0), self.num_classes, dtype=self.dtype)
            for x in (labels, predicted)
        )
        table: Any = matmul(
            rows, math.multiply(columns, reshape(weights, [-1, 1])), transpose_a=True
        )
        self.total_cm.assign(self.total_cm + table)

    def _is_class(self, numbers: Any) -> Any:
        return math.logical_and(numbers >= 0, numbers < self.num_classes)

    def result(self) -> Any:
        """Return the mean over those of the classes that occur."""
        table: Any = backend.convert_to_tensor(self.total_cm, self.dtype)
        shared: Any = diag_part(table)
        both: Any = math.reduce_sum(table, axis=0) + math.reduce_sum(table, axis=1) - shared
        shared, both = (cast(gather(x, self.target_class_ids), "float32") for x in (shared, both))
        present: Any = cast(both > _LEAST_AREA, "float32")
        shares: Any = present * shared / (both + backend.epsilon())
        return math.reduce_sum(shares) / (math.reduce_sum(present) + backend.epsilon())


class MeanIoU(IoU):
    """The mean over all classes of intersection over union."""

    target_class_ids: Any = None

    def _begin(self, arguments: dict[str, Any]) -> None:
        self.target_class_ids = range(arguments["num_classes"])
        super()._begin(arguments)


class OneHotIoU(IoU):
    """The mean of intersection over union of some classes, for one-hot labels."""

    ignore_class: int | None = setting(None)
    sparse_y_pred: bool = setting(False)
    sparse_y_true: bool = False


class OneHotMeanIoU(MeanIoU):
    """The mean over all classes of intersection over union, for one-hot labels."""

    ignore_class: int | None = setting(None)
    sparse_y_pred: bool = setting(False)
    sparse_y_true: bool = False


class BinaryIoU(IoU):
    """The mean of intersection over union of the classes below and above a threshold."""

    num_classes: int = 2
    ignore_class: int | None = None
    sparse_y_true: bool = True
    sparse_y_pred: bool = True
    axis: int = -1
    target_class_ids: Any = setting((0, 1), before="name")
    threshold: float = setting(0.5, before="name")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add a batch of labels and of scores."""
        scores: Any = backend.convert_to_tensor(y_pred)
        super().update_state(y_true, cast(scores >= self.threshold, "int64"), sample_weight)
