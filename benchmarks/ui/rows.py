"""What was measured on the screen: times beside their bar, and how they are shown and stored."""

from __future__ import annotations

import json
import os
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.results import about
from benchmarks.ui import sizes

FILES: Final = ("ui.json", "ui.md")
HEADS: Final = ("milliseconds", "p50", "p95", "bar", "", "runs", "cpu", "load")
METHOD: Final = """\
Real JupyterLab, started as `tapelab lab` starts it (a server that holds small messages back until
the browser has confirmed those before takes 40 ms more for what a slider asks), in a real, headless
Chromium without a graphics card. Times are taken inside the page: from the key that runs a cell
until the view has reported that it is drawn; from the key that steps, the pointer that pans or the
slider that moves until the next frame has been drawn; and between frames while it moves all the
time. The first run of each kind, which also loads, does not count. cpu is the processor time of
kernel, server and browser together for one run (median), load what else the machine was doing at
the end (its load average): where load is above the number of cores, wall times tell of the
neighbours, and cpu tells of the Explorer."""


@dataclass
class Row:
    """One line of the table: what was done, times and processor times in ms, and the bar."""

    what: str
    bar: float
    times: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    load: float = field(default_factory=lambda: os.getloadavg()[0])

    @property
    def middle(self) -> float:
        """The median."""
        return statistics.median(self.times)

    @property
    def late(self) -> float:
        """The 95th percentile: of 20 times the second longest, of few the longest."""
        return sorted(self.times)[max(0, -(-len(self.times) * 95 // 100) - 1)]

    @property
    def kept(self) -> bool:
        """Whether the bar is kept."""
        return self.late <= self.bar

    def cells(self) -> list[str]:
        """The line of the report."""
        worked = f"{statistics.median(self.processor):.0f}" if self.processor else ""
        verdict = "kept" if self.kept else "missed"
        return [
            *(self.what, f"{self.middle:.0f}", f"{self.late:.0f}", f"{self.bar:g}", verdict),
            *(str(len(self.times)), worked, f"{self.load:.1f}"),
        ]


def line(cells: list[str] | tuple[str, ...]) -> str:
    """A line of the table on a terminal."""
    what, middle, late, bar, verdict, runs, worked, load = cells
    return f"{what:<50}{middle:>7}{late:>7}{bar:>7}  {verdict:<7}{runs:>5}{worked:>7}{load:>6}"


def write(folder: Path, rows: list[Row], weighed: list[list[str]]) -> None:
    """Write the rows, and what the Explorer weighs, as JSON and as Markdown."""
    folder.mkdir(parents=True, exist_ok=True)
    facts: dict[str, Any] = {"about": _where(), "method": METHOD, "rows": [*map(_as_data, rows)]}
    facts["kilobytes"] = {what: float(size) for what, size, _, _ in weighed}
    texts = (json.dumps(facts, indent=1), "\n".join([*_markdown(rows), "", *_weights(weighed)]))
    for name, text in zip(FILES, texts, strict=True):
        (folder / name).write_text(text + "\n", encoding="utf-8")


def _where() -> dict[str, str]:
    return {key: facts for key, facts in about().items() if key in _FACTS}


_FACTS: Final = ("date", "processor", "cores", "python", "tapelab")


def _as_data(row: Row) -> dict[str, Any]:
    rounded = {"times": [round(each, 1) for each in row.times]}
    rounded["processor"] = [round(each, 1) for each in row.processor]
    verdict = {"p50": round(row.middle, 1), "p95": round(row.late, 1), "kept": row.kept}
    return {**asdict(row), **rounded, **verdict}


def _weights(weighed: list[list[str]]) -> list[str]:
    heads = f"| {' | '.join(sizes.HEADS)} |"
    return [heads, "| --- | ---: | ---: | --- |", *(f"| {' | '.join(each)} |" for each in weighed)]


def _markdown(rows: list[Row]) -> list[str]:
    where = _where()
    versions = f"python {where['python']}, tapelab {where.get('tapelab', '')}"
    place = f"{where['date']}, {where['processor']}, {where['cores']} cores; {versions}."
    return [
        *("# The Explorer on the screen", "", place, "", METHOD, ""),
        f"| {' | '.join(HEADS)} |",
        "| --- |" + " ---: |" * 3 + " --- |" + " ---: |" * 3,
        *(f"| {' | '.join(row.cells())} |" for row in rows),
    ]
