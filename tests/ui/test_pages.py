"""An exported page at the sizes of windows and on paper: nothing that is needed is out of sight."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import tapelab as tf
from tests.ui.explorer import Explorer

WINDOWS = {
    "a small laptop": (1024, 768),
    "a projector": (1280, 720),
    "a phone": (360, 740),
    "a phone on its side": (740, 360),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory, taped):
    return taped.export(tmp_path_factory.mktemp("pages") / "picture.html")


@pytest.fixture(scope="module")
def taped():
    x, y = tf.Variable(3.0, name="x"), tf.Variable(4.0, name="y")
    with tf.GradientTape() as tape:
        z = x * y + tf.sin(x)
    return tf.show(tape, z, step=8)


@pytest.fixture
def opened(browser, file, request):
    width, height = WINDOWS.get(getattr(request, "param", ""), (794, 1123))
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme="dark")
    page = context.new_page()
    page.goto(file.as_uri())
    expect(Explorer.within(page).root).to_be_visible()
    yield page
    context.close()


@pytest.mark.parametrize("opened", WINDOWS, indirect=True)
def test_the_buttons_are_in_sight_wherever_the_page_is_scrolled_to(opened):
    explorer = Explorer.within(opened)
    low = opened.evaluate("document.documentElement.scrollHeight - innerHeight")
    for scrolled in (0, low // 2, low):
        opened.evaluate("top => scrollTo(0, top)", scrolled)
        expect(explorer.button("Step")).to_be_in_viewport(ratio=1)
    explorer.button("Step").click()
    explorer.stands_at(9, of=11)


@pytest.mark.parametrize("opened", WINDOWS, indirect=True)
def test_no_page_is_wider_than_its_window(opened):
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_paper_is_white_and_shows_every_frame_and_every_edge(opened):
    shown = {
        kind: opened.locator(f".tl {kind}:visible").count() for kind in (".fr", ".ed", ".ed.b")
    }
    opened.emulate_media(media="print")
    for kind, number in shown.items():
        assert number > 0
        expect(opened.locator(f".tl {kind}:visible")).to_have_count(number)
    root = Explorer.within(opened).root
    assert root.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(255, 255, 255)"
    expect(opened.get_by_role("button", name="Step", exact=True)).to_have_count(0)
    for frame in opened.locator(".tl .fr").all():
        place = frame.bounding_box()
        assert place["x"] + place["width"] <= 794
