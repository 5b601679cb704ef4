"""Search, keys and the spoken graph: everything in the picture is reached without a mouse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.ui.axe import violations_in_any_colours
from tests.ui.views import VANISHING

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "picture.md"
ROW = re.compile(r"^\| (`.+`) \| (.+) \|$", re.MULTILINE)

LAYERS = """\
w1 = tf.Variable(tf.ones((2, 3)), name="w1")
w2 = tf.Variable(tf.ones((3, 1)), name="w2")
def layer(x, w):
    return tf.nn.relu(x @ w)
with tf.GradientTape() as tape:
    hidden = layer(tf.constant([[1.0, 2.0]]), w1)
    logits = layer(hidden, w2)
    loss = tf.reduce_sum(logits * logits)
tape.gradient(loss, [w1, w2])
recording = tape.recording()"""


def field(views):
    return views.root.get_by_role("combobox", name="Search ops, variables and lines")


def results(views):
    return views.root.get_by_role("listbox", name="Results").get_by_role("option")


def test_a_slash_finds_ops_variables_and_lines_and_enter_goes_there(show):
    views = show(LAYERS)
    views.press("/")
    expect(field(views)).to_be_focused()
    views.page.keyboard.type("w2")
    expect(results(views).first).to_contain_text("w2")
    views.page.keyboard.press("Control+A")
    views.page.keyboard.type("reduce_sum")
    expect(results(views).last).to_contain_text("loss = tf.reduce_sum(logits * logits)")
    expect(views.root.get_by_role("status")).to_have_text(re.compile(r"^\d+ results?$"))
    views.press("Enter")
    expect(field(views)).to_have_count(0)
    expect(views.lit.first).to_contain_text("tf.reduce_sum(logits * logits)")


def test_n_and_shift_n_go_through_the_results_and_escape_ends_the_search(show):
    views = show("scene_a")
    views.press("/")
    views.page.keyboard.type("x")
    found = results(views).count()
    assert found > 2
    views.press("Enter", "n", "n")
    place = views.root.get_by_role("status")
    expect(place).to_have_text(f"3 of {found}")
    views.press("Shift+N")
    expect(place).to_have_text(f"2 of {found}")
    views.press("Escape")
    expect(place).to_have_count(0)
    before = views.step
    views.press("n")
    assert views.step == before, "there is no NaN to go to"


def test_a_result_inside_a_closed_group_opens_it(show):
    views = show(VANISHING)
    expect(views.graph).to_contain_text("×30")
    views.press("/")
    views.page.keyboard.type("sigmoid")
    expect(results(views)).to_have_count(31, timeout=10_000)
    views.press("ArrowDown", "Enter")
    expect(views.graph).not_to_contain_text("×30")
    assert views.step == 4


def listed(views):
    rows = views.root.get_by_role("dialog", name="Keys").locator("dt, dd").all()
    texts = [
        each.locator("kbd").all_inner_texts() if index % 2 == 0 else each.inner_text()
        for index, each in enumerate(rows)
    ]
    return list(zip(texts[::2], texts[1::2], strict=True))


def test_the_list_of_keys_is_that_of_the_reference(show):
    views = show("scene_a")
    views.press("?")
    expect(views.root.get_by_role("dialog", name="Keys")).to_be_focused()
    written = ROW.findall(REFERENCE.read_text("utf-8").split("## Keys")[1].split("## With")[0])
    assert listed(views) == [(re.findall(r"`([^`]+)`", keys), says) for keys, says in written]
    views.press("Escape")
    expect(views.root.get_by_role("dialog", name="Keys")).to_have_count(0)
    expect(views.timeline.locator("[tabindex='0']")).to_be_focused()
    views.press("ArrowRight")
    expect(views.timeline.locator(".now")).to_be_focused()


@pytest.mark.parametrize("keys", [["/", "x"], ["/", "x", "Enter"], ["?"]], ids="".join)
def test_axe_finds_nothing_in_search_and_keys(show, keys):
    views = show("scene_a", reduced_motion="reduce")
    views.press(*keys)
    assert violations_in_any_colours(views.root) == []


@pytest.mark.parametrize("width", [1366, 720, 360])
def test_what_lies_over_the_picture_stays_inside(show, width):
    views = show("scene_a", viewport={"width": width, "height": 640})
    outer = views.root.bounding_box()
    for keys in (["/", "x"], ["Escape", "?"]):
        views.press(*keys)
        inner = views.root.locator(".overlay").bounding_box()
        assert inner["x"] >= outer["x"]
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"]
        assert inner["y"] + inner["height"] <= outer["y"] + outer["height"]
