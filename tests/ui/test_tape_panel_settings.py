"""Each setting of tapelab, changed in JupyterLab's settings editor, and what it does then."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import Complaints, Host, opener
from tests.ui.jupyter import served
from tests.ui.notebook import Notebook
from tests.ui.tape_panel import TapePanel, Traffic, command, run_cell
from tools.environment import CHECKOUT, python_of

IMPORT = """\
import tapelab as tf
x = tf.Variable(3.0, name="x")
unused = tf.Variable(1.0, name="unused")"""
STEPS = """\
for _ in range(12):
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, [x, unused])"""
RUN_MILLISECONDS = 30_000


NEWEST_FIRST = pytest.mark.parametrize(
    "own", ["newest", pytest.param("oldest", marks=pytest.mark.thorough)], indirect=True
)


@pytest.fixture(scope="module")
def own(request, browser, tmp_path_factory) -> Iterator[Host]:
    """A server of these tests alone, for what is set holds for all pages of a server."""
    if request.param == "newest":
        with served(tmp_path_factory.mktemp("settings")) as started:
            yield Host(started, request.getfixturevalue("known_complaints"))
        return
    with served(tmp_path_factory.mktemp("oldest"), python_of(CHECKOUT / ".venv-oldest")) as started:
        yield Host(started, Complaints(browser, started))


@dataclass(frozen=True)
class Desk:
    """A notebook whose kernel knows tapelab, the panel beside it, and all messages to it."""

    notebook: Notebook
    panel: TapePanel
    traffic: Traffic

    def choose(self, name: str, value: object) -> None:
        """Change a setting in the settings editor, wait until the kernel knows it, and return."""
        page = self.notebook.page
        self.traffic.messages.clear()
        self.notebook.cells.first.locator(".jp-InputPrompt").click()  # the panel keeps its keys
        command(page, "Settings Editor")
        page.locator(".jp-PluginList input").first.fill("Tapelab")
        field = page.locator(f"[id='jp-SettingsEditor-tapelab:plugin_{name}']")
        if isinstance(value, bool):
            field.set_checked(value)
        elif name in ("language", "speed"):
            field.select_option(label=str(value))
        else:
            field.fill(str(value))
        self.traffic.wait_for_setting(name, value)
        page.get_by_role("tab", name=self.notebook.file.name).click()

    def run_steps(self) -> int:
        """Run the cell with twelve steps, which go on counting; the number of the last."""
        steps = self.panel.step.all_inner_texts() or ["step 0"]
        run_cell(self.notebook, 1)
        last = int(steps[0].split()[1]) + 12
        expect(self.panel.step).to_have_text(f"step {last}", timeout=RUN_MILLISECONDS)
        return last

    def python_says(self, settings: str, cell: int = 2) -> None:
        """Look up the settings in Python, or set them there."""
        run_cell(self.notebook, cell)
        whole = re.compile(rf"^Settings\(.*{re.escape(settings)}.*\)$")
        expect(self.notebook.output(cell)).to_have_text(whole, timeout=RUN_MILLISECONDS)


@pytest.fixture(scope="module")
def desk(browser, own) -> Iterator[Desk]:
    """One desk for all settings, each of which says by itself what is to be seen."""
    with opener(browser, own.server, own.server.root / "desk", own.known) as open_one:
        notebook = open_one(IMPORT, STEPS, "tf.settings()", "tf.settings(history=20)")
        traffic = Traffic.of(notebook)
        panel = TapePanel.beside(notebook)
        panel.connect(notebook)
        yield Desk(notebook, panel, traffic)


@NEWEST_FIRST
def test_hints_can_be_turned_off(desk):
    desk.run_steps()
    hint = desk.notebook.cells.nth(1).locator(".tapelab-hint")
    expect(hint).to_have_count(1)
    desk.choose("hints", False)
    desk.run_steps()
    desk.python_says("hints=False")
    expect(hint).to_have_count(0)


@NEWEST_FIRST
def test_the_panel_and_the_kernel_speak_the_language_that_is_chosen(desk):
    desk.run_steps()
    desk.choose("language", "he")
    expect(desk.panel.status).to_have_text("ההרצה האחרונה")
    expect(desk.panel.root.locator(".tl")).to_have_attribute("dir", "rtl")
    desk.python_says("language='he'")
    desk.choose("language", "en")
    expect(desk.panel.status).to_have_text("Last run")


@NEWEST_FIRST
def test_the_explorer_plays_at_the_speed_that_is_chosen(desk):
    desk.run_steps()
    desk.choose("speed", 4)
    desk.panel.button("Show on the tape").click()
    desk.panel.explorer.show_the_tape()
    expect(desk.panel.explorer.root.get_by_label("Speed 4×")).to_be_visible()
    desk.panel.show_live()


@NEWEST_FIRST
def test_so_many_steps_are_kept_as_are_chosen(desk):
    last = desk.run_steps()
    look, show = desk.panel.root.get_by_label("Step to look at"), "Show on the tape"
    look.fill(str(last - 10))
    expect(desk.panel.button(show)).to_be_enabled()
    desk.choose("history", 3)
    desk.panel.button("Newest").click()
    expect(desk.panel.step).to_have_text(f"step {last}")
    last = desk.run_steps()
    look.fill(str(last - 4))
    expect(desk.panel.button(show)).to_be_disabled()


@NEWEST_FIRST
def test_what_python_has_set_stays_where_something_else_is_chosen(desk):
    desk.python_says("history=20", cell=3)
    desk.choose("rate", 1)
    desk.python_says("rate=1")
    desk.python_says("history=20")
