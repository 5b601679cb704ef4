"""Measure the Explorer and print p50 and p95 beside the bars; write them beside other results.

Nothing here is asserted: a machine may be slow, or busy with something else, which the processor
time beside the bar tells apart.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Frame

from benchmarks.ui import sizes, tapes
from benchmarks.ui.acts import notebook_of, opened, picture, repeated, unfold
from benchmarks.ui.rows import HEADS, Row, line, write
from tests.ui.browser import launched
from tests.ui.jupyter import Server, served
from tools import chromium

RESULTS: Final = Path(__file__).parents[1] / "results"
SCREEN: Final = 33
"""What is done is to be seen by the second frame, in milliseconds."""
FRAME: Final = 17
"""From one frame to the next at 60 frames a second."""
UNFOLDED: Final = 200_000
"""The most nodes that the Explorer offers to show all at once."""
COUNT: Final = 100
"""So often each movement is made."""


def main() -> None:
    """Measure everything."""
    options = argparse.ArgumentParser(prog="benchmarks.ui", description=__doc__)
    options.add_argument("--runs", type=int, default=20, help="of a cell of lesson size")
    options.add_argument("--long-runs", type=int, default=5, help="of each long tape")
    options.add_argument("--long", type=int, nargs="*", default=[100_000, 1_000_000])
    options.add_argument("--live", type=int, nargs="*", default=[100_000],
                         help="lengths of tapes shown without a file")  # fmt: skip
    options.add_argument("--output", type=Path, default=RESULTS / "latest",
                         help="a folder for the results")  # fmt: skip
    options.add_argument("--reference", action="store_true",
                         help="write the results that are committed")  # fmt: skip
    given = options.parse_args()
    os.environ["CHROMIUM"] = chromium.ensure()
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[2])
    rows: list[Row] = []
    with (
        tempfile.TemporaryDirectory() as place,
        served(Path(place)) as server,
        launched() as browser,
    ):
        bench = Bench(browser, server, given.runs, given.long_runs)
        print(line(HEADS))
        for row in bench.rows(given.long, given.live):
            rows.append(row)
            print(line(row.cells()), flush=True)
    weighed = [sizes.cells(each) for each in sizes.sizes()]
    print("", *map(sizes.line, [sizes.HEADS, *weighed]), sep="\n")
    folder = RESULTS / "reference" if given.reference else given.output
    write(folder, rows, weighed)
    print(f"Written to {folder}.", file=sys.stderr)


@dataclass(frozen=True)
class Bench:
    """A browser at a server, and how often to measure what takes long."""

    browser: Browser
    server: Server
    runs: int
    long_runs: int

    def rows(self, long: list[int], live: list[int]) -> Iterator[Row]:
        """Everything, row by row."""
        yield from self.lesson()
        yield from self.sliders()
        for size in live:
            yield self.live(size)
        for size in long:
            yield from self.long(size)

    def lesson(self) -> Iterator[Row]:
        """A tape of lesson size."""
        _announce(f"{self.runs} runs of a cell")
        with notebook_of(self.browser, self.server, *[tapes.LESSON] * (self.runs + 1)) as notebook:
            yield Row("run cell to visible, a lesson", 300, *opened(notebook, self.runs + 1))
            yield from _steps(picture(notebook), "a lesson")

    def sliders(self) -> Iterator[Row]:
        """Sliders, which the kernel answers by running the function again."""
        _announce("sliders that the kernel answers")
        with notebook_of(self.browser, self.server, tapes.SLIDERS) as notebook:
            notebook.run_all()
            notebook.page.locator(".tl .slider input").first.wait_for()
            label = "slider to numbers and picture, with the kernel"
            yield Row(label, SCREEN, *repeated(notebook.page.main_frame, COUNT, "slide"))

    def live(self, size: int) -> Row:
        """Open a tape that has just been recorded; its backward pass runs once per round."""
        _announce(f"a live tape of {_size_label(size)}")
        shows = ["tf.show(tape, loss)"] * (1 + self.long_runs)
        code = [tapes.LIVE.format(size=size), *shows]
        with notebook_of(self.browser, self.server, *code) as notebook:
            notebook.cells.first.locator(".cm-content").click()
            notebook.page.keyboard.press("Shift+Enter")
            times = opened(notebook, len(shows), first=1)
            return Row(f"show a tape of {_size_label(size)}", _bar(size), *times)

    def long(self, size: int) -> Iterator[Row]:
        """A recording from a file."""
        label = _size_label(size)
        _announce(f"{label}: recording them")
        file = tapes.write(self.server.root, size)
        code = f"import tapelab as tf\ntf.show({file.name!r})"
        _announce(f"{label}: opening them")
        with notebook_of(self.browser, self.server, *[code] * (1 + self.long_runs)) as notebook:
            yield Row(f"open {label}", _bar(size), *opened(notebook, 1 + self.long_runs))
            frame = picture(notebook)
            yield from _steps(frame, label)
            if size <= UNFOLDED:
                unfold(frame)
                yield from _steps(frame, f"{label}, unfolded", "pan", "frames while panning")


def _steps(frame: Frame, label: str, back: str = ",", flow: str = "") -> Iterator[Row]:
    """Stepping and what else moves: until it is on the screen, and as fast as frames follow."""
    name = "step back" if back == "," else back
    yield Row(f"step, {label}", SCREEN, *repeated(frame, COUNT, "."))
    yield Row(f"{name}, {label}", SCREEN, *repeated(frame, COUNT, back))
    yield Row(f"frames while stepping, {label}", FRAME, *repeated(frame, COUNT, ".", flowing=True))
    if flow:
        yield Row(f"{flow}, {label}", FRAME, *repeated(frame, COUNT, back, flowing=True))


def _bar(size: int) -> float:
    return 1000 * max(1, size // 250_000)


def _size_label(size: int) -> str:
    return f"{size:,} ops".replace(",", " ")


def _announce(what: str) -> None:
    """Say what is measured next."""
    print(f"… {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
