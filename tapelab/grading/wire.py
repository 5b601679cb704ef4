"""What worker and judge say to each other: frames of JSON and `.npy` buffers, never pickles.

A frame is a mark, two lengths, a header in JSON, and the buffers it speaks of. Both ends read
strictly: what is longer, deeper or other than agreed is a `WireError`, whoever wrote it.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MARK: Final = b"TLW1"
_PREFIX: Final = struct.Struct("<4sII")
PREFIX_SIZE: Final = _PREFIX.size
LONGEST_HEADER: Final = 8 << 20
DEEPEST: Final = 64
LONGEST_NUMBER: Final = 4000
"""Digits of a whole number; Python itself reads no longer ones."""
_KINDS: Final = "biufcSU"
"""NumPy's kinds of dtypes that travel: numbers and text, never objects."""


class WireError(ValueError):
    """What came over the wire is not what was agreed."""


class Elsewhere:
    """Something that stayed in the worker; subclasses bear the name of its type."""

    __slots__ = ()


@dataclass
class Parcel:
    """Plain values on their way: buffers that a header speaks of by number."""

    buffers: list[bytes] = field(default_factory=list)

    def put(self, value: Any, depth: int = 0) -> Any:
        """A value as JSON; arrays go into the buffers. WireError for what is not plain."""
        if depth > DEEPEST:
            raise WireError(f"it is nested deeper than {DEEPEST} levels")
        for kinds, told in _TOLD:
            if isinstance(value, kinds):
                return told(self, value, depth)
        if isinstance(value, type) and issubclass(value, Elsewhere):
            return {"elsewhere": value.__name__}
        raise WireError(f"{type(value).__name__} is no plain value")

    def add(self, content: bytes) -> int:
        """Put some bytes beside the header, and say where."""
        self.buffers.append(content)
        return len(self.buffers) - 1

    def take(self, told: Any, depth: int = 0) -> Any:
        """The value that `put` told of; WireError for anything else."""
        if told is None or type(told) in (bool, str):
            return told
        if depth > DEEPEST or type(told) is not dict or len(told) != 1:
            raise WireError("a value is not in the form that was agreed")
        [(kind, content)] = told.items()
        if kind not in _HEARD:
            raise WireError(f"there is no kind of value {kind[:40]!r}")
        try:
            return _HEARD[kind](self, content, depth)
        except WireError:
            raise
        except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
            raise WireError(f"a value of kind {kind} is damaged") from error

    def buffer(self, at: Any) -> bytes:
        """The bytes that were put at a number."""
        if type(at) is not int or not 0 <= at < len(self.buffers):
            raise WireError("there is no such buffer")
        return self.buffers[at]


def _tell_array(parcel: Parcel, value: NDArray[Any], _: int) -> dict[str, Any]:
    array = np.array(value, subok=False)
    if array.dtype.kind not in _KINDS or array.dtype.names:
        raise WireError(f"an array of dtype {array.dtype} is not plain")
    file = io.BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=False)
    return {"array": parcel.add(file.getvalue())}


def _hear_array(parcel: Parcel, at: Any, _: int) -> NDArray[Any]:
    content = parcel.buffer(at)
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    if version != (1, 0):
        raise WireError("an array is in a form that was not agreed")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=4096)
    if dtype.kind not in _KINDS or dtype.names or dtype.subdtype:
        raise WireError("an array has a dtype that was not agreed")
    count = 1
    for size in shape:
        count *= size  # whole numbers of any size: a product that wraps around would fit
    if count < 0 or count * dtype.itemsize != len(content) - file.tell():
        raise WireError("an array has another size than it says")
    numbers = np.frombuffer(content, dtype, count, file.tell()) if count else np.empty(0, dtype)
    return numbers.reshape(shape, order="F" if fortran else "C").copy()


def _tell_pairs(parcel: Parcel, value: dict[Any, Any], depth: int) -> dict[str, Any]:
    pairs = [[parcel.put(k, depth + 1), parcel.put(v, depth + 1)] for k, v in value.items()]
    return {"dict": pairs}


def _hear_pairs(parcel: Parcel, content: Any, depth: int) -> dict[Any, Any]:
    return {parcel.take(k, depth + 1): parcel.take(v, depth + 1) for k, v in _list(content)}


def _list(content: Any) -> list[Any]:
    if type(content) is not list:
        raise WireError("a list is no list")
    return content


def _of_float(_: Parcel, value: float, __: int) -> dict[str, Any]:
    return {"float": float.hex(float(value))}


def _text(content: Any) -> str:
    if type(content) is not str or len(content) > LONGEST_NUMBER:
        raise WireError("a number is no number")
    return content


def _hear_complex(_: Parcel, content: Any, __: int) -> complex:
    real, imaginary = _list(content)
    return complex(float.fromhex(_text(real)), float.fromhex(_text(imaginary)))


def _hear_elsewhere(_: Parcel, content: Any, __: int) -> Elsewhere:
    name = content if type(content) is str and content.isidentifier() else "object"
    kind: type[Elsewhere] = type(name[:80], (Elsewhere,), {"__slots__": ()})
    return kind()


_TOLD: Final[tuple[tuple[Any, Callable[[Parcel, Any, int], Any]], ...]] = (
    ((bool, type(None)), lambda _, value, __: value),
    ((str,), lambda _, value, __: str(value)),
    ((np.ndarray, np.generic), _tell_array),
    ((int,), lambda _, value, __: {"int": str(int(value))}),
    ((float,), _of_float),
    ((complex,), lambda _, v, __: {"complex": [float.hex(v.real), float.hex(v.imag)]}),
    ((bytes,), lambda parcel, value, _: {"bytes": parcel.add(bytes(value))}),
    ((list,), lambda parcel, value, depth: {"list": [parcel.put(v, depth + 1) for v in value]}),
    ((tuple,), lambda parcel, value, depth: {"tuple": [parcel.put(v, depth + 1) for v in value]}),
    ((dict,), _tell_pairs),
    ((type(...),), lambda _, __, ___: {"ellipsis": True}),
)
"""How each type is told, looked at in this order: a NumPy float is a Python float, too."""
_HEARD: Final[dict[str, Callable[[Parcel, Any, int], Any]]] = {
    "array": _hear_array,
    "int": lambda _, content, __: int(_text(content)),
    "float": lambda _, content, __: float.fromhex(_text(content)),
    "complex": _hear_complex,
    "bytes": lambda parcel, at, _: parcel.buffer(at),
    "list": lambda p, content, depth: [p.take(each, depth + 1) for each in _list(content)],
    "tuple": lambda p, content, depth: tuple(p.take(each, depth + 1) for each in _list(content)),
    "dict": _hear_pairs,
    "ellipsis": lambda _, __, ___: ...,
    "elsewhere": _hear_elsewhere,
}


def pack(header: dict[str, Any], parcel: Parcel | None = None) -> bytes:
    """A frame: a header and the buffers it speaks of."""
    buffers = parcel.buffers if parcel else []
    whole = {**header, "buffers": [len(each) for each in buffers]}
    told = json.dumps(whole, separators=(",", ":")).encode("ascii")
    size = sum(map(len, buffers))
    if len(told) > LONGEST_HEADER or size >= 1 << 32:
        raise WireError("it is too long to be sent")
    return b"".join([_PREFIX.pack(MARK, len(told), size), told, *buffers])


def sizes(prefix: bytes, most: int) -> tuple[int, int]:
    """The lengths of header and buffers that the first bytes of a frame promise."""
    mark, header, buffers = _PREFIX.unpack(prefix)
    if mark != MARK:
        raise WireError("no frame begins here")
    if header > LONGEST_HEADER or buffers > most:
        raise TooLongError(f"more than {most} bytes are sent")
    return header, buffers


class TooLongError(WireError):
    """A frame is longer than the limit allows."""


def unpack(told: bytes, content: bytes) -> tuple[dict[str, Any], Parcel]:
    """The header and the buffers of a frame; WireError if they do not fit together."""
    try:
        header = json.loads(told)
    except (ValueError, RecursionError) as error:
        raise WireError("a header is no JSON") from error
    lengths = header.pop("buffers", None) if type(header) is dict else None
    if type(lengths) is not list or any(type(each) is not int or each < 0 for each in lengths):
        raise WireError("a header is not in the form that was agreed")
    if sum(lengths) != len(content):
        raise WireError("the buffers have other lengths than the header says")
    buffers, start = [], 0
    for length in lengths:
        buffers.append(content[start : start + length])
        start += length
    return header, Parcel(buffers)


def receive(read: Callable[[int], bytes], most: int) -> tuple[dict[str, Any], Parcel]:
    """The next frame of a stream; EOFError where it ends. `read` gives exactly so many bytes."""
    header, size = sizes(read(PREFIX_SIZE), most)
    return unpack(read(header), read(size))
