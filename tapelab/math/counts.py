"""Public functions that count: how often numbers occur, in which bin, which class for which."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tapelab.array_ops.gather_ops import scatter_nd
from tapelab.array_ops.shape_ops import stack
from tapelab.array_ops.value_ops import cast
from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.host_values import compute_on_host, depends_on
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets, spoken
from tapelab.dtypes import as_dtype, int32, int64
from tapelab.errors import invalid_argument
from tapelab.ops import mask_ops
from tapelab.ops.integer_arguments import number
from tapelab.ops.public import matched, tensor
from tapelab.ops.shapes import reshape


@public
def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None,
    dtype: Any = int32, name: str | None = None, axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:  # fmt: skip
    """How often each of the numbers 0, 1, 2 … occurs, or the sum of the weights where it does.

    With axis=-1 every row is counted for itself.
    """
    if binary_output and weights is not None:
        raise ValueError(
            "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only "
            "one."
        )
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )
    x = _counted(arr)
    shape = x._array.shape
    rows = compute_on_host(partial(_rows, flat=axis != -1, shown=arr), x)
    if rows.ndim > 2:
        raise invalid_argument(
            "DenseBincount", f"Shape must be at most rank 2 but is rank {rows.ndim}"
        )
    weighed = tensor(np.ones((), as_dtype(dtype).as_numpy_dtype)) if weights is None else None
    if weighed is None:
        weighed = _weights(weights, shape, rows.shape)
    return mask_ops.dense_bincount(
        new_constant(rows, None), weighed, size=_size(rows, minlength, maxlength),
        binary=bool(binary_output),
    )  # fmt: skip


def counts_by_row(
    numbers: Any, rows: Any, n_rows: int, weights: Any, minlength: Any, maxlength: Any, dtype: Any,
    binary_output: bool,
) -> Tensor:  # fmt: skip
    """How often each number occurs in each row, of numbers that say which row they are in."""
    x = _counted(numbers)
    size = _size(new_constant(x._value.reshape(-1), None), minlength, maxlength)
    within = x._value < size
    places = np.asarray(rows)[within].astype(np.int64) * size + x._value[within]
    of_places = None if weights is None else tensor(weights)._value[within]
    counted = bincount(
        places, of_places, n_rows * size, n_rows * size, dtype, binary_output=binary_output
    )
    reshaped: Tensor = reshape(counted, shape=(n_rows, size))
    return reshaped


def _size(rows: Any, minlength: Any, maxlength: Any) -> int:
    """How many numbers are counted: up to the highest there is, within the limits."""
    least = number(minlength or 0, "DenseBincount")
    most = None if maxlength is None else number(maxlength, "DenseBincount")
    if most is not None and most <= least:
        return most
    highest = compute_on_host(_highest, rows)
    depends_on(highest)
    size = max(int(highest[0]) + 1, least)
    return size if most is None else min(size, most)


def _highest(rows: Any) -> Any:
    return np.array([np.max(rows, initial=-1)])


def _counted(arr: Any) -> Tensor:
    x = tensor(arr)
    if x.dtype.is_integer and x.dtype not in (int32, int64):
        raise invalid_argument(
            "DenseBincount", f"Value for attr 'Tidx' of {spoken(x._array.dtype)} is not in the "
            "list of allowed values: int32, int64. Try tf.cast(arr, tf.int32)",
        )  # fmt: skip
    return x if x.dtype.is_integer else cast(x, int32)


def _rows(numbers: Any, *, flat: bool, shown: Any) -> Any:
    """The numbers to count, each row for itself or all in one."""
    if np.min(numbers, initial=0) < 0:
        raise invalid_argument("DenseBincount", f"Input arr must be non-negative! It is {shown!r}")
    return np.array(numbers).reshape(-1) if flat else np.array(numbers)


def _weights(weights: Any, wanted: tuple[int, ...], rows: tuple[int, ...]) -> Tensor:
    converted = tensor(weights)
    if converted._array.shape != wanted:
        raise invalid_argument(
            "DenseBincount", "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in "
            "which case it acts as all weights equal to 1. Received "
            f"{brackets(converted._array.shape)}",
        )  # fmt: skip
    reshaped: Tensor = reshape(converted, shape=rows) if wanted != rows else converted
    return reshaped


@public
def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, weights: Any = None,
    dtype: Any = int32, name: str | None = None,
) -> Tensor:  # fmt: skip
    """How often each class, one row each, was taken for each class, one column each."""
    truths, guesses = _classes("labels", labels), _classes("predictions", predictions)
    if truths.ndim - guesses.ndim == 1 and truths.shape[-1] == 1:
        truths = truths[..., 0]
    elif guesses.ndim - truths.ndim == 1 and guesses.shape[-1] == 1:
        guesses = guesses[..., 0]
    highest = int(max(np.max(truths, initial=-1), np.max(guesses, initial=-1)))
    count = highest + 1 if num_classes is None else number(num_classes, "ScatterNd")
    for name_of, each in (("labels", truths), ("predictions", guesses)):
        if np.max(each, initial=-1) >= count:
            raise invalid_argument(
                "Assert", f"`{name_of}` out of bound. There are {count} classes, from 0 on"
            )
    places = stack([new_constant(truths, None), new_constant(guesses, None)], axis=1)
    kind = as_dtype(dtype)
    ones = np.ones(guesses.shape, kind.as_numpy_dtype)
    values = new_constant(ones, None) if weights is None else cast(weights, kind)
    return scatter_nd(places, values, (count, count))


def _classes(name: str, given: Any) -> Any:
    classes = np.array(cast(given, int64)._value)
    if np.min(classes, initial=0) < 0:
        raise invalid_argument(
            "Assert", f"`{name}` contains negative values. Condition x >= 0 did not hold "
            f"element-wise: {given!r}",
        )  # fmt: skip
    return classes


@public
def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = int32, name: str | None = None
) -> Tensor:
    """The number of the bin of equal width that each entry falls in."""
    x, limits = _checked_range(values, value_range)
    count = _bins(nbins)
    return mask_ops.bins_of(x, limits, count=count)


@public
def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = int32, name: str | None = None
) -> Tensor:
    """How many entries fall in each of the bins of equal width that a range is cut into."""
    kind = as_dtype(dtype)
    if kind not in (int32, int64):
        raise invalid_argument(
            "HistogramFixedWidth", f"Value for attr 'dtype' of {spoken(kind.name)} is not in the "
            "list of allowed values: int32, int64",
        )  # fmt: skip
    x, limits = _checked_range(values, value_range)
    count = _bins(nbins)
    compute_on_host(_check_numbers, x)
    bins = mask_ops.bins_of(x, limits, count=count)
    return cast(bincount(bins, minlength=count, maxlength=count), kind)


def _check_numbers(x: Any) -> None:
    if np.isnan(x).any():
        raise invalid_argument("HistogramFixedWidth", "Histogram values must not contain NaN")


def _checked_range(values: Any, value_range: Any) -> tuple[Tensor, Tensor]:
    x, limits = matched(values, value_range)
    compute_on_host(_check_limits, limits)
    return x, limits


def _check_limits(given: Any) -> None:
    if given.shape != (2,):
        raise invalid_argument(
            "HistogramFixedWidth", "value_range should be a vector of 2 elements."
        )
    if not given[0] < given[1]:
        raise invalid_argument(
            "HistogramFixedWidth", "value_range should satisfy value_range[0] < value_range[1], "
            f"but got '[{given[0]:g}, {given[1]:g}]'",
        )  # fmt: skip


def _bins(nbins: Any) -> int:
    count = number(nbins, "HistogramFixedWidth")
    if count < 1:
        raise invalid_argument(
            "HistogramFixedWidth", f"nbins should be a positive number, but got '{count}'"
        )
    return count
