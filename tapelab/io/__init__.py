"""`tf.io`: files, and tensors as bytes. What comes out of bytes has no history."""

from __future__ import annotations

import base64
import binascii
import glob
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import spoken
from tapelab.dtypes import as_dtype
from tapelab.errors import InvalidArgumentError, NotFoundError, invalid_argument
from tapelab.io.serialized import pack as _pack
from tapelab.io.serialized import unpack as _unpack
from tapelab.namespace.missing_names import in_module
from tapelab.ops.public import tensor
from tapelab.strings.string_op import each, one_text, text, texts

RAW: Final = (
    *("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16"),
    *("complex64", "complex128", "bool"),
)
"""The dtypes whose entries are a fixed number of bytes."""


@public
def read_file(filename: Any, name: str | None = None) -> Tensor:
    """All bytes of a file as one text; NotFoundError if there is no such file."""
    path = _path(filename, "ReadFile")
    try:
        return _constant(texts([path.read_bytes()], ()), "read_file")
    except FileNotFoundError:
        raise NotFoundError(
            None, "ReadFile", f"{path}; No such file or directory [Op:ReadFile]"
        ) from None


@public
def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Write a text into a file, making the folders that it needs."""
    path = _path(filename, "WriteFile")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(one_text(contents, "WriteFile", "Contents tensor"))


@public
def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The names of the files that fit patterns such as `*.txt`, sorted."""
    patterns = np.ravel(text(pattern, "MatchingFiles")._value)
    paths = {path for each in patterns for path in glob.glob(each.decode())}  # noqa: PTH207 - patterns may be absolute
    return _constant(texts(sorted(paths)), "matching_files")


@public
def decode_raw(
    input_bytes: Any, out_type: Any, little_endian: bool = True, fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The bytes of texts as numbers along a new last axis; all texts must be of one length.

    With `fixed_length`, longer ones are cut and shorter ones filled up with zero bytes.
    """
    x, dtype = text(input_bytes, "DecodeRaw"), as_dtype(out_type)
    if dtype.name not in RAW:
        raise invalid_argument(
            "DecodeRaw", f"Value for attr 'out_type' of {spoken(dtype.name)} is not in the list of "
            f"allowed values: {', '.join(map(spoken, RAW))}",
        )  # fmt: skip
    rows = list(np.ravel(x._value))
    if fixed_length is not None:
        rows = [row[:fixed_length].ljust(fixed_length, b"\0") for row in rows]
    kind = np.dtype(dtype.as_numpy_dtype)
    _check_lengths(rows, kind, fixed_length)
    order: Literal["<", ">"] = "<" if little_endian else ">"
    numbers = np.frombuffer(b"".join(rows), kind.newbyteorder(order)).astype(kind)
    width = len(rows[0]) // kind.itemsize if rows else 0
    return _constant(numbers.reshape(*x._array.shape, width), "decode_raw")


@public
def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """A tensor as bytes, its dtype and shape with it, in TensorFlow's protocol buffers."""
    x = _tensor(tensor)
    return _constant(texts([_pack(np.asarray(x._value), x.dtype)], ()), "serialize_tensor")


@public
def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor that `serialize_tensor` made bytes of; InvalidArgumentError for other bytes."""
    raw, wanted = one_text(serialized, "ParseTensor", "serialized"), as_dtype(out_type)
    try:
        dtype, array = _unpack(raw)
    except (ValueError, IndexError, KeyError):
        shown = base64.b64encode(raw).decode()
        raise invalid_argument(
            "ParseTensor", f"Could not parse `serialized` as TensorProto, base64: {shown}"
        ) from None
    if dtype is not wanted:
        raise invalid_argument(
            "ParseTensor", f"Type mismatch between parsed tensor ({spoken(dtype.name)}) and dtype "
            f"({spoken(wanted.name)}). Try out_type={dtype!r}",
        )  # fmt: skip
    return _constant(array, "parse_tensor")


@public
def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Bytes as letters that may stand in an address."""
    x = text(input, "EncodeBase64")._value

    def letters(raw: bytes) -> bytes:
        encoded = base64.urlsafe_b64encode(raw)
        return encoded if pad else encoded.rstrip(b"=")

    return _constant(each(letters, x), "encode_base64")


@public
def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """The bytes that `encode_base64` wrote as letters; InvalidArgumentError for other letters."""
    return _constant(each(_from_letters, text(input, "DecodeBase64")._value), "decode_base64")


def _from_letters(raw: bytes) -> bytes:
    try:
        padded = raw.rstrip(b"=") + b"=" * (-len(raw.rstrip(b"=")) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True)
    except binascii.Error:
        raise invalid_argument("DecodeBase64", "Invalid character found in base64.") from None


def _check_lengths(rows: list[bytes], kind: Any, fixed_length: int | None) -> None:
    size = kind.itemsize
    if fixed_length is not None and fixed_length % size:
        raise invalid_argument(
            "DecodePaddedRaw", f"fixed_length ({fixed_length}) must be a multiple of the size of "
            f"out_type ({size})",
        )  # fmt: skip
    for at, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise _uneven(at, rows)
        if len(row) % size:
            raise invalid_argument(
                "DecodeRaw", f"Input to DecodeRaw has length {len(row)} that is not a multiple of "
                f"{size}, the size of {spoken(kind.name)}",
            )  # fmt: skip


def _uneven(at: int, rows: list[bytes]) -> InvalidArgumentError:
    return invalid_argument(
        "DecodeRaw", "DecodeRaw requires input strings to all be the same size, but element "
        f"{at} has size {len(rows[at])} != {len(rows[0])}. Try fixed_length=…",
    )  # fmt: skip


def _path(filename: Any, raw: str) -> Path:
    return Path(one_text(filename, raw, "Input filename tensor").decode())


def _tensor(value: Any) -> Tensor:
    return tensor(value)


def _constant(array: Any, how: str) -> Tensor:
    return new_constant(array, None, f"tf.io.{how}")


__getattr__, __dir__ = in_module(__name__)
