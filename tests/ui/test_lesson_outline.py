"""The outline of a lesson: its parts, and each exercise with the points that were earned."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.axe import violations
from tests.ui.conftest import NEWEST_FIRST
from tests.ui.notebook import Notebook
from tests.ui.tape_panel import command, run_cell

RIGHT = """\
@tf.exercise("02.1")
def derivative(value):
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x)

tf.check("02.1")"""
SWAPPED = """\
@tf.exercise("02.2")
def both(x_value, y_value):
    return {"x": tf.constant(x_value), "y": tf.constant(y_value)}

tf.check("02.2")"""
WORTH = [
    {"id": "02.1", "title": "x², anywhere", "points": 10},
    {"id": "02.2", "title": "Both gradients", "points": 10},
]
PARTS = [
    ("markdown", "# 02 · The first tape"),
    ("code", "import tapelab as tf"),
    ("markdown", "## A derivative\n\nWords.\n\n### Exercise 02.1: x², anywhere" + "\n\nMore." * 60),
    ("code", RIGHT),
    ("markdown", "## Several sources\n\n### Exercise 02.2: both gradients"),
    ("code", SWAPPED),
]


def write_lesson(file):
    """A short lesson, as the builder of lessons writes one."""
    cells = [
        {"cell_type": kind, "id": f"part-{at}", "metadata": {}, "source": source}
        | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        for at, (kind, source) in enumerate(PARTS)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"lesson": "02", "minutes": 25, "exercises": WORTH, "solved": False}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}, "tapelab": about}
    text = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(text), encoding="utf-8")
    return file


def outline_of(notebook: Notebook) -> Locator:
    """Show the outline beside a notebook."""
    page = notebook.page
    outline = page.locator("#tapelab-outline")
    tab = page.locator(".jp-SideBar.jp-mod-left [data-id='tapelab-outline']")
    if "lm-mod-current" not in (tab.get_attribute("class") or ""):
        tab.click()  # where it was open before, JupyterLab has brought it back
    expect(outline).to_be_visible()
    return outline


@pytest.fixture
def lesson(open_notebook, folder):
    return open_notebook(file=write_lesson(folder / "lesson.ipynb"))


@pytest.fixture(scope="module")
def untouched(open_notebooks, server):
    """A lesson of which no cell runs, for all tests that only look around in it."""
    return open_notebooks(file=write_lesson(server.root / "untouched" / "lesson.ipynb"))


def test_a_lesson_lists_its_parts_and_what_they_are_worth_before_anything_runs(untouched):
    outline = outline_of(untouched)
    expect(outline.get_by_role("heading")).to_have_text("02 · The first tape")
    expect(outline.get_by_role("status")).to_have_text("0 of 20 points · 0 of 2 exercises right")
    expect(outline.locator(".row")).to_have_text(
        ["A derivative", "x², anywhere10 points", "Several sources", "Both gradients10 points"]
    )
    expect(outline.get_by_role("img", name="not checked yet")).to_have_count(2)


@NEWEST_FIRST
def test_verdicts_arrive_as_they_are_given_and_outlive_page_and_kernel(lesson):
    outline, status = outline_of(lesson), lesson.page.locator("#tapelab-outline [role='status']")
    lesson.wait_for_kernel()
    run_cell(lesson, 0)
    run_cell(lesson, 1)
    expect(status).to_have_text("10 of 20 points · 1 of 2 exercises right", timeout=30_000)
    run_cell(lesson, 2)
    expect(status).to_have_text("12 of 20 points · 1 of 2 exercises right", timeout=30_000)
    rows = ["A derivative", "x², anywhere10 of 10", "Several sources", "Both gradients2 of 10"]
    expect(outline.locator(".row")).to_have_text(rows)
    expect(outline.get_by_role("img", name="partly right")).to_have_count(1)
    expect(outline.get_by_role("img", name="right", exact=True)).to_have_count(1)
    lesson.save()
    lesson.page.reload()
    expect(lesson.cells.first).to_be_visible(timeout=30_000)
    expect(outline_of(lesson).locator(".row")).to_have_text(rows, timeout=20_000)


@NEWEST_FIRST
def test_a_click_leads_to_the_exercise_and_the_outline_follows_the_active_cell(lesson):
    outline = outline_of(lesson)
    current = outline.locator(".row[aria-current]")
    expect(current).to_have_count(0)
    outline.locator(".row", has_text="Both gradients").click()
    expect(lesson.cells.nth(2)).to_contain_class("jp-mod-active")
    expect(lesson.cells.nth(2)).to_be_in_viewport()
    expect(lesson.panel.get_by_role("heading", name="both gradients")).to_be_in_viewport()
    expect(current).to_contain_text("Both gradients")
    outline.locator(".row", has_text="A derivative").click()
    expect(current).to_contain_text("A derivative")
    expect(lesson.panel.get_by_role("heading", name="A derivative")).to_be_in_viewport()


def test_arrow_keys_lead_from_part_to_part(untouched):
    outline = outline_of(untouched)
    rows = outline.locator(".row")
    rows.first.focus()
    untouched.page.keyboard.press("ArrowDown")
    untouched.page.keyboard.press("ArrowDown")
    expect(rows.nth(2)).to_be_focused()
    untouched.page.keyboard.press("End")
    expect(rows.last).to_be_focused()
    untouched.page.keyboard.press("Enter")
    expect(untouched.cells.nth(2)).to_contain_class("jp-mod-active")


def test_it_opens_and_closes_by_command(untouched):
    outline = outline_of(untouched)
    command(untouched.page, "Lesson outline")
    expect(outline).to_be_hidden()
    command(untouched.page, "Lesson outline")
    expect(outline).to_be_visible()


def test_a_notebook_without_a_lesson_has_none_and_the_way_to_one(open_notebook):
    notebook = open_notebook("1 + 1")
    outline = outline_of(notebook)
    expect(outline.get_by_role("heading")).to_have_text("No lesson here")
    assert violations(outline) == []
    outline.get_by_role("button", name="Tapelab lessons").click()
    expect(notebook.page.locator(".Toastify__toast")).to_contain_text("There are no lessons")


@NEWEST_FIRST
def test_notebook_has_it_in_its_view_menu(open_notebook, folder):
    file = write_lesson(folder / "lesson.ipynb")
    notebook = open_notebook(file=file, app="notebook")
    notebook.choose("View", "Lesson outline")
    expect(notebook.page.locator("#tapelab-outline .row")).to_have_count(4)
