"""`tf.train.Example` and its parts: features by name, as protocol buffers.

A message declares its fields in `FIELDS`: the number and the kind of each. A scalar list, an inner
message and a map are made when they are first asked for, as in the classes that are generated from
TensorFlow's definitions. The entries of a map are written in the order of their keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSequence
from operator import index
from typing import Any, ClassVar, Final, Self

import numpy as np

from tapelab.io.protobuf import field, fields, read_varint, varint

_ESCAPES: Final = {9: r"\t", 10: r"\n", 13: r"\r", 34: r"\"", 39: r"\'", 92: r"\\"}


class DecodeError(Exception):
    """The bytes are not those of a message."""


def _bytes(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(f"expected bytes, {type(value).__name__} found")
    return value


def _float(value: Any) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(np.float32(value))


def _integer(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError("Field tensorflow.Int64List.value: Expected an int, got a boolean.")
    number = index(value.item() if isinstance(value, np.generic) else value)
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"Value out of range: {number}")
    return number


class Scalars(MutableSequence[Any]):
    """The values of a list message: bytes, floats or integers, each checked when it is added."""

    def __init__(self, check: Callable[[Any], Any], changed: Callable[[], None]) -> None:
        self._check, self._changed = check, changed
        self._values: list[Any] = []

    def __getitem__(self, at: Any) -> Any:
        return self._values[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        self._values[at] = self._check(value)

    def __delitem__(self, at: Any) -> None:
        del self._values[at]

    def __len__(self) -> int:
        return len(self._values)

    def insert(self, index: int, value: Any) -> None:
        """Insert a value before an index."""
        self._values.insert(index, self._check(value))
        self._changed()

    def __eq__(self, other: object) -> bool:
        return self._values == (other._values if isinstance(other, Scalars) else other)

    __hash__ = None  # type: ignore[assignment]  # it can be changed

    def __repr__(self) -> str:
        return repr(self._values)


class Messages(list[Any]):
    """The messages of one kind in a message."""

    def __init__(self, kind: type[Message], changed: Callable[[], None]) -> None:
        super().__init__()
        self._kind, self._changed = kind, changed

    def add(self, **values: Any) -> Any:
        """Append a new message, and return it."""
        self.append(self._kind(**values))
        self._changed()
        return self[-1]


class MessageMap(dict[str, Any]):
    """Messages by name; one that is asked for and not there is made."""

    def __init__(self, kind: type[Message], changed: Callable[[], None]) -> None:
        super().__init__()
        self._kind, self._changed = kind, changed

    def __missing__(self, name: str) -> Any:
        self[name] = self._kind()
        return self[name]

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, _message(self._kind, value))
        self._changed()


class Message:
    """A message: its fields are attributes, which are made when they are first asked for."""

    FIELDS: ClassVar[dict[str, tuple[int, Any]]] = {}
    """The number of each field, and its kind: a message class, or a container of them."""
    ONE_OF: ClassVar[str] = ""
    """The name of the choice, where only one of the fields can be set."""

    def __init__(self, **values: Any) -> None:
        self._set: dict[str, Any] = {}
        for name, value in values.items():
            if name not in self.FIELDS:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            self._assign(name, value)

    def _assign(self, name: str, value: Any) -> None:
        kind = self.FIELDS[name][1]
        if isinstance(kind, type):
            self._clear_choice()
            self._set[name] = _message(kind, value)
            return
        container = getattr(self, name)
        if isinstance(container, MessageMap):
            for key, part in value.items():
                container[key] = part
        else:
            container.extend(value)

    def _clear_choice(self) -> None:
        if self.ONE_OF:
            self._set.clear()

    def __getattr__(self, name: str) -> Any:
        if name not in type(self).FIELDS:
            raise AttributeError(name)
        kind = self.FIELDS[name][1]
        if isinstance(kind, type):
            value: Any = kind()
            value._parent = self, name
            return value
        self._set[name] = kind(self._join)
        return self._set[name]

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_") and name in type(self).FIELDS and name in self._set:
            return self._set[name]
        return super().__getattribute__(name)

    def _join(self) -> None:
        """Become a part of the message that this one was asked of, now that it has content."""
        parent = self.__dict__.pop("_parent", None)
        if parent is not None:
            owner, name = parent
            owner._clear_choice()
            owner._set[name] = self
            owner._join()

    def _content(self) -> Iterator[tuple[str, int, Any]]:
        """The fields that have content, in the order of their numbers."""
        for name, (number, kind) in self.FIELDS.items():
            value = self._set.get(name)
            if value is not None and (isinstance(kind, type) or len(value)):
                yield name, number, value

    def HasField(self, field_name: str) -> bool:  # noqa: N802 - protocol buffers' name
        """Return whether a message field is set."""
        return field_name in self._set

    def WhichOneof(self, oneof_group: str) -> str | None:  # noqa: N802 - protocol buffers' name
        """Return which field of a choice is set; None if none is."""
        if oneof_group != self.ONE_OF or not self.ONE_OF:
            raise ValueError(f"Protocol message has no oneof '{oneof_group}' field.")
        return next(iter(self._set), None)

    def ClearField(self, field_name: str) -> None:  # noqa: N802 - protocol buffers' name
        """Remove the content of a field."""
        self._set.pop(field_name, None)

    def Clear(self) -> None:  # noqa: N802 - protocol buffers' name
        """Remove the content of all fields."""
        self._set.clear()

    def CopyFrom(self, other_msg: Message) -> None:  # noqa: N802 - protocol buffers' name
        """Take over the content of another message."""
        self.ParseFromString(other_msg.SerializeToString())

    def ByteSize(self) -> int:  # noqa: N802 - protocol buffers' name
        """Return the number of bytes of the message."""
        return len(self.SerializeToString())

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802 - protocol buffers' name
        """Return the message as bytes."""
        return b"".join(_written(number, value) for _, number, value in self._content())

    def ParseFromString(self, serialized: bytes) -> int:  # noqa: N802 - protocol buffers' name
        """Replace the content by that of bytes, and return their number; DecodeError for others."""
        self._set.clear()
        try:
            self._merge(bytes(serialized))
        except (ValueError, IndexError) as error:
            raise DecodeError(
                f"Error parsing message with type 'tensorflow.{type(self).__name__}': "
                "Wire format was corrupt"
            ) from error
        return len(serialized)

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802 - protocol buffers' name
        """Add the content of bytes, and return their number."""
        self._merge(bytes(serialized))
        return len(serialized)

    @classmethod
    def FromString(cls, s: bytes) -> Self:  # noqa: N802 - protocol buffers' name
        """Return the message of bytes."""
        read = cls()
        read.ParseFromString(s)
        return read

    def _merge(self, raw: bytes) -> None:
        names = {number: name for name, (number, _) in self.FIELDS.items()}
        for number, value in fields(raw):
            name = names.get(number)
            if name is None:
                continue
            if not isinstance(value, bytes) and not isinstance(self, Int64List):
                raise ValueError(f"The field {name} is no message.")
            self._read(name, value)

    def _read(self, name: str, value: Any) -> None:
        """Add the bytes of one field."""
        kind = self.FIELDS[name][1]
        if isinstance(kind, type):
            if name not in self._set:
                self._clear_choice()
                self._set[name] = kind()
            self._set[name]._merge(value)
            return
        container = getattr(self, name)
        if isinstance(container, MessageMap):
            entry = dict(fields(value))
            read = container._kind()
            read._merge(entry.get(2, b""))
            container[entry.get(1, b"").decode()] = read
        elif isinstance(container, Messages):
            container.add()._merge(value)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Message)
            and type(self) is type(other)
            and self.SerializeToString() == other.SerializeToString()
        )

    __hash__ = None  # type: ignore[assignment]  # it can be changed

    def __repr__(self) -> str:
        return "".join(f"{line}\n" for line in _lines(self))


class _ScalarList(Message):
    """A list of scalars, packed into one field except for bytes."""

    CHECK: ClassVar[Any]

    @property
    def value(self) -> Scalars:
        """The values."""
        if "value" not in self._set:
            self._set["value"] = Scalars(type(self).CHECK, self._join)
        values: Scalars = self._set["value"]
        return values


class BytesList(_ScalarList):
    """A list of byte strings."""

    FIELDS: ClassVar = {"value": (1, None)}
    CHECK: ClassVar = staticmethod(_bytes)

    def _read(self, name: str, value: Any) -> None:
        self.value.append(value)


class FloatList(_ScalarList):
    """A list of floats of 32 bits."""

    FIELDS: ClassVar = {"value": (1, None)}
    CHECK: ClassVar = staticmethod(_float)

    def _read(self, name: str, value: Any) -> None:
        self.value.extend(np.frombuffer(value, "<f4").tolist())


class Int64List(_ScalarList):
    """A list of integers of 64 bits."""

    FIELDS: ClassVar = {"value": (1, None)}
    CHECK: ClassVar = staticmethod(_integer)

    def _read(self, name: str, value: Any) -> None:
        if isinstance(value, int):
            self.value.append(_signed(value))
            return
        at = 0
        while at < len(value):
            number, at = read_varint(value, at)
            self.value.append(_signed(number))


class Feature(Message):
    """One feature: a list of byte strings, of floats or of integers."""

    FIELDS: ClassVar = {
        "bytes_list": (1, BytesList), "float_list": (2, FloatList), "int64_list": (3, Int64List),
    }  # fmt: skip
    ONE_OF: ClassVar = "kind"


class Features(Message):
    """Features by name."""

    FIELDS: ClassVar = {"feature": (1, lambda changed: MessageMap(Feature, changed))}


class FeatureList(Message):
    """A sequence of features."""

    FIELDS: ClassVar = {"feature": (1, lambda changed: Messages(Feature, changed))}


class FeatureLists(Message):
    """Sequences of features by name."""

    FIELDS: ClassVar = {"feature_list": (1, lambda changed: MessageMap(FeatureList, changed))}


class Example(Message):
    """One example of a data set: its features by name."""

    FIELDS: ClassVar = {"features": (1, Features)}


class SequenceExample(Message):
    """One example with sequences: features of the whole, and sequences of features, by name."""

    FIELDS: ClassVar = {"context": (1, Features), "feature_lists": (2, FeatureLists)}


def _message(kind: type[Message], value: Any) -> Any:
    """A message of a kind, from itself or from a dict of its fields."""
    if isinstance(value, dict):
        return kind(**value)
    if not isinstance(value, kind):
        raise TypeError(
            "Parameter to initialize message field must be dict or instance of same class: "
            f"expected {kind} got {type(value)}."
        )
    return value


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _written(number: int, value: Any) -> bytes:
    """The bytes of one field."""
    if isinstance(value, Message):
        return field(number, value.SerializeToString())
    if isinstance(value, MessageMap):
        entries = (field(1, key) + _written(2, value[key]) for key in sorted(value))
        return b"".join(field(number, entry) for entry in entries)
    if isinstance(value, Messages):
        return b"".join(_written(number, part) for part in value)
    if value._check is _bytes:
        return b"".join(field(number, each) for each in value)
    if value._check is _float:
        return field(number, np.array(list(value), "<f4").tobytes())
    return field(number, b"".join(map(varint, value)))


def _lines(message: Message) -> Iterator[str]:
    """The lines of a message as text."""
    for name, _, value in message._content():
        if isinstance(value, Message):
            yield from _block(name, _lines(value))
        elif isinstance(value, MessageMap):
            for key in sorted(value):
                inner = [f"key: {_quoted(key.encode())}", *_block("value", _lines(value[key]))]
                yield from _block(name, inner)
        elif isinstance(value, Messages):
            for part in value:
                yield from _block(name, _lines(part))
        else:
            yield from (f"{name}: {_shown(each)}" for each in value)


def _block(name: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"{name} {{"
    yield from (f"  {line}" for line in lines)
    yield "}"


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    for digits in (6, 9):  # enough for the same float of 32 bits
        text = f"{value:.{digits}g}"
        if np.float32(text) == np.float32(value):
            return text
    return str(value)


def _quoted(raw: bytes) -> str:
    return f'"{"".join(map(_escaped, raw))}"'


def _escaped(byte: int) -> str:
    return _ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
