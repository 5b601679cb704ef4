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
from tests.ui.notebook import PATHS
from tests.ui.test_explorer import SCENE


@pytest.fixture
def saved(open_notebook):
    """Run the scene, save the notebook, and leave no kernel behind."""
    notebook = open_notebook(SCENE)
    notebook.run_all()
    expect(Explorer.in_frame(notebook.output(0)).root).to_be_visible()
    notebook.save()
    notebook.choose("Kernel", "Shut Down Kernel")
    expect(notebook.page.get_by_text("No Kernel").first).to_be_visible()
    return notebook.file


@pytest.fixture
def offline(browser):
    """A page without a network, which remembers what it asked for."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    page.console = Console(page)
    yield page
    context.close()


@pytest.mark.parametrize("app", PATHS)
def test_a_saved_notebook_shows_its_picture_before_any_cell_runs(open_notebook, saved, app):
    notebook = open_notebook(file=saved, app=app)
    explorer = Explorer.in_frame(notebook.output(0))
    explorer.click_to_the_end_and_back()


def test_a_notebook_from_elsewhere_tells_the_tape_in_text(open_notebook, saved):
    """JupyterLab takes frames out of what it has not signed itself."""
    foreign = saved.with_name("from_elsewhere.ipynb")
    foreign.write_text(saved.read_text("utf-8").replace("3.0", "3.00"), "utf-8")
    output = open_notebook(file=foreign).output(0)
    expect(output).to_contain_text("the way back")
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
    assert offline.asked == [file.as_uri()]
    assert offline.console.complaints() == []


def test_a_notebook_exported_to_html_opens_offline_and_steps(offline, saved, tmp_path):
    export = [sys.executable, "-m", "nbconvert", "--to", "html", "--output-dir", str(tmp_path)]
    subprocess.run([*export, str(saved)], check=True, capture_output=True)
    offline.goto((tmp_path / saved.name).with_suffix(".html").as_uri())
    Explorer.in_frame(offline.locator(".jp-OutputArea-output").last).click_to_the_end_and_back()
