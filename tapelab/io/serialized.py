"""Tensors as TensorFlow's protocol buffers: a dtype, a shape and the bytes of the entries."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from tapelab import dtypes
from tapelab.dtypes import ALL, DType, string
from tapelab.io.protobuf import field, message

DTYPE: Final = 1
SHAPE: Final = 2
CONTENT: Final = 4
TEXTS: Final = 8
"""The fields of a TensorProto that are used here."""
BFLOAT16: Final = 14
_BY_NUMBER: Final = {dtype.as_datatype_enum: dtype for dtype in ALL}


def dtype_of(number: int) -> DType:
    """The dtype of a number in TensorFlow's messages; KeyError for one that is not known."""
    return dtypes.bfloat16 if number == BFLOAT16 else _BY_NUMBER[number]


def pack(array: Any, dtype: DType) -> bytes:
    """An array of a dtype as a TensorProto."""
    head = field(DTYPE, dtype.as_datatype_enum) + field(SHAPE, pack_shape(array.shape))
    if dtype is string:
        return head + b"".join(field(TEXTS, each) for each in array.ravel())
    return head + (field(CONTENT, array.tobytes()) if array.size else b"")


def unpack(raw: bytes) -> tuple[DType, Any]:
    """The dtype and the array of a TensorProto; ValueError, IndexError or KeyError for rubbish."""
    fields = message(raw)
    dtype = dtype_of(fields[DTYPE][0])
    shape = unpack_shape(fields.get(SHAPE, [b""])[0])
    if dtype is string:
        texts = fields.get(TEXTS, [])
        if prod(shape) != len(texts):
            raise ValueError(f"A tensor of shape {shape} cannot have {len(texts)} texts.")
        array = np.empty(len(texts), dtype=object)
        array[:] = texts
        return dtype, array.reshape(shape)
    content = fields.get(CONTENT, [b""])[0]
    return dtype, np.frombuffer(content, dtype.as_numpy_dtype).reshape(shape).copy()[()]


def pack_shape(shape: Sequence[int]) -> bytes:
    """A shape as a TensorShapeProto."""
    return b"".join(field(2, field(1, size) if size else b"") for size in shape)


def unpack_shape(raw: bytes) -> tuple[int, ...]:
    """The shape of a TensorShapeProto."""
    return tuple(message(axis).get(1, [0])[0] for axis in message(raw).get(2, []))
