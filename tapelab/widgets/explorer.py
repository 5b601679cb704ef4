"""The tape explorer as a widget: the picture, alive, with its step shared with Python."""

from __future__ import annotations

from typing import Any, Final, Protocol

import anywidget
import traitlets

from tapelab.locales import language, of_explorer
from tapelab.recording import from_bytes
from tapelab.views.html import static_file
from tapelab.widgets.frontend import asks_for_views, first_in_cell
from tapelab.widgets.page import Page
from tapelab.widgets.score import Score

EXTRAS: Final = {"kind": "extras"}
HAIL: Final = {"kind": "hail"}


class Shown(Protocol):
    """What stands in an output, under a name by which a live widget finds it there."""

    @property
    def identity(self) -> str:
        """The name."""

    def _repr_mimebundle_(self) -> dict[str, str]: ...


class Explorer(anywidget.AnyWidget):
    """A recording to step through; `step` follows the learner, and the learner follows `step`.

    `predictions` are the learner's answers where the picture asked what comes next, in the order
    in which they were given: dictionaries with the fields of `tapelab.exercises.Prediction`.

    An output holds no widget but the page that the widget `stands_for`, and whose place it takes
    as long as the kernel answers. A notebook that is opened again shows the page.
    """

    _esm = static_file("widget.js")
    recording = traitlets.Bytes(b"").tag(sync=True)
    explanation = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    predict = traitlets.Bool(default_value=False).tag(sync=True)
    language = traitlets.Unicode().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)
    predictions = traitlets.List(traitlets.Dict()).tag(sync=True)
    stands_for = traitlets.Unicode().tag(sync=True)
    side = traitlets.Int(0).tag(sync=True)

    def __init__(self, shown: Shown | None = None, **traits: Any) -> None:
        self._of = shown or Page(from_bytes(traits["recording"]))
        self._score = Score()
        super().__init__(stands_for=self._of.identity, **traits)
        self.on_msg(self._heard)

    def _heard(self, _: Any, message: Any, __: Any) -> None:
        """Answer that there is a kernel; send the views that do not travel with every output."""
        if message == HAIL:
            self.send(HAIL)
        elif message == EXTRAS:
            self.send(EXTRAS, [static_file("extras.js").read_bytes()])

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The page; the widget itself where it is seen only in an output that holds it."""
        if asks_for_views():
            return super()._repr_mimebundle_(**options)
        return self._of._repr_mimebundle_()

    def _ipython_display_(self) -> None:
        """Draw it, unless the running cell has drawn the page already."""
        from IPython.display import publish_display_data

        if asks_for_views() or first_in_cell(self._of):
            publish_display_data(self._repr_mimebundle_())
        self._score.show(self.predictions)

    @traitlets.observe("predictions")
    def _judged(self, change: Any) -> None:
        self._score.update(change["new"])

    @traitlets.default("language")
    def _chosen(self) -> str:
        return language()

    @traitlets.default("words")
    def _said(self) -> dict[str, Any]:
        return of_explorer(lambda: from_bytes(self.recording).said())
