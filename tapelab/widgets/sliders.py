"""The live form of `tf.what_if`: sliders that run the function again in the kernel."""

from __future__ import annotations

from typing import Any

import traitlets

from tapelab.recording import to_bytes
from tapelab.views import what_if as views
from tapelab.views.what_if import Moment
from tapelab.widgets.explorer import Explorer, Shown
from tapelab.widgets.trying import Trial


class Sliders(Explorer):
    """The tape of a function, its sliders and its curves; `values` are where the inputs stand."""

    what_if = traitlets.Dict().tag(sync=True)
    moment = traitlets.Dict().tag(sync=True)
    values = traitlets.List(traitlets.Float()).tag(sync=True, echo_update=False)

    def __init__(self, trial: Trial, shown: Shown) -> None:
        self._trial = trial
        self._shown = first = trial.moment(trial.starts)
        super().__init__(
            shown,
            recording=to_bytes(first.recording),
            what_if=views.settings(trial.experiment),
            moment=self._told(first),
            values=list(trial.starts),
        )

    def _told(self, moment: Moment) -> dict[str, Any]:
        return views.live(moment, self._trial.curves(moment.values))

    @traitlets.observe("values")
    def _run_again(self, change: Any) -> None:
        """Work out the moment that the sliders ask for; what the function raises is shown."""
        values = tuple(change["new"])
        if values == self._shown.values:
            return
        self._shown = self._trial.moment_or(self._shown, values)
        with self.hold_sync():
            self.recording = to_bytes(self._shown.recording)
            self.moment = self._told(self._shown)
