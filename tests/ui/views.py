"""A page with one explorer, and what stands in it beside the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from tapelab.recording import from_bytes
from tapelab.views import html
from tapelab.widgets.show import why_missing
from tests.fixtures.record import FOLDER, run_cell
from tests.ui.browser import Console
from tests.ui.explorer import Explorer

TWO_CALLS = """\
img = tf.Variable(tf.random.uniform([1, 5, 4, 3]), name="img")
kernel = tf.Variable(tf.random.normal([2, 2, 3, 2]), name="kernel")
fixed = tf.Variable(2.0, trainable=False, name="fixed")
with tf.GradientTape(persistent=True) as tape:
    y = tf.nn.conv2d(img, kernel, strides=1, padding="SAME") * fixed
    loss = tf.reduce_sum(y * y)
tape.gradient(y, img)
tape.gradient(loss, [img, kernel, fixed])
recording = tape.recording()"""

VANISHING = """\
x = tf.Variable(1.0, name="x")
with tf.GradientTape() as tape:
    y = x
    for step in range(30):
        y = tf.sigmoid(y) * 0.5
tape.gradient(y, x)
recording = tape.recording()"""


@dataclass(frozen=True)
class Views(Explorer):
    """An explorer in a page, and what stands in it beside the graph."""

    page: Page

    def pane(self, name: str) -> Locator:
        return self.root.get_by_role("group", name=name, exact=True)

    @property
    def field(self) -> Locator:
        return self.root.get_by_role("textbox", name="What arrives at")

    @property
    def step(self) -> int:
        return int(self.counter.inner_text().split("/")[0])

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def pressed(self) -> list[str]:
        """The names of all buttons in the head that are held down."""
        held = self.root.get_by_role("toolbar", name="This tape").locator("[aria-pressed=true]")
        return held.all_inner_texts()


Show = Callable[..., Views]


@contextmanager
def showing(browser: Browser, folder: Path) -> Iterator[Show]:
    """Show golden recordings, or those of cells, in pages without a network."""
    contexts = []

    def open_one(name: str, *, moment: str = "", **context) -> Views:
        if "\n" in name:
            recording = run_cell(name)[0]["recording"]
        else:
            recording = from_bytes((FOLDER / f"{name}.tape").read_bytes())
        file = folder / "shown.html"
        file.write_text(html.page(recording, why_missing(recording)), "utf-8")
        contexts.append(browser.new_context(offline=True, **context))
        page = contexts[-1].new_page()
        console = Console(page)
        page.goto(f"{file.as_uri()}{moment}")
        explorer = Explorer.within(page)
        expect(explorer.root).to_be_visible()
        explorer.show_the_tape()
        explorer.timeline.locator("[tabindex='0']").focus()
        assert console.complaints() == []
        return Views(explorer.root, page)

    yield open_one
    for each in contexts:
        each.close()
