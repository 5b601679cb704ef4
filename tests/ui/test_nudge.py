"""A variable's value is dragged in its node, or moved by keys: the kernel runs the ops again."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.ui.axe import violations
from tests.ui.explorer import Explorer

CELL = """\
import tapelab as tf
x = tf.Variable(3.0)
y = tf.Variable(4.0)
with tf.GradientTape() as tape:
    z = x * y + tf.sin(x)
tape.gradient(z, [x, y])
tf.show(tape, step=99).widget()"""


@pytest.fixture(scope="module")
def shown(open_notebooks):
    notebook = open_notebooks(CELL, app="lab")
    notebook.run_all()
    first = notebook.cells.first
    expect(first.locator("iframe:visible")).to_have_count(0)
    explorer = Explorer.within(first.locator(".jp-OutputArea").first)
    expect(explorer.root.locator("[data-node='0']")).to_be_visible()
    return notebook, explorer


def card(explorer, name):
    return explorer.root.locator("[data-node]").filter(has_text=re.compile(f"^{name}"))


def test_a_drag_on_the_node_moves_value_and_gradients(shown):
    notebook, explorer = shown
    node = card(explorer, "x").first
    node.scroll_into_view_if_needed()
    box = node.bounding_box()
    mouse = notebook.page.mouse
    mouse.move(box["x"] + 40, box["y"] + 40)
    mouse.down()
    mouse.move(box["x"] + 70, box["y"] + 40, steps=5)
    mouse.up()
    expect(node).to_contain_text("3.5000")
    field = notebook.page.get_by_role("textbox", name="Value of x")
    expect(field).to_have_value("3.5")
    status = notebook.page.locator(".nudge [role=status]")
    expect(status).to_contain_text("the tangent says 1.5050")
    expect(card(explorer, "y").first).to_contain_text("3.5000")


def test_keys_move_it_and_escape_restores_what_was_recorded(shown):
    notebook, explorer = shown
    field = notebook.page.get_by_role("textbox", name="Value of x")
    field.focus()
    notebook.page.keyboard.press("PageUp")
    expect(field).to_have_value("4")
    expect(card(explorer, "x").first).to_contain_text("4.0000")
    assert violations(notebook.page.locator(".nudge")) == []
    notebook.page.keyboard.press("Escape")
    expect(card(explorer, "x").first).to_contain_text("3.0000")
    expect(notebook.page.locator(".nudge")).to_be_hidden()
