"""A notebook on the screen, in JupyterLab or Notebook 7, handled as a person would."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.ui.browser import Console, forget

PATHS = {"lab": "lab/workspaces/{name}/tree/{path}", "notebook": "notebooks/{path}"}
LAB_FIRST = ["lab", pytest.param("notebook", marks=pytest.mark.thorough)]
"""What is drawn in an output is the same in both: Notebook only in a thorough run.

Every run meets it in test_hosts.py and test_sizes.py.
"""
RUN_MILLISECONDS = 60_000
SESSIONS = """address => fetch(address, {
  headers: {'X-XSRFToken': document.cookie.match(/_xsrf=([^;]*)/)?.[1] ?? ''},  // a hub wants it
}).then(response => response.json())"""


@dataclass(frozen=True)
class Notebook:
    """An open notebook: its page, the console behind it and the file it shows."""

    page: Page
    console: Console
    file: Path

    @property
    def panel(self) -> Locator:
        return self.page.locator(".jp-NotebookPanel:visible")

    @property
    def cells(self) -> Locator:
        return self.panel.locator(".jp-CodeCell")

    def output(self, number: int) -> Locator:
        """What the code cell `number`, counted from 0, shows last."""
        return self.cells.nth(number).locator(".jp-OutputArea-output").last

    def choose(self, menu: str, item: str) -> None:
        """Choose an item of a menu with the mouse."""
        self.page.locator(".lm-MenuBar-item", has_text=menu).first.click()
        entry = self.page.locator(".lm-Menu-item").filter(
            has=self.page.get_by_text(item, exact=True)
        )
        entry.hover()
        expect(entry).to_contain_class("lm-mod-active")  # before that, a click is lost
        entry.click()

    def run_all(self) -> None:
        """Run every cell and wait until the kernel is done with them."""
        self.wait_for_kernel()
        self.choose("Run", "Run All Cells")
        expect(self.prompts_of_state("*")).to_have_count(0, timeout=RUN_MILLISECONDS)
        expect(self.prompts_of_state(" ")).to_have_count(0, timeout=RUN_MILLISECONDS)

    def wait_for_kernel(self) -> None:
        """Wait until the server says so: the screen shows an idle kernel before there is one."""
        for _ in range(RUN_MILLISECONDS // 100):
            if self.kernel().get("execution_state") == "idle" and self.kernel()["connections"]:
                break
            self.page.wait_for_timeout(100)
        indicator = self.panel.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']")
        expect(indicator).to_be_visible()

    def kernel(self) -> dict:
        """What the server knows about the kernel of this notebook, if it has one yet."""
        address = self.page.evaluate("document.getElementById('jupyter-config-data').textContent")
        base = json.loads(address)["baseUrl"]
        sessions = self.page.evaluate(SESSIONS, f"{base}api/sessions")
        mine = [session for session in sessions if self.file.as_posix().endswith(session["path"])]
        return mine[0]["kernel"] if mine else {}

    def prompts_of_state(self, state: str) -> Locator:
        """The prompts `[*]` of running cells, or `[ ]` of those that never ran."""
        return self.cells.locator(".jp-InputArea-prompt").get_by_text(f"[{state}]:", exact=True)

    def save(self) -> dict:
        """Save from the menu, and read what was written, once all of it is."""
        before = self.file.stat().st_mtime_ns
        self.choose("File", "Save Notebook")
        for _ in range(200):
            self.page.wait_for_timeout(50)
            if self.file.stat().st_mtime_ns != before:
                with suppress(json.JSONDecodeError, UnicodeDecodeError):
                    return json.loads(self.file.read_bytes())
        raise AssertionError(f"{self.file.name} was not saved.")

    def close(self) -> None:
        """Close the page; the kernel goes on."""
        forget(self.page)


def write_notebook(file: Path, *code: str) -> Path:
    """Write a notebook of these code cells, as JupyterLab itself would save a new one."""
    cells = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{number}",
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for number, source in enumerate(code)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    text = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(text), encoding="utf-8")
    return file
