"""The results as a picture: for each work a row of dots, how long each takes over tapelab."""

from __future__ import annotations

import statistics
from pathlib import Path

from benchmarks.names import OURS, TITLES
from benchmarks.results import Results
from benchmarks.works import BY_NAME


def draw(path: Path, results: Results) -> None:
    """Write the picture as SVG, on a logarithmic axis."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    rows = {work: base for work in results.measured if (base := _best(results, work))}
    figure = Figure(figsize=(9, 0.36 * len(rows) + 1.4), layout="constrained")
    axes = figure.subplots()
    for name in results.names():
        found = [results.measured[work].get(name) for work in rows]
        points = [(statistics.median(each) / base, at)
                  for at, (each, base) in enumerate(zip(found, rows.values(), strict=True))
                  if each]  # fmt: skip
        if points:
            mark = {"marker": "D", "zorder": 3} if name in OURS else {"marker": "o", "alpha": 0.75}
            axes.plot(*zip(*points, strict=True), linestyle="", label=TITLES[name], **mark)
    axes.set_xscale("log")
    axes.axvline(1.0, color="0.7", zorder=0)
    axes.set_yticks(range(len(rows)), [BY_NAME[work].title for work in rows], fontsize=7)
    axes.invert_yaxis()
    axes.grid(axis="y", color="0.93")
    axes.set_axisbelow(True)
    axes.set_xlabel("time over tapelab's best (left of the line: faster than tapelab)")
    figure.legend(fontsize=7, ncols=5, loc="outside upper center")
    with rc_context({"svg.hashsalt": "tapelab"}):  # the same numbers give the same file
        figure.savefig(path, metadata={"Date": None})


def _best(results: Results, work: str) -> float:
    """What the faster way to compute with tapelab takes; 0 if it was not measured."""
    found = [results.measured[work].get(name) for name in OURS]
    return min((statistics.median(each) for each in found if each), default=0.0)
