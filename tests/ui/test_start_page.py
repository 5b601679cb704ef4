"""`tapelab lab` serves the lessons, opens on the list of them, and prints where that is."""

from __future__ import annotations

import re
import sys
import time

import pytest
from playwright.sync_api import expect

from tapelab.lab.lesson_folder import START_PAGE, lessons, shipped_folder
from tests.ui.axe import violations
from tests.ui.browser import Console, forget, lasting_page
from tests.ui.jupyter import announced, running


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Start the command as a learner does, who has never run it before."""
    place = tmp_path_factory.mktemp("learner")
    command = [sys.executable, "-m", "tapelab.cli", "lab", str(place / "lessons"), "--no-browser"]
    with running(command, place) as (process, runtime):
        yield announced(process, runtime, place / "lessons")


@pytest.fixture
def page(browser, lab):
    """Go where the printed address leads, and wait for the start page."""
    page = lasting_page(browser, {"width": 1280, "height": 900})
    console = Console(page)
    page.goto(f"{lab.url}?token={lab.token}")
    expect(page.get_by_role("heading", name="tapelab: the lessons")).to_be_visible(timeout=30_000)
    # JupyterLab shows what was open before, asks where the address leads, and brings that forward.
    page.wait_for_load_state("networkidle")
    yield page
    forget(page)
    assert console.complaints() == []


def test_the_address_of_the_start_page_is_printed(lab):
    address = rf"{re.escape(lab.url)}lab/tree/Start%20here.ipynb\?token=\w+"
    said = ""
    for _ in range(100):  # the server notes its address down before it prints it
        said = (lab.root.parent / "server.log").read_text()
        if re.search(address, said):
            return
        time.sleep(0.1)
    pytest.fail(f"No {address} in what was printed:\n{said}")


def test_every_lesson_is_listed_by_its_title_in_order(page):
    listed = page.locator(".jp-RenderedMarkdown h2 a:not(.jp-InternalAnchorLink)")
    expect(listed).to_have_text([lesson.title for lesson in lessons(shipped_folder())])


def test_the_start_page_is_rendered_and_nothing_covers_it(page):
    expect(page.locator(".jp-MarkdownCell.jp-mod-rendered")).to_be_visible()
    page.wait_for_timeout(1000)
    expect(page.locator(".jp-Dialog, .Toastify__toast")).to_have_count(0)
    assert violations(page.locator(".jp-RenderedMarkdown")) == []


def test_a_click_on_a_title_opens_the_lesson(page):
    first = lessons(shipped_folder())[0]
    page.get_by_role("link", name=first.title).click()
    expect(page.get_by_role("tab", name=first.name)).to_be_visible()
    heading = page.locator(".jp-NotebookPanel:visible").get_by_role("heading", level=1)
    expect(heading.first).to_contain_text(first.title, timeout=30_000)


def test_the_learners_copies_stand_beside_the_start_page(lab):
    copies = {path.name for path in lab.root.iterdir()}
    assert {START_PAGE, *(lesson.name for lesson in lessons(shipped_folder()))} <= copies
