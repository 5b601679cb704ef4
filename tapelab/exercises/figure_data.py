"""What a figure of matplotlib shows, as plain data; matplotlib itself is not needed to read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_POINTS: Final = 100_000
"""Of longer lines only so many points are kept; no check needs more."""


@dataclass(frozen=True, eq=False)
class Series:
    """Points that belong together: a line, a cloud of markers, or bars; `label` as in the legend.

    `kind` is `line`, `points` or `bars`; of bars, x is their middle and y their height.
    """

    kind: str
    x: NDArray[Any]
    y: NDArray[Any]
    label: str = ""


@dataclass(frozen=True, eq=False)
class Axes:
    """One coordinate system and what is drawn in it; scales are `linear`, `log` and the like."""

    title: str = ""
    x_label: str = ""
    y_label: str = ""
    x_scale: str = "linear"
    y_scale: str = "linear"
    series: tuple[Series, ...] = ()
    images: tuple[NDArray[Any], ...] = ()
    legend: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Plot:
    """A figure: its coordinate systems, in the order in which they were made."""

    axes: tuple[Axes, ...] = ()


def plot_of(live: Any) -> Plot | None:
    """The plot that something of matplotlib belongs to; None for anything else."""
    if type(live).__module__.partition(".")[0] != "matplotlib":
        return None
    figure = live if hasattr(live, "axes") and hasattr(live, "savefig") else live.figure
    return Plot(tuple(_axes(each) for each in figure.axes))


def _axes(live: Any) -> Axes:
    legend = live.get_legend()
    series: list[Series | None] = [
        *map(_line, live.get_lines()),
        *_clouds(live),
        *map(_bars, live.containers),
    ]
    return Axes(
        title=live.get_title(),
        x_label=live.get_xlabel(),
        y_label=live.get_ylabel(),
        x_scale=live.get_xscale(),
        y_scale=live.get_yscale(),
        series=tuple(filter(None, series)),
        images=tuple(np.asarray(each.get_array(), float) for each in live.get_images()),
        legend=tuple(each.get_text() for each in legend.get_texts()) if legend else (),
    )


def _line(live: Any) -> Series:
    kind = "points" if live.get_linestyle() == "None" else "line"
    return _series(kind, live.get_xdata(), live.get_ydata(), live.get_label())


def _clouds(live: Any) -> list[Series]:
    clouds = [each for each in live.collections if hasattr(each, "get_sizes")]
    drawn = [(np.asarray(each.get_offsets()), each.get_label()) for each in clouds]
    return [_series("points", at[:, 0], at[:, 1], label) for at, label in drawn]


def _bars(live: Any) -> Series | None:
    bars = [each for each in live if hasattr(each, "get_height")]
    middles = [each.get_x() + each.get_width() / 2 for each in bars]
    return _series("bars", middles, [each.get_height() for each in bars], live.get_label())


def _series(kind: str, x: ArrayLike, y: ArrayLike, label: str) -> Series:
    """Numbers as drawn; a label that matplotlib made up is none."""
    xs, ys = (np.asarray(each, float)[:MOST_POINTS] for each in (x, y))
    return Series(kind, xs, ys, "" if label.startswith("_") else label)
