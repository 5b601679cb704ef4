"""Tensors as they are drawn: numbers, images, blocks, slices, words."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.explorer import Explorer
from tests.ui.views import TWO_CALLS

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
gradient = tape.gradient(loss, weights)
recording = tape.recording()"""

LIVE = """\
import numpy as np
import tapelab as tf
weights = tf.Variable(np.sin(np.arange(120.0 * 90)).reshape(120, 90), name="weights")
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(weights * weights)
tf.show(tape, loss, step=1).widget()"""


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
    views.press("1")
    expect(views.graph.locator(".nd .heat path[style*='rgb']").first).to_be_visible()


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
    views.press(*["ArrowRight"] * 4)
    expect(views.inspector).to_contain_text("the tape released it after the gradient call")


def test_a_few_words_are_shown(show):
    views = show(LARGE)
    views.press("ArrowRight", "ArrowRight")
    expect(views.inspector).to_contain_text("b'UP'")


def test_a_widget_gets_what_draws_large_tensors_from_the_kernel(open_notebook):
    notebook = open_notebook(LIVE)
    notebook.run_all()
    explorer = Explorer.within(notebook.cells.nth(0))
    expect(explorer.inspector.locator(".heat")).to_be_visible()
    expect(explorer.root).to_contain_text("120×90 in 32×32 blocks: the mean of each")
