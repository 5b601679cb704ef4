"""Where things of a tape stand in the notebook, and what the code there calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tapelab.lab.running import RUNNING
from tapelab.recorder.interning import Spans, place_of
from tapelab.recording.source import extent_of

if TYPE_CHECKING:
    from tapelab.core.origin import Origin, Seen

Where = tuple[str | None, int | None]
"""The id of a cell, and a line in it."""
PLAIN: str = "Variable"
"""What variables are called that nobody gave a name."""


class Places:
    """Looked up once and kept, for the same lines run again and again."""

    def __init__(self) -> None:
        self._spans = Spans()

    def where(self, origin: Origin | None) -> Where:
        """The cell and the line of something that was made."""
        if origin is None:
            return None, None
        code, instruction = place_of(origin)
        cell = RUNNING.cell_of(code.co_filename)
        return cell.id, extent_of(code, instruction)[0] + cell.blank

    def name(self, end: Seen) -> str:
        """What a target or a source is called; empty if it has no name."""
        owner = end.owner
        if owner is not None and owner.name.rsplit("/", 1)[-1] != PLAIN:
            return owner.name
        origin = end.origin if owner is None else owner.origin
        return self._spans.name(self._spans.of_origin(origin)) or (PLAIN if owner else "")

    def tape(self, origin: Origin) -> str:
        """What the code calls a tape."""
        return self._spans.tape(self._spans.of_origin(origin))
