"""The tape explorer as a widget: the picture, alive, with its step shared with Python."""

from __future__ import annotations

from typing import Any, Final

import anywidget
import traitlets

from tapelab.views.html import static_file

WIDGET_VIEW: Final = "application/vnd.jupyter.widget-view+json"


class Explorer(anywidget.AnyWidget):
    """A recording to step through; `step` follows the learner, and the learner follows `step`."""

    _esm = static_file("widget.js")
    recording = traitlets.Bytes(b"").tag(sync=True)
    explanation = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def view(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget's own part of a MIME bundle, and its metadata."""
        data, metadata = self._repr_mimebundle_() or ({}, {})
        return {WIDGET_VIEW: data[WIDGET_VIEW]}, metadata
