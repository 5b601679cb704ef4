"""A lesson runs from top to bottom in JupyterLab, and its pictures can be stepped through."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tapelab.lab.lesson_folder import copy_lessons, lessons, shipped_folder
from tests.ui.axe import violations
from tests.ui.explorer import Explorer

NAMES = [lesson.name for lesson in lessons(shipped_folder())]


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_runs_its_pictures_are_there_and_the_last_steps_to_the_end_and_back(
    open_notebook, folder, name
):
    copy_lessons(folder)
    notebook = open_notebook(file=folder / name)
    notebook.run_all()
    outputs = [out for cell in notebook.save()["cells"] for out in cell.get("outputs", [])]
    assert [out["evalue"] for out in outputs if out["output_type"] == "error"] == []

    shown = [json.dumps(out) for out in outputs]
    pictures = sum("tapelab-recording" in out and "tapelab-verdict" not in out for out in shown)
    assert pictures
    frames = notebook.panel.locator("iframe[title^='tapelab']:not(.tapelab-verdict iframe)")
    expect(frames).to_have_count(pictures)
    for number in range(pictures):
        frames.nth(number).scroll_into_view_if_needed()
        explorer = Explorer.within(frames.nth(number).content_frame)
        expect(explorer.root).to_be_visible()
    explorer.leap_to_the_end_and_back()
    assert violations(explorer.root) == []
