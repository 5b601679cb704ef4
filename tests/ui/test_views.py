"""Keys, edges, time and frames; and no view stands in a reader's way."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.ui.axe import violations_in_any_colours
from tests.ui.views import TWO_CALLS, VANISHING


def test_each_key_leads_where_it_says(show):
    views = show("scene_a")
    seen = []
    for key in ["b", "s", "Home", "n", "2", "3", "4", "1", "End", "s", "p"]:
        views.press(key)
        seen.append((key, views.step, *views.pressed()))
    assert seen == [
        *[("b", 6, "Graph"), ("s", 10, "Graph"), ("Home", 0, "Graph"), ("n", 0, "Graph")],
        *[("2", 0, "Flow"), ("3", 0, "Memory"), ("4", 0, "Watched"), ("1", 0, "Graph")],
        *[("End", 11, "Graph"), ("s", 10, "Graph")],
        ("p", 10, "Graph", "Predict"),
    ]


def test_the_iteration_of_a_loop_is_chosen_by_number_or_by_key(show):
    views = show(VANISHING)
    views.press("ArrowRight", "ArrowRight", "PageDown", "PageDown")
    field = views.root.get_by_role("spinbutton", name="Iteration of y, 1 to 30")
    expect(field).to_have_value("3")
    assert views.step == 7
    field.fill("30")
    field.press("Enter")
    assert views.step == 61
    expect(views.graph).to_contain_text("30/30")
    field.press("ArrowDown")
    assert views.step == 59
    views.timeline.locator("[tabindex='0']").focus()
    views.press("b", "ArrowRight", "PageUp")
    expect(field).to_have_value("29")


def test_an_edge_says_where_it_leads_from_and_to(show):
    views = show("scene_a")
    titles = views.graph.locator("g > title", has_text="→")
    assert titles.first.text_content() == "x, 3.0000 → x * y"
    views = show("loops")
    assert all(views.graph.locator(".elab.shape").all_text_contents())
    assert views.graph.locator(".elab.shape").count() > 0


def test_tracks_lead_through_all_of_time(show):
    views = show(TWO_CALLS)
    time = views.root.get_by_role("toolbar", name="Time").get_by_role("button")
    expect(time).to_have_count(3)
    forward = int(re.search(r"\d+", time.nth(0).get_attribute("aria-label"))[0])
    time.nth(1).focus()
    views.press("Enter")
    assert views.step == forward + 1
    box = time.nth(2).bounding_box()
    views.page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    assert views.step == views.steps()


def test_a_moment_has_an_address_and_a_line_to_copy(show):
    views = show("scene_a", moment="#step=9")
    assert views.step == 9
    expect(views.button("9 / 11")).to_have_attribute("title", "Copy tf.show(tape, step=9)")


def test_playing_at_a_speed_reaches_the_end(show):
    views = show("scene_a")
    for speed in ("1×", "2×"):
        views.button(f"Speed {speed}").click()
    expect(views.button("Speed 4×")).to_be_visible()
    views.button("Play").click()
    views.stands_at(11, of=11)
    expect(views.button("Play")).to_be_visible()


MOMENTS = [
    *[("scene_a", ["p"]), ("scene_a", ["End", "2"]), ("not_finite", ["End", "2"])],
    *[("matmul", ["b", "3"]), ("matmul", ["b", "ArrowRight", "p"]), ("matmul", ["End"])],
    *[(TWO_CALLS, ["End", "4"]), ("second_order", ["End"]), ("vectors", ["2"])],
]


def test_axe_finds_nothing_in_any_view(show):
    for name, keys in MOMENTS:
        views = show(name, reduced_motion="reduce")
        views.press(*keys)
        assert violations_in_any_colours(views.root) == [], (name, keys)
        views.page.close()
