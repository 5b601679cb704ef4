"""How fast the Explorer is in real JupyterLab and a real Chromium: `make bench-ui` prints it.

Every time is taken inside the page, from the key that runs a cell, steps or drags, until the
picture is on the screen. Nothing here is asserted: a machine may be slow, or busy with something
else, which the processor time beside the bar tells apart: that of kernel, server and browser.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psutil
from playwright.sync_api import Browser, Frame

import tapelab as tf
from tapelab.recording import to_bytes
from tests.ui.browser import launched
from tests.ui.conftest import open_in
from tests.ui.jupyter import Server, served
from tests.ui.notebook import Notebook, write_notebook
from tools import chromium

LESSON: Final = """\
import tapelab as tf
x = tf.Variable(3.0); y = tf.Variable(4.0)
with tf.GradientTape() as tape:
    z = x * y + tf.sin(x)
tf.show(tape, z)"""

LISTEN: Final = """() => {
  window.marks = {};
  addEventListener('keydown', event => {
    if (event.key === 'Enter' && event.shiftKey) window.marks = {start: performance.now()};
  }, true);
  addEventListener('message', ({data}) => {
    if (data?.type !== 'tapelab-height') return;
    marks.first ??= performance.now();
    if (data.height > 300) marks.drawn ??= performance.now();
  });
}"""
"""The frame of a picture tells how high it is when it has drawn itself; the page notes when."""

DRAWN: Final = """async ([count, act]) => {
  const stage = document.querySelector('.tl .stage');
  const press = key => stage.dispatchEvent(
    new KeyboardEvent('keydown', {key, bubbles: true, composed: true, cancelable: true}));
  const point = (type, at) => stage.firstElementChild.dispatchEvent(new PointerEvent(type, {
    bubbles: true, composed: true, pointerId: 1, buttons: 1, clientX: at, clientY: 200}));
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const times = [];
  if (act === 'pan') point('pointerdown', 600);
  for (let at = 0; at < count; at++) {
    await frame();
    const start = performance.now();
    if (act === 'pan') point('pointermove', 590 - 10 * at);
    else press(act);
    await frame();
    times.push(performance.now() - start);
  }
  if (act === 'pan') point('pointerup', 0);
  return times;
}"""
"""Acts so often, and notes how long it took until the next frame had been drawn."""


@dataclass
class Row:
    """One line of the table: what was done, the times in milliseconds, and the bar."""

    what: str
    bar: float
    times: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        middle = statistics.median(self.times)
        late = sorted(self.times)[max(0, -(-len(self.times) * 95 // 100) - 1)]
        kept = "kept" if late <= self.bar else "missed"
        worked = f"{statistics.median(self.processor):.0f}" if self.processor else ""
        return (
            f"{self.what:<44}{middle:>9.0f}{late:>9.0f}{self.bar:>8.0f}  "
            f"{kept:<7}{len(self.times):>4}{worked:>9}"
        )


def main() -> None:
    """Measure everything and print p50 and p95 beside the bars."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=20, help="of a cell of lesson size")
    options.add_argument("--long-runs", type=int, default=3, help="of each long tape")
    options.add_argument("--long", type=int, nargs="*", default=[100_000, 1_000_000])
    given = options.parse_args()
    os.environ["CHROMIUM"] = chromium.ensure()
    with tempfile.TemporaryDirectory() as place, served(Path(place)) as server:
        files = {size: _long_tape(server.root, size) for size in given.long}
        with launched() as browser:
            print(f"{'milliseconds':<44}{'p50':>9}{'p95':>9}{'bar':>8}{'':9}{'runs':>4}{'cpu':>9}")
            for row in _rows(browser, server, files, given.runs, given.long_runs):
                print(row, flush=True)


def _rows(
    browser: Browser, server: Server, files: dict[int, Path], runs: int, long_runs: int
) -> Iterator[Row]:
    with _notebook(browser, server, LESSON, runs + 1) as notebook:
        yield Row("run cell to visible, a lesson", 300, *_times(notebook, runs + 1))
        yield from _moves(notebook, "a lesson", [("step", ".", 100), ("step back", ",", 100)])
    for size, file in files.items():
        code = f"import tapelab as tf\ntf.show({file.name!r})"
        told = f"{size:,} ops".replace(",", " ")
        with _notebook(browser, server, code, 1 + long_runs) as notebook:
            bar = 1000 * max(1, size // 250_000)
            yield Row(f"open {told}", bar, *_times(notebook, 1 + long_runs))
            yield from _moves(notebook, told, [("step", ".", 100), ("step back", ",", 100)])
            if size <= UNFOLDED:
                _unfold(notebook)
                painted = f"{told}, unfolded"
                yield from _moves(notebook, painted, [("step", ".", 100), ("pan", "pan", 100)])


UNFOLDED: Final = 200_000
"""The most nodes that the Explorer offers to show all at once."""


def _moves(notebook: Notebook, told: str, acts: list[tuple[str, str, int]]) -> Iterator[Row]:
    frame = _picture(notebook)
    for name, act, count in acts:
        frame.evaluate(DRAWN, [5, act])
        yield Row(f"{name}, {told}", 33, frame.evaluate(DRAWN, [count, act]))


def _unfold(notebook: Notebook) -> None:
    frame = _picture(notebook)
    frame.get_by_role("button", name="Unfold all").click()
    frame.locator(".stage canvas").wait_for()


def _picture(notebook: Notebook) -> Frame:
    """The frame of the last picture on the page."""
    frame = notebook.page.frames[-1]
    frame.locator(".tl .stage").wait_for()
    return frame


@contextmanager
def _notebook(browser: Browser, server: Server, code: str, cells: int) -> Iterator[Notebook]:
    """A notebook with the same code in several cells, its kernel waiting."""
    folder = server.root / f"bench{sum(1 for _ in server.root.iterdir())}"
    for tape in server.root.glob("*.tape"):
        folder.mkdir(exist_ok=True)
        (folder / tape.name).symlink_to(tape)
    notebook = open_in(
        browser, server, write_notebook(folder / "bench.ipynb", *[code] * cells), "lab"
    )
    notebook.wait_for_kernel()
    notebook.page.evaluate(LISTEN)
    yield notebook
    notebook.page.context.close()


def _times(notebook: Notebook, cells: int) -> tuple[list[float], list[float]]:
    """Run the cells one after the other; from the key until its picture is drawn.

    The first one, which also imports tapelab, does not count.
    """
    page = notebook.page
    times: list[float] = []
    processor: list[float] = []
    notebook.cells.first.locator(".cm-content").click()
    for _ in range(cells):
        before = _processor()
        page.keyboard.press("Shift+Enter")
        page.wait_for_function("window.marks.drawn", timeout=120_000)
        times.append(page.evaluate("marks.drawn - marks.start"))
        processor.append(_processor() - before)
        page.wait_for_timeout(300)
    return times[1:], processor[1:]


def _processor() -> float:
    """The processor time of everything started from here, in milliseconds."""
    spent = 0.0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            used = process.cpu_times()
            spent += 1000 * (used.user + used.system)
    return spent


def _long_tape(folder: Path, size: int) -> Path:
    """Write the recording of a loop of so many ops, with its way back."""
    x, w = tf.Variable(1.0), tf.Variable(0.5)
    ops: list[Callable[[tf.Tensor], tf.Tensor]] = [
        *(lambda y: w * y, lambda y: y + x, tf.tanh, tf.nn.relu, lambda y: y * 0.5),
    ]
    with tf.GradientTape() as tape:
        y = x * 1.0
        for _ in range(size // len(ops)):
            for op in ops:
                y = op(y)
    file = folder / f"{size}.tape"
    file.write_bytes(to_bytes(tape.recording(y)))
    return file


if __name__ == "__main__":
    main()
