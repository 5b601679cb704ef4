"""`tf.ragged`: tensors whose rows differ in length."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.ragged import (
    dynamic_shape,
    ragged_conversion,
    ragged_elementwise,
    ragged_gather_ops,
    ragged_math_ops,
    ragged_spec,
)
from tapelab.ragged.ragged_conversion import constant
from tapelab.ragged.ragged_elementwise import map_flat_values
from tapelab.ragged.ragged_gather_ops import boolean_mask
from tapelab.ragged.ragged_shape_ops import cross, cross_hashed, stack
from tapelab.ragged.segment_ids import (
    range,
    row_splits_to_segment_ids,
    segment_ids_to_row_splits,
    stack_dynamic_partitions,
)

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

for _part in (ragged_conversion, ragged_elementwise, ragged_gather_ops):
    _part.install()

_HANDLERS = (dynamic_shape, ragged_math_ops, ragged_spec)
"""Modules that implement public functions for ragged tensors; importing them registers these."""

__getattr__, __dir__ = in_module(__name__)
