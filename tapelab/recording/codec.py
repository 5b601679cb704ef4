"""A recording as bytes and back: a JSON header, then int32, uint8 and float64 columns."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tapelab.errors import RecordingError
from tapelab.recording.facts import Rule
from tapelab.recording.nested import Nested
from tapelab.recording.op_facts import OpFacts
from tapelab.recording.packing import unpacked
from tapelab.recording.recording import (
    SCHEMA,
    Group,
    Recording,
    Source,
    TapeFacts,
    VariableFacts,
)

MAGIC: Final = b"TAPELAB\0"
OLDEST: Final = 1
FLAGS: Final = ("tracked", "frozen")
"""What the header says of a variable only where it is so."""
_PREFIX: Final = struct.Struct("<8sII")
_TYPES: Final[dict[str, np.dtype[Any]]] = {
    "u8": np.dtype("u1"),
    "i32": np.dtype("<i4"),
    "f64": np.dtype("<f8"),
}
_TYPE_NAMES: Final = {dtype: name for name, dtype in _TYPES.items()}
_NARROWER: Final[dict[str, dict[str, np.dtype[Any]]]] = {
    "u8": {},
    "i32": {"i8": np.dtype("i1"), "u8": np.dtype("u1"), "i16": np.dtype("<i2")},
    "f64": {"f32": np.dtype("<f4")},
}
"""How the numbers of a long column may be kept where they all fit: `i32:i8` says that they are."""
NARROWED_FROM: Final = 10_000
"""Columns of so many numbers are kept as narrow as they can be."""


READ_FROM: Final = 1_000_000
"""A recording that was read from more bytes than this is not written anew."""
_READ: Final[WeakKeyDictionary[Recording, bytes]] = WeakKeyDictionary()
"""What long recordings were read from; columns lie in it anyway."""


def to_bytes(recording: Recording) -> bytes:
    """A recording as the bytes of a `.tape` file, which packs them where they are many."""
    return _READ.get(recording) or _written(recording)


def _written(recording: Recording) -> bytes:
    layout: dict[str, list[Any]] = {}
    chunks: list[bytes] = []
    offset = 0
    for name, column in recording.columns.items():
        told, kept = _kept(column)
        chunk = kept.tobytes()
        layout[name] = [told, offset, len(column)]
        chunks.append(chunk + bytes(-len(chunk) % 8))
        offset += len(chunks[-1])
    header = json.dumps(_header(recording, layout), ensure_ascii=False).encode()
    header += b" " * (-(_PREFIX.size + len(header)) % 8)
    return b"".join([_PREFIX.pack(MAGIC, SCHEMA, len(header)), header, *chunks])


def _kept(column: NDArray[Any]) -> tuple[str, NDArray[Any]]:
    """A column as it is kept, and the name of its type."""
    name = _TYPE_NAMES[column.dtype]
    if len(column) >= NARROWED_FROM:
        for told, dtype in _NARROWER[name].items():
            if _fits(column, dtype):
                return f"{name}:{told}", column.astype(dtype)
    return name, column


def _fits(column: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    """Whether all numbers of a column are the same in another type, to the last bit."""
    if dtype.kind != "f":
        room = np.iinfo(dtype)
        return bool(room.min <= column.min() and column.max() <= room.max)
    with np.errstate(all="ignore"):
        back = column.astype(dtype).astype(column.dtype)
    return bool(np.array_equal(back.view(np.int64), column.view(np.int64)))


def _header(recording: Recording, layout: dict[str, list[Any]]) -> dict[str, Any]:
    tables = {
        name: [asdict(row) for row in getattr(recording, name)]
        for name in ("ops", "groups", "sources", "variables")
    }
    for row in tables["variables"]:
        for flag in FLAGS:
            if not row[flag]:
                del row[flag]
    return {
        "maker": recording.maker,
        "columns": layout,
        "tape": asdict(recording.tape),
        "strings": list(recording.strings),
        "shapes": [list(shape) for shape in recording.shapes],
        "dtypes": list(recording.dtypes),
        **tables,
        **({"nested": [each.to_json() for each in recording.nested]} if recording.nested else {}),
    }


def from_bytes(data: bytes | bytearray | memoryview) -> Recording:
    """The recording in some bytes, packed or not; RecordingError if none can be read from them."""
    data = unpacked(bytes(data))
    header, start = _read_header(data)
    try:
        columns = {name: _column(data, start, *place) for name, place in header["columns"].items()}
        recording = _recording(header, columns)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordingError(
            f"This recording is damaged: {error}. Save it again from the notebook that made it."
        ) from error
    if len(data) > READ_FROM:
        _READ[recording] = data
    return recording


def _read_header(data: bytes) -> tuple[dict[str, Any], int]:
    if len(data) < _PREFIX.size or data[:8] != MAGIC:
        raise RecordingError(
            "This is not a recording: it does not start with the word TAPELAB. "
            "Recordings are made by tape.recording() and saved as .tape files."
        )
    _, schema, length = _PREFIX.unpack_from(data)
    if schema > SCHEMA:
        raise RecordingError(
            f"This recording is newer: made with schema {schema}, this tapelab reads {SCHEMA}. "
            "Update tapelab: pip install --upgrade tapelab."
        )
    if schema < OLDEST:
        raise RecordingError(
            f"This recording is too old: made with schema {schema}, this tapelab reads "
            f"{OLDEST} to {SCHEMA}. Run the notebook again to record anew."
        )
    start = _PREFIX.size + length
    try:
        return json.loads(data[_PREFIX.size : start]), start
    except ValueError as error:
        raise RecordingError(
            f"This recording is cut short or damaged: its header cannot be read ({error})."
        ) from error


def _column(data: bytes, start: int, kind: str, offset: int, count: int) -> NDArray[Any]:
    told, _, kept = kind.partition(":")
    dtype = _NARROWER[told][kept] if kept else _TYPES[told]
    end = start + offset + count * dtype.itemsize
    if offset < 0 or count < 0 or end > len(data):
        raise ValueError(f"it is cut short: {end} bytes are needed, there are {len(data)}")
    column: NDArray[Any] = np.frombuffer(data, dtype, count, start + offset)
    return column.astype(_TYPES[told]) if kept else column


def _recording(header: dict[str, Any], columns: dict[str, NDArray[Any]]) -> Recording:
    return Recording(
        maker=header["maker"],
        tape=TapeFacts(**header["tape"]),
        strings=tuple(header["strings"]),
        shapes=tuple(tuple(shape) for shape in header["shapes"]),
        dtypes=tuple(header["dtypes"]),
        ops=tuple(_op(each) for each in header["ops"]),
        groups=tuple(Group(**each) for each in header["groups"]),
        sources=tuple(Source(**each) for each in header["sources"]),
        variables=tuple(VariableFacts(**each) for each in header["variables"]),
        columns=columns,
        nested=tuple(map(Nested.from_json, header.get("nested", ()))),
    )


def _op(facts: dict[str, Any]) -> OpFacts:
    rules = tuple(Rule(**rule) for rule in facts["rules"])
    return OpFacts(**{**facts, "inputs": tuple(facts["inputs"]), "rules": rules})
