"""The gallery on the screen: every scene in every theme, as it looked when somebody looked at it.

`python -m tests.ui.test_gallery` takes the small pictures anew that the scenes are compared with:
look at them before you commit them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.ui.axe import violations
from tests.ui.browser import Console, launched
from tests.ui.gallery.looks import SHOTS, differ, hold_still, model, small, write_alike
from tests.ui.gallery.page import write
from tests.ui.gallery.scenes import SCENES

HERE = Path(__file__).parent / "gallery"
THEMES = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "contrast": {"contrast": "more"},
    "forced": {"forced_colors": "active"},
}
EVERYWHERE = "abcdefghijklmnp"
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
].every((place) => place.querySelector('.reelbar, .reelwrap, .state, .bar'))"""
MARKS = (HERE / "contrast.js").read_text("utf-8")
PAINTED = (HERE / "painted.js").read_text("utf-8")


def opened(browser: Browser, file: Path, theme: str) -> tuple[Page, Console, list[str]]:
    """The gallery in a theme, with what its console says and what it asks for."""
    page = browser.new_context(viewport={"width": 1228, "height": 900}, **THEMES[theme]).new_page()
    console, asked = Console(page), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_function(READY)
    if theme == "dark":
        page.get_by_role("button", name="Dark").click()
    hold_still(page)
    return page, console, asked


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
    for page, console, asked in found.values():
        assert console.complaints() == []
        assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []
        page.context.close()


@pytest.fixture(scope="module")
def alike(pages):
    """The pages in the fonts of the pictures that they are compared with."""
    for page in pages.values():
        write_alike(page)
    return pages


@pytest.fixture(params=THEMES)
def page(request, pages):
    return pages[request.param]


@pytest.fixture
def styled(alike):
    """Style the light page anew for one test."""
    page = alike["light"]
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
    assert [told for told in found if not told.startswith(SEVERAL)] == []


@pytest.mark.parametrize(("letter", "theme"), SEEN)
def test_a_scene_looks_as_it_did(alike, letter, theme):
    assert differ(small(alike[theme], letter), model(letter, theme)) == ""


def test_scenes_look_as_they_did_where_the_page_is_turned(alike):
    page = alike["light"]
    turn(page)
    told = {letter: differ(small(page, letter), model(letter, TURNED)) for letter in SEEN_TURNED}
    turn(page)
    assert set(told.values()) == {""}, told


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
    assert differ(small(styled(change), "a"), model("a", "light")) != ""


def test_every_mark_of_a_graph_stands_out_from_what_is_behind_it(page):
    assert page.evaluate(MARKS) == []


def test_a_mark_that_does_not_stand_out_would_be_noticed(styled):
    told = styled("#a .ed.f { stroke: #eee !important }").evaluate(MARKS)
    assert any(each.startswith("a: ed f") for each in told)


def test_painted_marks_stand_out_as_drawn_ones_do(page):
    page.locator("#j").get_by_role("button", name="Unfold all").click()
    page.wait_for_selector("#j canvas")
    found = page.evaluate(PAINTED)
    page.locator("#j").get_by_role("button", name="Fold").first.click()
    forced = page.evaluate("matchMedia('(forced-colors: active)').matches")
    assert found["colours"] >= (1 if forced else 3)
    assert found["pale"] == []


def test_a_card_draws_what_it_cannot_write(pages):
    card = pages["light"].locator("#p .view").first.locator(".nd.variable", has_text="b1")
    assert card.locator(".heat").count() == 2
    assert card.locator(".heat path.g").count() == card.locator(".heat path.down").count() == 1


def test_code_on_hatched_cards_can_be_read_where_more_contrast_is_asked_for(pages):
    line = "getComputedStyle(document.querySelector('#c .hatchline')).stroke"
    shades = [float(part) for part in re.findall(r"[\d.]+", pages["contrast"].evaluate(line))]
    assert min(shades[:3]) > 0.8


def test_nothing_on_the_page_is_wider_than_the_page(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= 1228


def test_code_and_graph_keep_their_direction_where_the_page_is_turned(page):
    turn(page)
    told = page.evaluate(
        """() => ['.code', '.stage', '.reelwrap', '.reelbar'].map(which =>
          getComputedStyle(document.querySelector('#a ' + which)).direction)"""
    )
    turned = page.evaluate("getComputedStyle(document.querySelector('#a .bar')).direction")
    turn(page)
    assert (told, turned) == (["ltr"] * 4, "rtl")


def test_on_paper_no_part_of_a_graph_is_cut_off(pages):
    page = pages["light"]
    cut_off = """() => [...document.querySelectorAll('.stage')].filter(
      stage => stage.scrollWidth > stage.clientWidth || stage.scrollHeight > stage.clientHeight
    ).map(stage => stage.closest('section').id)"""
    on_screen = page.evaluate(cut_off)
    page.emulate_media(media="print")
    on_paper = page.evaluate(cut_off)
    page.emulate_media(media="screen")
    assert set("dp") <= set(on_screen)
    assert on_paper == []


def take_anew(folder: Path) -> None:
    """Take the pictures anew that scenes are compared with."""
    SHOTS.mkdir(exist_ok=True)
    file = write(folder.resolve())
    for old in SHOTS.glob("*.png"):
        old.unlink()
    with launched() as browser:
        for theme in THEMES:
            page, _, _ = opened(browser, file, theme)
            write_alike(page)
            for letter in (letter for letter, where in SEEN if where == theme):
                small(page, letter).save(SHOTS / f"{letter}-{theme}.png", optimize=True)
            if theme == "light":
                turn(page)
                for letter in SEEN_TURNED:
                    small(page, letter).save(SHOTS / f"{letter}-{TURNED}.png", optimize=True)
            page.context.close()


if __name__ == "__main__":
    take_anew(Path(sys.argv[1] if sys.argv[1:] else "build/gallery"))
