"""The settings of ops on the wire: with them, a witness can run each step of a recording again."""

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
from tapelab.grading.protocol import Parcel, WireError
from tapelab.recorder.introspection import introspect
from tapelab.recorder.relevance import relevant

Told = dict[str, Any] | None
"""The settings of one step in JSON; None where they cannot be told, such as a function."""


def told_settings(asked: Sequence[Any], parcel: Parcel) -> list[Told]:
    """The settings of all steps in a trial of a tape, a target and a source, in their order."""
    steps: Any = introspect(*asked, build=_steps).recording
    return [_told_step(step.settings, parcel) for step in steps]


def _steps(tape: GradientTape, *, derived: bool, strays: Sequence[NamedRecord]) -> list[OpRun]:
    """The records of the ops that stand in a recording taken at this moment."""
    del strays  # none of them is an op
    runs = (each for each in relevant(tape, derived=derived) if isinstance(each, OpRun))
    return sorted(runs, key=attrgetter("serial"))


def _told_step(settings: dict[str, Any], parcel: Parcel) -> Told:
    try:
        return {name: _tell(value, parcel) for name, value in settings.items()}
    except WireError:
        return None


def settings_of(told: Any, parcel: Parcel) -> dict[str, Any] | None:
    """The settings of a step again; WireError for what `told_settings` does not say."""
    if told is None:
        return None
    if type(told) is not dict:
        raise WireError("the settings of a step are not in the form that was agreed")
    return {name: _hear(value, parcel) for name, value in told.items()}


def _tell(value: Any, parcel: Parcel) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return {"array": parcel.put_array(np.asarray(value))}
    if _is_named(type(value)):
        kind = type(value)
        parts = list(value) if isinstance(value, tuple) else [
            getattr(value, each.name) for each in fields(value)
        ]  # fmt: skip
        return {"named": [kind.__module__, kind.__qualname__, [_tell(v, parcel) for v in parts]]}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    for kind, name, tell in _TELL:
        if isinstance(value, kind):
            return {name: [_tell(each, parcel) for each in tell(value)]}
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
    raise WireError(f"{type(value).__name__} is no setting that can be told")


def _hear(told: Any, parcel: Parcel) -> Any:
    if type(told) is not dict:
        return told
    [(name, content)] = told.items()
    if name not in _HEAR:
        raise WireError("there is no such kind of setting")
    return _HEAR[name](content, parcel)


def _several(made: Callable[[Any], Any]) -> Callable[[Any, Parcel], Any]:
    return lambda content, parcel: made([_hear(each, parcel) for each in content])


def _named(content: Any, parcel: Parcel) -> Any:
    """A named tuple or a frozen dataclass; only a witness makes it, in its sandbox."""
    module, name, parts = content
    if not module.startswith("tapelab."):
        raise WireError("there is no such kind of setting")
    kind = getattr(import_module(module), name)
    if not _is_named(kind):
        raise WireError("there is no such kind of setting")
    return kind(*(_hear(each, parcel) for each in parts))


def _is_named(kind: Any) -> bool:
    """Whether a class only gives its parts names."""
    if not isinstance(kind, type) or issubclass(kind, DType):
        return False
    return is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


def _slice(parts: Sequence[Any]) -> slice:
    return slice(*parts)


_TELL: Final[tuple[tuple[type, str, Callable[[Any], Any]], ...]] = (
    (tuple, "tuple", list),
    (list, "list", list),
    (slice, "slice", lambda value: [value.start, value.stop, value.step]),
)
_HEAR: Final[dict[str, Callable[[Any, Parcel], Any]]] = {
    "array": lambda at, parcel: parcel.take_array(at),
    "tuple": _several(tuple),
    "list": _several(list),
    "slice": _several(_slice),
    "numpy": lambda content, _: np.dtype(content).type,
    "numpy dtype": lambda content, _: np.dtype(content),
    "dtype": lambda content, _: as_dtype(content),
    "ellipsis": lambda _, __: ...,
    "named": _named,
    "bytes": lambda content, _: bytes.fromhex(content),
}
