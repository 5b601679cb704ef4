"""The settings of ops in a recording: what a run was given beside its inputs, as plain JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.recording.schema import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray


class OpSettings:
    """The settings of the ops that had any; equal ones are kept once."""

    def __init__(self) -> None:
        self.rows: list[Settings] = []
        self._row_of: dict[str, int] = {}
        self._events: list[int] = []
        self._at: list[int] = []

    def enter(self, event: int, settings: Mapping[str, Any]) -> None:
        """Note the settings of the op that ran in an event, if all of them are plain data.

        In a loop they are the same again and again: what they come to as JSON is remembered.
        """
        key = repr(settings)
        at = self._row_of.get(key)
        if at is None:
            at = self._row_of[key] = self._add(settings)
        if at >= 0:
            self._events.append(event)
            self._at.append(at)

    def _add(self, settings: Mapping[str, Any]) -> int:
        """The index of new settings; -1 where they are no JSON."""
        try:
            row = {name: _plain(value) for name, value in settings.items()}
        except TypeError:
            return -1
        self.rows.append(row)
        return len(self.rows) - 1

    def as_columns(self) -> dict[str, NDArray[Any]]:
        """The columns of the file format."""
        if not self.rows:
            return {}
        return {
            "setting.event": np.array(self._events, "<i4"),
            "setting.row": np.array(self._at, "<i4"),
        }


MOST_PLAIN: Final = 64
"""Settings with more numbers than this are data, and not kept."""


def _plain(value: object) -> Any:
    """A setting as JSON; TypeError where it is a function, an array or the like."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case np.integer() | np.bool_():
            return value.item()
        case slice():
            return {"slice": [_plain(part) for part in (value.start, value.stop, value.step)]}
        case _ if value is Ellipsis:
            return "..."
        case tuple() if hasattr(value, "_asdict"):
            return {name: _plain(part) for name, part in value._asdict().items()}
        case Sequence() if len(value) <= MOST_PLAIN:
            return [_plain(part) for part in value]
    raise TypeError(f"{type(value).__name__} is not JSON")
