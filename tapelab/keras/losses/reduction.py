"""From one loss for each sample to one number: weights, masks, sums and means."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab import math
from tapelab.array_ops.shape_ops import expand_dims, squeeze
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.keras.backend import convert_to_tensor
from tapelab.ops.casting import cast

REDUCTIONS: Final = (
    "sum", "sum_over_batch_size", "mean", "mean_with_sample_weight", "none", None,
)  # fmt: skip
MEANS: Final = ("sum_over_batch_size", "mean", "mean_with_sample_weight")


@public
def check_reduction(reduction: Any) -> None:
    """ValueError unless it is the name of a reduction."""
    if reduction not in REDUCTIONS:
        raise ValueError(
            "Invalid value for argument `reduction`. Expected one of "
            f"{{{', '.join(map(repr, REDUCTIONS))}}}. Received: reduction={reduction}"
        )


@public
def same_rank(one: Tensor, other: Tensor, *, expand_rank_1: bool = True) -> tuple[Any, Any]:
    """Two tensors of one rank where a last axis of length 1 is all that keeps them apart."""
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
    """The losses of the samples, weighted, as the one number that the reduction asks for."""
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
    """The weights with zeros where a mask leaves samples out; a mean divides by what is left."""
    if mask is None:
        return sample_weight
    kept: Any = cast(mask, dtype=np.dtype(dtype))
    if reduction in {"mean", "sum_over_batch_size"}:
        count = float(np.prod(kept.shape.as_list()))
        valid: Any = math.reduce_sum(kept)
        kept = kept * math.divide_no_nan(count, valid)
    if sample_weight is None:
        return kept
    weights, kept = same_rank(convert_to_tensor(sample_weight, dtype), kept)
    return weights * kept
