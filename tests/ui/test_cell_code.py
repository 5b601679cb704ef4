"""Where it is set, the cell of a notebook shows the step of the Explorer below it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.conftest import open_in
from tests.ui.explorer import Explorer
from tests.ui.jupyter import served
from tests.ui.notebook import Notebook, write_notebook
from tests.ui.tape_panel import command

TWO_PATHS = """\
import tapelab as tf
x = tf.Variable(3.0, name="x")
with tf.GradientTape() as tape:
    z = x * 4.0 + tf.sin(x)
"""
SHOWN = "tf.show(tape, z)"
HELPER = "def double(x):\n    return x + x"
CELLS = (
    f"\n{TWO_PATHS}{SHOWN}",
    f"{TWO_PATHS}{SHOWN}\n{SHOWN.replace('z', 'z, x')}",
    HELPER,
    TWO_PATHS.replace("x * 4.0", "double(x)") + SHOWN,
)
IN_FRAME, TWO_EXPLORERS, OTHER_CELL = 0, 1, 3


@pytest.fixture(scope="module")
def notebook(browser, known_complaints, tmp_path_factory) -> Iterator[Notebook]:
    """A notebook on a server of its own, where cells are set to show their code."""
    with served(tmp_path_factory.mktemp("cells")) as server:
        settings = server.root.parent / "config/lab/user-settings/tapelab"
        settings.mkdir(parents=True)
        chosen = json.dumps({"annotations": True})
        (settings / "plugin.jupyterlab-settings").write_text(chosen, encoding="utf-8")
        file = write_notebook(server.root / "cells" / "cells.ipynb", *CELLS)
        opened = open_in(browser, server, file, "lab")
        opened.page.set_viewport_size({"width": 1440, "height": 900})
        opened.run_all()
        yield opened
        opened.close()
        assert opened.console.complaints(beyond=known_complaints["lab"]) == []


def explorer_of(notebook: Notebook, cell: int) -> Explorer:
    outputs = notebook.cells.nth(cell).locator(".jp-OutputArea")
    return Explorer.in_frame(outputs)


def lit_in(notebook: Notebook, cell: int) -> Locator:
    return notebook.cells.nth(cell).locator(".cm-content .tapelab-lit")


def code_of(explorer: Explorer) -> Locator:
    return explorer.root.get_by_role("group", name="Code")


def test_the_cell_shows_the_step_and_the_graph_has_the_whole_width(notebook):
    explorer, lit = explorer_of(notebook, IN_FRAME), lit_in(notebook, IN_FRAME)
    notes = notebook.cells.nth(IN_FRAME).locator(".tapelab-notes")
    expect(lit).to_have_text("with tf.GradientTape() as tape:")
    expect(code_of(explorer)).to_have_count(0)
    explorer.button("Step").click()
    explorer.button("Step").click()
    expect(lit).to_have_class("tapelab-lit v")
    expect(lit).to_have_text("x * 4.0")
    expect(notes.locator(".v").first).to_have_text("12.0000")
    explorer.button("Last step").click()
    explorer.button("Step back").click()
    expect(lit).to_have_class("tapelab-lit g")
    expect(explorer.inspector.locator(".eq")).to_be_visible()
    graph, whole = explorer.root.locator(".stage").bounding_box(), explorer.root.bounding_box()
    assert graph["width"] > 0.95 * whole["width"]
    assert graph["width"] * graph["height"] > 0.45 * whole["width"] * whole["height"]
    panel = notebook.panel.locator(".jp-WindowedPanel-outer").bounding_box()
    area = notebook.cells.nth(IN_FRAME).locator(".jp-InputArea").bounding_box()
    assert whole["y"] + whole["height"] - area["y"] <= panel["height"]
    explorer.button("Details").click()
    expect(explorer.root.locator(".about")).to_be_visible()
    expect(code_of(explorer)).to_have_count(0)
    explorer.button("Details").click()
    expect(explorer.root.locator(".about")).to_have_count(0)


@pytest.mark.parametrize("cell", [TWO_EXPLORERS, OTHER_CELL])
def test_the_strip_stays_where_a_cell_has_two_explorers_or_lacks_some_of_the_code(notebook, cell):
    expect(code_of(explorer_of(notebook, cell))).to_be_visible()
    expect(lit_in(notebook, cell)).to_have_count(0)


def test_other_code_in_the_cell_brings_the_strip_back_until_it_is_undone(notebook):
    explorer, lit = explorer_of(notebook, IN_FRAME), lit_in(notebook, IN_FRAME)
    notebook.cells.nth(IN_FRAME).locator(".cm-line").last.click()
    notebook.page.keyboard.press("End")
    notebook.page.keyboard.type("#")
    expect(code_of(explorer)).to_be_visible()
    expect(lit).to_have_count(0)
    notebook.page.keyboard.press("Backspace")
    expect(lit).to_be_visible()
    expect(code_of(explorer)).to_have_count(0)


def test_the_setting_turns_it_off(notebook):
    page = notebook.page
    command(page, "Settings Editor")
    page.locator(".jp-PluginList input").first.fill("Tapelab")
    page.locator("[id='jp-SettingsEditor-tapelab:plugin_annotations']").set_checked(False)
    page.get_by_role("tab", name=notebook.file.name).click()
    expect(code_of(explorer_of(notebook, IN_FRAME))).to_be_visible()
    expect(page.locator(".tapelab-lit")).to_have_count(0)
