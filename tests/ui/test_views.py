"""What stands beside the code, time, and the questions: by keyboard, and for every reader."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from tapelab.exercises import predictions
from tapelab.recording import from_bytes
from tapelab.views import html
from tapelab.widgets.show import why_missing
from tests.fixtures.record import FOLDER, run_cell
from tests.ui.axe import violations
from tests.ui.browser import Console
from tests.ui.explorer import Explorer

TWO_CALLS = """\
img = tf.Variable(tf.random.uniform([1, 5, 4, 3]), name="img")
kernel = tf.Variable(tf.random.normal([2, 2, 3, 2]), name="kernel")
fixed = tf.Variable(2.0, trainable=False, name="fixed")
with tf.GradientTape(persistent=True) as tape:
    y = tf.nn.conv2d(img, kernel, strides=1, padding="SAME") * fixed
    loss = tf.reduce_sum(y * y)
tape.gradient(y, img)
tape.gradient(loss, [img, kernel, fixed])
recording = tape.recording()"""

LARGE = """\
photo = tf.constant(np.linspace(0, 1, 40 * 50 * 3).reshape(40, 50, 3))
weights = tf.Variable(np.sin(np.arange(120.0 * 90)).reshape(120, 90), name="weights")
maps = tf.Variable(np.cos(np.arange(2.0 * 12 * 30)).reshape(2, 12, 30), name="maps")
word = tf.constant("up")
with tf.GradientTape() as tape:
    tape.watch(photo)
    said = tf.strings.upper(word)
    hidden = tf.transpose(weights) * 2.0
    loss = tf.reduce_sum(hidden) + tf.reduce_sum(photo) + tf.reduce_sum(maps)
slope = tape.gradient(loss, weights)
recording = tape.recording()"""

VANISHING = """\
x = tf.Variable(1.0, name="x")
with tf.GradientTape() as tape:
    y = x
    for step in range(30):
        y = tf.sigmoid(y) * 0.5
tape.gradient(y, x)
recording = tape.recording()"""

NAN_ALL_ALONG = """\
x = tf.Variable(-1.0, name="x")
with tf.GradientTape() as tape:
    y = tf.sqrt(x)
    for step in range(300):
        y = tf.sin(y)
tape.gradient(y, x)
recording = tape.recording()"""

WIDGET = """\
import tapelab as tf
x = tf.Variable(3.0, name="x"); y = tf.Variable(4.0, name="y")
with tf.GradientTape() as tape:
    z = x * y + tf.sin(x)
widget = tf.show(tape, z, step=6).widget()
widget"""


@dataclass(frozen=True)
class Views(Explorer):
    """An explorer in a page, and what stands in it beside the graph."""

    page: Page

    def pane(self, name: str) -> Locator:
        return self.root.get_by_role("group", name=name, exact=True)

    @property
    def field(self) -> Locator:
        return self.root.get_by_role("textbox", name="What arrives at")

    @property
    def step(self) -> int:
        return int(self.counter.inner_text().split("/")[0])

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def pressed(self) -> list[str]:
        """The names of all buttons in the head that are held down."""
        held = self.root.get_by_role("toolbar", name="This tape").locator("[aria-pressed=true]")
        return held.all_inner_texts()


@pytest.fixture
def show(browser, tmp_path):
    """Show a golden recording, or that of a cell, in a page without a network."""
    contexts = []

    def open_one(name: str, *, moment: str = "", **context) -> Views:
        if "\n" in name:
            recording = run_cell(name)[0]["recording"]
        else:
            recording = from_bytes((FOLDER / f"{name}.tape").read_bytes())
        file = tmp_path / "shown.html"
        file.write_text(html.page(recording, why_missing(recording)), "utf-8")
        contexts.append(browser.new_context(offline=True, **context))
        page = contexts[-1].new_page()
        console = Console(page)
        page.goto(f"{file.as_uri()}{moment}")
        explorer = Explorer.within(page)
        expect(explorer.root).to_be_visible()
        explorer.show_the_tape()
        explorer.reel.locator("[tabindex='0']").focus()
        assert console.complaints() == []
        return Views(explorer.root, page)

    yield open_one
    for each in contexts:
        each.close()


def test_each_key_leads_where_it_says(show):
    views = show("scene_a")
    seen = []
    for key in ["b", "s", "Home", "n", "2", "3", "4", "1", "End", "s", "p"]:
        views.press(key)
        seen.append((key, views.step, *views.pressed()))
    assert seen == [
        *[("b", 6, "Graph"), ("s", 10, "Graph"), ("Home", 1, "Graph"), ("n", 1, "Graph")],
        *[("2", 1, "Flow"), ("3", 1, "Memory"), ("4", 1, "Watched"), ("1", 1, "Graph")],
        *[("End", 11, "Graph"), ("s", 10, "Graph")],
        ("p", 10, "Graph", "Predict"),
    ]


def test_the_gradient_fills_the_flow_as_it_comes_back(show):
    views = show("scene_a")
    views.press("2", "b")
    marks = views.pane("Flow").locator(".beat")
    expect(marks).to_have_count(5)
    expect(views.pane("Flow").locator(".beat.todo")).to_have_count(4)
    views.press("End")
    expect(views.pane("Flow").locator(".beat.todo")).to_have_count(0)
    expect(views.pane("Flow").get_by_role("img")).to_have_accessible_name(
        re.compile("mean size of the gradient.*sets out")
    )


def test_the_first_nan_is_one_key_away(show):
    views = show("not_finite")
    views.press("2", "n")
    assert views.step == 2
    expect(views.pane("Flow")).to_contain_text("The first NaN or ∞ is born at step 2.")


def test_memory_tells_of_this_step_and_watched_tells_who_and_why(show):
    views = show(TWO_CALLS)
    views.press("Home", "3")
    expect(views.pane("Memory")).to_contain_text("held by the tape0 bytes")
    views.press("End")
    expect(views.pane("Memory")).not_to_contain_text("held by gradients0 bytes")
    expect(views.pane("Memory")).to_contain_text("This tape is persistent")
    views.press("4")
    expect(views.pane("Watched").get_by_role("listitem")).to_have_count(3)
    expect(views.pane("Watched")).to_contain_text("It is not trainable")


def test_a_name_in_the_list_of_the_watched_shows_its_numbers(show):
    views = show(TWO_CALLS)
    views.press("End", "4")
    views.button("kernel").click()
    expect(views.inspector).to_contain_text("made in")
    expect(views.inspector).to_contain_text("96 bytes")
    slider = views.inspector.get_by_role("slider").first
    slider.focus()
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "[0, 1, :, :]")
    assert views.step == views.steps()


def test_an_image_is_drawn_in_its_own_colours(show):
    views = show(TWO_CALLS)
    views.press("4")
    views.button("img").click()
    colours = views.inspector.locator(".heat rect[style*='rgb']")
    expect(colours).to_have_count(20)


def test_large_tensors_are_drawn_in_blocks_that_say_what_they_are(show):
    views = show(LARGE)
    views.press("4")
    views.button("weights").click()
    expect(views.inspector).to_contain_text("120×90 in 32×32 blocks: the mean of each")
    expect(views.inspector).to_contain_text("10 800 numbers")
    expect(views.inspector).to_contain_text("mean ")
    expect(views.inspector.get_by_role("img", name="value of weights")).to_be_visible()
    views.button("photo").click()
    expect(views.inspector).to_contain_text("40×50 pixels, drawn as 32×32")
    expect(views.inspector.locator(".heat rect[style*='rgb']")).to_have_count(1024)


def test_a_large_tensor_of_three_axes_is_seen_slice_by_slice(show):
    views = show(LARGE)
    views.press("4")
    views.button("maps").click()
    expect(views.inspector.get_by_role("img", name="value of maps [0, :, :]")).to_be_visible()
    views.inspector.get_by_role("slider").press("ArrowRight")
    expect(views.inspector.get_by_role("img", name="value of maps [1, :, :]")).to_be_visible()


def test_what_the_tape_let_go_of_says_how_to_see_it(show):
    views = show(LARGE)
    views.press("ArrowRight", "ArrowRight", "ArrowRight")
    expect(views.inspector).to_contain_text("the tape let go of it with its answer")


def test_a_few_words_are_shown(show):
    views = show(LARGE)
    views.press("ArrowRight")
    expect(views.inspector).to_contain_text("b'UP'")


def test_each_op_has_a_bar_for_what_it_adds_and_it_is_let_go_on_the_way_back(show):
    views = show("matmul")
    views.press("b", "3")
    bars = views.pane("Memory").locator("rect.bytes")
    expect(bars).to_have_count(4)
    expect(views.pane("Memory").locator("rect.bytes.held")).to_have_count(4)
    views.press("End")
    expect(views.pane("Memory").locator("rect.bytes.gone")).to_have_count(4)
    expect(views.pane("Memory")).to_contain_text("let go of so far128 bytes")
    views.press("Home")
    bars.first.click()
    assert views.step == 2


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
    views.reel.locator("[tabindex='0']").focus()
    views.press("b", "ArrowRight", "PageUp")
    expect(field).to_have_value("29")


def test_a_road_says_where_it_leads_from_and_to(show):
    views = show("scene_a")
    titles = views.graph.locator("g > title", has_text="→")
    assert titles.first.text_content() == "x, 3.0000 → x * y"
    views = show("loops")
    assert "×" in "".join(views.graph.locator(".elab.many").all_text_contents())


def test_the_names_of_zones_cover_no_mark(show):
    views = show(VANISHING)
    views.press("End", "2")
    pane = views.pane("Flow")
    name = pane.get_by_text("Vanished", exact=True).bounding_box()
    marks = [mark.bounding_box() for mark in pane.locator(".beat").all()]
    assert marks
    assert all(mark["x"] + mark["width"] <= name["x"] for mark in marks)


def test_a_stretch_of_nan_is_named_where_many_frames_share_a_mark(show):
    views = show(NAN_ALL_ALONG)
    views.press("End", "2")
    band = views.pane("Flow").locator(".beat.nan rect")
    expect(views.pane("Flow").get_by_text("NaN", exact=True).locator("visible=true")).to_have_count(
        2
    )  # in the band, and before the sentence that tells where it is born
    boxes = sorted((box["x"], box["width"]) for box in (b.bounding_box() for b in band.all()))
    assert len(boxes) < 300
    assert all(x + width >= after for (x, width), (after, _) in pairwise(boxes))


def test_a_question_comes_into_view_where_the_page_is_scrolled_past_it(show):
    views = show("loops", viewport={"width": 760, "height": 545})
    views.press("b")
    views.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert views.page.evaluate("scrollY") > 0
    views.press("p")
    expect(views.field).to_be_focused()
    expect(views.field).to_be_in_viewport(ratio=1)


def test_a_question_is_answered_by_keyboard_and_the_next_key_goes_on(show):
    views = show("scene_a")
    views.press("b", "p")
    expect(views.field).to_be_focused()
    views.page.keyboard.type("1")
    views.press("Enter")
    assert views.step == 7
    expect(views.root.get_by_role("status")).to_have_text("Right: 1.0000.")
    views.press("ArrowRight")
    expect(views.field).to_be_focused()
    assert views.step == 7
    views.page.keyboard.type("None")
    views.press("Enter")
    expect(views.root.get_by_role("status")).to_contain_text("You said None. It is 1.0000.")
    expect(views.root.get_by_role("toolbar", name="This tape")).to_contain_text("1 of 2")


def test_what_takes_the_focus_in_a_low_place_is_not_left_behind_the_buttons(show):
    views = show("loops", viewport={"width": 760, "height": 545})
    views.press("b", "p")
    views.field.evaluate("field => { field.blur(); scrollTo(0, 0); field.focus() }")
    foot = views.root.get_by_role("toolbar", name="Steps").bounding_box()
    field = views.field.bounding_box()
    assert foot["y"] < 545
    assert field["y"] + field["height"] <= foot["y"]


def test_about_matrices_their_shape_is_asked_for(show):
    views = show("matmul")
    views.press("b", "p")
    field = views.root.get_by_role("textbox", name="What shape has the gradient")
    expect(field).to_be_focused()
    views.page.keyboard.type("2 3")
    views.press("Enter")
    expect(views.root.get_by_role("status")).to_have_text("Right: 2×3.")


def test_on_the_way_forward_the_next_op_is_chosen_and_an_answer_taken_back(show):
    views = show("scene_a")
    views.press("Home", "p")
    assert views.step == 2
    expect(views.root.get_by_role("group", name="Which op runs next?")).to_be_visible()
    expect(views.root.get_by_role("radio").first).to_be_focused()
    views.press("Space", "Enter")
    assert views.step == 3
    expect(views.root.get_by_role("status")).to_contain_text("It is × x * y.")
    views.press("u")
    assert views.step == 2
    expect(views.root.get_by_role("toolbar", name="This tape")).not_to_contain_text(" of ")


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
    views.root.get_by_role("combobox", name="Speed").select_option("4×")
    views.button("Play").click()
    views.stands_at(11, of=11)
    expect(views.button("Play")).to_be_visible()


MOMENTS = [
    *[("scene_a", ["p"]), ("scene_a", ["End", "2"]), ("not_finite", ["End", "2"])],
    *[("matmul", ["b", "3"]), ("matmul", ["b", "ArrowRight", "p"]), ("matmul", ["End"])],
    *[(TWO_CALLS, ["End", "4"]), ("second_order", ["End"]), ("vectors", ["2"])],
]


@pytest.mark.parametrize(
    "theme",
    [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"}],
    ids=lambda theme: next(iter(theme.values())),
)
def test_axe_finds_nothing_in_any_view(show, theme):
    for name, keys in MOMENTS:
        views = show(name, reduced_motion="reduce", **theme)
        views.press(*keys)
        assert violations(views.root) == [], (name, keys)
        views.page.close()


def test_a_widget_gets_its_later_views_from_the_kernel_and_tells_it_of_predictions(open_notebook):
    notebook = open_notebook(WIDGET, "print([each['right'] for each in widget.predictions])")
    notebook.run_all()
    explorer = Explorer.within(notebook.cells.nth(0))
    explorer.stands_at(6, of=11)
    explorer.button("Flow").click()
    expect(explorer.root.locator(".plot")).to_be_visible()
    explorer.button("Predict").click()
    field = explorer.root.get_by_role("textbox", name="What arrives at")
    field.fill("1")
    field.press("Enter")
    explorer.stands_at(7, of=11)
    expect(explorer.root.get_by_role("status")).to_contain_text("Right: 1.0000.")
    notebook.cells.nth(1).locator(".cm-content").click()
    notebook.page.keyboard.press("Shift+Enter")
    expect(notebook.output(1)).to_have_text("[True]")
    expect(notebook.output(0)).to_contain_text("Predicted 1 of 1 step.")
    notebook.save()
    assert [each.right for each in predictions(notebook.file)] == [True]


LIVE = """\
import numpy as np
import tapelab as tf
weights = tf.Variable(np.sin(np.arange(120.0 * 90)).reshape(120, 90), name="weights")
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(weights * weights)
tf.show(tape, loss, step=1).widget()"""


def test_a_widget_gets_what_draws_large_tensors_from_the_kernel(open_notebook):
    notebook = open_notebook(LIVE)
    notebook.run_all()
    explorer = Explorer.within(notebook.cells.nth(0))
    expect(explorer.inspector.locator(".heat")).to_be_visible()
    expect(explorer.root).to_contain_text("120×90 in 32×32 blocks: the mean of each")
