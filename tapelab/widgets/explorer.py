"""The tape explorer as a widget: the picture, alive, with its step shared with Python."""

from __future__ import annotations

import anywidget
import traitlets

from tapelab.views.html import static_file


class Explorer(anywidget.AnyWidget):
    """A recording to step through; `step` follows the learner, and the learner follows `step`."""

    _esm = static_file("widget.js")
    recording = traitlets.Bytes(b"").tag(sync=True)
    explanation = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
