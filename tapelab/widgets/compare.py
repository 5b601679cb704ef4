"""`tf.compare`: two tapes side by side, as they were before a change and after it."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final

from tapelab.views import comparing, html
from tapelab.views.aligning import counterparts
from tapelab.views.comparing import Compared, compared
from tapelab.widgets.show import Picture, first_in_cell, recorded, shell


def compare(before: Any, after: Any) -> Comparison:
    """Show two tapes side by side, aligned, with their differences marked.

    Takes for each a tape, a recording, its bytes, a picture from `tf.show`, or the path of a
    `.tape` file. Gradients are compared as far as they were asked for: `tf.show(tape, target)` is
    a tape with its way back.
    """
    __tracebackhide__ = True
    found = Comparison(compared(recorded(before, by="compare"), recorded(after, by="compare")))
    if shell() is None:
        print(found, end="")
    else:
        found._ipython_display_()
    return found


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two recordings beside one another, to look at and to save."""

    found: Compared

    @property
    def differences(self) -> int:
        """How many frames differ in anything."""
        return self.found.differences

    def __str__(self) -> str:
        return comparing.text(self.found)

    def __repr__(self) -> str:
        return f"<comparison of two tapes: {self.found.headline}>"

    def export(self, path: str | PathLike[str]) -> Path:
        """Write one HTML file: the differences, and both pictures to step through, offline."""
        file = Path(path)
        file.write_text(self.to_html(), "utf-8")
        return file

    def to_html(self) -> str:
        """One HTML document: the differences, and both pictures to step through, offline."""
        pictures = "".join(html.container(each) for each in self._recordings)
        steps = html.as_json("pair", [_listed(each) for each in self._steps])
        body = f'{comparing.html(self.found)}<div style="{_SIDES}">{pictures}</div>{steps}'
        return html.document("tapelab: before and after", body)

    def widget(self) -> Any:
        """Both pictures side by side, in step: where one is moved, the other follows."""
        import ipywidgets

        sides = [Picture(each).widget() for each in self._recordings]
        there, back = self._steps
        for mine, other, steps in ((sides[0], sides[1], there), (sides[1], sides[0], back)):
            mine.observe(_follower(other, steps), "step")
            mine.layout = ipywidgets.Layout(width="50%", min_width="0")
        return ipywidgets.VBox(
            [ipywidgets.HTML(comparing.html(self.found)), ipywidgets.HBox(sides)]
        )

    @property
    def _steps(self) -> tuple[dict[int, int], dict[int, int]]:
        """For each step of one side the step of the other at which the same happens."""
        old, new = self.found.models
        there = counterparts(old, new, self.found.pairs)
        return there, {step: number for number, step in there.items()}

    @property
    def _recordings(self) -> tuple[Any, Any]:
        return self.found.before, self.found.after

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": comparing.html(self.found), "text/plain": str(self)}

    def _ipython_display_(self) -> None:
        """Draw it, unless the running cell has drawn it already."""
        from IPython.display import publish_display_data

        if first_in_cell(self):
            publish_display_data(self._repr_mimebundle_())  # type: ignore[no-untyped-call]  # IPython's


_SIDES: Final = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,620px),1fr))"


def _listed(steps: dict[int, int]) -> list[int]:
    """By the number of a step, that of its counterpart, or 0."""
    return [steps.get(step, 0) for step in range(max(steps, default=0) + 1)]


def _follower(other: Any, steps: dict[int, int]) -> Any:
    """Moves the other picture to the step at which the same happens."""

    def follow(change: Any) -> None:
        other.step = steps.get(change["new"], other.step)

    return follow
