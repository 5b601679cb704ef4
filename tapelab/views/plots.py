"""Figures of what is no single graph: a function and its slopes, two graphs, a gradient check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.views.figures import GRADIENT, INK, VALUE, draw_graph
from tapelab.views.still import Still, still

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tapelab.diagnosis.gradient_check import Checked, GradientCheck
    from tapelab.recording import Recording
    from tapelab.views.what_if import Curve, Experiment, Moment, Slope

INCH: Final = 96
"""Pixels of the screen in an inch of a figure."""
SIGN: Final = {True: "#0072B2", False: "#B5478C"}
"""The colour of an entry that agrees, and of one that does not."""
LOWEST: Final = 1e-17
"""An error that is none is drawn as so little."""


def what_if_figure(experiment: Experiment, moment: Moment, curves: tuple[Curve, ...]) -> Figure:
    """A function along each input with its tangent, and its slope below."""
    from matplotlib.figure import Figure

    inputs = len(experiment.inputs)
    drawn = Figure(figsize=(3.4 * inputs, 4.6), layout="constrained")
    axes = drawn.subplots(2, inputs, sharex="col", height_ratios=(3, 1.2), squeeze=False)
    for number, curve in enumerate(curves):
        _draw_along(axes[0, number], experiment, moment, number, curve)
        _draw_slope(axes[1, number], experiment, moment, number, curve)
    return drawn


def _places(experiment: Experiment, number: int, values: Sequence[Slope]) -> Any:
    each = experiment.inputs[number]
    return np.linspace(each.low, each.high, len(values))


def _draw_along(
    axes: Any, experiment: Experiment, moment: Moment, number: int, curve: Curve
) -> None:
    each, at = experiment.inputs[number], moment.values[number]
    slope, result = moment.slopes[number], moment.result
    axes.plot(_places(experiment, number, curve.results), curve.results, color=VALUE, linewidth=2)
    if slope is not None:
        ends = np.array([each.low, each.high])
        axes.plot(ends, result + slope * (ends - at), color=GRADIENT, linestyle="--")
    axes.plot([at], [result], "o", color=VALUE)
    axes.set_ylim(*experiment.bounds.results)
    axes.set_title(f"{experiment.name} along {each.name}", fontsize=10, color=INK)


def _draw_slope(
    axes: Any, experiment: Experiment, moment: Moment, number: int, curve: Curve
) -> None:
    each, slope = experiment.inputs[number], moment.slopes[number]
    slopes = [np.nan if value is None else value for value in curve.slopes]
    axes.plot(_places(experiment, number, curve.slopes), slopes, color=GRADIENT)
    if slope is not None:
        axes.plot([moment.values[number]], [slope], "o", color=GRADIENT)
    axes.set_ylim(*experiment.bounds.slopes[number])
    axes.set_xlabel(each.name)
    axes.set_ylabel("slope" if slope is not None else "slope: None")


def pair_figure(before: Recording, after: Recording) -> Figure:
    """Two graphs, the one that was above the one that is."""
    from matplotlib.figure import Figure

    shown = still(before), still(after)
    tall = [each.size[1] + 70 for each in shown]
    wide = max(each.size[0] for each in shown) + 24
    drawn = Figure(figsize=(wide / INCH, sum(tall) / INCH))
    above = sum(tall)
    for title, each, height in zip(("before", "after"), shown, tall, strict=True):
        above -= height
        axes = drawn.add_axes((0, above / sum(tall), 1, height / sum(tall)))
        _draw_titled(axes, title, each, wide, height)
    return drawn


def _draw_titled(axes: Any, title: str, shown: Still, wide: float, height: float) -> None:
    draw_graph(axes, shown)
    axes.set_xlim(-12, wide - 12)
    axes.set_ylim(height - 42, -42)
    axes.text(0, -26, title, fontsize=10, fontweight="bold", color=INK, va="center")


def check_figure(check: GradientCheck) -> Figure:
    """The relative error of every entry on a log scale, input by input, beside what is allowed."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(6, 0.8 + 1.7 * len(check.inputs)), layout="constrained")
    rows = drawn.subplots(max(1, len(check.inputs)), 1, squeeze=False)[:, 0]
    for axes, checked in zip(rows, check.inputs, strict=False):
        _draw_errors(axes, checked, check.tolerance)
    drawn.suptitle(check.headline.replace("`", ""), fontsize=10, color=INK)
    return drawn


def _draw_errors(axes: Any, checked: Checked, tolerance: float) -> None:
    errors = np.maximum(np.nan_to_num(np.array(checked.errors), nan=np.inf), LOWEST)
    worst = max(1.0, float(errors[np.isfinite(errors)].max(initial=0)))
    shown = np.where(np.isfinite(errors), errors, worst)
    colours = [SIGN[bool(error <= tolerance)] for error in errors]
    axes.bar(range(len(shown)), shown, bottom=LOWEST, color=colours)
    axes.axhline(tolerance, color=INK, linestyle="--", linewidth=1)
    axes.set_yscale("log")
    axes.set_ylim(LOWEST, 10 * worst)
    axes.set_ylabel(checked.name)
    axes.set_xticks([])
