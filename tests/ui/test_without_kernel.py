"""The picture stays: in the saved notebook, in its HTML export and in a file, without a kernel."""

from __future__ import annotations

import subprocess
import sys

import pytest
from playwright.sync_api import expect

import tapelab as tf
from tests.ui.axe import violations
from tests.ui.browser import Console
from tests.ui.explorer import Explorer
from tests.ui.notebook import LAB_FIRST
from tests.ui.test_explorer import SCENE
from tests.ui.test_what_if import MOVE

LIVE = (
    "tf.what_if(lambda a: a * tf.sin(a), a=(0, 3))",
    "tf.compare(tape, tape).widget()",
    "live = tf.show(tape, z).widget()\nlive",
)
"""Cells whose output a live widget takes over, as long as there is a kernel."""


@pytest.fixture(scope="module")
def saved(open_notebooks):
    """Run the scene and the live cells, save the notebook, and leave no kernel behind."""
    notebook = open_notebooks(SCENE, *LIVE)
    notebook.run_all()
    expect(Explorer.in_frame(notebook.output(0)).root).to_be_visible()
    for number in range(1, len(LIVE) + 1):
        expect(Explorer.within(notebook.cells.nth(number)).root).to_be_visible()
        expect(notebook.cells.nth(number).locator("iframe:visible")).to_have_count(0)
    notebook.save()
    notebook.choose("Kernel", "Shut Down Kernel")
    expect(notebook.page.get_by_text("No Kernel").first).to_be_visible()
    return notebook


@pytest.fixture
def offline(browser):
    """A page without a network, which remembers what it asked for."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.requests = []
    page.on("request", lambda request: page.requests.append(request.url))
    page.console = Console(page)
    yield page
    context.close()


def test_the_page_comes_back_when_no_kernel_answers(saved):
    cell = saved.cells.nth(1)
    cell.get_by_role("slider").evaluate(MOVE, 1)
    expect(cell.locator("iframe:visible")).to_have_count(1, timeout=20_000)
    expect(cell.get_by_role("slider")).to_have_count(0)


def test_no_output_asks_a_kernel_for_a_widget(saved):
    assert "widget-view" not in saved.file.read_text("utf-8")


@pytest.fixture(scope="module", params=LAB_FIRST)
def reopened(open_notebooks, saved, request):
    """A copy each, as two pages of one kernel receive one another's comms."""
    file = saved.file.with_name(f"{request.param}.ipynb")
    file.write_bytes(saved.file.read_bytes())
    return open_notebooks(file=file, app=request.param)


def test_a_saved_notebook_shows_its_picture_before_any_cell_runs(reopened):
    Explorer.in_frame(reopened.output(0)).click_to_the_end_and_back()


def test_a_saved_notebook_shows_in_pages_what_was_live(reopened):
    for number in range(1, len(LIVE) + 1):
        cell = reopened.cells.nth(number)
        cell.scroll_into_view_if_needed()
        for summary in cell.locator("summary").all():
            summary.click()
        explorer = Explorer.in_frame(cell)
        explorer.come_into_view()
        expect(explorer.counter).to_contain_text("/")
    expect(reopened.panel.get_by_text("model not found")).to_have_count(0)


def test_a_notebook_from_elsewhere_shows_the_tape_as_text(open_notebook, saved):
    """JupyterLab takes frames out of what it has not signed itself."""
    foreign = saved.file.with_name("from_elsewhere.ipynb")
    foreign.write_text(saved.file.read_text("utf-8").replace("3.0", "3.00"), "utf-8")
    output = open_notebook(file=foreign).output(0)
    expect(output).to_contain_text("backward pass")
    expect(output).to_contain_text("trust the notebook")
    expect(output.locator("iframe")).to_have_count(0)


def test_one_exported_file_opens_offline_and_steps(offline, tmp_path):
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        z = x * tf.sin(x)
    file = tf.show(tape, z).export(tmp_path / "picture.html")
    offline.goto(file.as_uri())
    explorer = Explorer.within(offline)
    explorer.click_to_the_end_and_back()
    expect(explorer.root).to_contain_text("z = x * tf.sin(x)")
    assert violations(explorer.root) == []
    assert offline.requests == [file.as_uri()]
    assert offline.console.complaints() == []


def test_a_notebook_exported_to_html_opens_offline_and_steps(offline, saved, tmp_path):
    export = [sys.executable, "-m", "nbconvert", "--to", "html", "--output-dir", str(tmp_path)]
    subprocess.run([*export, str(saved.file)], check=True, capture_output=True)
    offline.goto((tmp_path / saved.file.name).with_suffix(".html").as_uri())
    pages = offline.locator(".jp-OutputArea-output:has(> iframe)")
    expect(pages).to_have_count(3)
    Explorer.in_frame(pages.first).click_to_the_end_and_back()
