"""`tf.show(history)`: the film of a training, and the tapes of the steps that went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Final

from tapelab.diagnosis import Explanation
from tapelab.diagnosis.explanation import explain_call
from tapelab.diagnosis.training_runs import explain_training
from tapelab.recorder.builder import build_recording
from tapelab.recorder.training_log import KeptCall, TrainingLog
from tapelab.recording.drawable import Drawable
from tapelab.recording.training_series import TrainingSeries
from tapelab.views import html, terminal, training_heatmap
from tapelab.widgets.cell_output import Shown, first_in_cell, in_marimo, in_terminal, shell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tapelab.recording import Recording

MOST_TAPES: Final = 5
"""A page holds the tapes of at most so many steps."""
LONGEST: Final = 5_000
"""The tape of a step with more events is not part of a page."""


def training_of(shown: object) -> TrainingLog | TrainingSeries | None:
    """The training that a `History` of `fit`, or a series, is about; None for anything else."""
    log = getattr(shown, "gradients", shown)
    return log if isinstance(log, TrainingLog | TrainingSeries) else None


def show_training(training: TrainingLog | TrainingSeries) -> TrainingPicture:
    """Show the film of a training, as `tf.show` shows a tape."""
    picture = TrainingPicture.of(training)
    if shell() is not None and not in_terminal():
        picture._ipython_display_()
    elif not in_marimo():
        terminal.write(str(picture))
    return picture


@dataclass(frozen=True, eq=False)
class TrainingPicture(Shown, Drawable):
    """A training to look at: its series, what went wrong, and the tapes of some of its steps."""

    series: TrainingSeries
    explanation: Explanation | None = None
    kept: Mapping[int, KeptCall] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, training: TrainingLog | TrainingSeries) -> TrainingPicture:
        """The picture of a series, or of a log with what explains it and its tapes."""
        if isinstance(training, TrainingSeries):
            return cls(training)
        kept = training.kept()
        wrong = sorted({each.step for each in training.troubles.values()} & set(kept))
        steps = dict.fromkeys((*wrong, *sorted(kept, reverse=True)[:1]))
        chosen = {step: kept[step] for step in sorted(list(steps)[:MOST_TAPES])}
        return cls(training.series(), explain_training(training), chosen)

    @cached_property
    def tapes(self) -> dict[int, tuple[Recording, Explanation]]:
        """The recording of each kept step that is not too long, and its explanation."""
        taken = {step: build_recording(kept.tape, derived=True) for step, kept in self.kept.items()}
        return {
            step: (recording, explain_call(recording, 0))
            for step, recording in taken.items()
            if len(recording) <= LONGEST
        }

    def container(self) -> str:
        """The element that the standalone bundle fills in: the series, and tapes of steps."""
        series = {**self.series.to_json(), "kept": sorted(self.tapes)}
        content = html.as_json("film", series, needs="film")
        for step, (recording, explanation) in self.tapes.items():
            content += html.tape_of_step(step, recording, explanation)
        return html.with_words(content)

    def to_html(self) -> str:
        """One HTML document with the film and the tapes of some steps, offline."""
        static = f"{self.to_svg()}<pre>{escape(str(self), quote=False)}</pre>"
        return html.document("training", f"{self.container()}<noscript>{static}</noscript>")

    def to_svg(self) -> str:
        """The film as an SVG for a page or a paper."""
        return training_heatmap.svg(self.series)

    def to_json(self) -> dict[str, Any]:
        """The series as data, for programs that are not ours."""
        return self.series.to_json()

    def figure(self) -> Figure:
        """ValueError: a film is drawn as HTML and as SVG."""
        raise ValueError(
            "The film of a training is not drawn with Matplotlib. Save it as .html or .svg."
        )

    def to_dot(self) -> str:
        """ValueError: a film has no graph of its own."""
        raise ValueError(
            "The film of a training has no graph. Save it as .html or .svg, or open one of its "
            "steps there."
        )

    def __str__(self) -> str:
        said = "" if self.explanation is None else f"\n\n{self.explanation}"
        return f"{training_heatmap.text(self.series)}{said}\n"

    def __repr__(self) -> str:
        return f"<film of a training: {len(self.series.rows)} steps; print() shows it as text>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """The page and its text, by MIME type."""
        page = html.document("training", self.container())
        frame = html.framed("training", page, str(self), self.identity)
        image = html.image_beside_frame(self.to_svg(), "tapelab: training")
        return {"text/html": frame + image, "text/plain": str(self)}

    def _ipython_display_(self) -> None:
        """Draw it, unless the running cell has drawn it already."""
        from IPython.display import publish_display_data

        if first_in_cell(self):
            publish_display_data(self._repr_mimebundle_())
