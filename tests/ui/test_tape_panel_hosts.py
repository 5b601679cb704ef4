"""The Tape panel in the oldest JupyterLab that is promised, and in Notebook 7."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import Complaints, opener
from tests.ui.jupyter import Server, served
from tests.ui.tape_panel import TapePanel, run_cell
from tools.environment import CHECKOUT, python_of

IMPORT = "import tapelab as tf"
TRAINING = """\
import time
w = tf.Variable([1.0, 2.0], name="w")
for _ in range(100):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    w.assign_sub(0.01 * tape.gradient(loss, w))
    time.sleep(0.02)"""


@dataclass(frozen=True)
class Host:
    """A server with JupyterLab and Notebook, and what these complain of by themselves."""

    server: Server
    known: Complaints


@pytest.fixture(scope="module", params=["oldest", "newest"])
def host(request, browser, tmp_path_factory) -> Iterator[Host]:
    newest = request.param == "newest"
    python = sys.executable if newest else python_of(CHECKOUT / ".venv-oldest")
    with served(tmp_path_factory.mktemp(request.param), python) as server:
        yield Host(server, Complaints(browser, server))


@pytest.fixture
def opened(host, browser, request):
    place = host.server.root / request.node.name.replace("[", "-").rstrip("]")
    with opener(browser, host.server, place, host.known) as open_one:
        yield open_one


def test_the_panel_of_jupyterlab_is_live(opened):
    notebook = opened(IMPORT, TRAINING)
    panel = TapePanel.beside(notebook)
    panel.connect(notebook)
    run_cell(notebook, 1)
    expect(panel.status).to_have_text("Live", timeout=20_000)
    expect(panel.step).to_have_text("step 100", timeout=30_000)
    panel.button("Show on the tape").click()
    panel.explorer.come_into_view()
    expect(notebook.cells.nth(1).locator(".tapelab-lit")).to_be_visible()


def test_notebook_has_the_panel_in_its_view_menu(opened):
    notebook = opened(IMPORT, TRAINING, app="notebook")
    notebook.choose("View", "Tape panel")
    panel = TapePanel(notebook.page)
    panel.connect(notebook)
    run_cell(notebook, 1)
    expect(panel.step).to_have_text("step 100", timeout=30_000)


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_no_front_end_complains_about_the_extension(host, app):
    assert [text for text in host.known[app] if "tapelab" in text] == []
