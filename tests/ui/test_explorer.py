"""In a notebook, a tape is stepped through: forward along the code, backward along the gradient."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.ui.axe import violations_in_any_colours
from tests.ui.explorer import Explorer
from tests.ui.gallery.looks import (
    NOTEBOOK_SHOT,
    difference,
    font_script,
    hold_still,
    read,
    save,
    screenshot_of,
)
from tests.ui.notebook import LAB_FIRST

SCENE = """\
import tapelab as tf
x = tf.Variable(3.0, name="x"); y = tf.Variable(4.0, name="y")
with tf.GradientTape() as tape:
    z = x * y + tf.sin(x)
tf.show(tape, z)"""

MAGIC = """\
%%tape z
x = tf.Variable(3.0, name="x")
z = x * x"""

WHAT_EACH_STEP_LIGHTS_UP = [
    ("x", "x is watched"),
    ("y", "y is watched"),
    ("x * y", "Multiply"),
    ("tf.sin(x)", "Sine"),
    ("x * y + tf.sin(x)", "Add"),
    ("z", "Start at z"),
    ("x * y + tf.sin(x)", "Back through + to x * y"),
    ("x * y + tf.sin(x)", "Back through + to tf.sin(x)"),
    ("tf.sin(x)", "Back through sin to x"),
    ("x * y", "Two paths meet at x"),
    ("x * y", "Back through × to y"),
]

WHERE_EACH_KEY_LEADS = [
    ("ArrowRight", 2),
    (".", 3),
    ("ArrowLeft", 2),
    (",", 1),
    ("b", 6),
    ("s", 10),
    ("s", 10),
    ("n", 10),
    ("End", 11),
    ("ArrowRight", 11),
    ("ArrowLeft", 10),
]

FRAMED = """root => {
  Object.assign(root.parentElement.style, { width: '800px', padding: '14px' });
  document.activeElement.blur();
}"""
"""Gives the output a width, and a margin in which the lines of its edge are seen."""


@pytest.fixture(scope="module", params=LAB_FIRST)
def shown(open_notebooks, request):
    """Run the scene once in each front-end."""
    notebook = open_notebooks(SCENE, app=request.param)
    notebook.run_all()
    return Explorer.in_frame(notebook.output(0))


@pytest.fixture
def explorer(shown):
    if shown.button("First step").is_enabled():
        shown.button("First step").click()
    shown.stands_at(0, of=11)
    expect(shown.lit.first).to_contain_text("with tf.GradientTape() as tape:")
    expect(shown.inspector.get_by_role("heading").first).to_have_text("tape begins to record")
    shown.button("Step").click()
    shown.stands_at(1, of=11)
    return shown


def test_the_mouse_steps_to_the_end_and_back(explorer):
    explorer.click_to_the_end_and_back()


def test_each_step_lights_up_its_piece_of_the_code_and_says_what_happened(explorer):
    seen = []
    for step in range(1, 12):
        explorer.stands_at(step, of=11)
        heading = explorer.inspector.get_by_role("heading").first
        seen.append((explorer.lit.first.inner_text(), heading.inner_text()))
        if step < 11:
            explorer.button("Step").click()
    assert seen == WHAT_EACH_STEP_LIGHTS_UP


def test_the_keyboard_steps_jumps_and_leaves(explorer):
    explorer.timeline.get_by_role("button").first.focus()
    keyboard = explorer.root.page.keyboard
    for key, step in WHERE_EACH_KEY_LEADS:
        keyboard.press(key)
        explorer.stands_at(step, of=11)
        lit, heading = WHAT_EACH_STEP_LIGHTS_UP[step - 1]
        expect(explorer.lit.first).to_have_text(lit)
        expect(explorer.inspector.get_by_role("heading").first).to_have_text(heading)
        expect(explorer.timeline.locator(".now")).to_have_count(1)
        focused = explorer.timeline.locator(".now").evaluate("frame => frame.matches(':focus')")
        assert focused, f"{key} left the focus behind"
    for key in ("Home", "ArrowLeft"):
        keyboard.press(key)
        explorer.stands_at(0, of=11)
    keyboard.press("Escape")
    keyboard.press("ArrowRight")
    explorer.stands_at(0, of=11)


def test_where_two_paths_meet_the_contributions_are_added_with_this_steps_numbers(explorer):
    explorer.button("Last step").click()
    explorer.button("Step back").click()
    explorer.stands_at(10, of=11)
    written = re.sub(r"\s+", "", explorer.inspector.inner_text())
    assert "−0.9900+4.0000=3.0100" in written


def test_at_the_end_every_variable_shows_its_gradient_and_at_the_start_none_does(explorer):
    expect(explorer.timeline).not_to_contain_text("gradient")
    explorer.button("Last step").click()
    first, second = (explorer.timeline.get_by_role("button").nth(number) for number in (0, 1))
    expect(first).to_contain_text("3.0100")
    expect(second).to_contain_text("3.0000")
    explorer.button("First step").click()
    expect(first).not_to_contain_text("3.0100")


def test_a_click_on_the_timeline_goes_there(explorer):
    explorer.timeline.get_by_role("button").nth(3).click()
    expect(explorer.lit.first).to_have_text("tf.sin(x)")


def test_axe_finds_nothing_at_any_kind_of_step(explorer):
    for step in (1, 3, 6, 10, 11):
        while not explorer.counter.inner_text().startswith(f"{step} /"):
            explorer.button("Step").click()
        assert violations_in_any_colours(explorer.root) == []


def test_an_output_looks_as_it_did_when_somebody_looked_at_it(explorer):
    """Delete the picture, and the next run takes another: look at it."""
    explorer.button("Next sum").click()
    explorer.stands_at(10, of=11)
    page, frame = explorer.root.page, explorer.root.element_handle().owner_frame()
    page.set_viewport_size({"width": 1280, "height": 1600})
    page.mouse.move(0, 0)
    hold_still(frame)
    frame.evaluate(font_script())
    explorer.root.evaluate(FRAMED)
    expect(explorer.root.locator(".left")).to_have_css("display", "flex")
    explorer.come_into_view()
    shot = screenshot_of(explorer.root.locator(".."))
    page.set_viewport_size({"width": 1280, "height": 900})
    if not NOTEBOOK_SHOT.exists():
        save(shot, NOTEBOOK_SHOT)
        pytest.fail(f"Look at {NOTEBOOK_SHOT.name}, which was taken just now.")
    assert difference(shot, read(NOTEBOOK_SHOT)) == ""


def test_the_cell_magic_shows_the_tape_of_its_cell(open_notebook):
    notebook = open_notebook("import tapelab as tf", MAGIC)
    notebook.run_all()
    explorer = Explorer.in_frame(notebook.output(1))
    explorer.click_to_the_end_and_back()
    expect(explorer.root).to_contain_text("z = x * x")
