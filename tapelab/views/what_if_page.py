"""What comes of a function when its inputs move: as a page with sliders, and as text.

The page needs no kernel: it holds the moments of a grid, worked out beforehand, and says so.
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

Slope = float | None
"""A number, NaN among them; None where no path leads back."""


@dataclass(frozen=True)
class Input:
    """An input that can be moved, and how far."""

    name: str
    low: float
    high: float
    start: float


@dataclass(frozen=True)
class Moment:
    """What comes of the function at one place: its result, its slopes, its tape."""

    values: tuple[float, ...]
    result: float
    slopes: tuple[Slope, ...]
    recording: Recording
    error: str = ""
    """What the function raised here, if it did; the recording is that of another moment then."""


@dataclass(frozen=True)
class Curve:
    """The function along one input, from its low end to its high one in even steps."""

    results: tuple[float, ...]
    slopes: tuple[Slope, ...]


@dataclass(frozen=True)
class Bounds:
    """From where to where the plots of all inputs reach: that of the function, those of slopes."""

    results: tuple[float, float]
    slopes: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Grid:
    """The moment at the start, then those on a grid, `counts` along the inputs, the last fastest.

    `curves` holds for each input the curve through the start, then one through each place that
    the others have on the grid.
    """

    counts: tuple[int, ...]
    moments: tuple[Moment, ...]
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
        "bounds": {"results": list(bounds.results), "slopes": [list(b) for b in bounds.slopes]},
    }


def live(moment: Moment, curves: tuple[Curve, ...]) -> dict[str, Any]:
    """A moment with its curves as JSON values, as the widget gets it from the kernel."""
    return {**told(moment), "curves": [drawn(curve) for curve in curves]}


def told(moment: Moment) -> dict[str, Any]:
    """The numbers of a moment as JSON values; words stand for those that JSON has none for."""
    error = {"error": moment.error} if moment.error else {}
    return {
        "values": list(moment.values),
        "result": _number(moment.result),
        "slopes": [_number(slope) for slope in moment.slopes],
        **error,
    }


def drawn(curve: Curve) -> dict[str, Any]:
    """A curve as JSON values, None where it has no place."""
    return {
        "results": [_place(each) for each in curve.results],
        "slopes": [_place(each) for each in curve.slopes],
    }


def _number(value: Slope) -> float | str | None:
    if value is None or math.isfinite(value):
        return value
    return format_number(value)


def _place(value: Slope) -> float | None:
    return float(f"{value:.{DIGITS}g}") if value is not None and math.isfinite(value) else None


def page(experiment: Experiment, grid: Grid) -> str:
    """One self-contained HTML document with sliders over the moments of the grid."""
    return html.document(f"What if: {experiment.name}", container(experiment, grid))


def container(experiment: Experiment, grid: Grid) -> str:
    """The element that the standalone bundle fills in."""
    recordings = [to_bytes(moment.recording) for moment in grid.moments]
    data = {
        **settings(experiment),
        "counts": list(grid.counts),
        "sizes": [len(each) for each in recordings],
        "moments": [told(moment) for moment in grid.moments],
        "curves": [[drawn(curve) for curve in curves] for curves in grid.curves],
    }
    moments = html.packed("recording", b"".join(recordings))
    told_of = grid.moments[0].recording
    return html.wrapped(moments + html.as_json("what-if", data), told_of)


def frame(experiment: Experiment, grid: Grid, fallback: str, identity: str) -> str:
    """The page in a notebook's output, by a name under which a live widget takes its place."""
    name = f"{say('What if')}: {experiment.name}"
    return html.framed(name, page(experiment, grid), fallback, identity)


def text(experiment: Experiment, moment: Moment, curves: tuple[Curve, ...]) -> str:
    """A terminal's form: where the inputs stand, the slopes, and a plot along each input."""
    rows = [f"{experiment.name} = {format_number(moment.result)}", ""]
    width = max(len(each.name) for each in experiment.inputs)
    for each, value, slope in zip(experiment.inputs, moment.values, moment.slopes, strict=True):
        low, high = format_number(each.low), format_number(each.high)
        reach = say("from {low} to {high}", low=low, high=high)
        told = say("None: no path leads there") if slope is None else format_number(slope)
        steep = say("slope {slope}", slope=told)
        rows.append(f"  {each.name:<{width}} = {format_number(value)}  {reach}   {steep}")
    for number, curve in enumerate(curves):
        rows += ["", *_plot(experiment, moment, number, curve)]
    return "\n".join(rows) + "\n"


def _plot(experiment: Experiment, moment: Moment, number: int, curve: Curve) -> list[str]:
    """The function along an input, its tangent dotted, and where the input stands."""
    each, (low, high) = experiment.inputs[number], experiment.bounds.results
    cells = [[" "] * WIDTH for _ in range(HEIGHT)]

    def put(at: float, value: float, sign: str) -> None:
        row = round((high - value) / (high - low) * (HEIGHT - 1)) if math.isfinite(value) else -1
        if 0 <= row < HEIGHT:
            cells[row][round((at - each.low) / (each.high - each.low) * (WIDTH - 1))] = sign

    places = [each.low + (each.high - each.low) * at / (WIDTH - 1) for at in range(WIDTH)]
    slope, value = moment.slopes[number], moment.values[number]
    if slope is not None:
        for place in places:
            put(place, moment.result + slope * (place - value), "·")
    for at in range(len(curve.results)):
        place = each.low + (each.high - each.low) * at / max(1, len(curve.results) - 1)
        put(place, curve.results[at], "•")
    put(value, moment.result, "◆")
    ends = format_number(high), format_number(low)
    room = max(map(len, ends))
    labels = [ends[0], *[""] * (HEIGHT - 2), ends[1]]
    drawn = [f"  {label:>{room}} │{''.join(row)}" for label, row in zip(labels, cells, strict=True)]
    left, right = format_number(each.low), format_number(each.high)
    foot = f"  {'':>{room}}  {left}{right:>{WIDTH - len(left)}}"
    return [say("along {input}", input=each.name), *(row.rstrip() for row in drawn), foot]
