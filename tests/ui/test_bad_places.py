"""JupyterLab as it should not be: no widget manager, old recordings, kernels without tapelab."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from playwright.sync_api import expect

from tests.fixtures.record import FOLDER
from tests.ui.conftest import open_in, opener
from tests.ui.explorer import Explorer
from tests.ui.jupyter import served
from tests.ui.notebook import write_notebook
from tests.ui.tape_panel import TapePanel, run_cell

LIVE = """import tapelab as tf
x = tf.Variable(3.0, name="x")
with tf.GradientTape() as tape:
    z = x * tf.sin(x)
tf.show(tape, z).widget()"""
SLIDERS = "tf.what_if(lambda x: x * tf.sin(x), x=(-3.0, 3.0))"
STOCK = "import ipywidgets\nipywidgets.IntSlider()"
UNKNOWN = "import sys\nsys.modules['tapelab'] = None\nimport tapelab"
MANAGER = "@jupyter-widgets/jupyterlab-manager"


@pytest.fixture(scope="module")
def bare_server(tmp_path_factory):
    """A JupyterLab that shows no widgets, as where jupyterlab_widgets was never installed."""
    place = tmp_path_factory.mktemp("bare")
    settings = place / "config" / "labconfig" / "page_config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"disabledExtensions": {MANAGER: True, "anywidget": True}}))
    with served(place, sys.executable) as server:
        yield server


@pytest.fixture(scope="module")
def stock(bare_server, browser):
    """What JupyterLab says there of any widget, also of one that is not ours."""
    file = write_notebook(bare_server.root / "stock.ipynb", STOCK)
    notebook = open_in(browser, bare_server, file, "lab")
    notebook.run_all()
    notebook.save()
    notebook.close()
    return {"lab": notebook.console.patterns()}


@pytest.fixture
def opened(bare_server, browser, request, stock):
    place = bare_server.root / request.node.name
    with opener(browser, bare_server, place, stock) as open_one:
        yield open_one


def test_without_a_widget_manager_every_live_picture_is_a_page_that_steps(opened):
    notebook = opened(LIVE, SLIDERS)
    notebook.run_all()
    Explorer.in_frame(notebook.cells.nth(0)).click_to_the_end_and_back()
    sliders = notebook.cells.nth(1)
    sliders.scroll_into_view_if_needed()
    explorer = Explorer.in_frame(sliders)
    explorer.come_into_view()
    expect(explorer.counter).to_contain_text("/")
    saved = json.dumps(notebook.save())
    assert '"output_type": "error"' not in saved
    expect(notebook.panel.get_by_text("model not found")).to_have_count(0)
    expect(notebook.panel.get_by_text("Error displaying widget")).to_have_count(0)


def test_a_kernel_that_cannot_import_tapelab_says_so_and_the_panel_waits(opened):
    notebook = opened(UNKNOWN, "print(1 + 1)")
    panel = TapePanel.beside(notebook)
    notebook.wait_for_kernel()
    run_cell(notebook, 0)
    expect(notebook.output(0)).to_contain_text("import of tapelab halted")
    run_cell(notebook, 1)
    expect(notebook.output(1)).to_have_text("2")
    expect(panel.title).to_be_visible()
    expect(panel.root).not_to_have_attribute("data-link", "open")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("older", "This recording is too old"),
        ("newer", "This recording is newer"),
        ("cut_short", "This recording is cut short"),
    ],
)
def test_a_recording_of_another_age_says_so_and_stays_as_it_was(opened, bare_server, name, said):
    notebook = opened("1")
    file = bare_server.root / f"{name}.tape"
    shutil.copy(FOLDER / "bad" / f"{name}.tape", file)
    before = file.read_bytes()
    notebook.page.goto(bare_server.address(f"lab/tree/{name}.tape"))
    expect(notebook.page.locator(".tapelab-file")).to_contain_text(said, timeout=30_000)
    assert file.read_bytes() == before
