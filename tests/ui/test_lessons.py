"""The pictures of every lesson open and step; a lesson runs from top to bottom in JupyterLab.

The pictures are those of the copies that tests/lessons and the site run too. They are documents of
their own in frames, the same in any page around them.
"""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tapelab.lab.lesson_folder import copy_lessons, lessons, shipped_folder
from tests.ui.axe import violations
from tests.ui.browser import Console
from tests.ui.explorer import Explorer
from tools.docs.executing import executed

FIRST, *OTHERS = [lesson.name for lesson in lessons(shipped_folder())]
IN_JUPYTERLAB = [FIRST, *(pytest.param(name, marks=pytest.mark.thorough) for name in OTHERS)]
FRAMES = "iframe[title^='tapelab']:not(.tapelab-verdict iframe)"


def pictures_of(outputs) -> list[dict]:
    """The outputs that show a recording, but for those of a verdict."""
    shown = ((output, json.dumps(output)) for output in outputs)
    return [
        output
        for output, text in shown
        if "tapelab-recording" in text and "tapelab-verdict" not in text
    ]


def look_at_all_and_step_the_last(frames, pictures: int) -> None:
    """Every picture is drawn; the last can be stepped, and axe finds nothing in it."""
    assert pictures
    expect(frames).to_have_count(pictures)
    for number in range(pictures):
        frames.nth(number).scroll_into_view_if_needed()
        explorer = Explorer.within(frames.nth(number).content_frame)
        expect(explorer.root).to_be_visible()
    explorer.leap_to_the_end_and_back()
    assert violations(explorer.root) == []


@pytest.mark.parametrize("name", [FIRST, *OTHERS])
def test_the_pictures_of_a_lesson_are_there_and_the_last_steps_to_the_end_and_back(
    browser, tmp_path, name
):
    outputs = [out for cell in executed(shipped_folder() / name).cells
               for out in cell.get("outputs", [])]  # fmt: skip
    pictures = ["".join(out["data"]["text/html"]) for out in pictures_of(outputs)]
    file = tmp_path / "lesson.html"
    file.write_text("\n".join(["<!doctype html><meta charset=utf-8>", *pictures]), "utf-8")
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    page = context.new_page()
    console = Console(page)
    page.goto(file.as_uri())
    look_at_all_and_step_the_last(page.locator(FRAMES), len(pictures))
    assert console.complaints() == []
    context.close()


@pytest.mark.parametrize("name", IN_JUPYTERLAB)
def test_a_lesson_runs_in_jupyterlab_and_its_pictures_are_there(open_notebook, folder, name):
    copy_lessons(folder)
    notebook = open_notebook(file=folder / name)
    notebook.run_all()
    outputs = [out for cell in notebook.save()["cells"] for out in cell.get("outputs", [])]
    assert [out["evalue"] for out in outputs if out["output_type"] == "error"] == []
    look_at_all_and_step_the_last(notebook.panel.locator(FRAMES), len(pictures_of(outputs)))
