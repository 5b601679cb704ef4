"""The base of all losses: from one loss per sample to one number, with weights and masks.

A loss computes a value per sample. `reduced` multiplies the values by the sample weights, leaves
out what a mask hides, and sums or averages, as `reduction` says. Metrics use the same weights and
masks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from types import MappingProxyType, new_class
from typing import Any, Final, TypeVar

import numpy as np

from tapelab import math
from tapelab.array_ops.shape_ops import expand_dims, squeeze
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype
from tapelab.keras import backend
from tapelab.keras.backend import convert_to_tensor
from tapelab.keras.class_settings import Configured, Setting, SettingGroup
from tapelab.keras.masks import masks_of
from tapelab.keras.name_scopes import automatic_name
from tapelab.ops.casts import cast

Base = TypeVar("Base")
MEANS: Final = ("sum_over_batch_size", "mean", "mean_with_sample_weight")
REDUCTIONS: Final = ("sum", *MEANS, "none", None)


@public
def check_reduction(reduction: Any) -> None:
    """Raise ValueError unless it is the name of a reduction."""
    if reduction not in REDUCTIONS:
        raise ValueError(
            "Invalid value for argument `reduction`. Expected one of "
            f"{{{', '.join(map(repr, REDUCTIONS))}}}. Received: reduction={reduction}"
        )


@public
def same_rank(one: Tensor, other: Tensor, *, expand_rank_1: bool = True) -> tuple[Any, Any]:
    """Return two tensors with equal ranks where they differ by a last axis of size 1."""
    if one.ndim == other.ndim + 1 and one.shape[-1] == 1:
        if other.ndim == 1 and expand_rank_1:
            return one, expand_dims(other, -1)
        return squeeze(one, -1), other
    if other.ndim == one.ndim + 1 and other.shape[-1] == 1:
        if one.ndim == 1 and expand_rank_1:
            return expand_dims(one, -1), other
        return one, squeeze(other, -1)
    return one, other


@public
def reduced(
    values: Tensor, sample_weight: Any, reduction: str | None, dtype: Any, mask: Any = None
) -> Any:
    """Return the weighted losses of the samples, reduced to a scalar unless `reduction` is none."""
    losses: Any = convert_to_tensor(values, dtype)
    weights = masked(sample_weight, mask, dtype, reduction)
    if weights is not None:
        losses, weights = same_rank(losses, convert_to_tensor(weights, dtype))
        losses = losses * weights
    if reduction in {None, "none"} or losses.ndim == 0 or 0 in losses.shape.as_list():
        return losses
    total: Any = math.reduce_sum(losses)
    if reduction not in MEANS:
        return total
    if reduction == "mean_with_sample_weight" and weights is not None:
        return math.divide_no_nan(total, math.reduce_sum(weights))
    return total / convert_to_tensor(float(np.prod(losses.shape.as_list())), losses.dtype)


@public
def masked(sample_weight: Any, mask: Any, dtype: Any, reduction: str | None) -> Any:
    """Return the weights with 0 where the mask is false, scaled so that a mean counts the rest."""
    if mask is None:
        return sample_weight
    kept: Any = cast(mask, dtype=np.dtype(dtype))
    if reduction in {"mean", "sum_over_batch_size"}:
        count = float(np.prod(kept.shape.as_list()))
        kept = kept * math.divide_no_nan(count, math.reduce_sum(kept))
    if sample_weight is None:
        return kept
    weights, kept = same_rank(convert_to_tensor(sample_weight, dtype), kept)
    return weights * kept


def both_masks(one: Any, other: Any) -> Any:
    """Return where two masks are true; a mask that is None is true everywhere."""
    if one is None or other is None:
        return other if one is None else one
    return math.logical_and(one, other)


def pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return labels and predictions as tensors of the predictions' dtype and of equal rank."""
    predicted: Tensor = convert_to_tensor(y_pred)
    if not predicted.dtype.is_floating:
        predicted = convert_to_tensor(predicted, as_dtype(backend.floatx()))
    return same_rank(convert_to_tensor(y_true, predicted.dtype), predicted)


class Loss(Configured):
    """A loss. A subclass writes `call(y_true, y_pred)`, which returns one loss per sample."""

    def __init__(
        self, name: str | None = None, reduction: str | None = "sum_over_batch_size",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        check_reduction(reduction)
        self.name = name or automatic_name(type(self))
        self.reduction = reduction
        self.dtype = str(getattr(dtype, "name", dtype) or backend.floatx())

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Return the loss of a batch; `sample_weight` holds a factor per sample."""
        predicted = convert_to_tensor(y_pred, self.dtype)
        labels = convert_to_tensor(y_true, self.dtype)
        losses = self.call(labels, predicted)
        mask = both_masks(self._mask(labels, y_pred), masks_of(losses))
        return reduced(losses, sample_weight, self.reduction, self.dtype, mask)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Return the loss of each sample."""
        raise NotImplementedError

    def _mask(self, y_true: Any, y_pred: Any) -> Any:
        """The samples that count, as the layers before say; None if all do."""
        return masks_of(y_pred)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal loss."""
        return {"name": self.name, "reduction": self.reduction, **super().get_config()}


class LossFunctionWrapper(Loss):
    """A loss that computes a function of labels and predictions."""

    fn: Callable[..., Any]

    def __init__(
        self, fn: Callable[..., Any], reduction: str | None = "sum_over_batch_size",
        name: str | None = None, dtype: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Return the loss of each sample."""
        labels, predicted = same_rank(y_true, y_pred)
        return self.fn(labels, predicted, **self._fn_kwargs)

    def __repr__(self) -> str:
        return f"<LossFunctionWrapper({self.fn}, kwargs={self._fn_kwargs})>"


def class_of_function(
    base: type[Base], name: str, function: Callable[..., Any], *, module: str,
    title: str | None = None, in_config: bool = True,
    before: Mapping[str, str] = MappingProxyType({}), lead: str = "",
) -> type[Base]:  # fmt: skip
    """Return the loss or metric class of a function of labels and predictions.

    Its settings are the function's other arguments, each before the setting that `before` names
    for it; `title` is the default name of its objects, instead of the function's name. Its
    docstring is the function's without the word "Return", after `lead`.
    """
    arguments = list(signature(function).parameters.values())[2:]
    settings = SettingGroup(
        {each.name: Setting(each.default, None, before.get(each.name), in_config, each.annotation)
         for each in arguments}
    )  # fmt: skip
    summary = lead + (function.__doc__ or "").removeprefix("Return ")
    body = {
        "arguments": settings, "__module__": module, "__doc__": summary[:1].upper() + summary[1:],
    }  # fmt: skip
    keywords = {"function": function, "name": title}
    created: Any = new_class(name, (base,), keywords, lambda namespace: namespace.update(body))
    kind: type[Base] = created
    return kind
