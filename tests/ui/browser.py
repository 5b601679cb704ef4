"""A real Chromium, and an ear for what its console complains about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

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
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield browser
        browser.close()


TAKEN_BACK = "error: Could not restore the debugger state: Canceled future for debug_request"
"""JupyterLab's debugger asks every kernel, and says this where a notebook is closed meanwhile."""


class Console:
    """Collects the errors of a page: those it logs and those nobody caught."""

    def __init__(self, page: Page) -> None:
        self._heard: list[str] = []
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self._heard.append(f"uncaught: {error.message}"))

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._heard.append(f"{message.type}: {message.text}")

    def complaints(self, beyond: frozenset[str] = frozenset()) -> list[str]:
        """List the errors heard, less those a stock page is known for."""
        heard = (text for text in self._heard if not text.startswith(TAKEN_BACK))
        return [text for text in heard if pattern_of(text) not in beyond]

    def patterns(self) -> frozenset[str]:
        return frozenset(map(pattern_of, self._heard))


def pattern_of(text: str) -> str:
    """Two errors are the same when they differ only in numbers and addresses."""
    return re.sub(r"\d+", "#", re.sub(r"https?://\S+", "<address>", text)).strip()
