"""The tape explorer as a widget: the picture, alive, with its step shared with Python."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from tapelab.views.html import static_file
from tapelab.words import language, of_explorer


class Explorer(anywidget.AnyWidget):
    """A recording to step through; `step` follows the learner, and the learner follows `step`."""

    _esm = static_file("widget.js")
    recording = traitlets.Bytes(b"").tag(sync=True)
    explanation = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    language = traitlets.Unicode().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)

    @traitlets.default("language")
    def _chosen(self) -> str:
        return language()

    @traitlets.default("words")
    def _said(self) -> dict[str, Any]:
        return of_explorer()
