"""`tf.sparse`: tensors that store only the entries that are not zero."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.sparse import spec
from tapelab.sparse.combining import add, maximum, minimum, sparse_dense_matmul
from tapelab.sparse.counting import bincount
from tapelab.sparse.crossing import cross, sampled_addmm
from tapelab.sparse.joining import concat, split
from tapelab.sparse.making import eye, from_dense, to_dense, to_indicator
from tapelab.sparse.mapping import map_values, mask
from tapelab.sparse.reducing import fill_empty_rows, reduce_max, reduce_sum, softmax
from tapelab.sparse.segments import segment_mean, segment_sqrt_n, segment_sum
from tapelab.sparse.shaping import (
    expand_dims,
    reorder,
    reset_shape,
    reshape,
    retain,
    slice,
    transpose,
)
from tapelab.sparse.tensor import SparseTensor

__all__ = [
    "SparseTensor",
    "add",
    "bincount",
    "concat",
    "cross",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "map_values",
    "mask",
    "maximum",
    "minimum",
    "reduce_max",
    "reduce_sum",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "sampled_addmm",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]

_HANDLERS = (spec,)
"""What makes the spec of a sparse tensor, registered by being imported."""

__getattr__, __dir__ = in_module(__name__)
