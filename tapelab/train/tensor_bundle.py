"""TensorFlow's checkpoint files: an index of named tensors, and their bytes in a file beside it.

`prefix.index` is a table of names with a BundleEntryProto each: dtype, shape, and the place and
checksum of the bytes in `prefix.data-00000-of-00001`. TensorFlow reads what is written here, and
what it writes is read here, also from several data files.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.dtypes import DType, string
from tapelab.errors import DataLossError, NotFoundError
from tapelab.io.crc32c import crc32c, mask, masked_crc32c
from tapelab.io.protobuf import field, fixed_field, message, read_varint, varint
from tapelab.io.serialized import dtype_of, pack_shape, unpack_shape
from tapelab.train.sorted_table import read_table, write_table

SHARDS, VERSION = 1, 3
"""The fields of a BundleHeaderProto."""
DTYPE, SHAPE, SHARD, OFFSET, SIZE, CHECKSUM, SLICES = range(1, 8)
"""The fields of a BundleEntryProto."""
PRODUCER: Final = 1

Named = Mapping[str, tuple[DType, NDArray[Any]]]


def write_bundle(prefix: str, tensors: Named) -> None:
    """Write arrays of dtypes by name; the files of an older checkpoint are replaced at the end."""
    folder = Path(prefix).parent
    folder.mkdir(parents=True, exist_ok=True)
    header = field(SHARDS, 1) + field(VERSION, field(1, PRODUCER))
    entries = {b"": header}
    data, index = Path(_data_file(prefix, 0, 1)), Path(f"{prefix}.index")
    new_data, new_index = (each.with_name(f"{each.name}.tempstate") for each in (data, index))
    offset = 0
    with new_data.open("wb") as file:
        for name in sorted(tensors, key=str.encode):
            dtype, array = tensors[name]
            content, checksum = _content(dtype, array)
            entries[name.encode()] = (
                field(DTYPE, dtype.as_datatype_enum) + field(SHAPE, pack_shape(array.shape))
                + field(OFFSET, offset) + field(SIZE, len(content))
                + fixed_field(CHECKSUM, checksum)
            )  # fmt: skip
            file.write(content)
            offset += len(content)
    new_index.write_bytes(write_table(entries))
    new_data.replace(data)
    new_index.replace(index)


def _content(dtype: DType, array: NDArray[Any]) -> tuple[bytes, int]:
    """The bytes of a tensor, and their checksum.

    Texts follow their lengths, with a checksum in between; lengths count as integers of 4 bytes.
    """
    if dtype is not string:
        content = array.tobytes()
        return content, masked_crc32c(content)
    texts: list[bytes] = list(array.ravel())
    lengths = crc32c(np.array([len(each) for each in texts], "<u4").tobytes())
    between = mask(lengths).to_bytes(4, "little")
    whole = b"".join(texts)
    sizes = b"".join(varint(len(each)) for each in texts)
    return sizes + between + whole, mask(crc32c(between + whole, lengths))


def _data_file(prefix: str, shard: int, count: int) -> str:
    return f"{prefix}.data-{shard:05d}-of-{count:05d}"


class CheckpointReader:
    """Reads the tensors of a checkpoint by name."""

    def __init__(self, prefix: str) -> None:
        index = Path(f"{prefix}.index")
        if not index.is_file():
            raise NotFoundError(
                None, None,
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
                f"{prefix}",
            )  # fmt: skip
        self._prefix = prefix
        table = {name.decode(): raw for name, raw in read_table(index.read_bytes()).items()}
        self._shards = message(table.pop("", b"")).get(SHARDS, [1])[0]
        self._entries = {name: message(raw) for name, raw in table.items()}

    def has_tensor(self, tensor_str: str) -> bool:
        """Return whether there is a tensor of this name."""
        return tensor_str in self._entries

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Return the shapes by name."""
        return {name: list(self._shape(name)) for name in self._entries}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Return the dtypes by name."""
        return {name: self.dtype(name) for name in self._entries}

    def dtype(self, name: str) -> DType:
        """Return the dtype of a tensor."""
        return dtype_of(self._entry(name)[DTYPE][0])

    def get_tensor(self, tensor_str: str) -> Any:
        """Return a tensor as an array; a scalar is a NumPy scalar, a text is bytes."""
        entry, dtype, shape = (
            self._entry(tensor_str),
            self.dtype(tensor_str),
            self._shape(tensor_str),
        )
        if SLICES in entry:
            raise NotImplementedError(
                f"{tensor_str} is stored in slices (a partitioned variable), which tapelab does "
                "not read. Save it unpartitioned in TensorFlow."
            )
        content = self._content(entry)
        try:
            if dtype is string:
                return _texts(content, shape)
            _check(content, prod(shape) * dtype.size, _checksum(entry))
        except ValueError as error:
            raise DataLossError(
                None, None, f"The tensor {tensor_str} of {self._prefix} is damaged: {error}."
            ) from error
        return np.frombuffer(content, dtype.as_numpy_dtype).reshape(shape).copy()[()]

    def _entry(self, name: str) -> dict[int, list[Any]]:
        if name not in self._entries:
            raise NotFoundError(None, None, f"Key {name} not found in checkpoint")
        return self._entries[name]

    def _shape(self, name: str) -> tuple[int, ...]:
        return unpack_shape(self._entry(name).get(SHAPE, [b""])[0])

    def _content(self, entry: dict[int, list[Any]]) -> bytes:
        shard, start, size = (entry.get(key, [0])[0] for key in (SHARD, OFFSET, SIZE))
        path = Path(_data_file(self._prefix, shard, self._shards))
        if not path.is_file():
            raise NotFoundError(None, None, f"{path}; No such file or directory")
        if start + size > path.stat().st_size:
            raise DataLossError(None, None, f"{path} is too short: it is cut off.")
        with path.open("rb") as file:
            file.seek(start)
            return file.read(size)


def _check(content: bytes, size: int, checksum: int) -> None:
    """Raise ValueError unless bytes have a size and a checksum."""
    if size != len(content):
        raise ValueError(f"{len(content)} bytes instead of {size}")
    if masked_crc32c(content) != checksum:
        raise ValueError("its checksum differs")


def _checksum(entry: dict[int, list[Any]]) -> int:
    return int.from_bytes(entry.get(CHECKSUM, [b"\0\0\0\0"])[0], "little")


def _texts(content: bytes, shape: tuple[int, ...]) -> Any:
    sizes, at = [], 0
    for _ in range(min(prod(shape), len(content))):
        size, at = read_varint(content, at)
        sizes.append(size)
    at += 4
    if len(sizes) != prod(shape) or at + sum(sizes) != len(content):
        raise ValueError(f"{len(content)} bytes for texts of shape {shape}")
    texts = np.empty(len(sizes), dtype=object)
    for place, size in enumerate(sizes):
        texts[place] = content[at : at + size]
        at += size
    return texts.reshape(shape)[()]
