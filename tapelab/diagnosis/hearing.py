"""What the tape could hear: while it recorded, and in its own thread."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tapelab.diagnosis.edges import Cut
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.recording import Recording


class Hearing:
    """When and where a tape was recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def hears(self, event: int) -> bool:
        """Whether the tape was recording when and where something happened."""
        inside = any(start < event < stop for start, stop in self._stretches)
        return inside and not self._is_elsewhere(event)

    def deaf_to(self, event: int) -> Cut | None:
        """Why something within the block was not heard: a pause or another thread."""
        if self._is_elsewhere(event):
            return Cut.THREAD
        turns = self._recording.placed(e.Paused, e.Resumed)
        before = [place.event for place in turns if place.index < event]
        return Cut.PAUSED if before and isinstance(before[-1], e.Paused) else None

    def _is_elsewhere(self, event: int) -> bool:
        """Whether something happened in another thread than that of the tape."""
        opened = self._recording.placed(e.Opened, e.Reset)
        return bool(opened) and self._recording.located[event].thread != opened[0].thread

    @cached_property
    def _stretches(self) -> list[tuple[int, int]]:
        """The stretches of events during which the tape was recording."""
        stretches, begun = [], -1
        for place in self._recording.placed(e.Opened, e.Reset, e.Resumed, e.Closed, e.Paused):
            if isinstance(place.event, (e.Opened, e.Reset, e.Resumed)):
                begun = place.index if begun < 0 else begun
            elif begun >= 0:
                stretches.append((begun, place.index))
                begun = -1
        return [*stretches, (begun, len(self._recording))] if begun >= 0 else stretches
