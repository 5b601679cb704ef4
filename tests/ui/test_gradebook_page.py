"""The teacher's page in a real browser: coming in, looking, marking by hand."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tapelab.grading.gradebook import Gradebook
from tests.fixtures.taught_course import SCRIPT, fill, serving
from tests.ui.axe import axe_script
from tests.ui.browser import Console
from tests.ui.explorer import Explorer

PAGES = {
    "Assignments": "/",
    "Roster": "/roster",
    "03 The backward pass": "/assignment?name=03&sort=points&order=down",
    "Ada Lovelace": "/submission?assignment=03&student=ada",
}
WITHOUT_FRAMES = "axe.run(document, {iframes: false}).then(result => result.violations)"
"""The Explorer inside has tests of its own."""
REFUSED = "error: Failed to load resource: the server responded with a status of # (Bad Request)"
"""Chromium says this itself where a form is refused in words."""
LOOKS = {"light": (1280, 800, "en"), "dark": (1024, 768, "he")}


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    place = tmp_path_factory.mktemp("course") / "course.db"
    with Gradebook.open(place, by="grace") as book:
        fill(book)
        with serving(book) as server:
            yield server


@pytest.fixture
def page(browser, at):
    """A page that came in by the printed address; its console must stay silent."""
    context = browser.new_context(base_url=f"http://127.0.0.1:{at.port}")
    page = context.new_page()
    console = Console(page)
    page.goto(at.address)
    expect(page.get_by_role("heading", name="Assignments")).to_be_visible()
    yield page
    context.close()
    assert console.complaints(beyond=frozenset({REFUSED})) == []


def test_the_printed_address_leads_to_the_assignments_and_leaves_no_token_in_it(page, at):
    assert at.access.token not in page.url
    page.get_by_role("link", name="03", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("03 The backward pass"))


def test_a_wrong_token_leads_nowhere(browser, at):
    page = browser.new_page()
    said = page.goto(f"http://127.0.0.1:{at.port}/?token=wrong")
    assert said.status == 403
    expect(page.get_by_role("alert")).to_contain_text("The token is wrong")
    page.goto(f"http://127.0.0.1:{at.port}/roster")
    expect(page.get_by_role("table")).to_have_count(0)
    page.close()


def test_whoever_is_called_like_a_script_stands_on_every_page_as_text(page):
    page.on("dialog", lambda dialog: pytest.fail(f"a script of a name ran: {dialog.message}"))
    page.goto("/roster")
    expect(page.get_by_role("row", name=SCRIPT)).to_have_count(1)
    page.goto("/assignment?name=03")
    page.get_by_role("link", name=SCRIPT).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(SCRIPT)
    expect(page.get_by_text(f"Not {SCRIPT}").first).to_be_visible()


def test_a_table_is_sorted_by_the_head_of_a_column_by_keyboard(page):
    page.goto("/assignment?name=03")
    rows = page.get_by_role("region", name="Students").get_by_role("row")
    page.get_by_role("link", name="Points").focus()
    page.keyboard.press("Enter")
    head = page.get_by_role("columnheader", name="Points", exact=True)
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(rows.nth(1)).to_contain_text(SCRIPT)
    page.get_by_role("link", name="Points").press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(rows.last).to_contain_text(SCRIPT)


def test_a_submission_has_an_explorer_that_steps_and_reaches_nothing(page):
    page.goto("/submission?assignment=03&student=ada")
    frame = page.get_by_title("Explorer of 03.1")
    assert frame.get_attribute("sandbox") == "allow-scripts"
    explorer = Explorer.within(frame.content_frame)
    explorer.come_into_view()
    steps = explorer.steps()
    explorer.button("Step").click()
    explorer.stands_at(1, steps)
    assert frame.content_frame.locator("body").evaluate("() => self.origin") == "null"


def test_points_by_hand_are_noted_and_taken_back_and_the_history_says_both(page):
    page.goto("/submission?assignment=03&student=bob")
    page.get_by_label("Points", exact=True).fill("3,5")
    page.get_by_label("Why").fill("on paper")
    page.get_by_role("button", name="Give the points").click()
    expect(page.get_by_role("status")).to_have_text("The points are noted.")
    history = page.get_by_role("region", name="History")
    expect(history.get_by_role("row", name="mark: points")).to_contain_text("on paper")
    expect(page.locator(".key")).to_have_text("3.5")
    page.get_by_role("button", name="Take back 3.5").click()
    expect(history.get_by_role("row", name="unmark: points")).to_contain_text("grace")
    expect(page.locator(".key")).to_have_text("0")


def test_points_that_are_no_number_can_be_typed_again_where_the_page_says_so(page):
    page.goto("/submission?assignment=03&student=ada")
    page.get_by_label("Points", exact=True).fill("many")
    page.get_by_label("Why").fill("a long reason")
    page.get_by_role("button", name="Give the points").click()
    expect(page.get_by_role("alert")).to_contain_text("many is no number of points")
    expect(page.get_by_label("Why")).to_have_value("a long reason")
    page.get_by_label("Points").fill("4")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("status")).to_have_text("The points are noted.")


def test_a_form_of_another_site_is_refused(page, browser, at):
    form = f"""<meta charset="utf-8">
      <form method="post" action="http://127.0.0.1:{at.port}/mark">
      <input name="assignment" value="03"><input name="student" value="מרים">
      <input name="points" value="9"><input name="kind" value="points"><button>Win</button></form>
    """
    evil = page.context.new_page()
    evil.route("**/evil", lambda route: route.fulfill(content_type="text/html", body=form))
    evil.goto("http://evil.example/evil")
    with evil.expect_navigation() as answer:
        evil.get_by_role("button").click()
    assert answer.value.status == 403
    page.goto("/submission?assignment=03&student=מרים")
    expect(page.locator(".key")).to_have_text("6")
    expect(page.get_by_role("region", name="History")).not_to_contain_text("mark:")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page_and_no_page_is_wider_than_the_window(browser, at, theme):
    width, height, language = LOOKS[theme]
    context = browser.new_context(
        base_url=f"http://127.0.0.1:{at.port}", color_scheme=theme, bypass_csp=True,
        viewport={"width": width, "height": height}, locale=language,
    )  # fmt: skip
    page = context.new_page()
    page.goto(at.address)
    page.wait_for_url("**/")
    for title, path in PAGES.items():
        page.goto(path)
        heading = page.get_by_role("heading", level=1)
        expect(heading).to_have_text(re.compile(title if language == "en" else "."))
        assert page.locator("html").get_attribute("lang") == language
        page.evaluate(axe_script())
        assert [rule["id"] for rule in page.evaluate(WITHOUT_FRAMES)] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
