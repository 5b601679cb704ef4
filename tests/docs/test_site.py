"""The site is built without a warning, its links hold, it reads well and asks for nothing."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from playwright.sync_api import expect

import tapelab
from tapelab.core.op import REGISTRY
from tests.docs.test_code_terms import SEARCHED
from tests.ui.axe import COLOURS, axe_script
from tests.ui.browser import Console, launched
from tests.ui.explorer import Explorer
from tests.ui.models import MODELS
from tools import glossary
from tools.docs import checking, names

pytestmark = [pytest.mark.slow, pytest.mark.ui]

CHECKOUT = Path(__file__).parents[2]
THEMES = ("light", "dark")
SIZES = {"laptop": (1280, 800), "projector": (1024, 768), "phone": (390, 844)}
LOOKED_AT = (
    *("index", "tutorial/first-none", "howto/index", "howto/hosts", "reference/tapelab"),
    *("reference/ops", "explanation/tape", "explanation/models", "reference/pitfalls"),
    "tutorial/lessons/15-tape-memory",
)
LARGEST_MODEL = 1_000_000
"""Of the page of a model, in bytes."""
AXE = """rules => axe.run(document, {
  resultTypes: ['violations'], iframes: false, preload: false,
  ...(rules.length && {runOnly: rules}),
}).then(
  report => report.violations.map(rule => `${rule.id} at ${rule.nodes[0].html.slice(0, 200)}`))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The whole site; a warning would have failed it."""
    place = tmp_path_factory.mktemp("site")
    built = build(place)
    assert built.returncode == 0, built.stderr
    return place


def build(*places):
    """Run what `make docs` runs."""
    command = [sys.executable, "-m", "tools.docs", *map(str, places)]
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


@pytest.fixture(params=THEMES)
def opened(request, browser, site):
    """Open pages of the site without a network; their console stays silent."""
    context = browser.new_context(color_scheme=request.param, offline=True)
    page = context.new_page()
    console, requests = Console(page), []
    page.on("request", lambda each: requests.append(each.url))

    def go(name):
        page.goto((site / f"{name}.html").as_uri())
        return page

    yield go
    assert console.complaints() == []
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()


def test_every_link_leads_somewhere(site):
    assert list(checking.broken(site)) == []
    assert len(checking.page(site / "index.html").links) > 4


def test_nothing_is_fetched_from_elsewhere(site):
    assert list(checking.fetched(site)) == []


def test_every_public_name_has_a_place_in_the_reference(site):
    pages = [checking.page(file) for file in (site / "reference").glob("*.html")]
    places = set().union(*(page.places for page in pages))
    missing = {name for entry in names.entries() for name in entry.names} - places
    assert missing == set()
    assert len(places) > 1500


ABOVE_THE_OPS = {"authoring", "cli", "foreign", "grading", "lab", "widgets", "_notebooks"}


def test_every_op_stands_in_the_table(site):
    for module in pkgutil.walk_packages(tapelab.__path__, "tapelab."):
        if module.name.split(".")[1] not in ABOVE_THE_OPS:
            import_module(module.name)
    table = (site / "reference" / "ops.html").read_text("utf-8")
    ours = [op for op in REGISTRY.values() if op.kernel.__module__.startswith("tapelab.")]
    missing = [op.name for op in ours if f'<span class="pre">{op.name}</span>' not in table]
    assert missing == []
    assert len(ours) > 250


@pytest.mark.parametrize("name", LOOKED_AT)
def test_axe_finds_nothing_and_no_page_is_wider_than_its_window(opened, name):
    page = opened(name)
    for wide, high in SIZES.values():
        page.set_viewport_size({"width": wide, "height": high})
        assert page.evaluate("document.documentElement.scrollWidth") <= wide
    page.evaluate("new Promise(requestAnimationFrame)")  # until it has its new width
    page.evaluate(axe_script())
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert page.evaluate(AXE, COLOURS if is_dark else []) == []


def test_pictures_are_alive_and_follow_the_theme(opened):
    page = opened("tutorial/first-gradient")
    picture = page.locator("figure.explorer").first
    picture.scroll_into_view_if_needed()
    Explorer.in_frame(picture).click_to_the_end_and_back()
    shown = picture.locator("iframe").content_frame.locator("html")
    for theme in THEMES:
        page.evaluate("theme => { document.body.dataset.theme = theme }", theme)
        expect(shown).to_have_attribute("data-theme", theme)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_each_model_is_a_live_page_of_bounded_size_that_fetches_nothing(browser, site, model):
    file = site / "_pictures" / f"explanation-models-{model.name}.html"
    assert file.stat().st_size < LARGEST_MODEL
    context = browser.new_context(viewport={"width": 1366, "height": 768}, offline=True)
    page = context.new_page()
    console, requests = Console(page), []
    page.on("request", lambda each: requests.append(each.url))
    page.goto(file.as_uri())
    explorer = Explorer.within(page)
    expect(explorer.root).to_be_visible()
    assert 1 < page.locator(".stage .nd").count() <= 60
    explorer.button("Last step").click()
    expect(explorer.button("Step")).to_be_disabled()
    explorer.button("Step back").click()
    expect(explorer.button("Step")).to_be_enabled()
    expect(explorer.inspector.get_by_role("heading").first).to_be_visible()
    assert requests == [file.as_uri()]
    assert console.complaints() == []
    context.close()


def test_every_lesson_is_there_solved_with_pictures_that_step_without_a_kernel(opened, site):
    solved = {path.stem for path in (CHECKOUT / "notebooks" / "solutions").glob("[0-9]*.ipynb")}
    assert {path.stem for path in (site / "tutorial" / "lessons").glob("*.html")} == solved
    page = opened("tutorial/lessons/02-the-first-tape")
    expect(page.get_by_text("02.4 Ask twice: 10 of 10 points").first).to_be_visible()
    picture = page.locator("figure.explorer").first
    picture.scroll_into_view_if_needed()
    explorer = Explorer.in_frame(picture)
    explorer.click_to_the_end_and_back()
    explorer.root.get_by_text("What the words mean").click()
    definition = glossary.in_short("cotangent")
    expect(explorer.root.get_by_role("definition").filter(has_text=definition)).to_be_visible()


def test_the_search_works_without_a_server(opened):
    page = opened("search")
    page.goto(f"{page.url}?q=gradient")
    expect(page.locator("#search-results li").nth(5)).to_be_visible()  # they come one by one


@pytest.mark.parametrize("term", SEARCHED)
def test_the_search_leads_from_a_term_to_the_page_that_names_its_module(opened, term):
    page = opened("search")
    page.goto(f"{page.url}?q={term.replace(' ', '+')}")
    expect(page.locator("#search-results a[href*='explanation/dispatch']").first).to_be_visible()


@pytest.mark.parametrize(
    ("faults", "messages"),
    [
        ("[there](#nowhere) and $\\nonsense$", ["'nowhere'", "nonsense"]),
        ("```{ops}\nops\n```", ["No op is declared in tapelab.ops"]),
    ],
    ids=["warnings", "an error"],
)
def test_a_fault_on_a_page_fails_the_build(tmp_path, faults, messages):
    settings = (CHECKOUT / "docs" / "conf.py").read_text("utf-8")
    (tmp_path / "conf.py").write_text(settings.replace('["_static"]', "[]"), "utf-8")
    (tmp_path / "index.md").write_text(f"# Title\n\n{faults}\n", "utf-8")
    built = build(tmp_path / "site", tmp_path)
    assert built.returncode != 0
    assert [message for message in messages if message not in built.stderr] == []


@pytest.mark.parametrize(
    ("html", "message"),
    [
        ('<a href="gone.html">x</a>', "index.html: gone.html"),
        ('<a href="#gone">x</a>', "index.html: #gone"),
        ('<img src="gone.png">', "index.html: gone.png"),
    ],
)
def test_a_link_that_leads_nowhere_would_be_noticed(tmp_path, html, message):
    (tmp_path / "index.html").write_text(f'<p id="here"><a href="#here"></a>{html}')
    assert list(checking.broken(tmp_path)) == [message]


def test_what_comes_from_elsewhere_would_be_noticed(tmp_path):
    (tmp_path / "index.html").write_text('<script src="https://example.org/a.js"></script>')
    (tmp_path / "a.css").write_text("@import '//example.org/b.css'; a { background: url(c.png) }")
    addresses = ["index.html: https://example.org/a.js", "a.css: //example.org/b.css"]
    assert list(checking.fetched(tmp_path)) == addresses
