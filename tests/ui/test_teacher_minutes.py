"""A teacher's ten minutes in a real browser: grade a folder, read broken work, set a rule."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tapelab.grading.gradebook import Gradebook
from tests.fixtures.taught_course import serving, teach
from tests.ui.axe import axe_script
from tests.ui.browser import Console

VIOLATIONS = "axe.run(document, {iframes: false}).then(result => result.violations)"


def is_clean(page):
    page.evaluate(axe_script())
    assert [rule["id"] for rule in page.evaluate(VIOLATIONS)] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_a_teacher_grades_a_folder_reads_broken_work_and_is_warned_of_a_wrong_due_date(
    browser, tmp_path
):
    teach(tmp_path)
    with (
        Gradebook.open(tmp_path / "course.db") as book,
        serving(book, folder=tmp_path) as at,
        browser.new_context(
            viewport={"width": 1366, "height": 768}, bypass_csp=True, color_scheme="dark"
        ) as context,
    ):
        page = context.new_page()
        console = Console(page)
        page.goto(at.address)
        page.get_by_role("link", name="Grade a folder").click()
        page.get_by_label("Folder of submissions").fill("handed-in")
        page.get_by_role("combobox", name="Assignment").select_option("sums")
        is_clean(page)
        page.get_by_role("button", name="Grade").click()
        expect(page.get_by_role("status")).to_contain_text(
            "4 submissions were looked at", timeout=60_000
        )
        expect(page.locator("progress").last).to_have_attribute("value", "4")
        expect(page.get_by_role("button", name="Stop")).to_be_hidden()
        expect(page.get_by_role("region", name="Without a result")).to_contain_text("eve.ipynb")
        is_clean(page)
        page.get_by_role("link", name="To the results").click()
        page.get_by_role("link", name="bob").click()
        stopped = page.get_by_role("region", name="1 cell stopped")
        expect(stopped).to_contain_text("SyntaxError")
        stopped.get_by_role("link", name="Cell 2, line 3").press("Enter")
        expect(page.locator("#cell-2 mark")).to_contain_text("return x +")
        expect(page.locator("#cell-2")).to_be_in_viewport()
        expect(page.locator(".events")).to_have_text(re.compile("Handed in on .*: 0 of 2"))
        is_clean(page)
        page.get_by_role("link", name="← sums").click()
        page.get_by_role("link", name="Rules").click()
        page.get_by_label("Due").fill("2020-03-02T10:00")
        page.get_by_label("Each day late costs").fill("10")
        page.get_by_role("button", name="Show the effect").click()
        expect(page.get_by_role("alert")).to_have_text(
            "This rule takes all points from 1 of 3 submissions: check the due date."
        )
        is_clean(page)
        page.get_by_role("link", name="Cancel").click()
        assert book.assignment("sums").due is None
        with page.expect_download() as download:
            page.get_by_role("link", name="Canvas").click()
        assert download.value.suggested_filename == "sums-canvas.csv"
        assert console.complaints() == []
