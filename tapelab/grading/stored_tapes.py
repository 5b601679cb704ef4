"""Recordings that a gradebook keeps for figures: bounded when they are stored, and when read again.

A stored tape is drawn in the process that serves the teacher's pages, so what a view costs must not
depend on what a student sent. A few kilobytes may describe columns of many megabytes, whose values
are steps of the same size; the bound is on what they become.
"""

from __future__ import annotations

from typing import Final

from tapelab.errors import RecordingError
from tapelab.recording import Recording, from_bytes, to_bytes

LARGEST: Final = 1 << 20
"""Bytes; what a larger tape recorded is not kept."""
LARGEST_COLUMNS: Final = 8 << 20
"""Bytes of all columns together."""
MOST_EVENTS: Final = 50_000


def to_stored(recording: Recording) -> bytes | None:
    """The bytes of a recording; None for one that is too large for a figure."""
    columns = sum(each.nbytes for each in recording.columns.values())
    if columns > LARGEST_COLUMNS or len(recording) > MOST_EVENTS:
        return None
    content = to_bytes(recording)
    return content if len(content) <= LARGEST else None


def from_stored(tape: bytes) -> Recording:
    """The recording again; RecordingError for one that is too large, or that is newer than this."""
    recording = from_bytes(tape, LARGEST_COLUMNS)
    if len(recording) > MOST_EVENTS:
        raise RecordingError(f"it has more than {MOST_EVENTS} events")
    return recording
