"""What is drawn of a recording, of an explanation and of a gradient check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tapelab.diagnosis import Explanation
from tapelab.diagnosis.gradient_check import GradientCheck
from tapelab.recording import Recording
from tapelab.recording.drawable import Drawable
from tapelab.views import error_map, html, plots, rich
from tapelab.views.card import DATA
from tapelab.widgets.show import Picture, why_missing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class CheckPicture(Drawable):
    """The errors of a gradient check, entry by entry."""

    check: GradientCheck

    def to_html(self) -> str:
        """One HTML document with the error of every entry."""
        return html.document("gradient check", error_map.card(self.check), alive=False)

    def figure(self) -> Figure:
        """The relative error of every entry as a Matplotlib figure."""
        return plots.check_figure(self.check)

    def to_dot(self) -> str:
        """ValueError: a check has no graph of its own."""
        raise ValueError(
            "A gradient check has errors and no graph. Save it as .html, .svg, .png or .pdf, or "
            "draw the tape of the function: tf.show(tape, target).to_dot()."
        )

    def __str__(self) -> str:
        return str(self.check)


def picture_of(thing: Recording | Explanation | GradientCheck) -> Drawable:
    """The picture of a check, of a recording, or of the recording that an explanation is about."""
    if isinstance(thing, GradientCheck):
        return CheckPicture(thing)
    if isinstance(thing, Recording):
        return Picture(thing, why_missing(thing))
    if thing.recording is None:
        raise ValueError(
            "This explanation holds no recording to draw. Try tf.explain(tape, target, source), "
            "whose explanation does."
        )
    return Picture(thing.recording, thing)


def output_of(thing: Recording | Explanation | GradientCheck) -> dict[str, Any]:
    """What a cell shows that ends in it: of a recording the picture, else a card."""
    if isinstance(thing, Recording):
        return Picture(thing, why_missing(thing))._repr_mimebundle_()
    if isinstance(thing, GradientCheck):
        card = error_map.card(thing)
    else:
        card = rich.explanation_html(thing)
    return {"text/plain": str(thing), "text/html": card, DATA: thing.to_json()}
