"""Still figures of a recording, drawn with Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.views.number_format import shortened
from tapelab.views.static_figure import (
    HEIGHT,
    WIDTH,
    FigureEdge,
    FigureNode,
    StaticFigure,
    static_figure,
)
from tapelab.views.svg import Piece, edge_route, labels
from tapelab.views.tape_graph import EdgeKind, NodeKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tapelab.diagnosis.gradient_check import Checked, GradientCheck
    from tapelab.recording import Recording
    from tapelab.views.what_if_page import Curve, Derivative, Evaluation, Experiment

VALUE: Final = "#0072B2"
GRADIENT: Final = "#D55E00"
INK: Final = "#212121"
FRAMES: Final = {
    NodeKind.VARIABLE: ("#00875F", 2.0, "-", 12.0),
    NodeKind.CONSTANT: ("#909090", 1.25, "-", 1.5),
    NodeKind.OP: ("#909090", 1.25, "-", 6.0),
    NodeKind.OFF: ("#909090", 1.25, "--", 1.5),
}
"""Colour, width, dash and corner of a card's outline."""
EDGE_STYLES: Final = {EdgeKind.TAPED: (VALUE, "-"), EdgeKind.OFF: ("#909090", "--")}
CUT: Final = ("#B5478C", "--")
SLOTS: Final = {"none": "#8F2A66", "nonezero": "#8F2A66", "nan": INK}
POINTS: Final = 72 / 96
"""What a pixel of the screen is in points."""


def figure(recording: Recording) -> Figure:
    """The graph as a figure: values of the forward pass, gradients of the backward pass."""
    from matplotlib.figure import Figure

    shown = static_figure(recording)
    width, height = shown.size
    drawn = Figure(figsize=((width + 24) / 96, (height + 40) / 96))
    axes = drawn.add_axes((0, 0, 1, 1))
    axes.set_xlim(-12, width + 12)
    axes.set_ylim(height + 28, -12)
    draw_graph(axes, shown)
    return drawn


def draw_graph(axes: Axes, shown: StaticFigure) -> None:
    """Draw nodes and edges at screen coordinates, and the note about what is left out."""
    axes.set_axis_off()
    for edge in shown.edges:
        _draw_edge(axes, shown, edge)
    for node, (x, y) in zip(shown.nodes, shown.places, strict=True):
        _draw_node(axes, node, x, y)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    for text, x, y in labels(shown):
        _write(axes, x, y - 5, text, "#A33F00", ha="center", bbox=box)
    axes.text(0, shown.size[1] + 20, shown.note, fontsize=12 * POINTS, color="#686868")


def _draw_edge(axes: Axes, shown: StaticFigure, edge: FigureEdge) -> None:
    """Draw the value's curve, and the gradient's where one was propagated."""
    _draw_route(axes, edge_route(shown, edge, back=False), *EDGE_STYLES.get(edge.kind, CUT))
    if edge.gradient_text is not None:
        pieces = reversed(edge_route(shown, edge, back=True))
        _draw_route(axes, [(x, y, at, to) for at, to, x, y in pieces], GRADIENT, "-")


def _draw_route(axes: Axes, pieces: list[Piece], colour: str, dash: str) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    points = [pieces[0][:2]]
    for x, y, to_x, to_y in pieces:
        middle = (x + to_x) / 2
        points += [(middle, y), (middle, to_y), (to_x, to_y)]
    curve = Path(points, [Path.MOVETO] + [Path.CURVE4] * (len(points) - 1))
    style = {"arrowstyle": "-|>", "mutation_scale": 8, "linewidth": 1.5 * POINTS}
    axes.add_patch(FancyArrowPatch(path=curve, color=colour, linestyle=dash, **style))  # type: ignore[arg-type]  # settings of several types


def _draw_node(axes: Axes, node: FigureNode, x: float, y: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    colour, line, dash, corner = FRAMES[node.kind]
    for shift in (6, 3, 0) if node.size else (0,):
        box = FancyBboxPatch(
            (x + shift + corner, y + shift + corner),
            WIDTH - 2 * corner,
            HEIGHT - 2 * corner,
            boxstyle=f"round,pad={corner}",
            facecolor="white",
            edgecolor=colour,
            linewidth=line * POINTS,
            linestyle=dash,
        )
        axes.add_patch(box)
    title = f"{node.pill}  {node.name}" if node.pill else node.name
    _write(axes, x + 12, y + 16, shortened(title, 17), INK)
    _write(axes, x + WIDTH - 12, y + 40, node.value, "#075A99", ha="right")
    shade = SLOTS.get(node.state, "#A33F00")
    _write(axes, x + WIDTH - 12, y + 62, node.gradient, shade, ha="right")


def _write(axes: Axes, x: float, y: float, text: str, colour: str, **more: Any) -> None:
    size, shown = 11.5 * POINTS, text.replace("$", r"\$")
    axes.text(x, y, shown, color=colour, fontsize=size, family="monospace", va="center", **more)


INCH: Final = 96
"""Pixels of the screen in an inch of a figure."""
SIGN: Final = {True: "#0072B2", False: "#B5478C"}
"""The colour of an entry that agrees, and of one that does not."""
LOWEST: Final = 1e-17
"""An error that is none is drawn as so little."""


def what_if_figure(
    experiment: Experiment, evaluation: Evaluation, curves: tuple[Curve, ...]
) -> Figure:
    """A function along each input with its tangent, and its derivative below."""
    from matplotlib.figure import Figure

    inputs = len(experiment.inputs)
    drawn = Figure(figsize=(3.4 * inputs, 4.6), layout="constrained")
    axes = drawn.subplots(2, inputs, sharex="col", height_ratios=(3, 1.2), squeeze=False)
    for number, curve in enumerate(curves):
        _draw_along(axes[0, number], experiment, evaluation, number, curve)
        _draw_derivative(axes[1, number], experiment, evaluation, number, curve)
    return drawn


def _places(experiment: Experiment, number: int, values: Sequence[Derivative]) -> Any:
    each = experiment.inputs[number]
    return np.linspace(each.low, each.high, len(values))


def _draw_along(
    axes: Any, experiment: Experiment, evaluation: Evaluation, number: int, curve: Curve
) -> None:
    each, at = experiment.inputs[number], evaluation.values[number]
    derivative, result = evaluation.derivatives[number], evaluation.result
    axes.plot(_places(experiment, number, curve.results), curve.results, color=VALUE, linewidth=2)
    if derivative is not None:
        ends = np.array([each.low, each.high])
        axes.plot(ends, result + derivative * (ends - at), color=GRADIENT, linestyle="--")
    axes.plot([at], [result], "o", color=VALUE)
    axes.set_ylim(*experiment.bounds.results)
    axes.set_title(f"{experiment.name} along {each.name}", fontsize=10, color=INK)


def _draw_derivative(
    axes: Any, experiment: Experiment, evaluation: Evaluation, number: int, curve: Curve
) -> None:
    each, derivative = experiment.inputs[number], evaluation.derivatives[number]
    derivatives = [np.nan if value is None else value for value in curve.derivatives]
    axes.plot(_places(experiment, number, curve.derivatives), derivatives, color=GRADIENT)
    if derivative is not None:
        axes.plot([evaluation.values[number]], [derivative], "o", color=GRADIENT)
    axes.set_ylim(*experiment.bounds.derivatives[number])
    axes.set_xlabel(each.name)
    axes.set_ylabel("derivative" if derivative is not None else "derivative: None")


def pair_figure(before: Recording, after: Recording) -> Figure:
    """Two graphs, the one that was above the one that is."""
    from matplotlib.figure import Figure

    shown = static_figure(before), static_figure(after)
    tall = [each.size[1] + 70 for each in shown]
    wide = max(each.size[0] for each in shown) + 24
    drawn = Figure(figsize=(wide / INCH, sum(tall) / INCH))
    above = sum(tall)
    for title, each, height in zip(("before", "after"), shown, tall, strict=True):
        above -= height
        axes = drawn.add_axes((0, above / sum(tall), 1, height / sum(tall)))
        _draw_titled(axes, title, each, wide, height)
    return drawn


def _draw_titled(axes: Any, title: str, shown: StaticFigure, wide: float, height: float) -> None:
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
