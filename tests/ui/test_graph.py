"""The graph folds and unfolds, keeps names whole, and is moved and sized by hand and by key."""

from __future__ import annotations

import re
from functools import cache

import pytest
from playwright.sync_api import expect

import tapelab as tf
from tapelab.views import html
from tests.ui.axe import violations
from tests.ui.browser import Console
from tests.ui.explorer import Explorer

CARDS = ".stage .nd"


@cache
def loop(length: int):
    x = tf.Variable(0.5, name="x")
    with tf.GradientTape() as tape:
        y = x
        for _ in range(length):
            h = tf.tanh(y)
            y = 0.5 * h + x
    return tape.recording(y)


@cache
def named():
    x = tf.Variable(0.5, name="x")
    with tf.GradientTape() as tape:
        the_hidden_layer_of_my_network = tf.tanh(x)
        loss = (the_hidden_layer_of_my_network - 0.25) * (the_hidden_layer_of_my_network + 0.125)
        total = tf.square(loss)
    return tape.recording(total)


SIZE = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def pages(browser):
    """Hand out one page to all tests; a page in other colours is opened beside it."""
    usual = browser.new_context(viewport=SIZE).new_page()
    console = Console(usual)

    def hand_out(**context):
        if not context:
            usual.set_viewport_size(SIZE)
            return usual, console
        page = browser.new_context(viewport=SIZE, **context).new_page()
        return page, Console(page)

    yield hand_out
    usual.context.close()


@pytest.fixture
def opened(pages, tmp_path):
    """Open a recording as an exported page; when done, its console must have stayed silent."""
    shown = []

    def open_page(recording, step=None, **context):
        file = tmp_path / f"{len(shown)}.html"
        file.write_text(html.page(recording, step=step), "utf-8")
        page, console = pages(**context)
        shown.append((page, console, context))
        page.goto(file.as_uri())
        explorer = Explorer.within(page)
        expect(explorer.graph).to_be_visible()
        return page, explorer

    yield open_page
    for page, console, context in shown:
        if context:
            page.context.close()
        assert console.complaints() == []


def cards(page):
    return page.locator(CARDS)


def test_a_long_loop_starts_as_one_card_and_opens_by_the_dozen(opened):
    page, explorer = opened(loop(100))
    expect(cards(page)).to_have_count(2)
    folded = cards(page).filter(has_text="×100")
    folded.click()
    expect(cards(page).filter(has_text="×10")).to_have_count(10)
    expect(cards(page)).to_have_count(11)
    explorer.button("Fold all").click()
    expect(cards(page)).to_have_count(2)


@pytest.mark.parametrize("key", ["Enter", "Space", "f"])
def test_a_key_opens_what_is_folded_at_this_step_and_another_closes_it(opened, key):
    page, explorer = opened(loop(100), step=40)
    explorer.graph.focus()
    page.keyboard.press(key)
    expect(cards(page)).to_have_count(11)
    page.keyboard.press("Shift+F")
    expect(cards(page)).to_have_count(2)


def test_the_button_folds_what_is_open_around_this_step(opened):
    page, explorer = opened(loop(6), step=4)
    before = cards(page).count()
    explorer.button("Fold y").click()
    assert cards(page).count() < before


def test_a_folded_loop_says_which_iteration_a_step_is_in(opened):
    page, explorer = opened(loop(100), step=1 + 3 * 36 + 2)
    card = cards(page).filter(has_text="×100")
    expect(card).to_contain_class("v")
    expect(card).to_contain_text("37/100")
    explorer.graph.focus()
    page.keyboard.press("ArrowRight")  # to the end of this iteration
    expect(card).to_contain_text("37/100")
    page.keyboard.press("ArrowRight")
    expect(card).to_contain_text("38/100")


def test_a_short_tape_starts_unfolded(opened):
    page, _ = opened(loop(4))
    expect(cards(page).filter(has_text=re.compile("ops|×4"))).to_have_count(0)


FITS = """cards => cards.map(card => {
  const [box, text] = [card.querySelector('.box:last-of-type'), card.querySelector('.t')];
  const room = card.querySelectorAll('.box');
  const inner = room[room.length - 1].getBBox(), title = text.getBBox();
  return [text.textContent, card.querySelector('title').textContent,
    title.x >= inner.x + 4 && title.x + title.width <= inner.x + inner.width - 4];
})"""


@pytest.mark.parametrize("width", [1280, 420])
def test_names_are_whole_and_stand_inside_their_cards(opened, width):
    page, _ = opened(named())
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(DRAWN)
    titles = cards(page).evaluate_all(FITS)
    assert all(fits for _, _, fits in titles), titles
    shown = {title: text for text, title, _ in titles}
    if width > 1000:
        assert shown["the_hidden_layer_of_my_network"] == "the_hidden_layer_of_my_network"
    for title, text in shown.items():
        head, cut, tail = text.partition("…")
        assert title.startswith(head)
        assert title.endswith(tail)
        assert cut or text == title


DRAWN = "new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))"


def unfolded(opened, **context):
    page, explorer = opened(loop(150), step=20, **context)
    explorer.button("Unfold all").click()
    canvas = page.locator(".stage canvas")
    expect(canvas).to_be_visible()
    return page, explorer, canvas


COLOURS = """canvas => {
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] === 255) seen.add(data.slice(at, at + 3).join());
  return [...seen];
}"""
BLUE, ORANGE, GREEN = "0,114,178", "213,94,0", "0,135,95"
BLUE_IN_THE_DARK = "86,180,233"


def test_a_large_graph_is_painted_in_the_colours_of_its_theme(opened):
    page, _, canvas = unfolded(opened, color_scheme="light")
    assert BLUE in canvas.evaluate(COLOURS)
    page.emulate_media(color_scheme="dark")
    painted = f"([canvas, colour]) => ({COLOURS})(canvas).includes(colour)"
    page.wait_for_function(painted, arg=[canvas.element_handle(), BLUE_IN_THE_DARK])
    assert BLUE not in canvas.evaluate(COLOURS)


def test_forced_colours_reach_the_painted_graph(opened):
    _, _, canvas = unfolded(opened, forced_colors="active")
    colours = canvas.evaluate(COLOURS)
    assert BLUE not in colours
    assert "0,0,0" in colours


def test_a_click_in_the_painted_graph_selects_what_is_there(opened):
    page, explorer, canvas = unfolded(opened)
    heading = explorer.inspector.get_by_role("heading").first.inner_text()
    box = canvas.bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.click(middle[0], box["y"] + 5)
    expect(explorer.inspector.get_by_role("heading").first).to_have_text(heading)
    page.mouse.click(middle[0] + 220, middle[1])
    expect(explorer.inspector.get_by_role("heading").first).not_to_have_text(heading)


def test_the_painted_graph_shows_where_the_keyboard_is(opened):
    page, explorer, canvas = unfolded(opened)
    focus = "25,118,210"
    assert focus not in canvas.evaluate(COLOURS)
    explorer.button("Step").focus()
    page.keyboard.press("Tab")
    explorer.graph.focus()
    page.keyboard.press("ArrowDown")
    assert focus in canvas.evaluate(COLOURS)


def test_dragging_moves_a_painted_graph_and_is_no_click(opened):
    page, explorer, canvas = unfolded(opened)
    heading = explorer.inspector.get_by_role("heading").first.inner_text()
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 220, box["y"] + 200, steps=4)
    page.mouse.up()
    assert canvas.evaluate("canvas => canvas.toDataURL()") != before
    expect(explorer.inspector.get_by_role("heading").first).to_have_text(heading)


def scrolled(explorer):
    return explorer.graph.evaluate("pane => [pane.scrollLeft, pane.scrollTop]")


def test_dragging_scrolls_a_graph_that_is_wider_than_its_pane(opened):
    page, explorer = opened(loop(10))
    box = explorer.graph.bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 10, steps=4)
    page.mouse.up()
    assert scrolled(explorer)[0] == 100
    explorer.graph.focus()
    page.keyboard.press("Shift+ArrowRight")
    assert scrolled(explorer)[0] == 180


def test_the_wheel_with_control_sizes_the_graph_around_the_pointer(opened):
    page, explorer = opened(loop(10))
    card = cards(page).nth(1)
    before, centre = card.bounding_box(), card.bounding_box()
    at = (centre["x"] + 20, centre["y"] + 20)
    page.mouse.move(*at)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.evaluate(DRAWN)
    after = card.bounding_box()
    assert after["width"] > 1.2 * before["width"]
    assert after["x"] <= at[0] <= after["x"] + after["width"]
    explorer.graph.focus()
    page.keyboard.press("0")
    assert card.bounding_box()["width"] == pytest.approx(before["width"], rel=0.1)


def test_plus_and_minus_size_the_graph_and_naught_brings_it_back(opened):
    page, explorer = opened(loop(6), step=4)
    drawn = page.locator(".stage svg").first
    explorer.graph.focus()
    widths = []
    for key in ["0", "+", "=", "-", "-", "-", "0"]:
        page.keyboard.press(key)
        page.evaluate(DRAWN)
        widths.append(drawn.bounding_box()["width"])
        explorer.stands_at(4, of=explorer.steps())
    plain, once, twice, back, again, smaller, reset = widths
    assert smaller < plain < once < twice
    assert twice == pytest.approx(1.25 * once, rel=0.01)
    assert (back, again, reset) == (once, plain, plain)


def test_two_fingers_size_the_graph(opened):
    page, _ = opened(loop(10), has_touch=True)
    before = cards(page).first.bounding_box()
    page.locator(".stage svg").first.evaluate(PINCH)
    page.evaluate(DRAWN)
    assert cards(page).first.bounding_box()["width"] > 1.5 * before["width"]


PINCH = """svg => {
  const point = (type, pointerId, clientX) => svg.dispatchEvent(new PointerEvent(type, {
    bubbles: true, pointerId, clientX, clientY: 300, buttons: 1, pointerType: 'touch'}));
  point('pointerdown', 1, 700); point('pointerdown', 2, 750);
  for (const apart of [60, 80, 100]) point('pointermove', 2, 700 + apart);
  point('pointerup', 1, 700); point('pointerup', 2, 800);
}"""


def test_the_whole_graph_can_be_brought_into_view(opened):
    page, explorer = opened(loop(10))
    explorer.button("Whole graph").click()
    pane = explorer.graph.bounding_box()
    for box in [card.bounding_box() for card in cards(page).all()]:
        assert pane["x"] <= box["x"]
        assert box["x"] + box["width"] <= pane["x"] + pane["width"] + 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_folded_and_painted_graphs(opened, scheme):
    _, explorer = opened(loop(150), step=20, color_scheme=scheme)
    assert violations(explorer.root) == []
    explorer.button("Unfold all").click()
    assert violations(explorer.root) == []


def test_a_long_tape_says_how_much_it_reads_before_it_is_drawn(browser, tmp_path):
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(210_000):
            y = tf.sin(y)
    file = tmp_path / "long.html"
    file.write_text(html.page(tape.recording(y)), "utf-8")
    page = browser.new_page()
    page.add_init_script(NOTE_WHAT_IS_READ)
    page.goto(file.as_uri())
    explorer = Explorer.within(page)
    expect(explorer.graph).to_be_visible(timeout=60_000)
    reads = page.evaluate("window.reads")
    assert [title for title, _ in reads][:1] == ["Reading 210\u202f000 ops"]
    shares = [share for _, share in reads]
    assert shares == sorted(shares)
    assert len(set(shares)) >= 3


NOTE_WHAT_IS_READ = """
window.reads = [];
new MutationObserver(() => {
  const bar = document.querySelector('.meter');
  if (bar) reads.push([bar.getAttribute('aria-label'), Number(bar.getAttribute('aria-valuenow'))]);
}).observe(document, {childList: true, subtree: true, attributes: true});
"""
