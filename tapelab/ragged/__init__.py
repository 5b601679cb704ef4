"""`tf.ragged`: tensors whose rows differ in length."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.ragged import conversion, dynamic_shape, elementwise, gather_ops, math_ops, ragged_spec
from tapelab.ragged.conversion import constant
from tapelab.ragged.elementwise import map_flat_values
from tapelab.ragged.gather_ops import boolean_mask
from tapelab.ragged.segment_ids import (
    range,
    row_splits_to_segment_ids,
    segment_ids_to_row_splits,
    stack_dynamic_partitions,
)
from tapelab.ragged.shape_ops import cross, cross_hashed, stack

__all__ = [
    "boolean_mask",
    "constant",
    "cross",
    "cross_hashed",
    "map_flat_values",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
    "stack_dynamic_partitions",
]

for _part in (conversion, elementwise, gather_ops):
    _part.install()

_HANDLERS = (dynamic_shape, math_ops, ragged_spec)
"""Modules that implement public functions for ragged tensors; importing them registers these."""

__getattr__, __dir__ = in_module(__name__)
