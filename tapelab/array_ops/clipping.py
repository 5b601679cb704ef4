"""Keeping tensors short: each by its own norm, or a whole list of gradients by their joint norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.tensor import Tensor
from tapelab.ops.casting import cast
from tapelab.ops.comparison import greater, is_finite
from tapelab.ops.losses import l2_loss
from tapelab.ops.powers import sqrt
from tapelab.ops.public import axes_of, strict_operand, tensor
from tapelab.ops.reduction import reduce_sum
from tapelab.ops.selection import maximum, minimum, ones_like, select, zeros_like
from tapelab.ops.stacking import stack


@public(group=True)
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """The tensor itself, or made as long as the limit where it is longer."""
    if isinstance(t, IndexedSlices):
        return IndexedSlices(clip_by_norm(t.values, clip_norm, axes), t.indices, t.dense_shape)
    x: Any = tensor(t)
    total = reduce_sum(x * x, axis=axes_of(x, axes, "Sum"), keepdims=True)
    positive = greater(total, zeros_like(total))
    # The root is taken of 1 where the tensor is 0, so that its slope there is no NaN.
    length = select(positive, sqrt(select(positive, total, ones_like(total))), total)
    given = strict_operand(clip_norm, x.dtype)
    limit = maximum(given, zeros_like(given))
    limit = limit if limit.dtype is x.dtype else cast(limit, dtype=x.dtype._numpy)
    return x * limit / maximum(length, limit)


@public(group=True)
def global_norm(t_list: Any, name: str | None = None) -> Any:
    """The norm of all the entries of a list of tensors together; `None` in the list counts 0."""
    halves = [l2_loss(_entries(x)) for x in _dense(t_list) if x is not None]
    return sqrt(reduce_sum(stack(*halves)) * 2.0) if halves else tensor(0.0)


@public(group=True)
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """The tensors, all made shorter by one factor if their joint norm is above the limit.

    Returns the tensors and the joint norm; all are NaN where the norm is not finite.
    """
    tensors = _dense(t_list)
    length: Any = tensor(global_norm(tensors) if use_norm is None else use_norm)
    limit: Any = strict_operand(clip_norm, length.dtype)
    one = ones_like(length)
    factor = limit * minimum(one / length, one / limit)
    factor = select(is_finite(length), factor, one * np.nan)
    return [None if x is None else _scaled(x, factor) for x in tensors], length


def _dense(t_list: Any) -> list[Any]:
    if isinstance(t_list, (str, Tensor)) or not isinstance(t_list, Sequence):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    kept = (IndexedSlices, type(None))
    return [each if isinstance(each, kept) else tensor(each) for each in t_list]


def _entries(x: Any) -> Any:
    """The rows of IndexedSlices as they are, also where two have one number; else the tensor."""
    return x.values if isinstance(x, IndexedSlices) else x


def _scaled(x: Any, factor: Any) -> Any:
    if isinstance(x, IndexedSlices):
        return IndexedSlices(x.values * factor, x.indices, x.dense_shape)
    return x * factor
