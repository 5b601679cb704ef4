"""Batches of elements of similar length."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.core.tensor import constant_of
from tapelab.data.batching import padded
from tapelab.data.elements import call, raw_of
from tapelab.data.mapping import grouped
from tapelab.data.stage import Stage, whole
from tapelab.data.structure import mapped


def bucketed(
    stage: Stage, element_length_func: Callable[..., Any], boundaries: list[int],
    batch_sizes: list[int], padded_shapes: Any, padding_values: Any, *, to_boundary: bool,
    drop_remainder: bool,
) -> Stage:  # fmt: skip
    """Elements gathered by length; those of one range of lengths are filled up and stacked."""
    if len(batch_sizes) != len(boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
            f"`len(bucket_batch_sizes)={len(batch_sizes)}` and "
            f"`len(bucket_boundaries)={len(boundaries)}`."
        )

    def bucket(*element: Any) -> Any:
        length = int(raw_of(call(element_length_func, raw_of(_packed(element)))))
        return constant_of(np.int64(bisect_right(boundaries, length)))

    def batch(key: Any, window: Stage) -> Stage:
        shapes = padded_shapes
        if to_boundary:
            shapes = mapped(lambda each: _up_to(each, boundaries, whole(key)), stage.element_spec)
        return padded(window, batch_sizes[whole(key)], shapes, padding_values, drop_remainder)

    return grouped(stage, bucket, batch, None, lambda key: batch_sizes[whole(key)])


def _packed(element: tuple[Any, ...]) -> Any:
    return element[0] if len(element) == 1 else element


def _up_to(each: Any, boundaries: list[int], key: int) -> list[int]:
    """A shape whose open lengths are the longest of a range."""
    if key >= len(boundaries):
        raise ValueError(
            "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
        )
    return [boundaries[key] - 1 if n is None else n for n in each.shape.as_list()]
