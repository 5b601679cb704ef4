"""From a tape and its log to a `Recording`: plain data, nothing alive.

A tape and its log refer to tensors, variables and code objects, and keep only what a backward pass
needs. The recorder reads them and never changes them. It lies above the engine and below all that
reads recordings, and it is imported when somebody looks.

A recording is built in four steps, each a module: `relevance` chooses the records that belong to a
tape, `event_encoding` turns each into an event, `symbol_table` and `interning` enter every tensor,
name and place of the code once, and `builder` puts the columns together. Long runs of ops are
encoded as columns at once (`long_runs`). `introspection` reads a tape from
outside, without using it up; `liveness` looks for large values that the log has dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tapelab.core.tape import GradientTape, recorders
from tapelab.core.value_types import Nest

if TYPE_CHECKING:
    from tapelab.recording import Recording


def install() -> None:
    """Let `GradientTape.recording` make recordings."""
    recorders[:] = [_recording_of]


def _recording_of(tape: GradientTape, target: Nest, sources: Nest) -> Recording:
    from tapelab.recorder.introspection import recording_of  # not before somebody looks

    return recording_of(tape, target, sources)
