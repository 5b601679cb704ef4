"""A real marimo, in an environment without JupyterLab: pictures, live widgets, explanations."""

from __future__ import annotations

import socket
import subprocess
import time
from contextlib import suppress
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from tests.ui.axe import violations
from tests.ui.browser import Console
from tests.ui.explorer import Explorer
from tests.ui.jupyter import running
from tools import hosts

pytestmark = pytest.mark.thorough

PATIENCE = 60_000
APP = """import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    import numpy as np
    import tapelab as tf
    return mo, np, tf


@app.cell
def _(tf):
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        z = x * tf.sin(x)
    tf.show(tape, z)
    return tape, z


@app.cell
def _(mo, tape, tf, z):
    live = mo.ui.anywidget(tf.show(tape, z).widget())
    live
    return (live,)


@app.cell
def _(live, mo):
    mo.md(f"Python stands at step {live.value['step']}.")
    return


@app.cell
def _(np, tf):
    w = tf.Variable([1.0, 2.0], name="w")
    with tf.GradientTape() as lost:
        loss = tf.sqrt(np.mean(w))
    lost.gradient(loss, w)
    tf.why()
    return


if __name__ == "__main__":
    app.run()
"""


@pytest.fixture(scope="module", params=["run", "edit"])
def address(request, tmp_path_factory):
    """An app that is run, and one that is edited."""
    place = hosts.ensure(hosts.MARIMO)
    folder = tmp_path_factory.mktemp("marimo")
    (folder / "app.py").write_text(APP, encoding="utf-8")
    (folder / "pyproject.toml").write_text("[tool.marimo.runtime]\nauto_instantiate = true\n")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ["--headless", "--no-token", "--port", str(port)]
    command = [str(place / "bin" / "marimo"), "--quiet", request.param, *options]
    path = hosts.path_of(place)
    with running([*command, str(folder / "app.py")], folder, PATH=path) as (process, _):
        url = f"http://127.0.0.1:{port}/"
        until = time.monotonic() + PATIENCE / 1_000
        while time.monotonic() < until:
            assert process.poll() is None, (folder / "server.log").read_text()
            with suppress(OSError), urlopen(url):
                break
            time.sleep(0.1)
        yield url


@pytest.fixture(scope="module")
def page(browser, address):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    console, requests = Console(page), []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(address)
    expect(page.get_by_text("Python stands at step 0.", exact=True)).to_be_visible(timeout=PATIENCE)
    yield page
    context.close()
    ours = (address, "data:", "blob:", address.replace("http", "ws", 1))
    assert [each for each in requests if not each.startswith(ours)] == []
    assert console.complaints() == []


def framed(page):
    """The picture at the end of its cell; a browser draws no frame that is out of sight."""
    page.locator("iframe").first.scroll_into_view_if_needed()
    explorer = Explorer.in_frame(page.locator("body"))
    expect(explorer.root).to_be_visible(timeout=PATIENCE)
    return explorer


def test_a_picture_at_the_end_of_a_cell_steps(page):
    explorer = framed(page)
    explorer.click_to_the_end_and_back()
    assert violations(explorer.root) == []


def test_the_code_shown_is_that_of_the_cell(page):
    expect(framed(page).root).to_contain_text("z = x * tf.sin(x)")


def test_a_live_widget_sends_python_its_step(page):
    explorer = Explorer.within(page.locator("marimo-anywidget"))
    explorer.come_into_view()
    explorer.button("Step").click()
    expect(page.get_by_text("Python stands at step 2.", exact=True)).to_be_visible(timeout=PATIENCE)


def test_an_explanation_names_the_line_to_write(page):
    shown = [page.locator("body"), *(f.locator("body") for f in page.frames[1:])]
    text = " ".join(each.inner_text() for each in shown)
    assert "tf.reduce_mean(w)" in text


def test_neither_jupyterlab_nor_the_widgets_of_jupyter_are_needed_for_it():
    python = hosts.ensure(hosts.MARIMO) / "bin" / "python"
    question = "import importlib.util; print(importlib.util.find_spec('jupyterlab'))"
    completed = subprocess.run([python, "-c", question], capture_output=True, text=True, check=True)
    assert completed.stdout == "None\n"
