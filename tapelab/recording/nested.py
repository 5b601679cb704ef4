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
        """What a header says of it; what it watches is left out where that is nothing."""
        return {name: told for name, told in asdict(self).items() if name != "watched" or told}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Nested:
        """The tape that a header tells of."""
        watched = tuple((tensor, event) for tensor, event in told.get("watched", ()))
        return cls(**{**told, "watched": watched})
