"""`tf.compare`: two tapes side by side, as they were before a change and after it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from tapelab.locales import say
from tapelab.recording import to_bytes
from tapelab.recording.drawable import Drawable
from tapelab.views import figures, html, tape_comparison
from tapelab.views.alignment import counterparts
from tapelab.views.tape_comparison import Compared, compared
from tapelab.widgets.cell_output import Shown, shell
from tapelab.widgets.show import TapeLike, recorded

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from tapelab.recording import Recording
    from tapelab.widgets.explorer import Explorer


def compare(before: TapeLike, after: TapeLike) -> Comparison:
    """Show two tapes side by side, aligned, with their differences marked.

    Takes for each a tape, a recording, its bytes, a picture from `tf.show`, or the path of a
    `.tape` file. Gradients are compared as far as they were computed: `tf.show(tape, target)`
    is a tape with its backward pass.
    """
    __tracebackhide__ = True
    comparison = Comparison(compared(recorded(before, by="compare"), recorded(after, by="compare")))
    if shell() is None:
        print(comparison, end="")
    else:
        comparison._ipython_display_()
    return comparison


@dataclass(frozen=True, eq=False)
class Comparison(Shown, Drawable):
    """Two compared recordings, to look at and to save."""

    found: Compared

    @property
    def differences(self) -> int:
        """How many frames differ in anything."""
        return self.found.differences

    def __str__(self) -> str:
        return tape_comparison.text(self.found)

    def __repr__(self) -> str:
        return f"<comparison of two tapes: {self.found.headline}>"

    def to_html(self) -> str:
        """One HTML document: the differences, and both pictures to step through, offline."""
        return self._document(tape_comparison.html(self.found))

    def figure(self) -> Figure:
        """Both graphs as a Matplotlib figure, one above the other."""
        return figures.pair_figure(*self._recordings)

    def to_dot(self) -> str:
        """Both graphs in the language of Graphviz, for `dot`."""
        from tapelab.views.dot import pair

        return str(pair(*self._recordings).source)

    def to_json(self) -> dict[str, Any]:
        """What differs, frame by frame."""
        return {
            "headline": self.found.headline,
            "differences": self.differences,
            "gradients": self.found.gradients,
            "frames": [asdict(each) for each in tape_comparison.rows(self.found)],
        }

    def _document(self, above: str = "") -> str:
        """Both pictures side by side, in step, below what stands above them."""
        pictures = "".join(html.container(each) for each in self._recordings)
        steps = html.as_json("pair", [_listed(each) for each in self._steps])
        body = f'{above}<div style="{_SIDES}">{pictures}</div>{steps}'
        return html.document("tapelab: before and after", body)

    def widget(self) -> Sides:
        """Both pictures side by side, alive and in step: where one is moved, the other follows."""
        from tapelab.widgets.explorer import Explorer

        before, after = (
            Explorer(self, recording=to_bytes(each), side=side)
            for side, each in enumerate(self._recordings)
        )
        for mine, other, steps in zip((before, after), (after, before), self._steps, strict=True):
            mine.observe(_follower(other, steps), "step")
        return Sides(self, before, after)

    @property
    def _steps(self) -> tuple[dict[int, int], dict[int, int]]:
        """For each step of one side the step of the other at which the same happens."""
        old, new = self.found.models
        there = counterparts(old, new, self.found.pairs)
        return there, {step: number for number, step in there.items()}

    @property
    def _recordings(self) -> tuple[Recording, Recording]:
        return self.found.before, self.found.after

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """The card, and below it both pictures for who opens them."""
        frame = html.framed("before and after", self._document(), str(self), self.identity)
        below = (
            f'<details class="tapelab-both"><summary>{escape(say("Step through both"))}</summary>'
            f'<div style="{_SIDES}">{frame}</div></details>'
        )
        return {"text/html": tape_comparison.html(self.found) + below, "text/plain": str(self)}


@dataclass(frozen=True)
class Sides:
    """Two live pictures in step, which Python can read and move; they need a kernel."""

    comparison: Comparison
    before: Explorer
    after: Explorer

    def _ipython_display_(self) -> None:
        self.comparison._ipython_display_()


_SIDES: Final = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,620px),1fr))"


def _listed(steps: dict[int, int]) -> list[int]:
    """By the number of a step, that of its counterpart, or 0."""
    return [steps.get(step, 0) for step in range(max(steps, default=0) + 1)]


def _follower(other: Explorer, steps: dict[int, int]) -> Callable[[dict[str, int]], None]:
    """A callback that moves the other view to the matching step."""

    def follow(change: dict[str, int]) -> None:
        other.step = steps.get(change["new"], other.step)

    return follow
