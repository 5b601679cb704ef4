"""Public functions that ask whether entries are in order, or undo an order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapelab.core.cell import Holder
from tapelab.core.convert import new_constant, to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.errors import NotFoundError, invalid_argument
from tapelab.ops import comparison, sort_order
from tapelab.ops.arithmetic import negative
from tapelab.ops.integer_arguments import number, unfit_index, whole
from tapelab.ops.public import tensor
from tapelab.ops.reduce_ops import reduce_all
from tapelab.ops.shapes import reshape


class ApproxTopK(NamedTuple):
    """The largest, or smallest, entries and their places."""

    values: Tensor
    indices: Tensor


@public
def approx_max_k(
    operand: Any, k: Any, reduction_dimension: int = -1, recall_target: float = 0.95,
    reduction_input_size_override: int = -1, aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:  # fmt: skip
    """The k largest entries of each row and their places, found exactly."""
    x = tensor(operand)
    if reduction_dimension not in (-1, x.ndim - 1):
        raise NotFoundError(
            None, "ApproxTopK", "Could not find device for node: {{node ApproxTopK}}: it looks "
            "along the last axis only. Try tf.transpose, or tf.argsort",
        )  # fmt: skip
    return ApproxTopK(*sort_order.top_k(x, k=number(k, "ApproxTopK")))


@public
def approx_min_k(
    operand: Any, k: Any, reduction_dimension: int = -1, recall_target: float = 0.95,
    reduction_input_size_override: int = -1, aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:  # fmt: skip
    """The k smallest entries of each row and their places, found exactly."""
    opposite = negative(tensor(operand))
    largest, places = approx_max_k(opposite, k, reduction_dimension)
    return ApproxTopK(negative(largest), places)


@public
def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """For each number from 0 up, where it stands in an order of these numbers."""
    values = whole(x, "InvertPermutation")
    if not isinstance(x, (Tensor, Holder)):
        values = values.astype(np.int32)
    if values.dtype.kind == "u" or values.dtype.itemsize < 4:
        raise unfit_index("InvertPermutation", values.dtype, x)
    if values.ndim != 1:
        raise invalid_argument("InvertPermutation", "invert_permutation expects a 1D vector.")
    seen: set[int] = set()
    for each in values.tolist():
        if not 0 <= each < values.size:
            raise invalid_argument(
                "InvertPermutation", f"{each} is not between 0 and {values.size}"
            )
        if each in seen:
            raise invalid_argument("InvertPermutation", f"{each} is duplicated in the input.")
        seen.add(each)
    return new_constant(np.argsort(values).astype(values.dtype), None)


@public(group=True)
def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no entry is smaller than the one before it."""
    return _each_pair(x, comparison.less_equal)


@public(group=True)
def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether every entry is larger than the one before it."""
    return _each_pair(x, comparison.less)


def _each_pair(x: Any, holds: Any) -> Tensor:
    given = tensor(x)
    if not given.dtype.is_numeric:
        raise TypeError(f"Expected x to be numeric, instead found: {given}")
    flat: Any = reshape(given, shape=(-1,))
    ordered: Tensor = reduce_all(holds(flat[:-1], flat[1:]))
    return ordered


@public
def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether the score of the true class is among the k largest of its row; ties count."""
    given = to_tensor(predictions, "float32")
    classes, scores = tensor(targets)._value, given._value
    if scores.ndim != 2 or classes.ndim != 1:
        word, each, rank = (
            ("predictions", scores, 2) if scores.ndim != 2 else ("targets", classes, 1)
        )
        raise invalid_argument("InTopKV2", f"{word} must be {rank}-dimensional, not {each.ndim}")
    if len(classes) != len(scores):
        raise invalid_argument(
            "InTopKV2", f"First dimension of predictions {len(scores)} must match length of "
            f"targets {len(classes)}",
        )  # fmt: skip
    there = (classes >= 0) & (classes < scores.shape[1])
    own = scores[np.arange(len(scores)), np.where(there, classes, 0)]
    ahead = (scores > own[:, None]).sum(1)
    sound = np.isfinite(scores).all(1)
    return new_constant(there & sound & (ahead < number(k, "InTopKV2")), None)
