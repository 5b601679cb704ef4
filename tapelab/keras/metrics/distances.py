"""The losses as metrics: their mean over all batches."""

from __future__ import annotations

from typing import Any

from tapelab import math
from tapelab.keras import backend, losses
from tapelab.keras.losses.regression import pair
from tapelab.keras.metrics.means import Mean, MeanMetricWrapper


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """The cosine of the angle between labels and predictions: 1 where both point the same way."""
    return -losses.cosine_similarity(y_true, y_pred, axis=axis)


class MeanSquaredError(MeanMetricWrapper):
    """The mean squared distance of the predictions from the labels."""

    def __init__(self, name: str = "mean_squared_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_squared_error, name, dtype)


class RootMeanSquaredError(Mean):
    """The root of the mean squared distance of the predictions from the labels."""

    def __init__(self, name: str = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(  # type: ignore[override]  # a batch has two parts, as in TensorFlow
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Take a batch of labels and predictions into the mean."""
        labels, predicted = pair(y_true, backend.convert_to_tensor(y_pred, self.dtype))
        super().update_state(math.square(predicted - labels), sample_weight)

    def result(self) -> Any:
        """The root of the mean since the last reset."""
        return math.sqrt(super().result())


class MeanAbsoluteError(MeanMetricWrapper):
    """The mean distance of the predictions from the labels."""

    def __init__(self, name: str = "mean_absolute_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_absolute_error, name, dtype)


class MeanAbsolutePercentageError(MeanMetricWrapper):
    """The mean distance of the predictions from the labels, in percent of the labels."""

    def __init__(self, name: str = "mean_absolute_percentage_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_absolute_percentage_error, name, dtype)


class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """The mean squared distance between the logarithms."""

    def __init__(self, name: str = "mean_squared_logarithmic_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_squared_logarithmic_error, name, dtype)


class CosineSimilarity(MeanMetricWrapper):
    """The mean cosine of the angle between predictions and labels."""

    def __init__(self, name: str = "cosine_similarity", dtype: Any = None, axis: int = -1) -> None:
        super().__init__(cosine_similarity, name, dtype, axis=axis)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same metric again."""
        return {"name": self.name, "dtype": self.dtype}


class LogCoshError(MeanMetricWrapper):
    """The mean logarithm of cosh of the distance."""

    def __init__(self, name: str = "logcosh", dtype: Any = None) -> None:
        super().__init__(losses.log_cosh, name, dtype)


class Hinge(MeanMetricWrapper):
    """The mean hinge loss."""

    def __init__(self, name: str = "hinge", dtype: Any = None) -> None:
        super().__init__(losses.hinge, name, dtype)


class SquaredHinge(MeanMetricWrapper):
    """The mean squared hinge loss."""

    def __init__(self, name: str = "squared_hinge", dtype: Any = None) -> None:
        super().__init__(losses.squared_hinge, name, dtype)


class CategoricalHinge(MeanMetricWrapper):
    """The mean categorical hinge loss."""

    def __init__(self, name: str = "categorical_hinge", dtype: Any = None) -> None:
        super().__init__(losses.categorical_hinge, name, dtype)


class Poisson(MeanMetricWrapper):
    """The mean Poisson loss."""

    def __init__(self, name: str = "poisson", dtype: Any = None) -> None:
        super().__init__(losses.poisson, name, dtype)


class KLDivergence(MeanMetricWrapper):
    """The mean divergence of the predicted distributions from those of the labels."""

    def __init__(self, name: str = "kl_divergence", dtype: Any = None) -> None:
        super().__init__(losses.kl_divergence, name, dtype)


class BinaryCrossentropy(MeanMetricWrapper):
    """The mean surprise of probabilities by labels of 0 and 1."""

    def __init__(
        self, name: str = "binary_crossentropy", dtype: Any = None, from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:  # fmt: skip
        super().__init__(
            losses.binary_crossentropy, name, dtype,
            from_logits=from_logits, label_smoothing=label_smoothing,
        )  # fmt: skip


class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean surprise of rows of probabilities by one-hot labels."""

    def __init__(
        self, name: str = "categorical_crossentropy", dtype: Any = None,
        from_logits: bool = False, label_smoothing: float = 0, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(
            losses.categorical_crossentropy, name, dtype,
            from_logits=from_logits, label_smoothing=label_smoothing, axis=axis,
        )  # fmt: skip


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean surprise of rows of probabilities by classes, given by number."""

    def __init__(
        self, name: str = "sparse_categorical_crossentropy", dtype: Any = None,
        from_logits: bool = False, ignore_class: int | None = None, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(
            losses.sparse_categorical_crossentropy, name, dtype,
            from_logits=from_logits, ignore_class=ignore_class, axis=axis,
        )  # fmt: skip
