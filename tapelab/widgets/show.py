"""`tf.show`: the picture of a tape, wherever Python runs."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast, overload

from tapelab.core.tape import GradientTape
from tapelab.diagnosis import Explanation, explain_call, why
from tapelab.diagnosis.gradient_check import GradientCheck
from tapelab.recorder.foreign_tape import ForeignTape
from tapelab.recording import Recording, from_bytes, to_bytes
from tapelab.recording.drawable import Drawable
from tapelab.views import (
    error_map,
    explanation_card,
    figures,
    html,
    json_export,
    svg,
    terminal,
    text_view,
)
from tapelab.views.card import DATA
from tapelab.views.tape_summary import last_gradient_call
from tapelab.widgets.cell_output import Page, first_in_cell, in_marimo, in_terminal, shell
from tapelab.widgets.training_picture import TrainingPicture, show_training, training_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tapelab.keras.callbacks.callback import History
    from tapelab.recording.training_series import TrainingSeries
    from tapelab.widgets.explorer import Explorer


TapeLike: TypeAlias = (
    "GradientTape | ForeignTape | Recording | Picture | bytes | bytearray | memoryview | str | "
    "PathLike[str] | None"
)
"""What can be shown: a tape, a recording, its bytes, a picture, or the path of a `.tape` file."""


@overload
def show(
    tape: TapeLike,
    target: Any = None,
    source: Any = None,
    *,
    step: int | None = None,
    predict: bool = False,
) -> Picture: ...


@overload
def show(tape: History | TrainingSeries) -> TrainingPicture: ...


def show(
    tape: TapeLike | History | TrainingSeries,
    target: Any = None,
    source: Any = None,
    *,
    step: int | None = None,
    predict: bool = False,
) -> Picture | TrainingPicture:
    """Show what a tape recorded: code, timeline, graph, and the backward pass from a target.

    A notebook draws the picture, at any place of a cell (marimo where a cell ends in it); elsewhere
    it is printed as text. Takes a tape, a recording, its bytes, or the path of a `.tape` file. With
    a target the backward pass to the source (by default: all that is watched) is part of the
    picture, with the reason where a gradient is missing; for a gradient that is None, the reason of
    the last one is shown. `step` is where to begin, counted from 1; with `predict` the picture
    begins with a question about the next step. Of the `History` that `model.fit` returns it shows
    the gradient norms of all steps.
    """
    __tracebackhide__ = True
    if (training := training_of(tape)) is not None:
        return show_training(training)
    missing = why() if tape is None else None
    if missing is not None and missing.recording is not None:
        picture = Picture(missing.recording, missing, step, predict)
    else:
        recording = recorded(cast("TapeLike", tape), target, source)
        picture = Picture(recording, why_missing(recording), step, predict)
    if shell() is not None:
        picture._ipython_display_()
    elif not in_marimo():
        terminal.write(str(picture))
    return picture


@dataclass(frozen=True, eq=False)
class Picture(Page, Drawable):
    """A recording to look at, to save, and to send."""

    def to_html(self) -> str:
        """One HTML document that shows the picture anywhere, offline."""
        return html.page(self.recording, self.explanation, step=self.step, predict=self.predict)

    def to_svg(self) -> str:
        """The graph as an SVG for a page or a paper; what is too large is folded, and says so."""
        return svg.svg(self.recording)

    def figure(self) -> Figure:
        """The graph as a Matplotlib figure; what is too large is folded, and says so."""
        return figures.figure(self.recording)

    def to_json(self) -> str:
        """All that was recorded, with the explanation, for programs that are not ours."""
        return json_export.as_json(self.recording, self.explanation)

    def to_dot(self) -> str:
        """The graph in the language of Graphviz, for `dot`."""
        from tapelab.views.dot import digraph

        return str(digraph(self.recording).source)

    def __str__(self) -> str:
        return text_view.picture(self.recording, step=self.step, explanation=self.explanation)

    def __repr__(self) -> str:
        name = self.recording.tape.name or "tape"
        return f"<picture of {name}: {len(self.recording)} events; print() shows it as text>"

    def widget(self) -> Explorer:
        """A live picture: Python can read and set its `step`, and read the `predictions`."""
        from tapelab.widgets.explorer import Explorer

        return Explorer(
            self,
            recording=to_bytes(self.recording),
            explanation=html.plain(self.explanation),
            step=self.step or 0,
            predict=self.predict,
        )

    def _ipython_display_(self) -> None:
        """Draw it, unless the running cell has drawn it already."""
        from IPython.display import publish_display_data

        if not first_in_cell(self):
            return
        if in_terminal():
            terminal.write(str(self))
        else:
            publish_display_data(self._repr_mimebundle_())


_TRY: Final = {"show": "show(tape, target)", "compare": "compare(before, after)"}
"""How each asker is to be called."""
LOOKED_THROUGH: Final = 5_000
"""Recordings of so many events are looked through for what ails the gradients."""


def recorded(tape: TapeLike, target: Any = None, source: Any = None, by: str = "show") -> Recording:
    """The recording of whatever `tf.show` takes; `by` is who asks, for the errors."""
    __tracebackhide__ = True
    if isinstance(tape, (GradientTape, ForeignTape)):
        if target is None and source is not None:
            raise TypeError(
                "show() got a source without a target. Say what to come back from: "
                "tf.show(tape, target, source)."
            )
        return tape.recording(target, source)
    recording = _read(tape, by)
    if target is not None or source is not None:
        raise TypeError(
            "show() got a recording together with a target. A recording holds the questions that "
            "were put to its tape; to ask another one, pass the tape itself: tf.show(tape, target)."
        )
    return recording


def _read(subject: object, by: str) -> Recording:
    __tracebackhide__ = True
    match subject:
        case Recording():
            return subject
        case Picture():
            return subject.recording
        case bytes() | bytearray() | memoryview():
            return from_bytes(subject)
        case str() | PathLike():
            return Recording.load(subject)
    raise TypeError(
        f"{by}() needs a tape, or a recording of one, got {_called(subject)}. "
        f"Try tf.{_TRY[by]} with the tape of `with tf.GradientTape() as tape:`."
    )


def _called(subject: object) -> str:
    """An object that is no tape, as its owner would recognise it."""
    text = " ".join(repr(subject).split())
    short = text if len(text) <= 40 else f"{text[:39]}…"
    return f"{type(subject).__name__}: {short}"


def why_missing(recording: Recording) -> Explanation | None:
    """Why the sources without a gradient have none, or else what ails the gradients there are.

    None where nothing does. Of a long recording only the first source without one is explained.
    """
    call = last_gradient_call(recording)
    if call is None:
        return None
    missing = [at for at, result in enumerate(call.results) if result < 0]
    if len(recording) > LOOKED_THROUGH:
        missing = missing[:1]
        if not missing:
            return None
    explanation = explain_call(recording, call.call, missing or None)
    return explanation if explanation.findings else None


@dataclass(frozen=True, eq=False)
class CheckPicture(Drawable):
    """The errors of a gradient check, entry by entry."""

    check: GradientCheck

    def to_html(self) -> str:
        """One HTML document with the error of every entry."""
        return html.document("gradient check", error_map.card(self.check), alive=False)

    def figure(self) -> Figure:
        """The relative error of every entry as a Matplotlib figure."""
        return figures.check_figure(self.check)

    def to_dot(self) -> str:
        """ValueError: a check has no graph of its own."""
        raise ValueError(
            "A gradient check has errors and no graph. Save it as .html, .svg, .png or .pdf, or "
            "draw the tape of the function: tf.show(tape, target).to_dot()."
        )

    def __str__(self) -> str:
        return str(self.check)


def picture_of(shown: Recording | Explanation | GradientCheck) -> Drawable:
    """The picture of a check, of a recording, or of the recording that an explanation is about."""
    if isinstance(shown, GradientCheck):
        return CheckPicture(shown)
    if isinstance(shown, Recording):
        return Picture(shown, why_missing(shown))
    if shown.recording is None:
        raise ValueError(
            "This explanation holds no recording to draw. Try tf.explain(tape, target, source), "
            "whose explanation does."
        )
    return Picture(shown.recording, shown)


def output_of(shown: Recording | Explanation | GradientCheck) -> dict[str, Any]:
    """What a cell shows that ends in it: the picture of a recording, else a card.

    Why a gradient is missing is shown by the picture of its recording, as `tf.show` shows it.
    """
    if isinstance(shown, Recording):
        return Picture(shown, why_missing(shown))._repr_mimebundle_()
    described = {"text/plain": str(shown), DATA: shown.to_json()}
    if isinstance(shown, GradientCheck):
        return {"text/html": error_map.card(shown), **described}
    missing = shown.partial or not shown.connected
    if shown.recording is None or not shown.findings or not missing:
        return {"text/html": explanation_card.explanation_html(shown), **described}
    return {**Picture(shown.recording, shown)._repr_mimebundle_(), **described}
