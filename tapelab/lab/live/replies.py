"""The replies to a panel's requests: the recording of a step, and its full diagnosis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tapelab.core.garbage_collection import gc_relaxed
from tapelab.diagnosis import explain_call
from tapelab.lab.notebook_cells import RUNNING
from tapelab.locales import say
from tapelab.recorder.builder import build_recording
from tapelab.recorder.rerun import replayed
from tapelab.recorder.tape_snapshot import tape_snapshot
from tapelab.recording import from_bytes, to_bytes
from tapelab.views.tape_summary import last_gradient_call
from tapelab.widgets.show import why_missing

if TYPE_CHECKING:
    from tapelab.core.tape import GradientTape
    from tapelab.recording import Recording

LONGEST: Final = 300_000
"""A tape of more records is not sent: a cell that runs would be held up for seconds."""
ANSWERS: Final = 64
"""At most this many of the last gradient calls are part of a recording."""
MOST_ERROR: Final = 300
"""An error of an op that runs again is cut to so many characters."""
Reply = tuple[dict[str, Any], list[bytes] | None]
"""A message, and the binary part of it."""


class TooLongError(ValueError):
    """A tape is too long to be sent to the panel."""


def recording(tape: GradientTape) -> Reply:
    """What the Explorer takes."""
    taken = _taken(tape, derived=False)
    why = why_missing(taken)
    message = {"is": "recording", **_cells(taken), "explanation": why and why.to_json()}
    return message, [to_bytes(taken)]


def explanation(tape: GradientTape) -> Reply:
    """Why the gradients of a step are as they are."""
    taken = _taken(tape, derived=True)
    gradient_call = last_gradient_call(taken)
    if gradient_call is None:
        raise ValueError(say("No gradient was computed from this tape yet."))
    explained = explain_call(taken, gradient_call.call)
    message = {"is": "explanation", **_cells(taken), "explanation": explained.to_json()}
    return {**message, "text": str(explained)}, None


def replay(opened: bytes, values: object) -> Reply:
    """The opened recording at other values of some scalar variables, or why there is none.

    `values` are pairs of a tensor's index in the recording and its new value; ValueError for
    anything else.
    """
    if not opened:
        raise ValueError(say("There is no tape yet."))
    try:
        moved = {int(tensor): float(value) for tensor, value in values}  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise ValueError(f"values are pairs of a tensor and a number, not {values!r}.") from None
    try:
        recording = replayed(from_bytes(opened), moved)
    except Exception as error:  # noqa: BLE001 - whatever an op raises at a value is shown
        return {"is": "replay", "error": str(error)[:MOST_ERROR]}, None
    return {"is": "replay"}, [to_bytes(recording)]


def _taken(tape: GradientTape, *, derived: bool) -> Recording:
    """A recording of a tape that goes on recording, perhaps in another thread."""
    records = sum(len(log.records) - start for log, start, _ in tape._windows)
    if records > LONGEST:
        raise TooLongError(
            say(
                "This tape has {count} records, too many to be sent while the kernel works. Try "
                "tf.show(tape) in a cell.",
                count=records,
            )
        )
    with gc_relaxed():
        return build_recording(
            tape_snapshot(tape, tape._gradient_calls[-ANSWERS:]), derived=derived
        )


def _cells(taken: Recording) -> dict[str, Any]:
    """Which cells the sources of a recording are, and how many lines are missing at their top."""
    cells = [RUNNING.cell_called(source.title) for source in taken.sources]
    return {"cells": [cell.id for cell in cells], "blank": [cell.blank for cell in cells]}
