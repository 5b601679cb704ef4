"""A teacher adds the students of a folder and publishes their scores, in a real browser.

The platform is the one of the LTI tests: real HTTP, signed tokens, line items and scores.
"""

from __future__ import annotations

import json

from grading.formats.lti_platform import TestPlatform
from playwright.sync_api import expect

from tapelab.grading.formats.lti import OwnKey
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.entities import Student
from tests.fixtures.taught_course import serving, teach
from tests.ui.browser import Console
from tests.ui.test_teacher_minutes import is_clean


def test_students_are_added_and_scores_published_without_a_command(browser, tmp_path):
    teach(tmp_path)
    key = OwnKey.generate()
    with (
        TestPlatform(key, key) as platform,
        Gradebook.open(tmp_path / "course.db") as book,
        serving(book, folder=tmp_path) as at,
        browser.new_context(viewport={"width": 1366, "height": 768}, bypass_csp=True) as context,
    ):
        book.add_students([Student("ada", ids={"lti": "user-7"})])
        page = context.new_page()
        console = Console(page)
        page.goto(at.address)
        page.get_by_role("link", name="Grade a folder").click()
        page.get_by_label("Folder of submissions").fill("handed-in")
        page.get_by_role("combobox", name="Assignment").select_option("sums")
        page.get_by_role("button", name="Grade", exact=True).click()
        graded = page.get_by_role("status")
        expect(graded).to_contain_text("4 submissions were looked at", timeout=60_000)
        expect(
            page.get_by_text("3 submissions are not of students in the gradebook")
        ).to_be_visible()
        is_clean(page)
        page.get_by_role("button", name="Add them and grade their work").click()
        expect(page.locator(".chip", has_text="graded: 2")).to_be_visible(timeout=60_000)
        assert len(book.students()) == 4
        page.get_by_role("link", name="To the results").click()

        page.get_by_role("link", name="Publish to a learning platform").click()
        expect(page.get_by_role("heading", name="What is missing")).to_be_visible()
        is_clean(page)
        (tmp_path / "lti.pem").write_text(key.pem)
        described = {"client_id": "tool-1", "token_url": f"{platform.url}/token",
                     "lineitems": f"{platform.url}/items"}  # fmt: skip
        (tmp_path / "lms.json").write_text(json.dumps(described))
        platform.refused = {"bob"}
        page.reload()
        is_clean(page)
        page.get_by_role("button", name="Publish").click()
        expect(page.get_by_role("status")).to_contain_text("2 of 3 scores arrived.")
        expect(page.locator("progress").last).to_have_attribute("value", "3")
        expect(page.get_by_role("button", name="Stop")).to_be_hidden()
        said = page.get_by_role("region", name="What the platform said")
        expect(said.get_by_role("row").nth(1)).to_contain_text("refused with 404")
        expect(said.get_by_role("row", name="ada")).to_contain_text("user-7")
        is_clean(page)
        platform.refused = set()
        page.get_by_role("button", name="Send all again").click()
        expect(page.get_by_role("status")).to_contain_text("3 of 3 scores arrived.")
        newest = {score["userId"]: score["scoreGiven"] for _, score in platform.scores}
        assert newest == {"user-7": 2, "bob": 0, "mallory": 0}
        assert len(platform.items) == 1
        assert console.complaints() == []
