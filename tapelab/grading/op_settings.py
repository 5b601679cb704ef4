"""The settings of ops in the protocol: with them the replay verifier can run each step again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from operator import attrgetter
from types import EllipsisType, NoneType
from typing import Any, Final

import numpy as np

from tapelab.core.records import NamedRecord, OpRun
from tapelab.core.tape import GradientTape
from tapelab.dtypes import DType, as_dtype
from tapelab.grading.protocol import Payload, ProtocolError
from tapelab.recorder.introspection import introspect
from tapelab.recorder.relevance import relevant

Encoded = dict[str, Any] | None
"""The settings of one step as JSON; None where they cannot be encoded, such as a function."""


def encode_settings(call: Sequence[Any], payload: Payload) -> list[Encoded]:
    """The settings of all steps in the recording of this tape, target and source, in order."""
    steps: Any = introspect(*call, build=_steps).recording
    return [_encode_step(step.settings, payload) for step in steps]


def _steps(tape: GradientTape, *, derived: bool, strays: Sequence[NamedRecord]) -> list[OpRun]:
    """The op records that a recording taken now contains, by serial number."""
    del strays  # none of them is of an op
    runs = (each for each in relevant(tape, derived=derived) if isinstance(each, OpRun))
    return sorted(runs, key=attrgetter("serial"))


def _encode_step(settings: dict[str, Any], payload: Payload) -> Encoded:
    try:
        return {name: _encode(value, payload) for name, value in settings.items()}
    except ProtocolError:
        return None


def decode_settings(encoded: Any, payload: Payload) -> dict[str, Any] | None:
    """The settings of a step again; ProtocolError for what `encode_settings` does not say."""
    if encoded is None:
        return None
    if type(encoded) is not dict:
        raise ProtocolError("the settings of a step have an unknown form")
    return {name: _decode(value, payload) for name, value in encoded.items()}


def _encode(value: Any, payload: Payload) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return {"array": payload.add_array(np.asarray(value))}
    if _is_named(type(value)):
        kind = type(value)
        parts = list(value) if isinstance(value, tuple) else [
            getattr(value, each.name) for each in fields(value)
        ]  # fmt: skip
        return {"named": [kind.__module__, kind.__qualname__, [_encode(v, payload) for v in parts]]}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    for kind, name, parts_of in _SEQUENCES:
        if isinstance(value, kind):
            return {name: [_encode(each, payload) for each in parts_of(value)]}
    if isinstance(value, type) and issubclass(value, np.generic):
        return {"numpy": np.dtype(value).str}
    if isinstance(value, np.dtype) and value.kind != "V":
        return {"numpy dtype": value.str}
    if isinstance(value, DType):
        return {"dtype": value.name}
    if isinstance(value, EllipsisType):
        return {"ellipsis": True}
    if isinstance(value, NoneType | bool | int | float | str):
        return value
    raise ProtocolError(f"a setting of type {type(value).__name__} cannot be encoded")


def _decode(encoded: Any, payload: Payload) -> Any:
    if type(encoded) is not dict:
        return encoded
    [(name, encoded_parts)] = encoded.items()
    if name not in _DECODERS:
        raise ProtocolError("a setting has an unknown kind")
    return _DECODERS[name](encoded_parts, payload)


def _sequence_of(constructor: Callable[[Any], Any]) -> Callable[[Any, Payload], Any]:
    return lambda encoded_parts, payload: constructor(
        [_decode(each, payload) for each in encoded_parts]
    )


def _decode_named(encoded_parts: Any, payload: Payload) -> Any:
    """A named tuple or dataclass of tapelab; only the verifier builds it, in its sandbox."""
    module, name, parts = encoded_parts
    if not module.startswith("tapelab."):
        raise ProtocolError("a setting has an unknown kind")
    kind = getattr(import_module(module), name)
    if not _is_named(kind):
        raise ProtocolError("a setting has an unknown kind")
    return kind(*(_decode(each, payload) for each in parts))


def _is_named(kind: Any) -> bool:
    """Whether a class is a named tuple or a dataclass."""
    if not isinstance(kind, type) or issubclass(kind, DType):
        return False
    return is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


def _slice(parts: Sequence[Any]) -> slice:
    return slice(*parts)


_SEQUENCES: Final[tuple[tuple[type, str, Callable[[Any], Any]], ...]] = (
    (tuple, "tuple", list),
    (list, "list", list),
    (slice, "slice", lambda value: [value.start, value.stop, value.step]),
)
_DECODERS: Final[dict[str, Callable[[Any, Payload], Any]]] = {
    "array": lambda at, payload: payload.read_array(at),
    "tuple": _sequence_of(tuple),
    "list": _sequence_of(list),
    "slice": _sequence_of(_slice),
    "numpy": lambda encoded_parts, _: np.dtype(encoded_parts).type,
    "numpy dtype": lambda encoded_parts, _: np.dtype(encoded_parts),
    "dtype": lambda encoded_parts, _: as_dtype(encoded_parts),
    "ellipsis": lambda _, __: ...,
    "named": _decode_named,
    "bytes": lambda encoded_parts, _: bytes.fromhex(encoded_parts),
}
