"""`tf.experimental`: shapes and rows of ragged tensors, types of your own, and NumPy's names."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.ragged.dynamic_shape import DynamicRaggedShape
from tapelab.ragged.row_partition import RowPartition

__all__ = ["DynamicRaggedShape", "RowPartition"]
__getattr__, __dir__ = in_module(__name__)
