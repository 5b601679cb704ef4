"""The Tape panel of JupyterLab on the screen, and the messages that it lives on."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, TimeoutError, WebSocket, expect

from tests.ui.explorer import Explorer
from tests.ui.notebook import Notebook

WIDE = {"width": 1600, "height": 900}
"""Beside the panel the notebook keeps its width, and with it the whole of its toolbar."""


@dataclass(frozen=True)
class TapePanel:
    """The panel at the right of a page."""

    page: Page

    @classmethod
    def beside(cls, notebook: Notebook) -> TapePanel:
        """Open the panel beside a notebook."""
        notebook.page.set_viewport_size(WIDE)
        panel = cls(notebook.page)
        if "lm-mod-current" not in (panel.tab.get_attribute("class") or ""):
            panel.switch()  # where it was open before, JupyterLab has brought it back
        expect(panel.root).to_be_visible()
        return panel

    @property
    def tab(self) -> Locator:
        return self.page.locator(".jp-SideBar.jp-mod-right .lm-TabBar-tab[title='Tape']")

    @property
    def root(self) -> Locator:
        return self.page.locator("#tapelab-panel")

    @property
    def status(self) -> Locator:
        """Whether it is live, in a word."""
        return self.root.get_by_role("status")

    @property
    def step(self) -> Locator:
        return self.root.locator(".bar .num").first

    @property
    def title(self) -> Locator:
        """What it says where there is no tape."""
        return self.root.locator(".blank").get_by_role("heading")

    @property
    def explorer(self) -> Explorer:
        return Explorer.within(self.root)

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name, exact=True)

    def connect(self, notebook: Notebook) -> None:
        """Run the first cell, which imports tapelab, and wait until the kernel has answered."""
        notebook.wait_for_kernel()
        run_cell(notebook, 0)
        expect(self.root).to_have_attribute("data-link", "open", timeout=20_000)

    def show_live(self) -> None:
        """Leave the Explorer for the live view, where it is in the panel."""
        if (back := self.button("Back to live")).is_visible():
            back.click()

    def switch(self) -> None:
        """Show the panel, or hide it."""
        self.tab.click()


def content_of(frame: bytes) -> dict:
    """The content of a kernel's message: its fourth part, after as many offsets as parts."""
    count = int.from_bytes(frame[:8], "little")
    starts = [int.from_bytes(frame[8 * at : 8 * at + 8], "little") for at in range(1, count + 1)]
    return json.loads(frame[starts[4] : starts[5]])


@dataclass
class Traffic:
    """Counts what a kernel tells the panels of a page, from the next loading of the page on."""

    page: Page
    messages: list[dict] = field(default_factory=list)

    @classmethod
    def of(cls, notebook: Notebook) -> Traffic:
        """Load the page of a notebook again and listen.

        Not before it has a kernel: JupyterLab would begin a second session beside the first.
        """
        notebook.wait_for_kernel()
        traffic = cls(notebook.page)
        notebook.page.reload()
        return traffic

    def __post_init__(self) -> None:
        self.page.on("websocket", self._attend)

    def _attend(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._receive)

    def _receive(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            data = content_of(frame).get("data", {})
            if "is" in data:
                self.messages.append(data)

    def wait_for_setting(self, name: str, value: object) -> None:
        """Wait until the kernel says that it is set so."""
        for _ in range(600):
            settings = [each["settings"] for each in self.messages if each["is"] == "settings"]
            if settings and settings[-1][name] == value:
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"The kernel did not set {name} to {value!r}.")

    def live(self) -> list[dict]:
        """The pushes received so far."""
        return [message for message in self.messages if message.get("is") == "live"]


def run_cell(notebook: Notebook, number: int) -> None:
    """Begin to run one cell, without waiting for its end."""
    notebook.cells.nth(number).locator(".jp-InputPrompt").click()
    notebook.page.keyboard.press("Shift+Enter")


def command(page: Page, label: str) -> None:
    """Run a command from the palette, as a person would find it."""
    palette = page.locator(".lm-CommandPalette:visible")
    entry = palette.locator(".lm-CommandPalette-item", has_text=label).first
    for _ in range(5):  # a panel that is only now restored takes the focus, and closes the palette
        page.keyboard.press("Control+Shift+c")
        with suppress(TimeoutError):
            palette.locator("input").fill(label, timeout=3000)
            entry.click(timeout=3000)
            return
        page.keyboard.press("Escape")
    raise AssertionError(f"The palette did not run {label!r}.")


def forgive_widgets(*notebooks: Notebook) -> None:
    """Forget what pages that share a kernel without ipywidgets complain of, with no panel too.

    ipywidgets opens a comm of its own, the kernel closes it, and every other page gets that.
    """
    for notebook in notebooks:
        errors = notebook.console._errors
        errors[:] = [text for text in errors if "Comm not found for comm id" not in text]
