"""The wire format of protocol buffers: messages as numbered fields, written and read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

VARINT: Final = 0
FIXED_64: Final = 1
BYTES: Final = 2
FIXED_32: Final = 5
_SIZES: Final = {FIXED_64: 8, FIXED_32: 4}
_LONGEST: Final = 10
"""The most bytes that an integer of 64 bits takes, in groups of 7 bits."""


def varint(value: int) -> bytes:
    """Return an integer in groups of 7 bits, the lowest first; a negative one modulo 2**64."""
    value &= 0xFFFF_FFFF_FFFF_FFFF
    groups = []
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])


def read_varint(raw: bytes, at: int) -> tuple[int, int]:
    """Return the integer at a position, and the position behind it; ValueError if it is cut off."""
    value = 0
    for count in range(_LONGEST):
        if at + count >= len(raw):
            raise ValueError("The bytes end within an integer.")
        group = raw[at + count]
        value |= (group & 0x7F) << 7 * count
        if group < 0x80:
            return value, at + count + 1
    raise ValueError("An integer has more than 64 bits.")


def field(number: int, value: int | bytes | str) -> bytes:
    """Return a field with an integer, a text, or the bytes of a message."""
    if isinstance(value, int):
        return varint(number << 3 | VARINT) + varint(value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | BYTES) + varint(len(content)) + content


def fixed_field(number: int, value: int) -> bytes:
    """Return a field with an unsigned integer of 4 bytes."""
    return varint(number << 3 | FIXED_32) + value.to_bytes(4, "little")


def fields(raw: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of each field; ValueError for bytes that are no message.

    A value is an integer, or the bytes of a text, of an inner message or of a number of fixed size.
    """
    at = 0
    while at < len(raw):
        tag, at = read_varint(raw, at)
        kind = tag & 7
        if kind == VARINT:
            value, at = read_varint(raw, at)
            yield tag >> 3, value
            continue
        if kind == BYTES:
            size, at = read_varint(raw, at)
        elif kind in _SIZES:
            size = _SIZES[kind]
        else:
            raise ValueError(f"A field has the unknown wire type {kind}.")
        if at + size > len(raw):
            raise ValueError("The bytes end within a field.")
        yield tag >> 3, raw[at : at + size]
        at += size


def message(raw: bytes) -> dict[int, list[Any]]:
    """Return the values of a message's fields by their numbers."""
    values: dict[int, list[Any]] = {}
    for number, value in fields(raw):
        values.setdefault(number, []).append(value)
    return values
