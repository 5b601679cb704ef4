"""A function of a few numbers while its inputs move: as a page with sliders, and as text.

The page needs no kernel: it holds precomputed evaluations on a grid, and says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from tapelab.locales import say
from tapelab.recording import Recording, to_bytes
from tapelab.views import html
from tapelab.views.number_format import format_number

WIDTH: Final = 57
HEIGHT: Final = 13
"""Columns and rows of a plot in a terminal."""
DIGITS: Final = 6
"""So many digits of a number in a curve are enough to draw it."""

Derivative = float | None
"""A derivative, perhaps NaN; None where no path leads to the input."""


@dataclass(frozen=True)
class Input:
    """An input that can be moved, and how far."""

    name: str
    low: float
    high: float
    start: float


@dataclass(frozen=True)
class Evaluation:
    """The function evaluated at one point: its result, its derivatives, its tape."""

    values: tuple[float, ...]
    result: float
    derivatives: tuple[Derivative, ...]
    recording: Recording
    error: str = ""
    """The error raised here, if any; the recording is then that of the last good evaluation."""


@dataclass(frozen=True)
class Curve:
    """The function along one input, from its low end to its high one in even steps."""

    results: tuple[float, ...]
    derivatives: tuple[Derivative, ...]


@dataclass(frozen=True)
class Bounds:
    """The axis ranges of the plots: of the results, and of the derivatives per input."""

    results: tuple[float, float]
    derivatives: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Grid:
    """The evaluation at the start, then those on a grid, `counts` per input, the last fastest.

    `curves` holds for each input the curve through the start, then one through each place that
    the others have on the grid.
    """

    counts: tuple[int, ...]
    evaluations: tuple[Evaluation, ...]
    curves: tuple[tuple[Curve, ...], ...]


@dataclass(frozen=True)
class Experiment:
    """A function of numbers, as far as pictures of it need to know."""

    name: str
    inputs: tuple[Input, ...]
    bounds: Bounds


def settings(experiment: Experiment) -> dict[str, Any]:
    """What stays as it is while the inputs move, as JSON values."""
    bounds = experiment.bounds
    return {
        "name": experiment.name,
        "inputs": [
            {"name": each.name, "low": each.low, "high": each.high, "start": each.start}
            for each in experiment.inputs
        ],
        "bounds": {
            "results": list(bounds.results),
            "derivatives": [list(b) for b in bounds.derivatives],
        },
    }


def live_json(evaluation: Evaluation, curves: tuple[Curve, ...]) -> dict[str, Any]:
    """An evaluation with its curves as JSON values, as the kernel sends it to the widget."""
    return {**evaluation_json(evaluation), "curves": [curve_json(curve) for curve in curves]}


def evaluation_json(evaluation: Evaluation) -> dict[str, Any]:
    """The values of an evaluation as JSON; text stands for NaN and infinities."""
    error = {"error": evaluation.error} if evaluation.error else {}
    return {
        "values": list(evaluation.values),
        "result": _number(evaluation.result),
        "derivatives": [_number(derivative) for derivative in evaluation.derivatives],
        **error,
    }


def curve_json(curve: Curve) -> dict[str, Any]:
    """A curve as JSON values, None where it has no place."""
    return {
        "results": [_place(each) for each in curve.results],
        "derivatives": [_place(each) for each in curve.derivatives],
    }


def _number(value: Derivative) -> float | str | None:
    if value is None or math.isfinite(value):
        return value
    return format_number(value)


def _place(value: Derivative) -> float | None:
    return float(f"{value:.{DIGITS}g}") if value is not None and math.isfinite(value) else None


def page(experiment: Experiment, grid: Grid) -> str:
    """One self-contained HTML document with sliders over the evaluations of the grid."""
    return html.document(f"What if: {experiment.name}", container(experiment, grid))


def container(experiment: Experiment, grid: Grid) -> str:
    """The element that the standalone bundle fills in."""
    recordings = [to_bytes(evaluation.recording) for evaluation in grid.evaluations]
    data = {
        **settings(experiment),
        "counts": list(grid.counts),
        "sizes": [len(each) for each in recordings],
        "evaluations": [evaluation_json(evaluation) for evaluation in grid.evaluations],
        "curves": [[curve_json(curve) for curve in curves] for curves in grid.curves],
    }
    return html.experiment(b"".join(recordings), grid.evaluations[0].recording, data)


def frame(experiment: Experiment, grid: Grid, fallback: str, identity: str) -> str:
    """The page in a notebook's output, by a name under which a live widget takes its place."""
    name = f"{say('What if')}: {experiment.name}"
    return html.framed(name, page(experiment, grid), fallback, identity)


def text(experiment: Experiment, evaluation: Evaluation, curves: tuple[Curve, ...]) -> str:
    """A terminal's form: the inputs, the derivatives, and a plot along each input."""
    rows = [f"{experiment.name} = {format_number(evaluation.result)}", ""]
    width = max(len(each.name) for each in experiment.inputs)
    for each, value, derivative in zip(
        experiment.inputs, evaluation.values, evaluation.derivatives, strict=True
    ):
        low, high = format_number(each.low), format_number(each.high)
        reach = say("from {low} to {high}", low=low, high=high)
        shown = (
            say("None: no path leads there") if derivative is None else format_number(derivative)
        )
        steep = say("slope {slope}", slope=shown)
        rows.append(f"  {each.name:<{width}} = {format_number(value)}  {reach}   {steep}")
    for number, curve in enumerate(curves):
        rows += ["", *_plot(experiment, evaluation, number, curve)]
    return "\n".join(rows) + "\n"


def _plot(experiment: Experiment, evaluation: Evaluation, number: int, curve: Curve) -> list[str]:
    """The function along an input, its tangent dotted, and where the input stands."""
    each, (low, high) = experiment.inputs[number], experiment.bounds.results
    cells = [[" "] * WIDTH for _ in range(HEIGHT)]

    def put(at: float, value: float, sign: str) -> None:
        row = round((high - value) / (high - low) * (HEIGHT - 1)) if math.isfinite(value) else -1
        if 0 <= row < HEIGHT:
            cells[row][round((at - each.low) / (each.high - each.low) * (WIDTH - 1))] = sign

    places = [each.low + (each.high - each.low) * at / (WIDTH - 1) for at in range(WIDTH)]
    derivative, value = evaluation.derivatives[number], evaluation.values[number]
    if derivative is not None:
        for place in places:
            put(place, evaluation.result + derivative * (place - value), "·")
    for at in range(len(curve.results)):
        place = each.low + (each.high - each.low) * at / max(1, len(curve.results) - 1)
        put(place, curve.results[at], "•")
    put(value, evaluation.result, "◆")
    ends = format_number(high), format_number(low)
    room = max(map(len, ends))
    labels = [ends[0], *[""] * (HEIGHT - 2), ends[1]]
    drawn = [f"  {label:>{room}} │{''.join(row)}" for label, row in zip(labels, cells, strict=True)]
    left, right = format_number(each.low), format_number(each.high)
    foot = f"  {'':>{room}}  {left}{right:>{WIDTH - len(left)}}"
    return [say("along {input}", input=each.name), *(row.rstrip() for row in drawn), foot]
