"""Public pooling over one, two and three axes: the largest entry, or the mean, of each window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from tapelab.array_ops.creation import constant
from tapelab.core.dispatch import public
from tapelab.core.op_declaration import Op
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import spoken
from tapelab.dtypes import as_dtype, float32
from tapelab.errors import UnimplementedError, invalid_argument
from tapelab.kernels.sliding_windows import Sliding
from tapelab.nn.window_arguments import (
    FORMATS,
    channels_first,
    on_channels_last,
    per_axis,
    sliding,
)
from tapelab.ops import pooling as ops
from tapelab.ops.public import in_default, tensor


class MaxPoolWithArgmax(NamedTuple):
    """The largest entry of each window, and where it stands."""

    output: Tensor
    argmax: Tensor


def _pooling(op: Op, name: str, rank: int | None, doc: str) -> Callable[..., Tensor]:
    """The public pooling over `rank` axes; None: over as many as the input has."""
    layout = None if rank is None else FORMATS[rank][0]

    def pooling(
        input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = layout,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        axes = _axes_of(input) if rank is None else rank
        return _pooled(op, axes, input, ksize, strides, padding, data_format)

    pooling.__name__ = pooling.__qualname__ = name
    pooling.__doc__ = doc
    return public(pooling)


_LARGEST: Final = "The largest entry of each window{}; it alone receives the gradient."
_MEAN: Final = "The mean of each window{}; places in the margin do not count."
max_pool1d = _pooling(ops.max_pool, "max_pool1d", 1, _LARGEST.format(" of a row"))
max_pool2d = _pooling(ops.max_pool, "max_pool2d", 2, _LARGEST.format(""))
max_pool3d = _pooling(ops.max_pool, "max_pool3d", 3, _LARGEST.format(" of a block"))
max_pool = _pooling(ops.max_pool, "max_pool", None, _LARGEST.format(", over all inner axes"))
avg_pool1d = _pooling(ops.avg_pool, "avg_pool1d", 1, _MEAN.format(" of a row"))
avg_pool2d = _pooling(ops.avg_pool, "avg_pool2d", 2, _MEAN.format(""))
avg_pool3d = _pooling(ops.avg_pool, "avg_pool3d", 3, _MEAN.format(" of a block"))
avg_pool = _pooling(ops.avg_pool, "avg_pool", None, _MEAN.format(", over all inner axes"))


@public
def pool(
    input: Any, window_shape: Any, pooling_type: str, strides: Any = None, padding: Any = "VALID",
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Pooling of the kind that is named, "MAX" or "AVG", with windows that may skip places."""
    kinds = {"MAX": ops.max_pool, "AVG": ops.avg_pool}
    if pooling_type not in kinds:
        raise ValueError(
            f"`pooling_type` must be 'AVG' or 'MAX'. Received: pooling_type={pooling_type}"
        )
    steps = 1 if strides is None else strides
    rank = len(window_shape)
    return _pooled(kinds[pooling_type], rank, input, window_shape, steps, padding, data_format,
                   dilations)  # fmt: skip


@public
def max_pool_with_argmax(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    output_dtype: Any = "int64", include_batch_in_index: bool = False, name: str | None = None,
) -> MaxPoolWithArgmax:  # fmt: skip
    """The largest entry of each window, and where in the flat picture it stands."""
    x = tensor(input)
    largest = max_pool2d(x, ksize, strides, padding, data_format)
    how = _how(ops.max_pool, 2, x, ksize, strides, padding, None, first=False)
    places = ops.places_of_largest(x._value, how)
    if not include_batch_in_index:
        images = x._array.shape[0]
        places = places % (x._array.size // images if images else 1)
    return MaxPoolWithArgmax(largest, constant(places, as_dtype(output_dtype)))


def _pooled(
    op: Op, rank: int, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None,
    dilations: Any = None,
) -> Tensor:  # fmt: skip
    first = channels_first(op.raw, rank, data_format)

    def compute(pictures: Tensor) -> Tensor:
        how = _how(op, rank, pictures, ksize, strides, padding, dilations, first=first)
        pooled: Tensor = op(pictures, how=how)
        return pooled

    # TensorFlow's MaxPool takes an array in its own default dtype, but for the very first call.
    planes = op is ops.max_pool and rank == 2 and isinstance(input, np.ndarray)
    x = in_default(input, float32) if planes else tensor(input)
    if op is ops.max_pool and rank == 3:
        _refuse_wide(x)
    return on_channels_last(op.raw, x, rank, data_format, compute)


def _refuse_wide(x: Tensor) -> None:
    """TensorFlow declares the largest of a block for floats of at most 32 bits alone."""
    if x.dtype.name not in {"float16", "bfloat16", "float32"}:
        raise invalid_argument(
            "MaxPool3D", f"Value for attr 'T' of {spoken(x._array.dtype)} is not in the list of "
            "allowed values: half, bfloat16, float. Try tf.cast(x, tf.float32)",
        )  # fmt: skip


def _how(
    op: Op, rank: int, x: Tensor, ksize: Any, strides: Any, padding: Any, dilations: Any, *,
    first: bool,
) -> Sliding:  # fmt: skip
    try:
        size = per_axis(op.raw, "ksize", ksize, rank, first=first)
    except UnimplementedError as error:
        raise UnimplementedError(
            None, op.raw, "Pooling is not yet supported on the batch dimension, and across depth "
            f"it is not supported either: ksize={ksize}. [Op:{op.raw}]",
        ) from error  # fmt: skip
    length = x._array.shape[1:-1]
    return sliding(op.raw, length, size, strides, padding, dilations, first=first)


def _axes_of(input: Any) -> int:
    rank = tensor(input).ndim - 2
    if rank not in {1, 2, 3}:
        raise ValueError(
            "`input.shape.rank` must be 3, 4 or 5: picture, places, channel. "
            f"Received: input.shape.rank={rank + 2}"
        )
    return rank
