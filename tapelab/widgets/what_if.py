"""`tf.what_if`: move the inputs of a function, and see values, gradients and tape move along."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tapelab.recording import Recording
from tapelab.recording.drawable import Drawable
from tapelab.views import figures
from tapelab.views import what_if_page as views
from tapelab.views.what_if_page import Evaluation, Input
from tapelab.widgets.cell_output import Shown, asks_for_views, first_in_cell, shell
from tapelab.widgets.sampler import Trial

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST: Final = 6
"""So many sliders still stand in one view."""
LARGEST: Final = 1e37
"""Ranges stay so far away from the largest float32."""


def what_if(f: Callable[..., Any], /, **inputs: object) -> WhatIf:
    """Move the inputs of a function: its value, its gradients and its whole tape move along.

    `tf.what_if(f, x=(-3, 3), w=(0, 2, 0.5))` gives `x` a slider from −3 to 3, which begins in the
    middle, and `w` one from 0 to 2, which begins at 0.5. What is no such pair is an argument that
    is held: `tf.what_if(f, x=(-3, 3), scale=2.0)`. The function returns one float.
    """
    __tracebackhide__ = True
    if not callable(f):
        raise TypeError(
            f"what_if() needs a function, got {type(f).__name__}. "
            "Try tf.what_if(lambda x: x * x, x=(-3, 3))."
        )
    moving = {name: each for name, each in inputs.items() if isinstance(each, (tuple, list))}
    held = {name: each for name, each in inputs.items() if name not in moving}
    _check_names(f, inputs)
    if not 1 <= len(moving) <= MOST:
        raise ValueError(
            f"what_if() moves from 1 to {MOST} inputs, got {len(moving)}. "
            "Give a lowest and a highest value for each: tf.what_if(f, x=(-3, 3))."
        )
    ranges = tuple(_input(name, each) for name, each in moving.items())
    trial = Trial(f, _name_of(f), ranges, held)
    trial.evaluation(trial.starts)
    shown = WhatIf(trial)
    if shell() is None:
        print(shown, end="")
    else:
        shown._ipython_display_()
    return shown


def _check_names(f: Callable[..., Any], inputs: Mapping[str, object]) -> None:
    __tracebackhide__ = True
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):
        return  # some built-in functions do not tell their parameters
    try:
        signature.bind(**inputs)
    except TypeError as error:
        raise TypeError(
            f"what_if() cannot call {_name_of(f)}{signature} with what it got: {error}. "
            f"Give each input by its name: tf.what_if({_name_of(f)}, {_example(signature)})."
        ) from None


def _example(signature: inspect.Signature) -> str:
    """How the call should look, for the parameters that need a value."""
    needed = [
        each.name
        for each in signature.parameters.values()
        if each.default is each.empty
        and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    ]
    return ", ".join(f"{name}=(-3, 3)" for name in needed or ["x"])


def _input(name: str, given: Sequence[float]) -> Input:
    """The range of an input, checked."""
    __tracebackhide__ = True
    try:
        ends = [float(each) for each in given]
    except (TypeError, ValueError):
        ends = []
    if len(ends) not in (2, 3):
        raise TypeError(
            f"what_if() got {name}={given!r}, which is no range. A range is a lowest and a highest "
            f"number, and a start if you like: {name}=(-3, 3) or {name}=(-3, 3, 1). "
            f"To hold a list as it is, pass it as a tensor: {name}=tf.constant(…)."
        )
    low, high = ends[:2]
    start = ends[2] if len(ends) == 3 else (low + high) / 2
    if low > high:
        turned = (given[1], given[0], *given[2:])
        raise ValueError(
            f"what_if() got {name}={given!r}; a range goes from its lower end to its higher one. "
            f"Try {name}={turned!r}."
        )
    if not low < high or max(-low, high) > LARGEST:
        raise ValueError(
            f"what_if() got {name}={given!r}; a range goes from one finite number to a higher one, "
            f"as far as float32 reaches. Try {name}=(-3, 3)."
        )
    if not low <= start <= high:
        raise ValueError(
            f"what_if() is to start {name} at {given[2]!r}, which is outside of its range from "
            f"{given[0]!r} to {given[1]!r}."
        )
    return Input(name, low, high, start)


def _name_of(f: Callable[..., Any]) -> str:
    name = getattr(f, "__name__", type(f).__name__)
    return "f" if name == "<lambda>" else str(name)


@dataclass(frozen=True, eq=False)
class WhatIf(Shown, Drawable):
    """A function whose inputs can be moved: sliders in a notebook, numbers and plots as text."""

    trial: Trial

    def at(self, **values: float) -> Evaluation:
        """The function at one point: result, derivatives, and the recording of its tape.

        Inputs that are not named stand where they began.
        """
        known = {each.name: each.start for each in self.trial.inputs}
        unknown = [name for name in values if name not in known]
        if unknown:
            raise TypeError(f"at() got {unknown[0]!r}; the inputs that move are {list(known)}.")
        return self.trial.evaluation(tuple({**known, **values}.values()))

    def widget(self) -> Any:
        """The live widget: sliders that run the function again, as long as there is a kernel."""
        from tapelab.widgets.explorer import Sliders

        return Sliders(self.trial, self)

    def to_html(self) -> str:
        """One HTML document with sliders over moments that are worked out now, for offline."""
        return views.page(self.trial.experiment, self.trial.grid())

    def figure(self) -> Figure:
        """The function along each input with its tangent and derivative, as a Matplotlib figure."""
        starts = self.trial.starts
        return figures.what_if_figure(
            self.trial.experiment, self.trial.evaluation(starts), self.trial.curves(starts)
        )

    @property
    def recording(self) -> Recording:
        """The tape of the function where its inputs began."""
        return self.trial.evaluation(self.trial.starts).recording

    def to_dot(self) -> str:
        """The graph of the function in the language of Graphviz, for `dot`."""
        return self.recording.to_dot()

    def to_json(self) -> dict[str, Any]:
        """The inputs, and the evaluation at their start: result, derivatives, curves."""
        starts = self.trial.starts
        evaluation = views.live_json(self.trial.evaluation(starts), self.trial.curves(starts))
        return {**views.settings(self.trial.experiment), **evaluation}

    def __str__(self) -> str:
        starts = self.trial.starts
        return views.text(
            self.trial.experiment, self.trial.evaluation(starts), self.trial.curves(starts)
        )

    def __repr__(self) -> str:
        names = ", ".join(each.name for each in self.trial.inputs)
        return f"<what if: {self.trial.name} over {names}; print() shows it as text>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """What a saved notebook keeps: the page over the grid, and text."""
        text = str(self)
        page = views.frame(self.trial.experiment, self.trial.grid(), text, self.identity)
        return {"text/html": page, "text/plain": text}

    def _ipython_display_(self) -> None:
        """The page, which stays with the notebook, and the live widget, which takes its place.

        Drawn once by a cell that shows it and ends with it.
        """
        from IPython.display import display, publish_display_data

        if first_in_cell(self):
            publish_display_data(self._repr_mimebundle_())
            live = self.widget()
            if asks_for_views():
                display(live)
