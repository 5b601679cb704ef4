"""What worker and judge say to each other: frames of JSON and `.npy` buffers, never pickles.

A frame is a mark, two lengths, a header in JSON, and the buffers it speaks of. Both ends read
strictly: what is longer, deeper or other than agreed is a `WireError`, whoever wrote it.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from math import prod
from types import EllipsisType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.exercises.plots import Axes, Plot, Series
from tapelab.exercises.values import Code, Numbers, Picture, Prediction, Strange, Value

MARK: Final = b"TLW1"
_PREFIX: Final = struct.Struct("<4sII")
PREFIX_SIZE: Final = _PREFIX.size
LONGEST_HEADER: Final = 8 << 20
DEEPEST: Final = 64
LONGEST_TEXT: Final = 4000
_KINDS: Final = "biufcU"
"""NumPy's kinds of dtypes that travel: numbers and text, never objects."""


class WireError(ValueError):
    """What came over the wire is not what was agreed."""


@dataclass
class Parcel:
    """Values on their way: buffers, and a header that speaks of them by number."""

    buffers: list[bytes] = field(default_factory=list)

    def put(self, value: Value, depth: int = 0) -> Any:
        """A value as JSON; arrays go into the buffers. WireError for what is no value."""
        tell = _TELL.get(type(value))
        if tell is None or depth > DEEPEST:
            raise WireError(f"{type(value).__name__} is no plain value, or lies too deep")
        return tell(self, value, depth + 1)

    def add(self, content: bytes) -> int:
        """Put some bytes beside the header, and say where."""
        self.buffers.append(content)
        return len(self.buffers) - 1

    def take(self, told: Any, depth: int = 0) -> Value:
        """The value that `put` told of; WireError for anything else."""
        if told is None or type(told) is str:
            return told
        if depth > DEEPEST or type(told) is not dict or len(told) != 1:
            raise WireError("a value is not in the form that was agreed")
        [(kind, content)] = told.items()
        if kind not in _HEAR:
            raise WireError(f"there is no kind of value {kind[:40]!r}")
        try:
            return _HEAR[kind](self, content, depth + 1)
        except WireError:
            raise
        except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
            raise WireError(f"a value of kind {kind} is damaged") from error

    def buffer(self, at: Any) -> bytes:
        """The bytes that were put at a number."""
        if type(at) is not int or not 0 <= at < len(self.buffers):
            raise WireError("there is no such buffer")
        return self.buffers[at]

    def put_array(self, array: NDArray[Any]) -> int:
        """Put an array beside the header, in the form of `.npy`."""
        if array.dtype.kind not in _KINDS or array.dtype.names:
            raise WireError(f"an array of dtype {array.dtype} is not plain")
        file = io.BytesIO()
        np.lib.format.write_array(file, np.asarray(array), (1, 0), allow_pickle=False)
        return self.add(file.getvalue())

    def take_array(self, at: Any) -> NDArray[Any]:
        """The array at a number, in the byte order of this machine."""
        content = self.buffer(at)
        file = io.BytesIO(content)
        if np.lib.format.read_magic(file) != (1, 0):
            raise WireError("an array is in a form that was not agreed")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=4096)
        if dtype.kind not in _KINDS or dtype.names or dtype.subdtype:
            raise WireError("an array has a dtype that was not agreed")
        count = prod(shape)  # of whole numbers, for a product that wraps around would fit
        if any(size < 0 for size in shape) or count * dtype.itemsize != len(content) - file.tell():
            raise WireError("an array has another size than it says")
        found = np.frombuffer(content[file.tell() :], dtype) if count else np.empty(0, dtype)
        return found.reshape(shape, order="F" if fortran else "C").astype(dtype.newbyteorder("="))


def _tell_pairs(parcel: Parcel, value: dict[Any, Any], depth: int) -> Any:
    if any(type(key) not in (str, int) for key in value):
        raise WireError("a key of a dict is neither text nor a whole number")
    return {"dict": [[key, parcel.put(each, depth)] for key, each in value.items()]}


def _hear_pairs(parcel: Parcel, content: Any, depth: int) -> dict[Any, Any]:
    if any(type(key) not in (str, int) for key, _ in content):
        raise WireError("a key of a dict is neither text nor a whole number")
    return {key: parcel.take(each, depth) for key, each in content}


def _hear_numbers(parcel: Parcel, content: Any, _: int) -> Numbers:
    at, kind, dtype = content
    return Numbers(parcel.take_array(at), short(kind), short(dtype))


def _hear_picture(_: Parcel, content: Any, __: int) -> Picture:
    return Picture(tuple(Prediction(**each) for each in content))


def _tell_plot(parcel: Parcel, value: Plot, _: int) -> Any:
    return {"plot": [_tell_axes(parcel, each) for each in value.axes]}


def _tell_axes(parcel: Parcel, axes: Axes) -> Any:
    series = [[s.kind, s.label, parcel.put_array(s.x), parcel.put_array(s.y)] for s in axes.series]
    told = [getattr(axes, name) for name in _OF_AXES]
    return [told, series, list(map(parcel.put_array, axes.images)), list(axes.legend)]


def _hear_plot(parcel: Parcel, content: Any, _: int) -> Plot:
    return Plot(tuple(_hear_axes(parcel, *each) for each in content))


def _hear_axes(parcel: Parcel, told: Any, series: Any, images: Any, legend: Any) -> Axes:
    named = dict(zip(_OF_AXES, map(short, told), strict=True))
    drawn = [
        Series(short(kind), parcel.take_array(x), parcel.take_array(y), short(label))
        for kind, label, x, y in series
    ]
    pictures = tuple(map(parcel.take_array, images))
    return Axes(**named, series=tuple(drawn), images=pictures, legend=tuple(map(short, legend)))


def short(content: Any) -> str:
    """A short text; WireError for anything else."""
    if type(content) is not str or len(content) > LONGEST_TEXT:
        raise WireError("a short text is none")
    return content


_OF_AXES: Final = ("title", "x_label", "y_label", "x_scale", "y_scale")
_TELL: Final[dict[type, Callable[[Parcel, Any, int], Any]]] = {
    type(None): lambda _, value, __: value,
    str: lambda _, value, __: value,
    EllipsisType: lambda _, __, ___: {"ellipsis": True},
    Numbers: lambda p, v, _: {"numbers": [p.put_array(v.array), v.kind, v.dtype]},
    Strange: lambda _, value, __: {"strange": value.kind[:LONGEST_TEXT]},
    Code: lambda _, value, __: {"code": value.source},
    Picture: lambda _, value, __: {"picture": [asdict(each) for each in value.predictions]},
    Plot: _tell_plot,
    list: lambda parcel, value, depth: {"list": [parcel.put(each, depth) for each in value]},
    tuple: lambda parcel, value, depth: {"tuple": [parcel.put(each, depth) for each in value]},
    dict: _tell_pairs,
}
_HEAR: Final[dict[str, Callable[[Parcel, Any, int], Value]]] = {
    "ellipsis": lambda _, __, ___: ...,
    "numbers": _hear_numbers,
    "strange": lambda _, content, __: Strange(short(content)),
    "code": lambda _, content, __: Code(short(content)),
    "picture": _hear_picture,
    "plot": _hear_plot,
    "list": lambda parcel, content, depth: [parcel.take(each, depth) for each in content],
    "tuple": lambda parcel, content, depth: tuple(parcel.take(each, depth) for each in content),
    "dict": _hear_pairs,
}
"""Code is only ever text in the judge: what makes an object of it stands in the worker."""


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
