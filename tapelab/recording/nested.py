"""Other tapes that were open inside the block of the one that is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Nested:
    """Another tape that was open inside: the events from `opened` up to `closed` happened in it.

    -1 says that it was not closed. `watched` has the tensors that it watches, each with the index
    of the first event since then.
    """

    name: str
    opened: int
    closed: int
    watched: tuple[tuple[int, int], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The fields for a header; `watched` is left out where it is empty."""
        return {name: value for name, value in asdict(self).items() if name != "watched" or value}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Nested:
        """The tape whose fields a header holds."""
        watched = tuple((tensor, event) for tensor, event in fields.get("watched", ()))
        return cls(**{**fields, "watched": watched})
