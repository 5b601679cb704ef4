"""The table of a checkpoint's index file: sorted keys with values, in blocks with checksums.

It is LevelDB's format without compression. A block holds entries, each with the length of the
prefix that its key shares with the previous key; then the offsets of the entries that share
nothing, and their number. Behind each block stand its compression and its checksum. The file ends
with a block that lists the data blocks, and a footer that says where it is.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Final

from tapelab.errors import DataLossError
from tapelab.io.crc32c import masked_crc32c
from tapelab.io.protobuf import read_varint, varint

MAGIC: Final = 0xDB4775248B80FB57
FOOTER_SIZE: Final = 48
BLOCK_SIZE: Final = 1 << 18
"""How many bytes of entries a block has before the next one is begun."""
RESTART_EVERY: Final = 16
"""Of how many entries one has its whole key."""
TRAILER: Final = struct.Struct("<BI")
UNCOMPRESSED: Final = 0


def write_table(entries: Mapping[bytes, bytes]) -> bytes:
    """Return the file of a table; the keys are sorted."""
    file = bytearray()
    index: dict[bytes, bytes] = {}
    pending: dict[bytes, bytes] = {}
    size = 0
    for key in sorted(entries):
        pending[key] = entries[key]
        size += len(key) + len(entries[key])
        if size >= BLOCK_SIZE:
            index[key] = _append_block(file, pending)
            pending, size = {}, 0
    if pending or not index:
        index[next(reversed(pending), b"")] = _append_block(file, pending)
    metadata = _append_block(file, {})
    footer = (metadata + _append_block(file, index)).ljust(FOOTER_SIZE - 8, b"\0")
    return bytes(file) + footer + struct.pack("<Q", MAGIC)


def _append_block(file: bytearray, entries: Mapping[bytes, bytes]) -> bytes:
    """Append a block to a file; return its handle: where it begins and how long it is."""
    block = bytearray()
    restarts = [] if entries else [0]
    last = b""
    for count, (key, value) in enumerate(entries.items()):
        if count % RESTART_EVERY == 0:
            restarts.append(len(block))
            last = b""
        shared = next(
            (at for at, pair in enumerate(zip(last, key, strict=False)) if pair[0] != pair[1]),
            min(len(last), len(key)),
        )
        block += varint(shared) + varint(len(key) - shared) + varint(len(value))
        block += key[shared:] + value
        last = key
    block += struct.pack(f"<{len(restarts) + 1}I", *restarts, len(restarts))
    handle = varint(len(file)) + varint(len(block))
    block.append(UNCOMPRESSED)
    file += block + struct.pack("<I", masked_crc32c(bytes(block)))
    return handle


def read_table(file: bytes) -> dict[bytes, bytes]:
    """Return the entries of a table; DataLossError if the file is damaged."""
    try:
        return dict(_all_entries(file))
    except (ValueError, IndexError, struct.error) as error:
        message = f"The index of the checkpoint is damaged: {error}"
        raise DataLossError(None, None, message) from error


def _all_entries(file: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The entries of all blocks; ValueError if the file is damaged."""
    footer = file[-FOOTER_SIZE:]
    if len(footer) < FOOTER_SIZE or struct.unpack("<Q", footer[-8:]) != (MAGIC,):
        raise ValueError("not an sstable (bad magic number)")
    _, at = _read_handle(footer, 0)
    index, _ = _read_handle(footer, at)
    for _, handle in _entries(_block(file, index)):
        yield from _entries(_block(file, _read_handle(handle, 0)[0]))


def _read_handle(raw: bytes, at: int) -> tuple[tuple[int, int], int]:
    start, at = read_varint(raw, at)
    size, at = read_varint(raw, at)
    return (start, size), at


def _block(file: bytes, handle: tuple[int, int]) -> bytes:
    """The entries of a block, its checksum tested."""
    start, size = handle
    compression, checksum = TRAILER.unpack_from(file, start + size)
    if masked_crc32c(file[start : start + size + 1]) != checksum:
        raise ValueError("block checksum mismatch")
    if compression != UNCOMPRESSED:
        raise ValueError(f"blocks with the compression {compression} cannot be read")
    (count,) = struct.unpack_from("<I", file, start + size - 4)
    return file[start : start + size - 4 * (count + 1)]


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    at, key = 0, b""
    while at < len(block):
        shared, at = read_varint(block, at)
        rest, at = read_varint(block, at)
        size, at = read_varint(block, at)
        if shared > len(key) or at + rest + size > len(block):
            raise ValueError("an entry ends outside its block")
        key = key[:shared] + block[at : at + rest]
        yield key, block[at + rest : at + rest + size]
        at += rest + size
