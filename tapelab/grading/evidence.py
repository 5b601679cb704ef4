"""Whether a recording may be believed: the worker that sent it may have made it up."""

from __future__ import annotations

from typing import Any, Final

from tapelab.exercises.trial import Trial
from tapelab.grading.wire import Parcel
from tapelab.recording.codec import MAGIC, from_bytes
from tapelab.recording.events import Asked

MOST_EVENTS: Final = 200_000


class Doubt(ValueError):  # noqa: N818 - it says what contradicts what
    """A recording that no tape can have made."""


def believed(content: bytes, told: dict[str, Any], parcel: Parcel) -> Trial:
    """The trial in some bytes; Doubt or RecordingError where it cannot have come from a tape."""
    del parcel
    if not content.startswith(MAGIC):
        raise Doubt("it is packed or no recording")
    recording = from_bytes(content)
    if len(recording) > MOST_EVENTS:
        raise Doubt(f"it has more than {MOST_EVENTS} events")
    call, position = told.get("call"), told.get("position")
    asked = [each.event for each in recording if isinstance(each.event, Asked)]
    here = [each for each in asked if each.call == call]
    if type(position) is not int or len(here) != 1 or not 0 <= position < len(here[0].results):
        raise Doubt("the question is not in it")
    return Trial(recording, here[0].call, position)
