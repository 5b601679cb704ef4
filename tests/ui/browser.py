"""A real Chromium, and an ear for what its console complains about."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, ViewportSize, sync_playwright

from tools import chromium

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


_running: list[Browser] = []


@contextmanager
def launched() -> Iterator[Browser]:
    """The browser that runs in this process already, or one that is started, and ended then."""
    if _running:
        yield _running[0]
        return
    with _started() as browser:
        _running.append(browser)
        yield browser
        _running.clear()


@contextmanager
def _started() -> Iterator[Browser]:
    """Start the browser that tools/chromium.py finds; its absence is a failure, never a skip."""
    executable = chromium.find()
    if executable is None:
        pytest.fail("No Chromium was found. Install chromium, or set CHROMIUM=/path/to/chrome.")
    with tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
        lasting = playwright.chromium.launch_persistent_context(
            profile, executable_path=executable, args=FLAGS
        )
        assert lasting.browser is not None
        yield lasting.browser
        lasting.close()


def lasting_page(browser: Browser, size: ViewportSize, **emulated: Any) -> Page:
    """A page that has at hand, compiled already, what earlier ones loaded from a server.

    JupyterLab stands there for two thirds of the work that it takes in a new context.
    """
    page = browser.contexts[0].new_page()
    page.set_viewport_size(size)
    page.emulate_media(**emulated)
    return page


def forget(page: Page) -> None:
    """Close a lasting page; what it wrote down, the next one is not to find."""
    page.evaluate("localStorage.clear()")
    page.close()


OF_THE_HOST = (
    # JupyterLab's debugger asks every kernel; said where a notebook is closed meanwhile.
    "error: Could not restore the debugger state: Canceled future for debug_request",
    # Notebook has no file browser beside a notebook, and gives its windows no name; the first is
    # said where a page is slow to load, the second where another is open in the same browser.
    "uncaught: Command 'filebrowser:open-path' not registered.",
    'uncaught: Window name candidate "null" already exists',
    # The table of contents of 4.2 and 7.2, where cells run before it has all its headings.
    "error: TypeError: Cannot set properties of undefined (setting 'isRunning')",
    "error: Failed to update the table of contents. TypeError: Cannot read properties of undefined",
)
"""What front-ends say at moments that a stock page does not meet every time."""


class Console:
    """Collects the errors of a page: those it logs and those that no code caught."""

    def __init__(self, page: Page) -> None:
        self._errors: list[str] = []
        page.on("console", self._listen)
        page.on("pageerror", self._catch)

    def _catch(self, error: Error) -> None:
        self._errors.append(f"uncaught: {error.message}")
        print(error.stack)  # shown where the test fails: whose code it was

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._errors.append(f"{message.type}: {message.text}")

    def complaints(self, beyond: frozenset[str] = frozenset()) -> list[str]:
        """List the errors of the page, less those a stock page is known for."""
        own = (text for text in self._errors if not text.startswith(OF_THE_HOST))
        return [text for text in own if pattern_of(text) not in beyond]

    def patterns(self) -> frozenset[str]:
        return frozenset(map(pattern_of, self._errors))


def pattern_of(text: str) -> str:
    """Two errors are the same when they differ only in numbers and addresses."""
    return re.sub(r"\d+", "#", re.sub(r"https?://\S+", "<address>", text)).strip()
