"""A recording and its explanation as JSON that needs no reader of ours: names, no rows."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any, Final

from tapelab.recording import Recording
from tapelab.recording import events as e
from tapelab.recording.events import Located
from tapelab.recording.schema import Role, TensorFacts

FORMAT: Final = 1
"""Counts up when a reader of this JSON would have to change."""
_ROLES: Final = {
    number: name.lower() for name, number in vars(Role).items() if isinstance(number, int)
}
_ENUMS: Final[dict[type[e.Event], dict[str, Any]]] = {
    e.Ran: {"cause": e.Cause},
    e.Asked: {"method": e.Method},
}
"""The fields of events that are words."""


def as_json(recording: Recording, explanation: Any = None) -> str:
    """What `tapelab export … -o tape.json` writes: one line for each event and tensor."""
    parts = []
    for key, value in plain(recording, explanation).items():
        content = _rows(value) if isinstance(value, list) else _dumped(value)
        parts.append(f"{_dumped(key)}: {content}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def plain(recording: Recording, explanation: Any = None) -> dict[str, Any]:
    """The recording as values of JSON; docs/reference/recording.md says what each field is."""
    tensors = range(len(recording.columns["tensor.role"]))
    return {
        "format": FORMAT,
        "maker": recording.maker,
        "tape": asdict(recording.tape),
        "sources": [asdict(each) for each in recording.sources],
        "variables": [_variable(recording, at) for at in range(len(recording.variables))],
        "ops": [each.name for each in recording.ops],
        "groups": [each.to_json() for each in recording.groups],
        "tensors": [_tensor(recording, recording.tensor(at)) for at in tensors],
        "events": [_event(recording, located) for located in recording],
        "explanation": None if explanation is None else explanation.to_json(),
    }


def _variable(recording: Recording, at: int) -> dict[str, Any]:
    facts = recording.variables[at]
    shape, dtype = recording.shapes[facts.shape], recording.dtypes[facts.dtype]
    content = {"shape": list(shape), "dtype": dtype, "at": _place(recording, facts.span)}
    names = ("name", "trainable", "tracked", "frozen")
    return {**{name: getattr(facts, name) for name in names}, **content}


def _tensor(recording: Recording, facts: TensorFacts) -> dict[str, Any]:
    """One tensor; its values are null where the recording does not hold them."""
    value = facts.value
    return {
        "role": _ROLES[facts.role],
        "name": facts.name,
        "shape": list(facts.shape),
        "dtype": facts.dtype,
        "variable": facts.variable,
        "at": _place(recording, facts.span),
        "values": None if value is None else _numbers(value.tolist()),
    }


def _numbers(value: Any) -> Any:
    """Nested numbers for JSON, which knows neither NaN nor infinities nor complex numbers."""
    match value:
        case list():
            return [_numbers(each) for each in value]
        case complex():
            return [_numbers(value.real), _numbers(value.imag)]
        case float() if not math.isfinite(value):
            return str(value)
    return value


def _event(recording: Recording, located: Located) -> dict[str, Any]:
    event = located.event
    words = _ENUMS.get(type(event), {})
    fields = {name: _field(getattr(event, name), words.get(name)) for name in event.__slots__}
    return {
        "kind": type(event).__name__.lower(),
        **fields,
        "thread": located.thread,
        "at": _place(recording, located.span),
        "text": recording.text_at(located.span),
    }


def _field(value: Any, words: Any) -> Any:
    return words(value).name.lower() if words else value


def _place(recording: Recording, span: int) -> dict[str, int | str] | None:
    """Where in the code something stands, and in which function, if any."""
    place, function = recording.span(span), recording.function_at(span)
    if place is None:
        return None
    return {**asdict(place), "function": function} if function else asdict(place)


def _rows(values: list[Any]) -> str:
    return "[" + ",".join(f"\n  {_dumped(each)}" for each in values) + "\n]" if values else "[]"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
