"""`tf.keras.losses.Loss`: a loss that knows how to reduce what it finds to one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab.keras import backend
from tapelab.keras.losses.reduction import check_reduction, reduced, same_rank
from tapelab.keras.masks import masks_of
from tapelab.keras.name_scopes import automatic_name


class Loss:
    """How wrong predictions are. A subclass writes `call`, which gives one loss for each sample."""

    def __init__(
        self, name: str | None = None, reduction: str | None = "sum_over_batch_size",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        check_reduction(reduction)
        self.name = name or automatic_name(type(self))
        self.reduction = reduction
        self.dtype = str(getattr(dtype, "name", dtype) or backend.floatx())

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss of a batch; a weight for each sample makes some count more."""
        predicted = backend.convert_to_tensor(y_pred, self.dtype)
        labels = backend.convert_to_tensor(y_true, self.dtype)
        losses = self.call(labels, predicted)
        mask = self._mask(labels, y_pred)
        return reduced(losses, sample_weight, self.reduction, self.dtype, mask)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each sample."""
        raise NotImplementedError

    def _mask(self, y_true: Any, y_pred: Any) -> Any:
        """Which samples count, as the layers before say; None if all do."""
        return masks_of(y_pred)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same loss again."""
        return {"name": self.name, "reduction": self.reduction}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Make a loss from its config."""
        return cls(**config)


class LossFunctionWrapper(Loss):
    """A loss made of a function of labels and predictions."""

    def __init__(
        self, fn: Callable[..., Any], reduction: str | None = "sum_over_batch_size",
        name: str | None = None, dtype: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each sample."""
        labels, predicted = same_rank(y_true, y_pred)
        return self.fn(labels, predicted, **self._fn_kwargs)

    def __repr__(self) -> str:
        return f"<LossFunctionWrapper({self.fn}, kwargs={self._fn_kwargs})>"
