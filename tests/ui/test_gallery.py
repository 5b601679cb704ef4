"""The gallery on the screen: every scene in every theme, as it looked when somebody looked at it.

`python -m tests.ui.test_gallery` takes the small pictures anew that the scenes are compared with:
look at them before you commit them.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.ui.axe import violations
from tests.ui.browser import Console, launched
from tests.ui.gallery.page import write
from tests.ui.gallery.scenes import SCENES

SHOTS = Path(__file__).parent / "gallery" / "shots"
SEEN = {"a": "light", "b": "dark", "c": "light", "g": "light", "i": "light", "k": "dark"}
SEEN |= {"d": "dark", "m": "light"}
"""The scenes that are compared with a picture, and the theme in which they are."""
WIDE = 200
"""Of a picture in pixels: enough to see that something is missing, too few to see fonts differ."""
CLOSE = 0.06
BLOCK = 20
OFF = 0.30
"""How far a picture may be off from its model on average, and any block of it."""
SEVERAL = "landmark-unique:"
"""On a page with many Explorers their regions have the same names."""
READY = "document.querySelectorAll('.tl .reelbar').length >= 12"
THEMES = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "forced": {"forced_colors": "active"},
}
MARKS = (Path(__file__).parent / "gallery" / "contrast.js").read_text("utf-8")


def opened(browser: Browser, file: Path, theme: str) -> tuple[Page, Console, list[str]]:
    """The gallery in a theme, with what its console says and what it asks for."""
    page = browser.new_context(viewport={"width": 1228, "height": 900}, **THEMES[theme]).new_page()
    console, asked = Console(page), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_function(READY)
    if theme == "dark":
        page.get_by_role("button", name="Dark").click()
    page.add_style_tag(content="* { transition: none !important; animation: none !important }")
    page.wait_for_function("document.querySelector('#h .guess, #h form, #h input') !== null")
    return page, console, asked


def small(page: Page, letter: str) -> Image.Image:
    shot = Image.open(BytesIO(page.locator(f"#{letter} .views").screenshot())).convert("RGB")
    return shot.resize((WIDE, round(shot.height * WIDE / shot.width)), Image.Resampling.BOX)


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


@pytest.fixture(params=THEMES)
def page(request, pages):
    return pages[request.param]


def test_the_design_has_a_twin_for_each_of_its_scenes():
    assert [scene.letter for scene in SCENES][:12] == list("abcdefghijkl")


def test_axe_finds_nothing_in_any_theme(page):
    found = violations(page.locator("main"))
    assert [told for told in found if not told.startswith(SEVERAL)] == []


@pytest.mark.parametrize("theme", ["light", "dark"])  # forced colours are the system's own
def test_every_mark_of_a_graph_stands_out_from_what_is_behind_it(pages, theme):
    assert pages[theme].evaluate(MARKS) == []


def test_a_mark_that_does_not_stand_out_would_be_noticed(pages):
    page = pages["light"]
    page.add_style_tag(content="#a .ed.f { stroke: #eee !important }")
    assert any(told.startswith("a: ed f") for told in page.evaluate(MARKS))
    page.evaluate("document.head.lastElementChild.remove()")


def test_nothing_on_the_page_is_wider_than_the_page(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= 1228


def test_code_and_graph_keep_their_direction_where_the_page_is_turned(page):
    page.get_by_role("button", name="Right to left").click()
    told = page.evaluate(
        """() => ['.code', '.stage svg', '.reelwrap', '.reelbar'].map(which =>
          getComputedStyle(document.querySelector('#a ' + which)).direction)"""
    )
    turned = page.evaluate("getComputedStyle(document.querySelector('#a .bar')).direction")
    page.get_by_role("button", name="Right to left").click()
    assert (told, turned) == (["ltr"] * 4, "rtl")


@pytest.mark.parametrize("letter", SEEN)
def test_a_scene_looks_as_it_did(pages, letter):
    seen = small(pages[SEEN[letter]], letter)
    model = Image.open(SHOTS / f"{letter}.png").convert("RGB")
    assert abs(seen.height - model.height) <= 0.1 * model.height
    off = difference(seen.resize(model.size), model)
    assert off.mean() < CLOSE
    assert blocks(off).max() < OFF


def difference(one: Image.Image, other: Image.Image) -> np.ndarray:
    """How far each pixel is off, from 0 to 1."""
    return np.abs(np.asarray(one, float) - np.asarray(other, float)).mean(axis=2) / 255


def blocks(off: np.ndarray) -> np.ndarray:
    """The average of each block of pixels."""
    high, wide = (side // BLOCK * BLOCK for side in off.shape)
    shape = (high // BLOCK, BLOCK, wide // BLOCK, BLOCK)
    return off[:high, :wide].reshape(shape).mean(axis=(1, 3))


def take_anew(folder: Path) -> None:
    """Take the pictures anew that scenes are compared with."""
    SHOTS.mkdir(exist_ok=True)
    with launched() as browser:
        for letter, theme in SEEN.items():
            page, _, _ = opened(browser, write(folder), theme)
            small(page, letter).quantize(32).save(SHOTS / f"{letter}.png", optimize=True)
            page.context.close()


if __name__ == "__main__":
    take_anew(Path(sys.argv[1] if sys.argv[1:] else "build/gallery"))
