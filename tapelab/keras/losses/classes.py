"""The losses as objects, one class for each function."""

from __future__ import annotations

from typing import Any

from tapelab import math
from tapelab.keras.losses import crossentropy, regression
from tapelab.keras.losses.loss import LossFunctionWrapper

MEAN = "sum_over_batch_size"


class MeanSquaredError(LossFunctionWrapper):
    """The mean squared distance of the predictions from the labels."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "mean_squared_error", dtype: Any = None
    ) -> None:
        super().__init__(regression.mean_squared_error, reduction, name, dtype)


class MeanAbsoluteError(LossFunctionWrapper):
    """The mean distance of the predictions from the labels."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "mean_absolute_error", dtype: Any = None
    ) -> None:
        super().__init__(regression.mean_absolute_error, reduction, name, dtype)


class MeanAbsolutePercentageError(LossFunctionWrapper):
    """The mean distance of the predictions from the labels, in percent of the labels."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "mean_absolute_percentage_error",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(regression.mean_absolute_percentage_error, reduction, name, dtype)


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """The mean squared distance between the logarithms."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "mean_squared_logarithmic_error",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(regression.mean_squared_logarithmic_error, reduction, name, dtype)


class CosineSimilarity(LossFunctionWrapper):
    """Minus the cosine of the angle between predictions and labels."""

    def __init__(
        self, axis: int = -1, reduction: str | None = MEAN, name: str = "cosine_similarity",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(regression.cosine_similarity, reduction, name, dtype, axis=axis)


class Huber(LossFunctionWrapper):
    """Half the squared distance up to delta, and a straight line beyond it."""

    def __init__(
        self, delta: float = 1.0, reduction: str | None = MEAN, name: str = "huber_loss",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(regression.huber, reduction, name, dtype, delta=delta)


class LogCosh(LossFunctionWrapper):
    """The logarithm of cosh of the distance."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "log_cosh", dtype: Any = None
    ) -> None:
        super().__init__(regression.log_cosh, reduction, name, dtype)


class Hinge(LossFunctionWrapper):
    """How far each score is from 1 on the side of its label."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "hinge", dtype: Any = None
    ) -> None:
        super().__init__(regression.hinge, reduction, name, dtype)


class SquaredHinge(LossFunctionWrapper):
    """The square of the hinge loss."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "squared_hinge", dtype: Any = None
    ) -> None:
        super().__init__(regression.squared_hinge, reduction, name, dtype)


class CategoricalHinge(LossFunctionWrapper):
    """How far the right class is from leading by 1 over the best wrong one."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "categorical_hinge", dtype: Any = None
    ) -> None:
        super().__init__(regression.categorical_hinge, reduction, name, dtype)


class Poisson(LossFunctionWrapper):
    """How unlikely counts are if they come from Poisson distributions with the predicted means."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "poisson", dtype: Any = None
    ) -> None:
        super().__init__(regression.poisson, reduction, name, dtype)


class KLDivergence(LossFunctionWrapper):
    """How much is lost where the predicted distribution stands for that of the labels."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "kl_divergence", dtype: Any = None
    ) -> None:
        super().__init__(crossentropy.kl_divergence, reduction, name, dtype)


class _WithSettings(LossFunctionWrapper):
    """A loss that tells the settings of its function in its config."""

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same loss again."""
        return {**super().get_config(), **self._fn_kwargs}


class BinaryCrossentropy(_WithSettings):
    """How surprised probabilities are by labels of 0 and 1."""

    def __init__(
        self, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1,
        reduction: str | None = MEAN, name: str = "binary_crossentropy", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            crossentropy.binary_crossentropy, reduction, name, dtype,
            from_logits=from_logits, label_smoothing=label_smoothing, axis=axis,
        )  # fmt: skip
        self.from_logits, self.label_smoothing, self.axis = from_logits, label_smoothing, axis


class BinaryFocalCrossentropy(_WithSettings):
    """The binary cross entropy with less weight on what is predicted well already."""

    def __init__(
        self, apply_class_balancing: bool = False, alpha: float = 0.25, gamma: float = 2.0,
        from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1,
        reduction: str | None = MEAN, name: str = "binary_focal_crossentropy", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            crossentropy.binary_focal_crossentropy, reduction, name, dtype,
            from_logits=from_logits, label_smoothing=label_smoothing, axis=axis,
            apply_class_balancing=apply_class_balancing, alpha=alpha, gamma=gamma,
        )  # fmt: skip


class CategoricalCrossentropy(_WithSettings):
    """How surprised rows of probabilities are by one-hot labels."""

    def __init__(
        self, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1,
        reduction: str | None = MEAN, name: str = "categorical_crossentropy", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            crossentropy.categorical_crossentropy, reduction, name, dtype,
            from_logits=from_logits, label_smoothing=label_smoothing, axis=axis,
        )  # fmt: skip
        self.from_logits, self.label_smoothing, self.axis = from_logits, label_smoothing, axis


class CategoricalFocalCrossentropy(_WithSettings):
    """The categorical cross entropy with less weight on what is predicted well already."""

    def __init__(
        self, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False,
        label_smoothing: float = 0.0, axis: int = -1, reduction: str | None = MEAN,
        name: str = "categorical_focal_crossentropy", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            crossentropy.categorical_focal_crossentropy, reduction, name, dtype,
            from_logits=from_logits, label_smoothing=label_smoothing, axis=axis, alpha=alpha,
            gamma=gamma,
        )  # fmt: skip


class Dice(_WithSettings):
    """One minus twice the overlap of two regions, as a share of both."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "dice", axis: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(regression.dice, reduction, name, dtype, axis=axis)


class Tversky(_WithSettings):
    """As Dice, with a weight of its own for what is found wrongly and for what is missed."""

    def __init__(
        self, alpha: float = 0.5, beta: float = 0.5, reduction: str | None = MEAN,
        name: str = "tversky", axis: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            regression.tversky, reduction, name, dtype, alpha=alpha, beta=beta, axis=axis
        )


class SparseCategoricalCrossentropy(_WithSettings):
    """How surprised rows of probabilities are by the right classes, given by number."""

    def __init__(
        self, from_logits: bool = False, ignore_class: int | None = None,
        reduction: str | None = MEAN, axis: int = -1,
        name: str = "sparse_categorical_crossentropy", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            crossentropy.sparse_categorical_crossentropy, reduction, name, dtype,
            from_logits=from_logits, ignore_class=ignore_class,
        )  # fmt: skip
        self.from_logits, self.ignore_class = from_logits, ignore_class

    def _mask(self, y_true: Any, y_pred: Any) -> Any:
        from_layers = super()._mask(y_true, y_pred)
        of_classes = crossentropy.class_mask(y_true, self.ignore_class)
        if from_layers is None or of_classes is None:
            return of_classes if from_layers is None else from_layers
        return math.logical_and(from_layers, of_classes)
