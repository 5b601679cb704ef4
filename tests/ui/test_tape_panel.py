"""The Tape panel follows the kernel of the notebook in front, live, and costs nothing hidden."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.ui.axe import violations, violations_in_any_colours
from tests.ui.conftest import NEWEST_FIRST
from tests.ui.tape_panel import TapePanel, Traffic, command, forgive_widgets, run_cell

IMPORT = "import tapelab as tf"

TRAINING = """\
import time
w = tf.Variable([1.0, 2.0], name="w")
unused = tf.Variable(1.0, name="unused")
for _ in range({steps}):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    dw, _ = tape.gradient(loss, [w, unused])
    w.assign_sub(0.01 * dw)
    time.sleep(0.02)"""
LONG = 3_000
"""A minute of steps: long enough for whatever is done meanwhile, and then stopped."""

SMALL = """\
x = tf.Variable(3.0, name="x")
with tf.GradientTape() as tape:
    a = x * x
    y = tf.sin(a)
tape.gradient(y, x)"""


def trained(steps=5):
    return TRAINING.format(steps=steps)


def stop(notebook):
    """Interrupt the kernel, pressed again where Python loses the first signal."""
    for _ in range(10):
        notebook.page.get_by_role("button", name="Interrupt the kernel").click()
        notebook.page.wait_for_timeout(500)
        if not notebook.prompts_of_state("*").count():
            break
    expect(notebook.prompts_of_state("*")).to_have_count(0)


def wait_until_the_layout_is_saved(notebook):
    """JupyterLab saves a while after the last change which panels are open."""
    fetched = "fetch(location.pathname.match(/.*workspaces.[^/]*/)[0].replace('lab/', 'lab/api/'))"
    for _ in range(400):
        if is_open(notebook.page.evaluate(f"{fetched}.then(response => response.json())")):
            return
        notebook.page.wait_for_timeout(50)
    raise AssertionError("JupyterLab never saved that the panel is open.")


def is_open(workspace):
    layout = workspace["data"].get("layout-restorer:data", {}).get("right", {})
    return layout.get("current") == "tapelab-panel" and not layout["collapsed"]


def training_run(open_one):
    """A notebook whose training has run, and the panel beside it."""
    notebook = open_one(IMPORT, trained())
    panel = TapePanel.beside(notebook)
    panel.connect(notebook)
    run_cell(notebook, 1)
    expect(panel.step).to_have_text("step 5")
    return notebook, panel


@pytest.fixture
def after_training(open_notebook):
    """A training that has run, and will be disturbed."""
    return training_run(open_notebook)


@pytest.fixture(scope="module")
def run_once(open_notebooks):
    return training_run(open_notebooks)


@pytest.fixture
def trained_once(run_once):
    """A training that has run, to look at: the panel is live before and after."""
    yield run_once
    run_once[1].show_live()


def test_while_a_cell_runs_the_panel_gets_frame_after_frame(open_notebook):
    notebook = open_notebook(IMPORT, trained(150))
    traffic = Traffic.of(notebook)
    panel = TapePanel.beside(notebook)
    panel.connect(notebook)
    run_cell(notebook, 1)
    expect(panel.status).to_have_text("Live", timeout=20_000)
    expect(panel.status).to_have_text("Last run", timeout=30_000)
    running = [frame for frame in traffic.live() if frame["running"] and frame["step"]]
    assert len(running) > 5  # how often where the machine is free: see benchmarks
    assert [frame["seq"] for frame in traffic.live()] == list(range(1, len(traffic.live()) + 1))


def test_the_panel_shows_step_loss_norms_and_what_is_wrong_while_the_cell_runs(open_notebook):
    notebook = open_notebook(IMPORT, trained(LONG))
    panel = TapePanel.beside(notebook)
    panel.connect(notebook)
    run_cell(notebook, 1)
    expect(panel.status).to_have_text("Live", timeout=20_000)
    expect(panel.step).to_have_text(re.compile(r"step [1-9]"))
    expect(notebook.prompts_of_state("*")).to_have_count(1)
    expect(panel.root.locator(".norms li")).to_have_count(2)
    expect(panel.root.locator(".norms .ch.none")).to_have_text("None")
    first = panel.step.inner_text()
    expect(panel.step).not_to_have_text(first)
    panel.button("Pause the panel").click()
    expect(panel.status).to_have_text("Paused")
    still = panel.step.inner_text()
    notebook.page.wait_for_timeout(300)
    expect(panel.step).to_have_text(still)
    panel.button("Go on with the panel").click()
    expect(panel.step).not_to_have_text(still)
    stop(notebook)


def test_a_cell_that_imports_tapelab_itself_is_live_too(open_notebook):
    notebook = open_notebook(f"{IMPORT}\n{trained(LONG)}")
    panel = TapePanel.beside(notebook)
    notebook.wait_for_kernel()
    expect(panel.title).to_have_text("tapelab is not imported in this kernel")
    run_cell(notebook, 0)
    expect(panel.status).to_have_text("Live", timeout=20_000)
    expect(notebook.prompts_of_state("*")).to_have_count(1)
    stop(notebook)


def test_hidden_it_gets_no_frames(open_notebook):
    notebook = open_notebook(IMPORT, trained(40))
    traffic = Traffic.of(notebook)
    panel = TapePanel.beside(notebook)
    notebook.run_all()
    expect(panel.status).to_have_text("Last run")
    assert traffic.live()
    before = panel.step.inner_text()
    panel.switch()
    expect(panel.root).to_be_hidden()
    notebook.run_all()  # what was on its way has come by then
    traffic.messages.clear()
    notebook.run_all()
    assert traffic.messages == []
    panel.switch()
    expect(panel.step).not_to_have_text(before)
    assert traffic.live()


@NEWEST_FIRST
def test_it_comes_back_after_the_page_is_loaded_again(after_training):
    notebook, panel = after_training
    notebook.save()
    wait_until_the_layout_is_saved(notebook)
    notebook.page.reload()
    expect(panel.root).to_be_visible(timeout=30_000)
    expect(panel.status).to_have_text("Last run", timeout=20_000)


@NEWEST_FIRST
def test_after_a_restart_the_kernel_has_no_tape_until_it_imports_tapelab_again(after_training):
    notebook, panel = after_training
    confirm = notebook.page.locator(".jp-Dialog").get_by_role("button", name="Confirm")
    notebook.choose("Kernel", "Restart Kernel…")
    confirm.click()
    expect(panel.title).to_have_text("tapelab is not imported in this kernel")
    notebook.choose("Kernel", "Restart Kernel and Run All Cells…")
    confirm.click()
    expect(panel.status).to_have_text("Last run", timeout=30_000)


@NEWEST_FIRST
def test_two_notebooks_do_not_mix(open_notebook, folder):
    notebook = open_notebook(IMPORT, trained())
    other = open_notebook("1 + 1")
    page, panel = notebook.page, TapePanel.beside(notebook)
    notebook.run_all()
    expect(panel.status).to_have_text("Last run")
    files = page.locator(".jp-DirListing-item", has_text=other.file.name)
    files.dblclick()
    expect(panel.title).to_have_text("tapelab is not imported in this kernel", timeout=20_000)
    page.get_by_role("tab", name=notebook.file.name).click()
    expect(panel.status).to_have_text("Last run")
    expect(panel.root.locator(".norms li")).to_have_count(2)
    forgive_widgets(notebook, other)


@NEWEST_FIRST
def test_two_pages_on_one_kernel_get_their_own_messages(open_notebook):
    notebook = open_notebook(IMPORT, trained(), SMALL)
    panel = TapePanel.beside(notebook)
    panel.connect(notebook)
    run_cell(notebook, 1)
    expect(panel.step).to_have_text("step 5")
    second = open_notebook(file=notebook.file)
    beside = TapePanel.beside(second)
    expect(beside.status).to_have_text("Last run", timeout=20_000)
    beside.switch()
    run_cell(notebook, 2)
    expect(panel.root.locator(".norms code")).to_have_text(["x"])
    beside.switch()
    expect(beside.root.locator(".norms code")).to_have_text(["x"])
    forgive_widgets(notebook, second)


def test_a_step_of_the_history_opens_in_the_explorer(trained_once):
    _, panel = trained_once
    panel.root.get_by_label("Step to look at").fill("2")
    expect(panel.step).to_have_text("step 2")
    panel.button("Show on the tape").click()
    panel.explorer.come_into_view()
    expect(panel.step).to_have_text("step 2")
    assert overlapping(panel.explorer.root.get_by_role("toolbar", name="This tape")) == []
    edge = panel.explorer.timeline.locator(".top").first.bounding_box()["height"]
    assert edge == 4  # which the style of no other panel of the page changes
    panel.explorer.timeline.locator("[tabindex='0']").focus()
    panel.page.keyboard.press("ArrowRight")
    panel.explorer.stands_at(2, of=panel.explorer.steps())
    panel.page.keyboard.press("Control+Shift+c")
    palette = panel.page.locator(".lm-CommandPalette:visible input")
    expect(palette).to_be_focused()
    palette.press("Escape")
    panel.button("Back to live").click()
    expect(panel.status).to_have_text("Last run")


def overlapping(bar):
    """The names of buttons in a bar that stand on others, or beyond its end."""
    boxes = [(each.inner_text(), each.bounding_box()) for each in bar.get_by_role("button").all()]
    end = bar.bounding_box()["x"] + bar.bounding_box()["width"]
    return [
        (name, other)
        for name, box in boxes
        for other, beside in boxes
        if box["x"] + box["width"] > end
        or (
            name < other
            and box["y"] == beside["y"]
            and min(box["x"] + box["width"], beside["x"] + beside["width"])
            > max(box["x"], beside["x"])
        )
    ]


def test_the_button_why_opens_the_explanation(trained_once):
    _, panel = trained_once
    panel.button("Ask why").click()
    expect(panel.explorer.root.get_by_role("heading").first).to_have_text("Why is it None?")


def test_a_finding_leads_to_its_line(trained_once):
    notebook, panel = trained_once
    panel.button("Go to line 7").click()
    line = notebook.cells.nth(1).locator(".cm-line.tapelab-line")
    expect(line).to_contain_text("dw, _ = tape.gradient(loss, [w, unused])")
    expect(notebook.cells.nth(1).locator(".cm-focused")).to_be_visible()


@pytest.fixture(scope="module")
def small(open_notebooks):
    notebook = open_notebooks(IMPORT, SMALL)
    panel = TapePanel.beside(notebook)
    notebook.run_all()
    return notebook, panel


@pytest.fixture
def stepping(small):
    """The tape of a small cell in the Explorer of the panel."""
    panel = small[1]
    expect(panel.status).to_have_text("Last run")
    panel.button("Show on the tape").click()
    panel.explorer.come_into_view()
    yield small
    panel.show_live()


def test_a_node_clicked_lights_its_code_in_the_cell(stepping):
    notebook, panel = stepping
    panel.explorer.graph.locator(".nd").filter(has_text="sin").first.click()
    expect(notebook.cells.nth(1).locator(".tapelab-lit")).to_have_text("tf.sin(a)")
    panel.button("Back to live").click()
    expect(notebook.panel.locator(".tapelab-lit")).to_have_count(0)
    command(notebook.page, "Explain this gradient")
    explanation = "The gradient of y with respect to x arrives, and nothing looks wrong with it."
    expect(panel.root.locator(".well")).to_have_text(explanation)
    assert violations(panel.root) == []


def test_the_step_of_the_explorer_is_lit_in_the_cell(stepping):
    notebook, panel = stepping
    lit = notebook.cells.nth(1).locator(".tapelab-lit")
    expect(lit).to_have_text("x")
    panel.explorer.button("Step").click()
    expect(lit).to_have_text("x * x")


def test_the_cursor_on_a_line_lights_its_node(stepping):
    notebook, panel = stepping
    notebook.cells.nth(1).locator(".cm-line", has_text="y = tf.sin(a)").click()
    chosen = panel.explorer.graph.locator(".nd.s")
    expect(chosen).to_contain_text("sin")
    notebook.cells.nth(1).locator(".cm-line", has_text="a = x * x").click()
    expect(chosen).to_contain_text("×")


def test_without_a_notebook_it_says_what_to_open(open_notebook):
    notebook = open_notebook("1 + 1")
    panel = TapePanel.beside(notebook)
    notebook.wait_for_kernel()  # it tells the notebook its language, which then wants to be saved
    expect(panel.title).to_have_text("tapelab is not imported in this kernel")
    notebook.save()
    notebook.choose("File", "Close Tab")
    expect(panel.title).to_have_text("No kernel to follow")


def test_axe_finds_nothing_in_the_panel(open_notebook):
    notebook = open_notebook(IMPORT, trained())
    panel = TapePanel.beside(notebook)
    notebook.wait_for_kernel()
    expect(panel.title).to_be_visible()
    assert violations_in_any_colours(panel.root) == []
    notebook.run_all()
    expect(panel.status).to_have_text("Last run")
    assert violations_in_any_colours(panel.root) == []
    panel.button("Show on the tape").click()
    panel.explorer.come_into_view()
    assert violations_in_any_colours(panel.root) == []
