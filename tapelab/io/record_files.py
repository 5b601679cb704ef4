"""TFRecord files: byte strings one after the other, each with its length and two checksums."""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, NoReturn, Self

from tapelab.core.tensor import Tensor
from tapelab.errors import DataLossError, NotFoundError
from tapelab.io.crc32c import masked_crc32c

COMPRESSIONS: Final = ("", "GZIP", "ZLIB")


class TFRecordOptions:
    """How a file of records is compressed: "GZIP", "ZLIB" or not at all."""

    def __init__(self, compression_type: Any = None, **settings: Any) -> None:
        self.compression_type = compression_name(compression_type)
        self.settings = settings


def compression_name(compression_type: Any) -> str:
    """Return the name of a compression; ValueError for an unknown one."""
    given = compression_type
    if isinstance(given, TFRecordOptions):
        return given.compression_type
    if isinstance(given, Tensor):
        given = given.numpy().decode()
    name = "" if given in (None, "NONE") else given
    if name not in COMPRESSIONS:
        raise ValueError(
            f"Not a valid compression_type: {given!r}. Allowed values: {list(COMPRESSIONS)}."
        )
    return str(name)


def opened(path: str, compression_type: str) -> IO[bytes]:
    """Open a file whose content may be compressed; NotFoundError if there is none."""
    try:
        if compression_type == "ZLIB":
            from io import BytesIO

            return BytesIO(zlib.decompress(Path(path).read_bytes()))
        if compression_type == "GZIP":
            return gzip.open(path, "rb")  # type: ignore[return-value]  # it reads bytes
        return Path(path).open("rb")
    except FileNotFoundError:
        raise NotFoundError(
            None, "IteratorGetNext", f"{path}; No such file or directory [Op:IteratorGetNext]"
        ) from None


class TFRecordWriter:
    """Writes byte strings into a file of records; also a context manager."""

    def __init__(self, path: Any, options: Any = None) -> None:
        self._path = os.fspath(path.decode() if isinstance(path, bytes) else path)
        self._compression = compression_name(options)
        parts: Any = gzip.open if self._compression == "GZIP" else open
        try:
            self._file: Any = parts(self._path, "wb")
        except FileNotFoundError:
            raise NotFoundError(None, None, f"{self._path}; No such file or directory") from None
        self._zlib = zlib.compressobj() if self._compression == "ZLIB" else None

    def write(self, record: Any) -> None:
        """Append one record; TypeError for what is neither bytes nor text."""
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, bytes):
            raise TypeError(
                "write(): incompatible function arguments. A record is bytes, not "
                f"{type(record).__name__}. Try record.numpy() or example.SerializeToString()."
            )
        self._append(framed(record))

    def _append(self, content: bytes) -> None:
        self._file.write(content if self._zlib is None else self._zlib.compress(content))

    def flush(self) -> None:
        """Write what is buffered."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._zlib is not None and not self._file.closed:
            self._file.write(self._zlib.flush())
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def framed(record: bytes) -> bytes:
    """Return a record as it stands in a file."""
    length = struct.pack("<Q", len(record))
    checksums = (struct.pack("<I", masked_crc32c(each)) for each in (length, record))
    return length + next(checksums) + record + next(checksums)


def records_of(path: str, compression_type: str) -> Iterator[bytes]:
    """Yield the records of a file; DataLossError where it is cut off or changed."""
    at = 0
    with opened(path, compression_type) as file:
        while len(head := file.read(12)) == 12:  # TensorFlow ends at an incomplete head, too
            length, checksum = struct.unpack("<QI", head)
            if masked_crc32c(head[:8]) != checksum:
                _lost("corrupted", at)
            body = file.read(length + 4)
            if len(body) < length + 4:
                _lost("truncated", at)
            record = body[:length]
            if masked_crc32c(record) != int.from_bytes(body[length:], "little"):
                _lost("corrupted", at)
            at += 16 + length
            yield record


def _lost(how: str, at: int) -> NoReturn:
    raise DataLossError(None, "IteratorGetNext", f"{how} record at {at} [Op:IteratorGetNext]")
