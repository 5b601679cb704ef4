"""The results as Markdown, JSON and a plot."""

from __future__ import annotations

import json
import platform
import statistics
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.works import BY_NAME

Results = dict[str, dict[str, list[float]]]
OURS = ("tapelab", "tapelab_function")


def write(folder: Path, results: Results, absent: list[str]) -> None:
    """Write results.md, results.json and results.svg, and print the table."""
    folder.mkdir(parents=True, exist_ok=True)
    about = _about(absent)
    text = "\n".join([*_head(about), *_table(results), "", *_ratios(results)]) + "\n"
    (folder / "results.md").write_text(text, encoding="utf-8")
    content = {"about": about, "seconds": results}
    (folder / "results.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
    _plot(folder / "results.svg", results)
    print(text)


def _about(absent: list[str]) -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": platform.machine(),
        "processor": _processor(),
        "python": platform.python_version(),
        "left out, not installed": absent,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    found = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{found[0]}, {len(found)} cores" if found else platform.processor()


def _head(about: dict[str, Any]) -> list[str]:
    left_out = ", ".join(about["left out, not installed"]) or "nobody"
    where = f"{about['date']}, {about['processor']}, Python {about['python']}"
    how = "One thread, CPU time but for starts; the median of the rounds"
    return ["# Side by side", "", f"{where}. {how}. Left out, not installed: {left_out}.", ""]


def _table(results: Results) -> list[str]:
    names = _names(results)
    rows = [
        "| work | unit | " + " | ".join(name.replace("_", " ") for name in names) + " | goal |",
        "|---|---|" + "---|" * (len(names) + 1),
    ]
    for work, measured in results.items():
        told = BY_NAME[work]
        cells = [
            _number(statistics.median(measured[name]) * told.per_second) if measured[name] else "–"
            for name in names
        ]
        rows.append(f"| {told.title} | {told.unit} | " + " | ".join(cells) + f" | {told.goal} |")
    return rows


def _ratios(results: Results) -> list[str]:
    """How many times the others take of what we take: the middle, the least and the most."""
    lines = ["## Others over tapelab", "", "min / median / max over the rounds.", ""]
    names = [name for name in _names(results) if name not in OURS]
    lines += ["| work | ours | " + " | ".join(n.replace("_", " ") for n in names) + " |",
              "|---|---|" + "---|" * len(names)]  # fmt: skip
    for work, measured in results.items():
        for ours in OURS:
            if measured.get(ours):
                cells = [_ratio(measured[name], measured[ours]) for name in names]
                shown = ours.replace("_", " ")
                lines.append(f"| {BY_NAME[work].title} | {shown} | " + " | ".join(cells) + " |")
    return lines


def _ratio(theirs: list[float], ours: list[float]) -> str:
    found = sorted(a / b for a, b in zip(theirs, ours, strict=False) if b)
    if not found:
        return "–"
    return " / ".join(_number(each) for each in (found[0], statistics.median(found), found[-1]))


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def _names(results: Results) -> list[str]:
    return list(next(iter(results.values()), {}))


def _plot(path: Path, results: Results) -> None:
    """For each work a row of dots on a logarithmic axis: how long each takes over tapelab."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    rows = [work for work, measured in results.items() if any(measured.get(o) for o in OURS)]
    figure, axes = plt.subplots(figsize=(9, 0.4 * len(rows) + 1.2), layout="constrained")
    for name in _names(results):
        points = []
        for at, work in enumerate(rows):
            base = min(statistics.median(results[work][o]) for o in OURS if results[work].get(o))
            if results[work][name] and base:
                points.append((statistics.median(results[work][name]) / base, at))
        if points:
            axes.plot(*zip(*points, strict=True), "o", label=name.replace("_", " "))
    axes.set_xscale("log")
    axes.axvline(1.0, color="0.7", zorder=0)
    axes.set_yticks(range(len(rows)), [BY_NAME[work].title for work in rows], fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("time over tapelab's best (left of the line: faster than tapelab)")
    axes.legend(fontsize=7, ncols=3, loc="lower center", bbox_to_anchor=(0.4, 1.0))
    figure.savefig(path)
    plt.close(figure)
