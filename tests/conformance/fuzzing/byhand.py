"""The functions whose arguments depend on one another, and how they are drawn."""

from __future__ import annotations

from typing import Final

from . import arranging, computing, places
from .drawing import ByHand

_MATRIX: Final = "det inv logdet slogdet expm sqrtm matrix_rank pinv lu logm"
_POOLS: Final = "max_pool max_pool2d avg_pool avg_pool2d"

BY_HAND: Final[dict[str, ByHand]] = {
    "matmul": computing.matmul,
    "linalg.matvec": computing.matvec,
    "tensordot": computing.tensordot,
    "einsum": computing.einsum,
    "reshape": arranging.reshape,
    "transpose": arranging.transpose,
    "expand_dims": arranging.expand_dims,
    "squeeze": arranging.squeeze,
    "broadcast_to": arranging.broadcast_to,
    "concat": arranging.concat,
    "stack": arranging.stack,
    "unstack": arranging.unstack,
    "split": arranging.split,
    "tile": arranging.tile,
    "repeat": arranging.repeat,
    "pad": arranging.pad,
    "reverse": arranging.reverse,
    "roll": arranging.roll,
    "gather": places.gather,
    "gather_nd": places.gather_nd,
    "boolean_mask": places.boolean_mask,
    "slice": places.slice_,
    "strided_slice": places.strided_slice,
    "scatter_nd": places.scatter_nd,
    "where": places.where,
    "cast": arranging.cast,
    "clip_by_value": arranging.clip_by_value,
    "complex": arranging.complex_,
    "one_hot": places.one_hot,
    "fill": arranging.fill,
    "range": arranging.range_,
    "linspace": arranging.linspace,
    "eye": arranging.eye,
    "meshgrid": arranging.meshgrid,
    "top_k": places.top_k,
    "math.top_k": places.top_k,
    "sequence_mask": places.sequence_mask,
    "unravel_index": places.unravel_index,
    "searchsorted": places.searchsorted,
    "linalg.cross": computing.cross,
    "linalg.set_diag": computing.set_diag,
    "linalg.tensor_diag": computing.tensor_diag,
    "linalg.eigvalsh": computing.symmetric,
    "linalg.cholesky": computing.symmetric,
    "linalg.solve": computing.solved,
    "linalg.triangular_solve": computing.solved,
    "math.polyval": computing.polyval,
    "math.segment_sum": computing.segments,
    "math.unsorted_segment_sum": computing.unsorted_segments,
    "math.bincount": computing.bincount,
    "nn.embedding_lookup": places.embedding_lookup,
    "nn.moments": computing.moments,
    "nn.batch_normalization": computing.batch_normalization,
    "nn.bias_add": computing.bias_add,
    "nn.conv1d": computing.conv1d,
    "nn.conv2d": computing.conv2d,
    "conv": computing.conv,
    "nn.conv2d_transpose": computing.conv2d_transpose,
    "nn.softmax_cross_entropy_with_logits": computing.cross_entropy,
    "nn.sigmoid_cross_entropy_with_logits": computing.cross_entropy,
    "nn.sparse_softmax_cross_entropy_with_logits": computing.sparse_cross_entropy,
    "nn.weighted_cross_entropy_with_logits": computing.weighted_cross_entropy,
    "image.adjust_contrast": computing.images,
    "broadcast_dynamic_shape": arranging.shapes,
    "broadcast_static_shape": arranging.static_shapes,
    "scalar_mul": computing.scalar_mul,
    "ensure_shape": arranging.boosted,
    "constant": arranging.constant,
    "bitcast": arranging.bitcast,
    "dynamic_partition": places.dynamic_partition,
    "dynamic_stitch": places.dynamic_stitch,
    "convert_to_tensor": arranging.converted,
    "as_dtype": arranging.dtypes,
    "norm": computing.norm,
    **{f"linalg.{name}": computing.of_a_matrix for name in _MATRIX.split()},
    **{f"nn.{name}": computing.pooled for name in _POOLS.split()},
    **{
        f"tensor_scatter_nd_{how}": places.written for how in ("update", "add", "sub", "max", "min")
    },
    **{f"math.segment_{how}": computing.segments for how in ("mean", "max", "min", "prod")},
    **{
        f"math.unsorted_segment_{how}": computing.unsorted_segments
        for how in ("mean", "max", "min", "prod", "sqrt_n")
    },
    **{f"assert_{how}": computing.compared for how in ("equal", "greater", "less")},
    **{
        f"debugging.assert_{how}": computing.compared
        for how in ("greater_equal", "less_equal", "near", "none_equal")
    },
}
"""Functions that need more than the names of their parameters."""
