"""The gallery on the screen: every scene in every theme, as it looked when somebody looked at it.

`python -m tests.ui.test_gallery` retakes the small pictures that the scenes are compared with:
look at them before you commit them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from PIL import ImageChops, ImageFilter
from playwright.sync_api import Browser, Page

from tests.ui.axe import violations
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
THEMES = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "contrast": {"contrast": "more"},
    "forced": {"forced_colors": "active"},
}
EVERYWHERE = "abcdefghijklmnoqrt"
"""All scenes but one: no font has the letters of the Chinese one that is the same everywhere."""
SEEN = [(letter, theme) for theme in ("light", "dark") for letter in EVERYWHERE]
SEEN += [(letter, "forced") for letter in "bcefj"]
SEEN += [("b", "contrast")]
TURNED = "rtl"
SEEN_TURNED = "bek"
SEVERAL = "landmark-unique:"
"""On a page with many Explorers their regions have the same names."""
READY = """() => document.querySelector('#h form, #h input') && [
  ...document.querySelectorAll('.tapelab, .live')
].every((place) => place.querySelector('.transport, .timelinewrap, .state, .bar'))"""
HIDDEN = "visibility: hidden"
LINES = [
    ("light", "a", ".hair", HIDDEN),
    ("light", "b", ".ed.b", HIDDEN),
    ("light", "c", ".evidence", "border-left-color: transparent"),
    ("light", "d", ".hair", HIDDEN),
    ("light", "e", ".grid", HIDDEN),
    ("light", "f", ".grid", HIDDEN),
    ("light", "g", "li + li", "border-top-color: transparent"),
    ("light", "h", ".foot", "border-top-color: transparent"),
    ("light", "i", ".rise", HIDDEN),
    ("light", "j", ".together", "border-top-color: transparent"),
    ("light", "k", ".border", HIDDEN),
    ("light", "l", ".left", "border-bottom-color: transparent"),
    ("light", "o", ".frame", HIDDEN),
    ("light", "q", "td", "border-bottom-color: transparent"),
    ("light", "r", ".axis", HIDDEN),
    ("light", "t", ".left", "border-right-color: transparent"),
    ("dark", "a", ".hair", HIDDEN),
    ("dark", "q", "td", "border-bottom-color: transparent"),
    ("forced", "e", ".limit", HIDDEN),
    ("contrast", "b", ".together", "border-top-color: transparent"),
]
"""The first of its kind in a scene, each a pixel or two wide."""
WORDS = [
    *(("a", "result"), ("b", "upstream"), ("c", "Write"), ("d", "range"), ("e", "watched")),
    *(("f", "memory"), ("g", "Hints"), ("h", "number"), ("i", "slope"), ("j", "not computed")),
    *(
        ("k", "loss"),
        ("l", "cosine"),
        ("m", "upstream"),
        ("n", "norms"),
        ("o", "Matrix"),
        ("q", "differs"),
        ("r", "appears"),
    ),
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


def opened(browser: Browser, file: Path, theme: str) -> tuple[Page, Console, list[str]]:
    """The gallery in a theme and in the bundled fonts, with its console and what it asks for."""
    page = browser.new_context(viewport={"width": 1228, "height": 900}, **THEMES[theme]).new_page()
    page.add_init_script(font_script())
    console, requests = Console(page), []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_function(READY)
    if theme == "dark":
        page.get_by_role("button", name="Dark").click()
    hold_still(page)
    return page, console, requests


def turn(page: Page) -> None:
    page.get_by_role("button", name="Right to left").click()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write(tmp_path_factory.mktemp("gallery"))


@pytest.fixture(scope="module")
def pages(browser, file):
    """The gallery in each theme; its console stays silent, and it asks for nothing outside."""
    found = {theme: opened(browser, file, theme) for theme in THEMES}
    yield {theme: page for theme, (page, _, _) in found.items()}
    for page, console, requests in found.values():
        assert console.complaints() == []
        assert [url for url in requests if not url.startswith(("file:", "blob:", "data:"))] == []
        page.context.close()


@pytest.fixture(params=THEMES)
def page(request, pages):
    return pages[request.param]


@pytest.fixture
def styled(pages):
    """Restyle the light page for one test."""
    page = pages["light"]
    kept = page.evaluate("document.head.childElementCount")

    def style(content):
        page.add_style_tag(content=content)
        return page

    yield style
    page.evaluate("kept => [...document.head.children].slice(kept).forEach(e => e.remove())", kept)


def test_the_design_has_a_twin_for_each_of_its_scenes():
    assert [scene.letter for scene in SCENES][:12] == list("abcdefghijkl")


def test_axe_finds_nothing_in_any_theme(page):
    found = violations(page.locator("main"))
    assert [violation for violation in found if not violation.startswith(SEVERAL)] == []


@pytest.mark.parametrize(("letter", "theme"), SEEN)
def test_a_scene_looks_as_it_did(pages, letter, theme):
    assert difference(screenshot(pages[theme], letter), reference(letter, theme)) == ""


def test_scenes_look_as_they_did_where_the_page_is_turned(pages):
    page = pages["light"]
    turn(page)
    differences = {
        letter: difference(screenshot(page, letter), reference(letter, TURNED))
        for letter in SEEN_TURNED
    }
    turn(page)
    assert set(differences.values()) == {""}, differences


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
    assert difference(screenshot(styled(change), "a"), reference("a", "light")) != ""


@pytest.mark.parametrize(("theme", "letter", "line", "style"), LINES)
def test_one_thin_line_that_is_gone_would_be_noticed(pages, theme, letter, line, style):
    page = pages[theme]
    element = page.locator(f"#{letter} .views").locator(line).first
    kept = element.get_attribute("style") or ""
    element.evaluate("(line, style) => { line.style.cssText += style }", f";{style}")
    found = difference(screenshot(page, letter), reference(letter, theme))
    element.evaluate("(line, kept) => line.setAttribute('style', kept)", kept)
    assert found != ""


@pytest.mark.parametrize(("letter", "word"), WORDS)
def test_one_word_that_is_gone_would_be_noticed(styled, letter, word):
    page = styled("::highlight(faded) { color: transparent }")
    assert page.evaluate(FADE, [letter, word])
    found = difference(screenshot(page, letter), reference(letter, "light"))
    page.evaluate("CSS.highlights.clear()")
    assert found != ""


@pytest.mark.parametrize("change", UNSEEN)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_the_eye_does_not_see_makes_no_difference(pages, theme, change):
    for letter in "lr":
        shot = UNSEEN[change](screenshot(pages[theme], letter))
        assert difference(shot, reference(letter, theme)) == ""


def test_every_mark_of_a_graph_stands_out_from_what_is_behind_it(page):
    assert page.evaluate(MARKS) == []


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


def test_a_card_draws_what_it_cannot_write(pages):
    card = pages["light"].locator("#t .view").first.locator(".nd.variable", has_text="b1")
    assert card.locator(".heat").count() == 2
    assert card.locator(".heat path.g").count() == card.locator(".heat path.down").count() == 1


def test_code_on_hatched_cards_can_be_read_where_more_contrast_is_wanted(pages):
    line = "getComputedStyle(document.querySelector('#c .hatchline')).stroke"
    shades = [float(part) for part in re.findall(r"[\d.]+", pages["contrast"].evaluate(line))]
    assert min(shades[:3]) > 0.8


def test_nothing_on_the_page_is_wider_than_the_page(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= 1228


def test_code_and_graph_keep_their_direction_where_the_page_is_turned(page):
    turn(page)
    directions = page.evaluate(
        """() => ['.code', '.stage', '.timelinewrap', '.transport'].map(which =>
          getComputedStyle(document.querySelector('#a ' + which)).direction)"""
    )
    turned = page.evaluate("getComputedStyle(document.querySelector('#a .bar')).direction")
    turn(page)
    assert (directions, turned) == (["ltr"] * 4, "rtl")


def test_on_paper_no_part_of_a_graph_is_cut_off(pages):
    page = pages["light"]
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
        for theme in THEMES:
            page, _, _ = opened(browser, file, theme)
            for letter in (letter for letter, where in SEEN if where == theme):
                save(screenshot(page, letter), SHOTS / f"{letter}-{theme}.webp")
            if theme == "light":
                turn(page)
                for letter in SEEN_TURNED:
                    save(screenshot(page, letter), SHOTS / f"{letter}-{TURNED}.webp")
            page.context.close()


if __name__ == "__main__":
    retake(Path(sys.argv[1] if sys.argv[1:] else "build/gallery"))
