"""Arrays prepared for training: one-hot labels, unit vectors, and sequences of one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapelab.core.tensor import Tensor
from tapelab.keras import ops


def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """Return integers as one-hot rows: an array, or a tensor for a tensor.

    A last axis of length 1 is dropped. Without `num_classes` there are as many as the largest.
    """
    if isinstance(x, Tensor):
        squeezed = len(x.shape) > 1 and x.shape[-1] == 1
        return ops.one_hot(ops.squeeze(x, -1) if squeezed else x, num_classes)
    numbers = np.asarray(x, dtype=np.int64)
    if numbers.ndim > 1 and numbers.shape[-1] == 1:
        numbers = numbers[..., 0]
    return np.eye(num_classes or int(numbers.max()) + 1)[numbers]


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """Return an array or a tensor divided by its norm along an axis."""
    if isinstance(x, Tensor):
        return ops.normalize(x, axis=axis, order=order)
    array = np.asarray(x)
    lengths = np.atleast_1d(np.linalg.norm(array, order, axis))
    lengths[lengths == 0] = 1
    return array / np.expand_dims(lengths, axis or -1)  # as in Keras, whose axis 0 is the last here


def pad_sequences(
    sequences: Any, maxlen: int | None = None, dtype: Any = "int32", padding: str = "pre",
    truncating: str = "pre", value: Any = 0.0,
) -> Any:  # fmt: skip
    """Return sequences as the rows of an array: short ones are filled up, long ones are cut.

    `padding` and `truncating` are "pre" or "post": at which end.
    """
    rows = _rows_of(sequences)
    for what, where in (("Truncating", truncating), ("Padding", padding)):
        if where not in {"pre", "post"}:
            raise ValueError(f'{what} type "{where}" not understood')
    textual = np.issubdtype(dtype, np.str_) or np.issubdtype(dtype, np.bytes_)
    if isinstance(value, str) and dtype is not object and not textual:
        raise ValueError(
            f"`dtype` {dtype} is not compatible with `value`'s type: {type(value)}\nYou should "
            "set `dtype=object` for variable length strings."
        )
    longest = max(map(len, rows)) if maxlen is None else maxlen
    inner = next((np.asarray(row).shape[1:] for row in rows if len(row)), ())
    result = np.full((len(rows), longest, *inner), value, dtype=dtype)
    for at, row in enumerate(rows):
        if not len(row):
            continue
        part = np.asarray(row[-longest:] if truncating == "pre" else row[:longest], dtype=dtype)
        if part.shape[1:] != inner:
            raise ValueError(
                f"Shape of sample {part.shape[1:]} of sequence at position {at} is different from "
                f"expected shape {inner}"
            )
        result[at, slice(-len(part), None) if padding == "pre" else slice(len(part))] = part
    return result


def _rows_of(sequences: Any) -> Sequence[Any]:
    """The sequences; ValueError unless each has a length."""
    if not hasattr(sequences, "__len__"):
        raise ValueError("`sequences` must be iterable.")
    for row in sequences:
        if not hasattr(row, "__len__"):
            raise ValueError(f"`sequences` must be a list of iterables. Found non-iterable: {row}")
    rows: Sequence[Any] = sequences
    return rows
