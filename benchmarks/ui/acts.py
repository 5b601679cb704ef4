"""What is done on the screen, and the clocks beside it: inside the page, and of all processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import psutil
from playwright.sync_api import Browser, Frame

from tests.ui.conftest import open_in
from tests.ui.jupyter import Server
from tests.ui.notebook import Notebook, write_notebook

LISTEN: Final = """() => {
  window.marks = {};
  addEventListener('keydown', event => {
    if (event.key === 'Enter' && event.shiftKey) window.marks = {start: performance.now()};
  }, true);
  addEventListener('message', ({data}) => {
    if (data?.type !== 'tapelab-height') return;
    if (data.height > 300) marks.drawn ??= performance.now();
  });
}"""
"""The frame of a picture tells how high it is when it has drawn itself; the page notes when."""

ACT: Final = """async ([count, act, flowing]) => {
  const stage = document.querySelector('.tl .stage');
  const slider = document.querySelector('.tl .slider input');
  const press = key => stage.dispatchEvent(
    new KeyboardEvent('keydown', {key, bubbles: true, composed: true, cancelable: true}));
  const point = (type, at) => stage.firstElementChild.dispatchEvent(new PointerEvent(type, {
    bubbles: true, composed: true, pointerId: 1, buttons: 1, clientX: at, clientY: 200}));
  const slide = at => new Promise(done => {
    const watch = new MutationObserver(() => done(watch.disconnect()));
    for (const label of document.querySelectorAll('.tl .sliders p.num'))
      watch.observe(label, {subtree: true, childList: true, characterData: true});
    const [low, high] = [Number(slider.min), Number(slider.max)];
    slider.value = low + (high - low) * (0.2 + 0.05 * (at % 12));
    slider.dispatchEvent(new Event('input', {bubbles: true}));
  });
  const acts = {pan: at => point('pointermove', 590 - 10 * at), slide};
  const go = at => acts[act] ? acts[act](at) : press(act);
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const next = () => new Promise(requestAnimationFrame);
  const times = [];
  if (act === 'pan') point('pointerdown', 600);
  let before = await next();
  for (let at = 0; at < count; at++) {
    if (!flowing) await frame();
    const start = flowing ? before : performance.now();
    await go(at);
    if (flowing) before = await next();
    else await frame();
    times.push((flowing ? before : performance.now()) - start);
  }
  if (act === 'pan') point('pointerup', 0);
  return times;
}"""
"""Acts so often, and notes how long it took until the next frame had been drawn; or, `flowing`,
acts in every frame, and notes how far they are apart."""

Times = tuple[list[float], list[float]]
"""In milliseconds: by the clock of the page, and of all processors."""


def repeated(frame: Frame, count: int, act: str, flowing: bool = False) -> Times:
    """Do something so often in a picture; what it takes until it is on the screen."""
    frame.evaluate(ACT, [5, act, flowing])
    before = processor()
    times = frame.evaluate(ACT, [count, act, flowing])
    return times, [(processor() - before) / count]


def picture(notebook: Notebook) -> Frame:
    """The frame of the last picture on the page."""
    frame = notebook.page.frames[-1]
    frame.locator(".tl .stage").wait_for()
    return frame


def unfold(frame: Frame) -> None:
    """Show all nodes at once, which are painted then."""
    frame.get_by_role("button", name="Unfold all").click()
    frame.locator(".stage canvas").wait_for()


@contextmanager
def notebook_of(browser: Browser, server: Server, *code: str) -> Iterator[Notebook]:
    """A notebook of these cells beside the tapes of the server's folder, its kernel waiting."""
    folder = server.root / f"bench{sum(1 for _ in server.root.iterdir())}"
    for tape in server.root.glob("*.tape"):
        folder.mkdir(exist_ok=True)
        (folder / tape.name).symlink_to(tape)
    notebook = open_in(browser, server, write_notebook(folder / "bench.ipynb", *code), "lab")
    notebook.wait_for_kernel()
    notebook.page.evaluate(LISTEN)
    yield notebook
    notebook.close()


def opened(notebook: Notebook, cells: int, first: int = 0) -> Times:
    """Run so many cells one after the other; from the key until the picture of each is drawn.

    The first one, which also imports tapelab, does not count.
    """
    page = notebook.page
    times: list[float] = []
    worked: list[float] = []
    notebook.cells.nth(first).locator(".cm-content").click()
    for _ in range(cells):
        before = processor()
        page.keyboard.press("Shift+Enter")
        page.wait_for_function("window.marks.drawn", timeout=120_000, polling=50)
        times.append(page.evaluate("marks.drawn - marks.start"))
        worked.append(processor() - before)
        page.wait_for_timeout(300)
    return times[1:], worked[1:]


def processor() -> float:
    """The processor time of everything started from here, in milliseconds."""
    spent = 0.0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            used = process.cpu_times()
            spent += 1000 * (used.user + used.system)
    return spent
