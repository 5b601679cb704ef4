"""The gallery on the screen: every scene in every theme, as it looked when somebody looked at it.

`python -m tests.ui.test_gallery` retakes the small pictures that the scenes are compared with:
look at them before you commit them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageFilter
from playwright.sync_api import Browser, Page

from tests.ui.axe import COLOURS, violations
from tests.ui.browser import Console, launched
from tests.ui.gallery.looks import (
    SHOTS,
    difference,
    font_script,
    hold_still,
    reference,
    save,
    screenshot,
)
from tests.ui.gallery.page import write
from tests.ui.gallery.scenes import SCENES

HERE = Path(__file__).parent / "gallery"
LIGHT = {"color_scheme": "light", "contrast": "no-preference", "forced_colors": "none"}
THEMES = {
    "light": LIGHT,
    "dark": LIGHT | {"color_scheme": "dark"},
    "contrast": LIGHT | {"contrast": "more"},
    "forced": LIGHT | {"forced_colors": "active"},
}
in_light = pytest.mark.parametrize("theme", ["light"], indirect=True)
some_then_all = pytest.mark.parametrize(
    "scenes",
    [slice(4), pytest.param(slice(None), marks=pytest.mark.thorough)],
    ids=["first scenes", "all scenes"],
)
"""Marks a test of the comparison itself: every run tries it on some scenes."""
WIDTH, USUAL, TALL = 1228, 900, 2600
"""In a tall window every scene is seen whole: for a screenshot of one that is taller than the
window, the window is made larger and smaller again, which takes as long as ten screenshots.
"""
BY_HEIGHT = "im"
"""The scenes whose size goes by the height of the window."""
EVERYWHERE = "imabcdefghjklnoqrt"
"""All scenes but one: no font has the letters of the Chinese one that is the same everywhere."""
SEEN = {"light": EVERYWHERE, "dark": EVERYWHERE, "contrast": "b", "forced": "bcefj"}
TURNED = "rtl"
SEEN_TURNED = "bek"
SEVERAL = "landmark-unique:"
"""On a page with many Explorers their regions have the same names."""
READY = """() => document.querySelector('#h form, #h input') && [
  ...document.querySelectorAll('.tapelab, .live')
].every((place) => place.querySelector('.transport, .timelinewrap, .state, .bar'))"""
HIDDEN = "visibility: hidden"
LINES = {
    "light": [
        ("i", ".rise", HIDDEN),
        ("a", ".hair", HIDDEN),
        ("b", ".ed.b", HIDDEN),
        ("c", ".evidence", "border-left-color: transparent"),
        ("d", ".hair", HIDDEN),
        ("e", ".grid", HIDDEN),
        ("f", ".grid", HIDDEN),
        ("g", "li + li", "border-top-color: transparent"),
        ("h", ".foot", "border-top-color: transparent"),
        ("j", ".together", "border-top-color: transparent"),
        ("k", ".border", HIDDEN),
        ("l", ".left", "border-bottom-color: transparent"),
        ("o", ".frame", HIDDEN),
        ("q", "td", "border-bottom-color: transparent"),
        ("r", ".axis", HIDDEN),
        ("t", ".left", "border-right-color: transparent"),
    ],
    "dark": [
        ("a", ".hair", HIDDEN),
        ("q", "td", "border-bottom-color: transparent"),
    ],
    "contrast": [
        ("b", ".together", "border-top-color: transparent"),
    ],
    "forced": [
        ("e", ".limit", HIDDEN),
    ],
}
"""The first of its kind in a scene, each a pixel or two wide."""
WORDS = [
    ("i", "slope"),
    ("m", "upstream"),
    ("a", "result"),
    ("b", "upstream"),
    ("c", "Write"),
    ("d", "range"),
    ("e", "watched"),
    ("f", "memory"),
    ("g", "Hints"),
    ("h", "number"),
    ("j", "not computed"),
    ("k", "loss"),
    ("l", "cosine"),
    ("n", "norms"),
    ("o", "Matrix"),
    ("q", "differs"),
    ("r", "appears"),
    ("t", "contribution"),
]
FADE = """([letter, word]) => {
  const scene = document.querySelector(`#${letter} .views`);
  const texts = document.createTreeWalker(scene, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode } = texts;
    const start = currentNode.data.indexOf(word);
    if (start < 0 || !currentNode.parentElement.checkVisibility()) continue;
    const range = new StaticRange({
      startContainer: currentNode, startOffset: start,
      endContainer: currentNode, endOffset: start + word.length,
    });
    CSS.highlights.set('faded', new Highlight(range));
    return true;
  }
  return false;
}"""
"""Highlights the first `word` of a scene as `faded`; says whether there is one."""
UNSEEN = {
    "moved by a pixel": lambda shot: ImageChops.offset(shot, 1, 1),
    "four shades darker": lambda shot: shot.point(lambda value: max(value - 4, 0)),
    "edges sharper": lambda shot: shot.filter(ImageFilter.UnsharpMask(radius=1, percent=30)),
}
MARKS = (HERE / "contrast.js").read_text("utf-8")
PAINTED = (HERE / "painted.js").read_text("utf-8")


def opened(browser: Browser, file: Path) -> tuple[Page, Console, list[str]]:
    """The gallery in the bundled fonts, with its console and what it asks for."""
    page = browser.new_context(viewport={"width": WIDTH, "height": USUAL}).new_page()
    page.add_init_script(font_script())
    console, requests = Console(page), []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_function(READY)
    hold_still(page)
    page.add_style_tag(content="::highlight(faded) { color: transparent }")
    return page, console, requests


def switch(page: Page, theme: str) -> None:
    """Show the gallery in a theme: what a system asks for, and the switch of the page."""
    page.emulate_media(**THEMES[theme])
    dark = page.get_by_role("button", name="Dark")
    if (dark.get_attribute("aria-pressed") == "true") != (theme == "dark"):
        dark.click()


def seen(page: Page, letter: str) -> Image.Image:
    """A scene on the screen, in a window of the height in which somebody looked at it."""
    height = USUAL if letter in BY_HEIGHT else TALL
    if page.viewport_size != {"width": WIDTH, "height": height}:
        page.set_viewport_size({"width": WIDTH, "height": height})
    return screenshot(page, letter)


def turn(page: Page) -> None:
    page.get_by_role("button", name="Right to left").click()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write(tmp_path_factory.mktemp("gallery"))


@pytest.fixture(scope="module")
def gallery(browser, file):
    """The gallery on one page; its console stays silent, and it asks for nothing outside."""
    page, console, requests = opened(browser, file)
    yield page
    assert console.complaints() == []
    assert [url for url in requests if not url.startswith(("file:", "blob:", "data:"))] == []
    page.context.close()


@pytest.fixture(scope="module", params=THEMES)
def theme(request):
    return request.param


@pytest.fixture(scope="module")
def page(gallery, theme):
    """The gallery in each theme, one after the other."""
    switch(gallery, theme)
    return gallery


@pytest.fixture
def styled(page):
    """Restyle the page for one test."""
    kept = page.evaluate("document.head.childElementCount")

    def style(content):
        page.add_style_tag(content=content)
        return page

    yield style
    page.evaluate("kept => [...document.head.children].slice(kept).forEach(e => e.remove())", kept)


def test_the_design_has_a_twin_for_each_of_its_scenes():
    assert [scene.letter for scene in SCENES][:12] == list("abcdefghijkl")


def test_axe_finds_nothing_in_any_theme(page, theme):
    found = violations(page.locator("main"), *(COLOURS if theme != "light" else ()))
    assert [violation for violation in found if not violation.startswith(SEVERAL)] == []


def test_scenes_look_as_they_did(page, theme):
    differences = {
        letter: difference(seen(page, letter), reference(letter, theme)) for letter in SEEN[theme]
    }
    assert set(differences.values()) == {""}, differences


@in_light
def test_scenes_look_as_they_did_where_the_page_is_turned(page):
    turn(page)
    differences = {
        letter: difference(seen(page, letter), reference(letter, TURNED)) for letter in SEEN_TURNED
    }
    turn(page)
    assert set(differences.values()) == {""}, differences


@in_light
@pytest.mark.parametrize(
    "change",
    [
        "#a .ed.f { stroke: var(--g) !important }",
        "#a .nd.variable { visibility: hidden }",
        "#a .key { visibility: hidden }",
        "#a .under { visibility: hidden }",
        "#a .tab { visibility: hidden }",
        "#a .tl { --v: #00875f !important }",
    ],
)
def test_a_scene_that_changed_would_be_noticed(styled, change):
    assert difference(seen(styled(change), "a"), reference("a", "light")) != ""


@some_then_all
def test_one_thin_line_that_is_gone_would_be_noticed(page, theme, scenes):
    differences = {}
    for letter, line, style in LINES[theme][scenes]:
        element = page.locator(f"#{letter} .views").locator(line).first
        kept = element.get_attribute("style") or ""
        element.evaluate("(line, style) => { line.style.cssText += style }", f";{style}")
        differences[letter, line] = difference(seen(page, letter), reference(letter, theme))
        element.evaluate("(line, kept) => line.setAttribute('style', kept)", kept)
    assert "" not in differences.values(), differences


@in_light
@some_then_all
def test_one_word_that_is_gone_would_be_noticed(page, scenes):
    differences = {}
    for letter, word in WORDS[scenes]:
        assert page.evaluate(FADE, [letter, word])
        differences[letter, word] = difference(seen(page, letter), reference(letter, "light"))
        page.evaluate("CSS.highlights.clear()")
    assert "" not in differences.values(), differences


@pytest.mark.parametrize("theme", ["light", "dark"], indirect=True)
def test_what_the_eye_does_not_see_makes_no_difference(page, theme):
    for letter in "lr":
        shot = seen(page, letter)
        for change, changed in UNSEEN.items():
            assert difference(changed(shot), reference(letter, theme)) == "", (letter, change)


def test_every_mark_of_a_graph_stands_out_from_what_is_behind_it(page):
    assert page.evaluate(MARKS) == []


@in_light
def test_a_mark_that_does_not_stand_out_would_be_noticed(styled):
    marks = styled("#a .ed.f { stroke: #eee !important }").evaluate(MARKS)
    assert any(each.startswith("a: ed f") for each in marks)


def test_painted_marks_stand_out_as_drawn_ones_do(page):
    page.locator("#j").get_by_role("button", name="Unfold all").click()
    page.wait_for_selector("#j canvas")
    found = page.evaluate(PAINTED)
    page.locator("#j").get_by_role("button", name="Fold").first.click()
    forced = page.evaluate("matchMedia('(forced-colors: active)').matches")
    assert found["colours"] >= (1 if forced else 3)
    assert found["pale"] == []


@in_light
def test_a_card_draws_what_it_cannot_write(page):
    card = page.locator("#t .view").first.locator(".nd.variable", has_text="b1")
    assert card.locator(".heat").count() == 2
    assert card.locator(".heat path.g").count() == card.locator(".heat path.down").count() == 1


@in_light
def test_code_on_hatched_cards_can_be_read_where_more_contrast_is_wanted(page):
    page.emulate_media(**THEMES["contrast"])
    line = "getComputedStyle(document.querySelector('#c .hatchline')).stroke"
    shades = [float(part) for part in re.findall(r"[\d.]+", page.evaluate(line))]
    page.emulate_media(**THEMES["light"])
    assert min(shades[:3]) > 0.8


def test_nothing_on_the_page_is_wider_than_the_page(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH


@in_light
def test_code_and_graph_keep_their_direction_where_the_page_is_turned(page):
    turn(page)
    directions = page.evaluate(
        """() => ['.code', '.stage', '.timelinewrap', '.transport'].map(which =>
          getComputedStyle(document.querySelector('#a ' + which)).direction)"""
    )
    turned = page.evaluate("getComputedStyle(document.querySelector('#a .bar')).direction")
    turn(page)
    assert (directions, turned) == (["ltr"] * 4, "rtl")


@in_light
def test_on_paper_no_part_of_a_graph_is_cut_off(page):
    cut_off = """() => [...document.querySelectorAll('.stage')].filter(
      stage => stage.scrollWidth > stage.clientWidth || stage.scrollHeight > stage.clientHeight
    ).map(stage => stage.closest('section').id)"""
    on_screen = page.evaluate(cut_off)
    page.emulate_media(media="print")
    on_paper = page.evaluate(cut_off)
    page.emulate_media(media="screen")
    assert set("dt") <= set(on_screen)
    assert on_paper == []


def retake(folder: Path) -> None:
    """Retake the pictures that scenes are compared with."""
    SHOTS.mkdir(exist_ok=True)
    file = write(folder.resolve())
    for old in SHOTS.iterdir():
        old.unlink()
    with launched() as browser:
        page, _, _ = opened(browser, file)
        for theme in THEMES:
            switch(page, theme)
            for letter in SEEN[theme]:
                save(seen(page, letter), SHOTS / f"{letter}-{theme}.webp")
            if theme == "light":
                turn(page)
                for letter in SEEN_TURNED:
                    save(seen(page, letter), SHOTS / f"{letter}-{TURNED}.webp")
                turn(page)


if __name__ == "__main__":
    retake(Path(sys.argv[1] if sys.argv[1:] else "build/gallery"))
