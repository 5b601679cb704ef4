"""The tape explorer as a widget: the picture, alive, with its step shared with Python."""

from __future__ import annotations

from typing import Any, Final

import anywidget
import traitlets

from tapelab.views.html import static_file
from tapelab.words import language, of_explorer

EXTRAS: Final = {"kind": "extras"}


class Explorer(anywidget.AnyWidget):
    """A recording to step through; `step` follows the learner, and the learner follows `step`.

    `predictions` are the learner's answers where the picture asked what comes next, in the order
    in which they were given: dictionaries of `step`, `asks` (a `gradient` or an `op`), `of` (the
    name of what was asked about), `said`, `truth` and `right`.
    """

    _esm = static_file("widget.js")
    recording = traitlets.Bytes(b"").tag(sync=True)
    explanation = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    language = traitlets.Unicode().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)
    predictions = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._heard)

    def _heard(self, _: Any, message: Any, __: Any) -> None:
        """Send the views that do not travel with every output, when somebody wants to see one."""
        if message == EXTRAS:
            self.send(EXTRAS, [static_file("extras.js").read_bytes()])

    @traitlets.default("language")
    def _chosen(self) -> str:
        return language()

    @traitlets.default("words")
    def _said(self) -> dict[str, Any]:
        return of_explorer()
