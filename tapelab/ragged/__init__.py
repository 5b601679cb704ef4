"""`tf.ragged`: tensors whose rows differ in length."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.ragged import (
    dynamic_shape,
    indexing,
    operators,
    padding,
    reductions,
    spec,
    values,
)
from tapelab.ragged.constant import constant
from tapelab.ragged.crossing import cross, cross_hashed
from tapelab.ragged.operators import map_flat_values
from tapelab.ragged.picking import boolean_mask
from tapelab.ragged.segments import (
    range,
    row_splits_to_segment_ids,
    segment_ids_to_row_splits,
    stack_dynamic_partitions,
)
from tapelab.ragged.shaping import stack

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

for _part in (indexing, operators, padding):
    _part.install()

_HANDLERS = (dynamic_shape, reductions, spec, values)
"""What serves the public functions, registered by being imported."""

__getattr__, __dir__ = in_module(__name__)
