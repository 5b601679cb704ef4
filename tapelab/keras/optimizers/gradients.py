"""Gradients before a step: made dense, and held below a limit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tapelab import math
from tapelab.array_ops.value_ops import clip_by_global_norm, clip_by_norm, clip_by_value
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.keras import backend


def dense(gradient: Any, dtype: Any = None) -> Any:
    """A gradient as a tensor of its variable's dtype; rows picked twice are added up."""
    if isinstance(gradient, IndexedSlices):
        gradient = gradient.dense()
    return backend.convert_to_tensor(gradient, dtype)


def squared(gradient: Any) -> Any:
    """The square of a gradient as a tensor; rows picked twice are squared before they add up."""
    if not isinstance(gradient, IndexedSlices):
        return math.square(gradient)
    rows = math.square(gradient.values)
    return dense(IndexedSlices(rows, gradient.indices, gradient.dense_shape))


def prepared(gradient: Any, variable: Any, dtype: Any) -> Any:
    """A gradient as `update_step` gets it: in its variable's dtype, rows as rows of its shape."""
    if not isinstance(gradient, IndexedSlices):
        return dense(gradient, dtype)
    if gradient.dense_shape is None:
        return IndexedSlices(gradient.values, gradient.indices, variable.shape)
    return gradient


@dataclass(frozen=True)
class Clipping:
    """How gradients are held below a limit: each by itself, each number, or all together."""

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
        """How many limits there are."""
        return 3 - [self.norm, self.value, self.global_norm].count(None)

    def __call__(self, gradients: Iterable[Any]) -> list[Any]:
        """The gradients, shortened where they are too long."""
        given = list(gradients)
        found = [each.values if isinstance(each, IndexedSlices) else each for each in given]
        if self.norm is not None:
            found = [clip_by_norm(each, self.norm) for each in found]
        if self.value is not None:
            found = [clip_by_value(each, -self.value, self.value) for each in found]
        if self.global_norm is not None:
            found = list(clip_by_global_norm(found, self.global_norm)[0])
        return [_as_given(old, new) for old, new in zip(given, found, strict=True)]


def _as_given(gradient: Any, values: Any) -> Any:
    """New values in the form of a gradient: rows as rows."""
    if not isinstance(gradient, IndexedSlices):
        return values
    return IndexedSlices(values, gradient.indices, gradient.dense_shape)
