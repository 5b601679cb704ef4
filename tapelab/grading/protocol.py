"""The protocol between worker and grader: frames of JSON and `.npy` buffers, never pickles.

A frame is a magic number, two lengths, a JSON header, and the buffers that the header refers to by
number. Both ends decode strictly: whatever is longer or deeper than allowed, or of another form,
raises `ProtocolError`, whoever sent it. No class is looked up by a name from a frame, and code is
only ever text here; the worker alone evaluates it.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import prod
from tokenize import TokenError
from types import EllipsisType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.exercises.figure_data import Axes, Plot, Series
from tapelab.exercises.values import Code, Numbers, Picture, Prediction, Strange, Value

MAGIC: Final = b"TLW1"
_PREFIX: Final = struct.Struct("<4sII")
PREFIX_SIZE: Final = _PREFIX.size
LONGEST_HEADER: Final = 8 << 20
DEEPEST: Final = 64
LONGEST_TEXT: Final = 4000
LONGEST_ANSWER: Final = 1 << 20
"""Characters of a text that is an answer."""
MOST_PARTS: Final = 1 << 21
"""Brackets, commas and colons of a header: as objects they take far more memory than as text."""
MOST_AXES: Final = 32
MOST_EMPTY: Final = 1 << 16
"""Places of an array without elements, which may become empty lists."""
_KINDS: Final = "biufcU"
"""The kinds of dtypes that are sent: numbers and text, never objects."""


_DAMAGES: Final = (
    *(ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, SyntaxError),
    *(TokenError, TypeError, ValueError),
)
"""What reading a damaged value raises; NumPy reads the header of an array as Python."""


class ProtocolError(ValueError):
    """A frame does not follow the protocol."""


@dataclass
class Payload:
    """The buffers of a frame, and the encoding of values as JSON that refers to them by number."""

    buffers: list[bytes] = field(default_factory=list)
    _taken: int = field(default=0, init=False)
    """Bytes of buffers that were read as arrays: each buffer is read once."""

    @cached_property
    def _size(self) -> int:
        """Bytes of all buffers that arrived."""
        return sum(map(len, self.buffers))

    def put(self, value: Value, depth: int = 0) -> Any:
        """The JSON form of a value; its arrays become buffers. ProtocolError for other objects."""
        encode = _ENCODERS.get(type(value))
        if encode is None or depth > DEEPEST:
            raise ProtocolError(
                f"{type(value).__name__} is not a plain value, or is nested too deeply"
            )
        return encode(self, value, depth + 1)

    def add(self, content: bytes) -> int:
        """Append a buffer and return its number."""
        self.buffers.append(content)
        return len(self.buffers) - 1

    def take(self, encoded: object, depth: int = 0) -> Value:
        """The value that `put` encoded; ProtocolError for anything else."""
        if encoded is None:
            return None
        if type(encoded) is str:
            return short_text(encoded, LONGEST_ANSWER)
        if depth > DEEPEST or not isinstance(encoded, dict) or len(encoded) != 1:
            raise ProtocolError("a value has an unknown form")
        [(kind, content)] = encoded.items()
        if kind not in _DECODERS:
            raise ProtocolError(f"there is no kind of value {kind[:40]!r}")
        try:
            return _DECODERS[kind](self, content, depth + 1)
        except ProtocolError:
            raise
        except _DAMAGES as error:
            raise ProtocolError(f"a value of kind {kind} is damaged") from error

    def buffer(self, at: object) -> bytes:
        """The buffer with this number."""
        if type(at) is not int or not 0 <= at < len(self.buffers):
            raise ProtocolError("a buffer number is out of range")
        return self.buffers[at]

    def add_array(self, array: NDArray[Any]) -> int:
        """Append an array as a buffer in `.npy` format and return its number."""
        if array.dtype.kind not in _KINDS or array.dtype.names:
            raise ProtocolError(f"an array of dtype {array.dtype} is not plain")
        file = io.BytesIO()
        np.lib.format.write_array(file, np.asarray(array), (1, 0), allow_pickle=False)
        return self.add(file.getvalue())

    def read_array(self, at: object) -> NDArray[Any]:
        """The array in the buffer with this number, in the byte order of this machine."""
        content = self.buffer(at)
        self._taken += len(content)
        if self._taken > self._size:
            raise ProtocolError("a buffer is named more than once")
        file = io.BytesIO(content)
        if np.lib.format.read_magic(file) != (1, 0):
            raise ProtocolError("an array has an unknown format version")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=4096)
        if dtype.kind not in _KINDS or dtype.names or dtype.subdtype:
            raise ProtocolError("an array has a dtype that is not allowed")
        count = prod(shape)  # Python integers: a product that wraps around could match the size
        if any(size < 0 for size in shape) or count * dtype.itemsize != len(content) - file.tell():
            raise ProtocolError("an array has another size than its header says")
        places = prod(max(size, 1) for size in shape)
        if len(shape) > MOST_AXES or (not count * dtype.itemsize and places > MOST_EMPTY):
            raise ProtocolError("an array has too many axes or empty places")
        flat = np.frombuffer(content, dtype, count, file.tell()) if count else np.empty(0, dtype)
        return flat.reshape(shape, order="F" if fortran else "C").astype(dtype.newbyteorder("="))


def _encode_pairs(payload: Payload, value: dict[Any, Any], depth: int) -> Any:
    if any(type(key) not in (str, int) for key in value):
        raise ProtocolError("a key of a dict is neither text nor an integer")
    return {"dict": [[key, payload.put(each, depth)] for key, each in value.items()]}


def _decode_pairs(payload: Payload, content: Any, depth: int) -> dict[Any, Any]:
    if any(type(key) not in (str, int) for key, _ in content):
        raise ProtocolError("a key of a dict is neither text nor an integer")
    return {key: payload.take(each, depth) for key, each in content}


def _decode_numbers(payload: Payload, content: Any, _: int) -> Numbers:
    at, kind, dtype = content
    return Numbers(payload.read_array(at), short_text(kind), short_text(dtype))


def _decode_picture(_: Payload, content: Any, __: int) -> Picture:
    return Picture(tuple(_decode_prediction(**each) for each in content))


def _decode_prediction(*, step: Any, right: Any, **texts: Any) -> Prediction:
    if type(step) is not int or type(right) is not bool:
        raise ProtocolError("a prediction has an unknown form")
    known = {name: short_text(text) for name, text in texts.items()}
    return Prediction(step=step, right=right, **known)


def _encode_plot(payload: Payload, value: Plot, _: int) -> Any:
    return {"plot": [_encode_axes(payload, each) for each in value.axes]}


def _encode_axes(payload: Payload, axes: Axes) -> Any:
    series = [
        [s.kind, s.label, payload.add_array(s.x), payload.add_array(s.y)] for s in axes.series
    ]
    texts = [getattr(axes, name) for name in _AXES_FIELDS]
    return [texts, series, list(map(payload.add_array, axes.images)), list(axes.legend)]


def _decode_plot(payload: Payload, content: Any, _: int) -> Plot:
    return Plot(tuple(_decode_axes(payload, *each) for each in content))


def _decode_axes(payload: Payload, texts: Any, series: Any, images: Any, legend: Any) -> Axes:
    named = dict(zip(_AXES_FIELDS, map(short_text, texts), strict=True))
    drawn = [
        Series(short_text(kind), payload.read_array(x), payload.read_array(y), short_text(label))
        for kind, label, x, y in series
    ]
    pictures = tuple(map(payload.read_array, images))
    return Axes(
        **named, series=tuple(drawn), images=pictures, legend=tuple(map(short_text, legend))
    )


def short_text(content: Any, longest: int = LONGEST_TEXT) -> str:
    """The text itself if it is short; ProtocolError for anything else."""
    if type(content) is not str or len(content) > longest:
        raise ProtocolError("a short text is too long, or is not text")
    return content


_AXES_FIELDS: Final = ("title", "x_label", "y_label", "x_scale", "y_scale")
_ENCODERS: Final[dict[type, Callable[[Payload, Any, int], Any]]] = {
    type(None): lambda _, value, __: value,
    str: lambda _, value, __: value,
    EllipsisType: lambda _, __, ___: {"ellipsis": True},
    Numbers: lambda p, v, _: {"numbers": [p.add_array(v.array), v.kind, v.dtype]},
    Strange: lambda _, value, __: {"strange": value.kind[:LONGEST_TEXT]},
    Code: lambda _, value, __: {"code": value.source},
    Picture: lambda _, value, __: {"picture": [asdict(each) for each in value.predictions]},
    Plot: _encode_plot,
    list: lambda payload, value, depth: {"list": [payload.put(each, depth) for each in value]},
    tuple: lambda payload, value, depth: {"tuple": [payload.put(each, depth) for each in value]},
    dict: _encode_pairs,
}
_DECODERS: Final[dict[str, Callable[[Payload, Any, int], Value]]] = {
    "ellipsis": lambda _, __, ___: ...,
    "numbers": _decode_numbers,
    "strange": lambda _, content, __: Strange(short_text(content)),
    "code": lambda _, content, __: Code(short_text(content)),
    "picture": _decode_picture,
    "plot": _decode_plot,
    "list": lambda payload, content, depth: [payload.take(each, depth) for each in content],
    "tuple": lambda payload, content, depth: tuple(payload.take(each, depth) for each in content),
    "dict": _decode_pairs,
}
"""Code is only ever text in the grader; only the worker evaluates it."""


def encode_frame(header: dict[str, Any], payload: Payload | None = None) -> bytes:
    """A frame as bytes: a header and the buffers it refers to; ProtocolError if it is too long."""
    buffers = payload.buffers if payload else []
    whole = {**header, "buffers": [len(each) for each in buffers]}
    text = json.dumps(whole, separators=(",", ":")).encode("ascii")
    size = sum(map(len, buffers))
    if len(text) > LONGEST_HEADER or size >= 1 << 32:
        raise ProtocolError("it is too long to be sent")
    return b"".join([_PREFIX.pack(MAGIC, len(text), size), text, *buffers])


def frame_sizes(prefix: bytes, most: int) -> tuple[int, int]:
    """The sizes in bytes of header and buffers, from the first bytes of a frame."""
    mark, header, buffers = _PREFIX.unpack(prefix)
    if mark != MAGIC:
        raise ProtocolError("the magic number of a frame is missing")
    if header > LONGEST_HEADER or buffers > most:
        raise FrameTooLongError(f"more than {most} bytes are sent")
    return header, buffers


class FrameTooLongError(ProtocolError):
    """A frame is longer than the limit."""


def decode_frame(text: bytes, content: bytes) -> tuple[dict[str, Any], Payload]:
    """The header and the payload of a frame; ProtocolError if they do not match."""
    if sum(map(text.count, (b",", b":", b"[", b"{"))) > MOST_PARTS:
        raise ProtocolError("a header has too many parts")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a header is not JSON") from error
    lengths = header.pop("buffers", None) if type(header) is dict else None
    if type(lengths) is not list or any(type(each) is not int or each < 0 for each in lengths):
        raise ProtocolError("a header has an unknown form")
    if sum(lengths) != len(content):
        raise ProtocolError("the buffers have other sizes than the header says")
    buffers, start = [], 0
    for length in lengths:
        buffers.append(content[start : start + length])
        start += length
    return header, Payload(buffers)


def read_frame(read: Callable[[int], bytes], most: int) -> tuple[dict[str, Any], Payload]:
    """The next frame of a stream; `read` returns exactly so many bytes, or raises EOFError."""
    header, size = frame_sizes(read(PREFIX_SIZE), most)
    return decode_frame(read(header), read(size))
