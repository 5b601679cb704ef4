"""`make lab` in a fresh clone: an environment of its own, the lessons, JupyterLab; then no wait."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tapelab.lab.lesson_folder import lessons, shipped_folder
from tests.ui.conftest import open_in
from tests.ui.explorer import Explorer
from tests.ui.jupyter import announced, running

CHECKOUT = Path(__file__).parents[2]
INSTALL_SECONDS = 600

pytestmark = pytest.mark.thorough


@pytest.fixture
def newcomer(tmp_path):
    """A person with an empty home, a Python, make, and a clone of this checkout."""
    clone = ["git", "clone", "--quiet", str(CHECKOUT), str(tmp_path / "tapelab")]
    subprocess.run(clone, check=True)
    return tmp_path


@contextmanager
def lab_made_by(newcomer):
    """Run `make lab` with nothing on PATH but the system's tools and one Python."""
    for notice in (newcomer / "runtime").glob("jpserver-*"):
        notice.unlink()
    command = ["make", "-C", str(newcomer / "tapelab"), "lab"]
    places = [str(Path(sys.base_prefix) / "bin"), "/usr/local/bin", "/usr/bin", "/bin"]
    made = running(command, newcomer, PATH=os.pathsep.join(places), PYTHON="")
    with made as (process, runtime):
        server = announced(process, runtime, newcomer / "tapelab-lessons", INSTALL_SECONDS)
        yield server, (newcomer / "server.log").read_text()


def test_the_first_run_sets_up_and_the_second_starts_at_once_and_keeps_the_learners_work(
    browser, newcomer
):
    lesson = lessons(shipped_folder())[0]
    with lab_made_by(newcomer) as (server, said):
        assert "Installing tapelab and what it needs" in said
        assert "Added to " in said
        notebook = open_in(browser, server, server.root / lesson.name, "lab")
        notebook.run_all()
        explorer = Explorer.within(notebook.panel.locator("iframe").first.content_frame)
        explorer.click_to_the_end_and_back()
        notebook.save()
        notebook.close()

    work = notebook.file.read_text()
    with lab_made_by(newcomer) as (server, said):
        assert "Installing" not in said
        assert "are up to date" in said
        page = browser.new_page()
        page.goto(f"{server.url}?token={server.token}")
        title = page.get_by_role("heading", name="tapelab: the lessons")
        expect(title).to_be_visible(timeout=30_000)
        page.close()
    assert notebook.file.read_text() == work
