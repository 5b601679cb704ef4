"""Scores as probabilities, and losses: how surprised a model is by what is right."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapelab.array_ops.value_ops import where
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import spoken
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.ops import activation, losses, powers, reduce_ops
from tapelab.ops.broadcasting import broadcast_to
from tapelab.ops.casts import cast
from tapelab.ops.integer_arguments import number
from tapelab.ops.public import matched, strict_operand, tensor
from tapelab.ops.selection import zeros_like
from tapelab.ops.shapes import reshape, transpose


@public
def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Scores as probabilities: all positive, and 1 in total along the axis."""
    x, along = _scores(logits, axis)
    probabilities: Tensor = losses.softmax(x, axis=along)
    return probabilities


@public
def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The logarithms of the softmax, safe where the probabilities are too small to write down."""
    x, along = _scores(logits, axis)
    logarithms: Tensor = losses.log_softmax(x, axis=along)
    return logarithms


def _scores(logits: Any, axis: Any) -> tuple[Tensor, int]:
    x, along = tensor(logits), -1 if axis is None else number(axis, "Softmax")
    rank = x._array.ndim
    if not -rank <= along < rank:
        raise InvalidArgumentError(
            None, "Softmax", f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the "
            f"number of dimensions in the input. Received: dim={along}",
        )  # fmt: skip
    return x, along


@public
def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """How surprised rows of scores are by rows of probabilities: one number for each row."""
    y = tensor(logits)
    _require_floats("SoftmaxCrossEntropyWithLogits", y)
    x = tensor(labels)
    x = x if x.dtype is y.dtype else cast(x, dtype=np.dtype(y.dtype.as_numpy_dtype))
    if axis != -1:
        if y.ndim == 0:
            raise invalid_argument(
                "SoftmaxCrossEntropyWithLogits",
                "logits must have an axis of classes, got a scalar. Try logits[tf.newaxis]",
            )
        order = (*(at for at in range(y.ndim) if at != axis % y.ndim), axis % y.ndim)
        x, y = transpose(x, perm=order), transpose(y, perm=order)
    loss: Tensor = losses.softmax_cross_entropy(_for_every_row(x, y), y)
    return loss


def _for_every_row(x: Tensor, y: Tensor) -> Tensor:
    """The labels in the shape of the scores, where one row or one column of them counts for all."""
    labels, (*lead, width) = x._array.shape, y._array.shape or (1,)
    count = math.prod(labels[:-1])
    fits = labels and count in {1, math.prod(lead)} and labels[-1] in {1, width}
    if labels == (*lead, width) or not fits:
        return x
    begun = lead if count == math.prod(lead) else [1] * len(lead)
    rows = reshape(x, shape=(*begun, labels[-1]))
    repeated: Tensor = broadcast_to(rows, shape=(*lead, width))
    return repeated


@public
def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """How surprised rows of scores are by the right classes, given by number."""
    x, y = tensor(labels), tensor(logits)
    if not y._array.ndim:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    if x._array.ndim != y._array.ndim - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape="
            f"{x.shape} of rank {x.ndim} and logits.shape={y.shape} of rank {y.ndim}. "
            "For rows of probabilities try tf.nn.softmax_cross_entropy_with_logits"
        )
    if x._array.shape != y._array.shape[:-1]:
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={x.shape} and logits.shape={y.shape}"
        )
    if not x.dtype.is_integer:
        raise invalid_argument(
            "SparseSoftmaxCrossEntropyWithLogits", f"Value for attr 'Tlabels' of {x.dtype.name} is "
            "not in the list of allowed values: int32, int64. For rows of probabilities try "
            "tf.nn.softmax_cross_entropy_with_logits",
        )  # fmt: skip
    _require_floats("SparseSoftmaxCrossEntropyWithLogits", y)
    loss: Tensor = losses.sparse_softmax_cross_entropy(x, y)
    return loss


def _require_floats(raw: str, logits: Tensor) -> None:
    if not logits.dtype.is_floating:
        raise invalid_argument(
            raw, f"Value for attr 'T' of {spoken(logits._array.dtype)} is not in the list of "
            "allowed values: half, float, double. Scores are floats; try tf.cast(x, tf.float32)",
        )  # fmt: skip


@public(elementwise=True)
def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """How surprised each score is by its label between 0 and 1."""
    y = tensor(logits)
    x = tensor(labels)
    _require_same_shape(x, y)
    loss: Tensor = losses.sigmoid_cross_entropy(x, y)
    return loss


def _require_same_shape(labels: Tensor, logits: Tensor) -> None:
    if labels.shape != logits.shape:
        raise ValueError(
            "`logits` and `labels` must have the same shape, received "
            f"({logits.shape} vs {labels.shape})."
        )


@public(group=True)
def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Any:
    """The sigmoid cross entropy with more weight on the positive labels."""
    x: Any = tensor(labels)
    y: Any = tensor(logits)
    _require_same_shape(x, y)
    weight: Any = matched(pos_weight, x)[0]
    more = (weight - 1.0) * x + 1.0
    return (1.0 - x) * y + more * activation.softplus(-y)


@public(elementwise=True, group=True)
def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Any:
    """How surprised logarithms of expected counts are by the counts.

    The full loss adds Stirling's approximation of the logarithm of each count's factorial.
    """
    given: Any = tensor(log_input)
    counts: Any = strict_operand(targets, given.dtype)
    if given.shape != counts.shape:
        raise ValueError(
            "`log_input` and `targets` must have the same shape, received "
            f"({given.shape} vs {counts.shape})."
        )
    loss = powers.exp(given) - given * counts
    if not compute_full_loss:
        return loss
    whole_circles = powers.log(counts * (2.0 * np.pi)) * 0.5
    stirling = counts * powers.log(counts) - counts + whole_circles
    small = (counts >= 0.0) & (counts <= 1.0)
    return loss + where(small, zeros_like(counts), stirling)


@public(group=True)
def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Any:
    """The sum of the losses of the examples over the size of the whole batch."""
    losses_: Any = tensor(per_example_loss)
    if not losses_.ndim:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            f"Received per_example_loss={per_example_loss} with rank 0"
        )
    size = losses_._array.shape[0] if global_batch_size is None else global_batch_size
    counted: Any = tensor(size)
    if not counted.dtype.is_integer:
        raise TypeError(
            'global_batch_size must be an integer.  Expected "x" to be integer type.  '
            f"Found: tensor of dtype {counted.dtype}"
        )
    if sample_weight is not None:
        losses_ = losses_ * strict_operand(sample_weight, losses_.dtype)
    total: Any = reduce_ops.reduce_sum(losses_, axis=None, keepdims=False)
    return total / cast(counted, dtype=losses_.dtype._numpy)


@public(group=True)
def scale_regularization_loss(regularization_loss: Any) -> Any:
    """The sum of the penalties, for the one machine there is."""
    return reduce_ops.reduce_sum(tensor(regularization_loss), axis=None, keepdims=False)
