"""What JupyterLab offers of tapelab: commands, cards, cells, settings, files, and a language."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

import tapelab as tf
from tests.ui.axe import violations
from tests.ui.browser import Console, forget, lasting_page
from tests.ui.explorer import Explorer
from tests.ui.tape_panel import WIDE, TapePanel, Traffic, command

IMPORT = "import tapelab as tf"

SMALL = """\
x = tf.Variable(3.0, name="x")
unused = tf.Variable(1.0, name="unused")
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, [x, unused])"""


def recording():
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        z = x * x
    return tape.recording(z)


@pytest.fixture(scope="module")
def run_once(open_notebooks):
    notebook = open_notebooks(IMPORT, SMALL)
    notebook.page.set_viewport_size(WIDE)
    notebook.run_all()
    return notebook


@pytest.fixture
def notebook(run_once):
    """A notebook that has asked for a gradient; the panel is closed, and closed again."""
    yield run_once
    panel = TapePanel(run_once.page)
    if panel.root.is_visible():
        panel.show_live()
        panel.switch()


def test_the_panel_opens_and_closes_by_command(notebook):
    panel = TapePanel(notebook.page)
    command(notebook.page, "Tape panel")
    expect(panel.status).to_have_text("Last run")
    command(notebook.page, "Tape panel")
    expect(panel.root).to_be_hidden()


def test_the_panel_can_be_connected_again(notebook):
    panel = TapePanel(notebook.page)
    command(notebook.page, "Connect the Tape panel")
    expect(panel.status).to_have_text("Last run")
    command(notebook.page, "Connect the Tape panel")
    expect(panel.status).to_have_text("Last run")


def test_this_tape_is_shown_and_left_by_command(notebook):
    panel = TapePanel(notebook.page)
    command(notebook.page, "Show this tape")
    panel.explorer.come_into_view()
    command(notebook.page, "Back to the live tape")
    expect(panel.status).to_have_text("Last run")


def test_a_value_of_this_tape_is_moved_and_restored(notebook):
    command(notebook.page, "Show this tape")
    explorer = TapePanel(notebook.page).explorer
    explorer.come_into_view()
    node = explorer.root.locator("[data-node]").filter(has_text=re.compile("^x")).first
    before = node.text_content()
    node.click()
    explorer.root.locator(".stage").press("Enter")
    field = notebook.page.get_by_role("textbox", name="Value of x")
    field.fill("9")
    field.press("Enter")
    expect(node).to_contain_text("9.0000")
    expect(notebook.page.locator(".nudge [role=status]")).to_contain_text("says 36.0000")
    field.press("Escape")
    expect(node).to_have_text(before)


def test_a_gradient_is_explained_by_command(notebook):
    command(notebook.page, "Explain this gradient")
    heading = TapePanel(notebook.page).explorer.root.get_by_role("heading").first
    expect(heading).to_have_text("Why is it None?")


@pytest.mark.parametrize("name", ["tapelab-explain", "tapelab-show"])
def test_a_cell_offers_them_in_its_toolbar(notebook, name):
    cell = notebook.cells.filter(has_text="unused")
    cell.locator(".jp-InputPrompt").click()
    cell.locator(f"[data-jp-item-name='{name}']").click()
    expect(TapePanel(notebook.page).explorer.root).to_be_visible()


@pytest.mark.parametrize("item", ["Explain this gradient", "Show this tape"])
def test_a_cell_offers_them_in_its_context_menu(notebook, item):
    cell = notebook.cells.filter(has_text="unused")
    cell.locator(".cm-line").first.click(button="right")
    notebook.page.locator(".lm-Menu-item", has_text=item).click()
    expect(TapePanel(notebook.page).explorer.root).to_be_visible()


def test_a_notebook_without_tapelab_is_offered_nothing(open_notebook):
    notebook = open_notebook("1 + 1")
    cell = notebook.cells.first
    cell.locator(".jp-InputPrompt").click()
    expect(cell.locator("[data-jp-item-name='delete-cell']")).to_be_visible()
    expect(cell.locator("[data-jp-item-name='tapelab-explain']")).to_be_hidden()


def test_an_example_is_inserted_and_runs(open_notebook):
    notebook = open_notebook(IMPORT)
    panel = TapePanel.beside(notebook)
    panel.button("Insert an example").click()
    expect(notebook.cells).to_have_count(2)
    notebook.run_all()
    expect(panel.status).to_have_text("Last run")


def test_an_example_is_inserted_by_command(notebook):
    before = notebook.cells.count()
    command(notebook.page, "Insert an example")
    expect(notebook.cells).to_have_count(before + 1)


def test_the_panel_is_paused_by_command_and_goes_on(notebook):
    panel = TapePanel(notebook.page)
    command(notebook.page, "Tape panel")
    expect(panel.status).to_have_text("Last run")
    command(notebook.page, "Pause the panel, or go on")
    expect(panel.status).to_have_text("Paused")
    command(notebook.page, "Pause the panel, or go on")
    expect(panel.status).to_have_text("Last run")


def test_lessons_are_looked_for_by_command(notebook):
    command(notebook.page, "Tapelab lessons")
    expect(notebook.page.locator(".Toastify__toast")).to_contain_text("There are no lessons")


def test_hints_are_turned_off_by_command_for_the_kernel_too(open_notebook):
    notebook = open_notebook(IMPORT, SMALL, "tf.hints()")
    traffic = Traffic.of(notebook)
    panel = TapePanel.beside(notebook)
    notebook.run_all()
    expect(panel.status).to_have_text("Last run")
    command(notebook.page, "Hints under cells")
    traffic.wait_for_setting("hints", False)
    notebook.run_all()
    expect(notebook.output(2)).to_have_text("False")
    command(notebook.page, "Hints under cells")
    traffic.wait_for_setting("hints", True)


def test_the_status_bar_describes_the_tape_and_opens_the_panel(notebook):
    panel = TapePanel(notebook.page)
    status = notebook.page.locator(".tapelab-status button")
    status.click()
    expect(panel.status).to_have_text("Last run")
    expect(status).to_have_text("Tape: 1 op")


def is_new_checkpoint(response):
    return response.request.method == "POST" and "/checkpoints" in response.url


def test_lessons_are_offered_by_the_launcher_where_there_are_any(open_notebook, server):
    page = open_notebook("1").page
    page.locator(".lm-DockPanel-tabBar .lm-TabBar-addButton").first.click()
    card = page.locator(".jp-LauncherCard", has_text="Tapelab lessons")
    card.click()
    expect(page.locator(".Toastify__toast")).to_contain_text("There are no lessons")
    start = server.root / "Start here.ipynb"
    start.write_text(json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    with page.expect_response(is_new_checkpoint):  # the last that is asked for of a file
        card.click()
    expect(page.get_by_role("tab", name=start.name)).to_be_visible()
    start.unlink()


@pytest.fixture
def lab_on(browser, server, folder, known_complaints):
    """JupyterLab with a folder open; its console must stay silent."""
    folder.mkdir(parents=True, exist_ok=True)
    page = lasting_page(browser, WIDE)
    console = Console(page)

    def open_folder():
        path = folder.relative_to(server.root).as_posix()
        page.goto(server.address(f"lab/workspaces/{path}/tree/{path}"))
        return page

    yield open_folder
    forget(page)
    assert console.complaints(beyond=known_complaints["lab"]) == []


def test_a_recording_opens_by_double_click_and_is_stepped_through(lab_on, folder):
    folder.mkdir(parents=True, exist_ok=True)
    recording().save(folder / "mine.tape")
    page = lab_on()
    page.locator(".jp-DirListing-item", has_text="mine.tape").dblclick(timeout=30_000)
    explorer = Explorer.within(page.locator(".tapelab-file"))
    explorer.click_to_the_end_and_back()
    assert violations(explorer.root) == []


def test_a_file_that_is_no_recording_says_so(lab_on, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "other.tape").write_bytes(b"not a recording")
    page = lab_on()
    page.locator(".jp-DirListing-item", has_text="other.tape").dblclick(timeout=30_000)
    expect(page.locator(".tapelab-file")).to_contain_text("This is not a recording")
