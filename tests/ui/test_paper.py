"""Printed pages: the whole tape with its values, or the step that was chosen, never empty nodes."""

from __future__ import annotations

import numpy as np
import pypdfium2
import pytest
from playwright.sync_api import expect

import tapelab as tf
from tests.fixtures.record import run_cell
from tests.ui.explorer import Explorer

BLUE, ORANGE = (0, 114, 178), (213, 94, 0)
"""The colours of a value and of a gradient on paper."""
CELL = """\
x = tf.Variable(3.0, name="x")
with tf.GradientTape() as tape:
    z = x * x + tf.sin(x)
tape.gradient(z, x)
recording = tape.recording()"""
MARGIN = dict.fromkeys(("left", "right", "top", "bottom"), "1cm")


@pytest.fixture
def page_of(browser, tmp_path):
    """Open the exported page of a small tape, without a network, in the dark."""
    recording = run_cell(CELL)[0]["recording"]
    context = browser.new_context(offline=True, color_scheme="dark")

    def opened(**options):
        file = tf.show(recording, **options).export(tmp_path / "picture.html")
        page = context.new_page()
        page.goto(file.as_uri())
        expect(Explorer.within(page).root).to_be_visible()
        return page

    yield opened
    context.close()


def printed(page):
    """The text of all sheets of a printed page, and the sheets as images."""
    document = pypdfium2.PdfDocument(page.pdf(print_background=True, format="A4", margin=MARGIN))
    text = "\n".join(sheet.get_textpage().get_text_range() for sheet in document)
    return text, [np.asarray(sheet.render(scale=1.5).to_pil().convert("RGB")) for sheet in document]


def share_of(images, colour):
    """How many pixels of the sheets have a colour, nearly."""
    return sum(int((np.abs(each.astype(int) - colour).max(axis=2) < 24).sum()) for each in images)


def test_a_page_nobody_touched_prints_its_last_step_with_all_values_and_gradients(page_of):
    page = page_of()
    text, sheets = printed(page)
    assert "9.1411" in text  # z
    assert "5.0100" in text  # dz/dx
    assert share_of(sheets, ORANGE) > 200
    assert share_of(sheets, BLUE) > 200


def test_after_printing_the_step_on_the_screen_is_the_one_before(page_of):
    page = page_of()
    explorer = Explorer.within(page)
    before = explorer.counter.inner_text()
    printed(page)
    expect(explorer.counter).to_have_text(before)
    assert before.startswith("0 /")


def test_a_chosen_step_is_printed_as_it_stands(page_of):
    page = page_of()
    explorer = Explorer.within(page)
    for step in (1, 2):
        explorer.button("Step").click()
        explorer.stands_at(step, of=10)
    text, _ = printed(page)
    assert "5.0100" not in text
    assert "2 / 10" not in text
    assert "9.0000" in text  # x * x has run
    assert "9.1411" not in text  # z has not


def test_paper_is_white_and_nothing_on_it_leaves_the_sheet(page_of):
    _, sheets = printed(page_of())
    for sheet in sheets:
        edge = np.concatenate([sheet[:, :4].reshape(-1, 3), sheet[:, -4:].reshape(-1, 3)])
        assert (edge == 255).all()


def test_every_frame_of_the_tape_is_on_paper(page_of):
    page = page_of()
    text, _ = printed(page)
    for name in ("x * x", "tf.sin(x)", "z"):
        assert text.count(name) >= 2  # in the graph, and in the timeline
    assert "9.1411" in text


def test_a_graph_wider_than_paper_is_printed_in_strips_that_can_be_read(browser, tmp_path):
    steps = "\n".join(f"    y{at + 1} = tf.sin(y{at})" for at in range(20))
    code = f"y0 = tf.Variable(1.0)\nwith tf.GradientTape() as tape:\n{steps}"
    space = run_cell(f"{code}\ntape.gradient(y20, y0)\nrecording = tape.recording()")[0]
    page = browser.new_page()
    page.goto(tf.show(space["recording"]).export(tmp_path / "wide.html").as_uri())
    expect(Explorer.within(page).root).to_be_visible()
    sheets = pypdfium2.PdfDocument(page.pdf(format="A4", margin=MARGIN))
    heights, text = [], ""
    for sheet in sheets:
        words = sheet.get_textpage()
        text += words.get_text_range()
        digits = [at for at in range(words.count_chars()) if words.get_text_range(at, 1).isdigit()]
        boxes = map(words.get_charbox, digits)
        heights += [top - bottom for _, bottom, _, top in boxes]
    assert all(text.count(f"y{at}") >= 3 for at in range(1, 21))  # in code, timeline and graph
    assert min(heights) > 3  # points
    assert page.locator(".strips").count() == 0
    page.close()


def test_no_line_of_code_is_cut_on_paper(browser, tmp_path):
    space = run_cell(f"# {'a long remark ' * 12}the end\n{CELL}")[0]
    page = browser.new_page()
    page.goto(tf.show(space["recording"]).export(tmp_path / "long.html").as_uri())
    expect(Explorer.within(page).root).to_be_visible()
    text, _ = printed(page)
    assert "the end" in " ".join(text.split())
    page.close()
