"""Tensors as TensorFlow's protocol buffers: a dtype, a shape and the bytes of the entries."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Final

import numpy as np

from tapelab.dtypes import ALL, DType, string

BYTES: Final = 2  # the wire type of what has a length
DTYPE: Final = 1
SHAPE: Final = 2
CONTENT: Final = 4
TEXTS: Final = 8
"""The fields of a TensorProto that are used here; within a shape, field 2 is an axis, and within
an axis, field 1 its length."""
BY_NUMBER: Final = {dtype.as_datatype_enum: dtype for dtype in ALL}


def pack(array: Any, dtype: DType) -> bytes:
    """An array of a dtype as a TensorProto."""
    axes = b"".join(_field(2, _axis(length)) for length in array.shape)
    head = _varint(DTYPE << 3) + _varint(dtype.as_datatype_enum) + _field(SHAPE, axes)
    if dtype is string:
        return head + b"".join(_field(TEXTS, each) for each in array.ravel())
    return head + (_field(CONTENT, array.tobytes()) if array.size else b"")


def unpack(raw: bytes) -> tuple[DType, Any]:
    """The dtype and the array of a TensorProto; ValueError, IndexError or KeyError for rubbish."""
    fields: dict[int, list[Any]] = {}
    for number, value in _fields(raw):
        fields.setdefault(number, []).append(value)
    dtype = BY_NUMBER[fields[DTYPE][0]]
    shape = tuple(dict(_fields(axis)).get(1, 0) for _, axis in _fields(fields.get(SHAPE, [b""])[0]))
    if dtype is string:
        array = np.empty(prod(shape), dtype=object)
        array[:] = fields.get(TEXTS, [])
        return dtype, array.reshape(shape)
    content = fields.get(CONTENT, [b""])[0]
    return dtype, np.frombuffer(content, dtype.as_numpy_dtype).reshape(shape).copy()[()]


def _axis(length: int) -> bytes:
    return _varint(1 << 3) + _varint(length) if length else b""


def _field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    """An integer in groups of 7 bits, the lowest first."""
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _read_varint(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (raw[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if raw[at - 1] < 0x80:
            return value, at


def _fields(raw: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(raw):
        tag, at = _read_varint(raw, at)
        if tag & 7 == 0:
            value: Any
            value, at = _read_varint(raw, at)
        elif tag & 7 == BYTES:
            length, at = _read_varint(raw, at)
            if at + length > len(raw):
                raise ValueError("The bytes end within a field.")
            value, at = raw[at : at + length], at + length
        else:
            raise ValueError(f"No field of a tensor has the wire type {tag & 7}.")
        yield tag >> 3, value
