"""What stands beside the code in place of the graph: flow, memory, who is watched."""

from __future__ import annotations

import re
from itertools import pairwise

from playwright.sync_api import expect

from tests.ui.views import TWO_CALLS, VANISHING

NAN_ALL_ALONG = """\
x = tf.Variable(-1.0, name="x")
with tf.GradientTape() as tape:
    y = tf.sqrt(x)
    for step in range(300):
        y = tf.sin(y)
tape.gradient(y, x)
recording = tape.recording()"""


def test_the_gradient_fills_the_flow_as_it_comes_back(show):
    views = show("scene_a")
    views.press("2", "b")
    marks = views.pane("Flow").locator(".magnitude")
    expect(marks).to_have_count(5)
    expect(views.pane("Flow").locator(".magnitude.todo")).to_have_count(4)
    views.press("End")
    expect(views.pane("Flow").locator(".magnitude.todo")).to_have_count(0)
    expect(views.pane("Flow").get_by_role("img")).to_have_accessible_name(
        re.compile("mean size of the gradient.*sets out")
    )


def test_the_first_nan_is_one_key_away(show):
    views = show("not_finite")
    views.press("2", "n")
    assert views.step == 2
    expect(views.pane("Flow")).to_contain_text("The first NaN or ∞ appears at step 2.")


def test_memory_describes_this_step_and_watched_says_what_and_why(show):
    views = show(TWO_CALLS)
    views.press("Home", "3")
    expect(views.pane("Memory")).to_contain_text("held by the tape0 bytes")
    views.press("End")
    expect(views.pane("Memory")).not_to_contain_text("held by gradients0 bytes")
    expect(views.pane("Memory")).to_contain_text("This tape is persistent")
    views.press("4")
    expect(views.pane("Watched").get_by_role("listitem")).to_have_count(3)
    expect(views.pane("Watched")).to_contain_text("It is not trainable")


def test_each_op_has_a_bar_for_what_it_adds_and_it_is_let_go_on_the_way_back(show):
    views = show("matmul")
    views.press("b", "3")
    bars = views.pane("Memory").locator("rect.bytes")
    expect(bars).to_have_count(4)
    expect(views.pane("Memory").locator("rect.bytes.held")).to_have_count(4)
    views.press("End")
    expect(views.pane("Memory").locator("rect.bytes.gone")).to_have_count(4)
    expect(views.pane("Memory")).to_contain_text("released so far128 bytes")
    views.press("Home")
    bars.first.click()
    assert views.step == 2


def test_the_names_of_zones_cover_no_mark(show):
    views = show(VANISHING)
    views.press("End", "2")
    pane = views.pane("Flow")
    name = pane.get_by_text("Vanished", exact=True).bounding_box()
    marks = [mark.bounding_box() for mark in pane.locator(".magnitude").all()]
    assert marks
    assert all(mark["x"] + mark["width"] <= name["x"] for mark in marks)


def test_a_stretch_of_nan_is_named_where_many_frames_share_a_mark(show):
    views = show(NAN_ALL_ALONG)
    views.press("End", "2")
    band = views.pane("Flow").locator(".magnitude.nan rect")
    expect(views.pane("Flow").get_by_text("NaN", exact=True).locator("visible=true")).to_have_count(
        2
    )  # in the band, and before the sentence that tells where it is born
    boxes = sorted((box["x"], box["width"]) for box in (b.bounding_box() for b in band.all()))
    assert len(boxes) < 300
    assert all(x + width >= after for (x, width), (after, _) in pairwise(boxes))
