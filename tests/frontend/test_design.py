"""One design: cards, still pictures and the documentation use the colours of the Explorer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tapelab.views import figures, svg

CHECKOUT = Path(__file__).parents[2]
STYLES = CHECKOUT / "extension" / "src" / "core" / "styles"
TOKEN = re.compile(r"(--[\w-]+): (#[0-9a-f]{6});")
PAIR = re.compile(r"(--[\w-]+): light-dark\((#[0-9a-f]{3,6}), (#[0-9a-f]{3,6})\)")
HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
SHADES = {"#909090", "#686868", "#e2e2e2", "#f7f7f7", "#f9e8db"}
"""What a page without style sheets has in place of the colours that are mixed: mark, muted, line,
pane and the tint of gradients."""


def blocks():
    """The tokens of the light theme, of the dark one, of the dark system, and of paper."""
    text = "".join((STYLES / name).read_text("utf-8") for name in ("tokens.css", "paper.css"))
    return [dict(TOKEN.findall(block)) for block in text.split("}") if "--v-text: #" in block]


@pytest.fixture(scope="module")
def themes():
    light, dark, *_ = blocks()
    return light, {**light, **dark}


def test_dark_is_dark_whoever_asks_for_it_and_paper_is_light():
    light, dark, system, paper = blocks()
    assert {name: system[name] for name in dark} == dark
    assert {name: paper[name] for name in light} == light


def test_cards_have_the_colours_of_the_explorer(themes):
    light, dark = themes
    text = (CHECKOUT / "tapelab" / "views" / "card.css").read_text("utf-8")
    pairs = [pair for pair in PAIR.findall(text) if pair[0] in light]
    assert len(pairs) >= 7
    assert pairs == [(name, light[name], dark[name]) for name, *_ in pairs]


def test_verdicts_have_the_colours_of_the_explorer(themes):
    text = (CHECKOUT / "tapelab" / "widgets" / "verdict.css").read_text("utf-8")
    for block, theme in zip(text.split("}")[:2], themes, strict=True):
        found = dict(TOKEN.findall(block))
        assert found == {name: theme[name] for name in found}
        assert {"--ink", "--w", "--n-text"} <= set(found)


def test_still_pictures_have_the_colours_of_the_light_theme(themes):
    known = {*themes[0].values(), *SHADES}
    drawn = {each.lower() for each in HEX.findall(svg.STYLE)}
    drawn |= {each.lower() for each in HEX.findall(Path(figures.__file__).read_text("utf-8"))}
    assert drawn <= known


def test_the_documentation_names_every_colour_as_it_is(themes):
    light, dark = themes
    page = (CHECKOUT / "docs" / "explanation" / "design.md").read_text("utf-8")
    for row in re.findall(r"^\| [^|]+\| `--.*$", page, re.MULTILINE):
        names = re.findall(r"`(--[\w-]+)`", row)
        wanted = [theme[name] for theme in (light, dark) for name in names]
        assert re.findall(r"`(#\w+)`", row) == wanted
        light = {name: colour for name, colour in light.items() if name not in names}
    assert light == {}


def test_the_documentation_lists_every_style_sheet():
    page = (CHECKOUT / "docs" / "explanation" / "design.md").read_text("utf-8")
    assert {sheet.name for sheet in STYLES.glob("*.css")} <= set(re.findall(r"`(\w+\.css)`", page))


def test_no_other_style_sheet_has_a_colour_of_its_own():
    found = {
        sheet.name: HEX.findall(sheet.read_text("utf-8"))
        for sheet in STYLES.glob("*.css")
        if sheet.name not in {"tokens.css", "paper.css"}
    }
    assert {name: colours for name, colours in found.items() if colours} == {}
