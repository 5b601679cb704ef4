"""Gradients before a step: checked, converted to their variable's dtype, and limited."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tapelab import math
from tapelab.array_ops.value_ops import clip_by_global_norm, clip_by_norm, clip_by_value
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.log import origin_here, thread
from tapelab.errors import NothingArrivedError, Refusal
from tapelab.keras import backend


def with_gradients(grads: list[Any], variables: list[Any]) -> list[tuple[Any, Any]]:
    """Return the pairs with a gradient; warn of the others, raise an error if there are none."""
    pairs = [(g, v) for g, v in zip(grads, variables, strict=True) if g is not None]
    if not pairs:
        tape = thread.recent_calls[-1][0]() if thread.recent_calls else None
        raise NothingArrivedError(
            "No gradients provided for any variable. tf.explain(tape, loss, variable) says why a "
            "gradient is None.",
            Refusal("SOME_NONE", origin_here(), tape, details={"variables": len(variables)}),
        )
    without = [v.name for g, v in zip(grads, variables, strict=True) if g is None]
    if without:
        warnings.warn(
            f"Gradients do not exist for variables {without} when minimizing the loss. If using "
            "`model.compile()`, did you forget to provide a `loss` argument?",
            stacklevel=4,
        )
    return pairs


def check_unused(kwargs: dict[str, Any]) -> None:
    """Raise ValueError for unknown arguments; warn of `decay`, which Keras 2 had."""
    if kwargs.pop("decay", None) is not None:
        warnings.warn(
            "Argument `decay` is no longer supported and will be ignored. "
            "Try a schedule of tf.keras.optimizers.schedules.",
            stacklevel=7,
        )
    if kwargs:
        raise ValueError(f"Argument(s) not recognized: {kwargs}")


def dense(gradient: Any, dtype: Any = None) -> Any:
    """Return a gradient as a dense tensor; rows that are gathered twice are added."""
    if isinstance(gradient, IndexedSlices):
        gradient = gradient.dense()
    return backend.convert_to_tensor(gradient, dtype)


def squared(gradient: Any) -> Any:
    """Return the square of a gradient as a dense tensor; rows are squared before they are added."""
    if not isinstance(gradient, IndexedSlices):
        return math.square(gradient)
    rows = math.square(gradient.values)
    return dense(IndexedSlices(rows, gradient.indices, gradient.dense_shape))


def prepared(gradient: Any, variable: Any, dtype: Any) -> Any:
    """Return a gradient for `update_step`: in its variable's dtype, sparse ones with its shape."""
    if not isinstance(gradient, IndexedSlices):
        return dense(gradient, dtype)
    if gradient.dense_shape is None:
        return IndexedSlices(gradient.values, gradient.indices, variable.shape)
    return gradient


@dataclass(frozen=True)
class Clipping:
    """Limits gradients: the norm of each, the elements, or the norm of all together."""

    norm: float | None
    value: float | None
    global_norm: float | None

    def __post_init__(self) -> None:
        """Refuse two limits at once."""
        if self.limits > 1:
            raise ValueError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
                f"clipnorm={self.norm}, clipvalue={self.value}, global_clipnorm={self.global_norm}"
            )

    @property
    def limits(self) -> int:
        """The number of limits."""
        return 3 - [self.norm, self.value, self.global_norm].count(None)

    def __call__(self, gradients: Iterable[Any]) -> list[Any]:
        """Return the limited gradients."""
        original = list(gradients)
        values = [each.values if isinstance(each, IndexedSlices) else each for each in original]
        if self.norm is not None:
            values = [clip_by_norm(each, self.norm) for each in values]
        if self.value is not None:
            values = [clip_by_value(each, -self.value, self.value) for each in values]
        if self.global_norm is not None:
            values = list(clip_by_global_norm(values, self.global_norm)[0])
        return [_like(old, new) for old, new in zip(original, values, strict=True)]


def _like(gradient: Any, values: Any) -> Any:
    """New values in the form of a gradient: sparse if it is sparse."""
    if not isinstance(gradient, IndexedSlices):
        return values
    return IndexedSlices(values, gradient.indices, gradient.dense_shape)
