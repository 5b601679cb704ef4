"""A recording as bytes and back: a JSON header, then int32, uint8 and float64 columns."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import Any, Final, TypeVar

from tapelab.errors import RecordingError
from tapelab.recording import foreign_facts
from tapelab.recording.compression import is_packed, packed, unpacked
from tapelab.recording.facts import Rule
from tapelab.recording.field_tables import in_tables, without_tables
from tapelab.recording.narrow_columns import column_in, itemsize, kept
from tapelab.recording.op_facts import OpFacts
from tapelab.recording.schema import (
    FIRST_SCHEMA,
    SCHEMA,
    Columns,
    Group,
    Nested,
    RecordingData,
    Source,
    TapeFacts,
    VariableFacts,
)

D = TypeVar("D", bound=RecordingData)
MAGIC: Final = b"TAPELAB\0"
OLDEST: Final = 1
FLAGS: Final = ("tracked", "frozen", "path")
"""What the header says of a variable only where it is so."""
_PREFIX: Final = struct.Struct("<8sII")
MOST_PARTS: Final = 1 << 21
"""Brackets, commas and colons of the header of a recording whose size is limited."""
READ_FROM: Final = 1_000_000
"""A recording that was read from more bytes than this is neither written nor packed again."""


def to_bytes(recording: RecordingData) -> bytes:
    """A recording as the bytes of a `.tape` file, before they are packed where they are many."""
    return unpacked(recording.read_from) if recording.read_from else _written(recording)


def to_packed(recording: RecordingData) -> bytes:
    """A recording as the bytes of a `.tape` file: packed where they are many."""
    given = recording.read_from
    return given if is_packed(given) else packed(given or _written(recording))


def _written(recording: RecordingData) -> bytes:
    layout: dict[str, list[Any]] = {}
    chunks: list[bytes] = []
    offset = 0
    for name, column in in_tables(recording.columns).items():
        kind, chunk, more = kept(column)
        layout[name] = [kind, offset, len(column), *more]
        chunks.append(chunk + bytes(-len(chunk) % 8))
        offset += len(chunks[-1])
    header = json.dumps(_header(recording, layout), ensure_ascii=False).encode()
    header += b" " * (-(_PREFIX.size + len(header)) % 8)
    schema = SCHEMA if foreign_facts.are_in(recording) else FIRST_SCHEMA
    return b"".join([_PREFIX.pack(MAGIC, schema, len(header)), header, *chunks])


def _header(recording: RecordingData, layout: dict[str, list[Any]]) -> dict[str, Any]:
    tables = {
        name: [asdict(row) for row in getattr(recording, name)]
        for name in ("ops", "groups", "sources", "variables")
    }
    for row in tables["variables"]:
        for flag in FLAGS:
            if not row[flag]:
                del row[flag]
    tables["groups"] = [each.to_json() for each in recording.groups]
    return {
        "maker": recording.maker,
        "columns": layout,
        "tape": asdict(recording.tape),
        "strings": list(recording.strings),
        "shapes": [list(shape) for shape in recording.shapes],
        "dtypes": list(recording.dtypes),
        **tables,
        **({"nested": [each.to_json() for each in recording.nested]} if recording.nested else {}),
        **({"settings": list(recording.settings)} if recording.settings else {}),
        **({"framework": recording.framework} if recording.framework else {}),
    }


def decode(data: bytes | bytearray | memoryview, kind: type[D], most: int | None = None) -> D:
    """Read a recording, of the class that is given, from bytes, packed or not.

    RecordingError where they hold none that can be read, or one whose columns have more than `most`
    bytes: a column of even steps is as short in a file as it may be long in memory.
    """
    given = bytes(data)
    data = unpacked(given)
    header, start = _read_header(data, MOST_PARTS if most is not None else len(data))
    try:
        if most is not None:
            _check_size(header["columns"], most)
        places = header["columns"].items()
        columns = {
            name: column_in(data, start + at, kind, *rest) for name, (kind, at, *rest) in places
        }
        recording = _decoded(header, without_tables(columns), kind)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise RecordingError(
            f"This recording is damaged: {error}. Save it again from the notebook that made it."
        ) from error
    if len(data) > READ_FROM:
        object.__setattr__(recording, "read_from", given)
    return recording


def _check_size(columns: dict[str, list[Any]], most: int) -> None:
    """ValueError where columns are larger than allowed, before any of them is read."""
    size = sum(count * itemsize(kind) for kind, _, count, *_ in columns.values() if count > 0)
    if size > most:
        raise ValueError(f"its columns have {size} bytes, more than {most}")


def _read_header(data: bytes, parts: int) -> tuple[dict[str, Any], int]:
    if len(data) < _PREFIX.size or data[:8] != MAGIC:
        raise RecordingError(
            "This is not a recording: it does not start with the word TAPELAB. "
            "Recordings are made by tape.recording() and saved as .tape files."
        )
    _, schema, length = _PREFIX.unpack_from(data)
    if schema > SCHEMA:
        raise RecordingError(
            f"This recording is newer: made with schema {schema}, this tapelab reads {SCHEMA}. "
            "Update tapelab."
        )
    if schema < OLDEST:
        raise RecordingError(
            f"This recording is too old: made with schema {schema}, this tapelab reads "
            f"{OLDEST} to {SCHEMA}. Run the notebook again to record it again."
        )
    start = _PREFIX.size + length
    text = data[_PREFIX.size : start]
    if sum(map(text.count, (b",", b":", b"[", b"{"))) > parts:
        raise RecordingError(
            f"This recording has more than {parts} parts. Record a shorter program."
        )
    try:
        return json.loads(text), start
    except (ValueError, RecursionError) as error:
        raise RecordingError(
            f"This recording is cut short or damaged: its header cannot be read ({error})."
        ) from error


def _decoded(header: dict[str, Any], columns: Columns, kind: type[D]) -> D:
    return kind(
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
        settings=tuple(header.get("settings", ())),
        framework=header.get("framework", ""),
    )


def _op(facts: dict[str, Any]) -> OpFacts:
    rules = tuple(Rule(**rule) for rule in facts["rules"])
    return OpFacts(**{**facts, "inputs": tuple(facts["inputs"]), "rules": rules})
