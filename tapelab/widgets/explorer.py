"""The tape explorer as a widget: the picture, alive, with its step shared with Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

import anywidget
import traitlets

from tapelab.locales import language, of_explorer, say, say_many
from tapelab.recorder.rerun import replayed
from tapelab.recording import from_bytes, to_bytes
from tapelab.views import what_if_page as views
from tapelab.views.card import DATA, card, prose
from tapelab.views.html import static_file
from tapelab.views.what_if_page import Evaluation
from tapelab.widgets.cell_output import Page, Shown, asks_for_views, first_in_cell
from tapelab.widgets.sampler import Trial

EXTRAS: Final = {"kind": "extras"}
HAIL: Final = {"kind": "hail"}
REPLAY: Final = {"kind": "replay"}
LONGEST: Final = 300
"""Errors are cut to so many characters."""


class Explorer(anywidget.AnyWidget):
    """A recording to step through; `step` follows the learner, and the learner follows `step`.

    `predictions` are the learner's answers to questions about the next step, in the order
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
        self.on_msg(self._on_message)

    def _on_message(self, _: object, message: object, __: object) -> None:
        """Reply to the greeting of a view, or send the code that outputs do not contain."""
        if message == HAIL:
            self.send(HAIL)
        elif message == EXTRAS:
            self.send(EXTRAS, [static_file("extras.js").read_bytes()])
        elif isinstance(message, dict) and message.get("kind") == REPLAY["kind"]:
            self._replay(dict(message["values"]))

    def _replay(self, values: dict[int, float]) -> None:
        """Send the recording as it is at other values of some variables, or why there is none."""
        try:
            recording = replayed(from_bytes(self.recording), values)
        except Exception as error:  # noqa: BLE001 - whatever an op raises at a value is shown
            self.send({**REPLAY, "error": str(error)[:LONGEST]})
        else:
            self.send(REPLAY, [to_bytes(recording)])

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
    def _on_prediction(self, change: dict[str, Any]) -> None:
        self._score.update(change["new"])

    @traitlets.default("language")
    def _default_language(self) -> str:
        return language()

    @traitlets.default("words")
    def _default_words(self) -> dict[str, Any]:
        return of_explorer(lambda: from_bytes(self.recording).said())


Guesses = Sequence[Mapping[str, Any]]


class Score:
    """The card of one picture; there is nothing in it before the first answer."""

    def __init__(self) -> None:
        self._name = ""

    def show(self, guesses: Guesses) -> None:
        """Put the card below what the running cell has shown."""
        self._name = uuid4().hex
        self._publish(guesses, update=False)

    def update(self, guesses: Guesses) -> None:
        """Tell of another answer, if the card is shown anywhere."""
        if self._name:
            self._publish(guesses, update=True)

    def _publish(self, guesses: Guesses, *, update: bool) -> None:
        from IPython.display import publish_display_data

        publish_display_data(bundle(guesses), transient={"display_id": self._name}, update=update)


def bundle(guesses: Guesses) -> dict[str, Any]:
    """The card as HTML, as text, and as the data that `tapelab.exercises.predictions` reads."""
    data = {"predictions": list(guesses)}
    if not guesses:
        return {"text/html": "", "text/plain": "", DATA: data}
    right = sum(each["right"] for each in guesses)
    head = say_many(
        "Predicted {right} of {count} step.",
        "Predicted {right} of {count} steps.",
        len(guesses),
        right=right,
    )
    lines = [_line(each) for each in guesses]
    rows = "".join(f"<li>{prose(line)}</li>" for line in lines)
    body = f'<div class="head"><h3>{prose(head)}</h3></div><div class="say"><ul>{rows}</ul></div>'
    text = "\n".join([head, *(f"  {line.replace('`', '')}" for line in lines)])
    return {"text/html": card(head, body), "text/plain": text, DATA: data}


def _line(guess: Mapping[str, Any]) -> str:
    named = {name: f"`{guess[name]}`" for name in ("of", "said", "truth")}
    if guess["right"]:
        return say("step {step}, {of}: {said}, right", step=guess["step"], **named)
    return say("step {step}, {of}: {said}, it is {truth}", step=guess["step"], **named)


class Sliders(Explorer):
    """The tape of a function, its sliders and its curves; `values` are where the inputs stand."""

    what_if = traitlets.Dict().tag(sync=True)
    evaluation = traitlets.Dict().tag(sync=True)
    values = traitlets.List(traitlets.Float()).tag(sync=True, echo_update=False)

    def __init__(self, trial: Trial, shown: Shown) -> None:
        self._trial = trial
        self._shown = first = trial.evaluation(trial.starts)
        super().__init__(
            shown,
            recording=to_bytes(first.recording),
            what_if=views.settings(trial.experiment),
            evaluation=self._evaluation_json(first),
            values=list(trial.starts),
        )

    def _evaluation_json(self, evaluation: Evaluation) -> dict[str, Any]:
        return views.live_json(evaluation, self._trial.curves(evaluation.values))

    @traitlets.observe("values")
    def _run_again(self, change: dict[str, Any]) -> None:
        """Work out the moment that the sliders ask for; what the function raises is shown."""
        values = tuple(change["new"])
        if values == self._shown.values:
            return
        self._shown = self._trial.evaluation_or(self._shown, values)
        with self.hold_sync():
            self.recording = to_bytes(self._shown.recording)
            self.evaluation = self._evaluation_json(self._shown)
