"""The rules of tensors: the entry under the pointer or the keys, and all that it is made of."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.ui.axe import violations

ATTENTION = """\
tf.random.set_seed(3)
x = tf.random.normal([6, 4])
Wq = tf.Variable(tf.random.normal([4, 4]), name="Wq")
with tf.GradientTape() as tape:
    weights = tf.nn.softmax(tf.matmul(x @ Wq, x, transpose_b=True))
    loss = tf.reduce_mean(tf.square(weights @ x))
tape.gradient(loss, Wq)
recording = tape.recording()"""
LARGE = """\
a = tf.Variable(tf.random.normal([64, 48]), name="a")
b = tf.Variable(tf.random.normal([48, 64]), name="b")
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(a @ b)
tape.gradient(loss, [a, b])
recording = tape.recording()"""


def planes(views):
    return views.pane("Entries").locator("svg.plane")


def names(views):
    return views.pane("Entries").locator(".sums p").first


def test_the_entry_under_the_pointer_lights_up_its_row_and_its_column(show):
    views = show("matmul")
    views.press("End", "5")
    expect(planes(views)).to_have_count(3)
    box = planes(views).nth(2).bounding_box()
    views.page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.75)
    expect(names(views)).to_have_text(re.compile(r"^w\[1, 1\] = Σ x\[:, 1\] · .*\[:, 1\]$"))
    lit = [planes(views).nth(at).locator(".lit").get_attribute("d").count("M") for at in range(3)]
    assert lit == [2, 2, 1]
    views.page.mouse.move(box["x"] + box["width"] * 0.1, box["y"] + box["height"] * 0.25)
    expect(names(views)).to_have_text(re.compile(r"^w\[0, 0\] = "))


def test_keys_walk_over_the_entries_and_the_step_stays(show):
    views = show("matmul")
    views.press("End", "5")
    step = views.step
    planes(views).nth(2).focus()
    views.press("PageUp", "Home")
    expect(names(views)).to_have_text(re.compile(r"^w\[0, 0\] = "))
    views.press("ArrowRight", "ArrowDown")
    expect(names(views)).to_have_text(re.compile(r"^w\[1, 1\] = "))
    expect(planes(views).nth(2)).to_be_focused()
    expect(planes(views).nth(2)).to_have_accessible_name(re.compile(r"^gradient of w \[1, 1\] = "))
    assert views.step == step


def test_softmax_shows_a_column_of_its_jacobian_and_the_map_of_weights(show):
    views = show(ATTENTION)
    views.press("End", "5")
    for _ in range(20):
        if "∂weights" in names(views).inner_text():
            break
        views.press("ArrowLeft")
    expect(names(views)).to_contain_text("∂weights[")
    expect(views.pane("Entries").get_by_text("its column of the Jacobian")).to_be_visible()
    expect(planes(views)).to_have_count(4)


def test_a_matrix_of_64_rows_is_drawn_entry_by_entry(show):
    views = show(LARGE)
    views.press("End", "5")
    expect(views.pane("Entries")).to_contain_text("64 terms")
    expect(views.pane("Entries")).not_to_contain_text("samples")
    planes(views).nth(2).focus()
    views.press("PageDown", "End")
    expect(names(views)).to_have_text(re.compile(r"^b\[47, 63\] = Σ a\[:, 47\] · .*\[:, 63\]$"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_among_the_entries(show, scheme):
    views = show("matmul", color_scheme=scheme)
    views.press("End", "5")
    expect(planes(views)).to_have_count(3)
    assert violations(views.root) == []
