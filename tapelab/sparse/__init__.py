"""`tf.sparse`: tensors that store only the entries that are not zero."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.sparse import sparse_spec
from tapelab.sparse.reductions import (
    fill_empty_rows,
    reduce_max,
    reduce_sum,
    segment_mean,
    segment_sqrt_n,
    segment_sum,
    softmax,
)
from tapelab.sparse.sparse_conversion import eye, from_dense, to_dense, to_indicator
from tapelab.sparse.sparse_features import bincount, cross, sampled_addmm
from tapelab.sparse.sparse_math_ops import (
    add,
    map_values,
    mask,
    maximum,
    minimum,
    sparse_dense_matmul,
)
from tapelab.sparse.sparse_shape_ops import (
    concat,
    expand_dims,
    reorder,
    reset_shape,
    reshape,
    retain,
    slice,
    split,
    transpose,
)
from tapelab.sparse.sparse_tensor import SparseTensor

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

_HANDLERS = (sparse_spec,)
"""The module that registers the spec of a sparse tensor when it is imported."""

__getattr__, __dir__ = in_module(__name__)
