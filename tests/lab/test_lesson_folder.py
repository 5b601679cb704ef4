"""Copying the lessons adds what is new, updates what is untouched and keeps a learner's work."""

from __future__ import annotations

import json

import nbformat
import pytest

from tapelab import locales
from tapelab.lab.lesson_folder import (
    START_PAGE,
    LessonsFolderError,
    copy_lessons,
    lessons,
    shipped_folder,
)


def write_lesson(folder, name, text):
    cells = [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": text}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / name).write_text(json.dumps(notebook), encoding="utf-8")


@pytest.fixture
def shipped(tmp_path):
    folder = tmp_path / "shipped"
    (folder / "solutions").mkdir(parents=True)
    (folder / "data").mkdir()
    (folder / "data" / "points.csv").write_text("1,2\n")
    (folder / "src").mkdir()
    (folder / "src" / "02_tape.py").write_text("# what the notebook is made from")
    (folder / "README.md").write_text("for developers")
    write_lesson(folder, "02_tape.ipynb", "# The first tape\n\nWhat does a\ntape hold?\n\nMore.")
    write_lesson(folder, "03_back.ipynb", "# Backward\n\nWhere do gradients meet?")
    write_lesson(folder / "solutions", "02_tape.ipynb", "# Solved")
    return folder


@pytest.fixture
def mine(tmp_path):
    return tmp_path / "mine"


def test_a_new_folder_gets_every_lesson_and_no_solution(shipped, mine):
    copied = copy_lessons(mine, shipped=shipped)
    names = {path.relative_to(mine).as_posix() for path in mine.rglob("*") if path.is_file()}
    assert names - {".tapelab-lessons.json"} == set(copied.added)
    assert set(copied.added) == {START_PAGE, "02_tape.ipynb", "03_back.ipynb", "data/points.csv"}
    assert (mine / "02_tape.ipynb").read_bytes() == (shipped / "02_tape.ipynb").read_bytes()


def test_a_second_copy_changes_nothing_and_says_so(shipped, mine):
    copy_lessons(mine, shipped=shipped)
    again = copy_lessons(mine, shipped=shipped)
    assert (again.added, again.updated, again.kept) == ((), (), ())
    assert again.summary() == f"The lessons in {mine} are up to date."


def test_a_lesson_the_learner_never_changed_is_updated(shipped, mine):
    copy_lessons(mine, shipped=shipped)
    write_lesson(shipped, "03_back.ipynb", "# Backward, explained better")
    copied = copy_lessons(mine, shipped=shipped)
    assert copied.updated == (START_PAGE, "03_back.ipynb")
    assert "explained better" in (mine / "03_back.ipynb").read_text()


def test_a_lesson_the_learner_changed_is_kept_when_a_newer_one_exists(shipped, mine):
    copy_lessons(mine, shipped=shipped)
    (mine / "03_back.ipynb").write_text("my own work")
    write_lesson(shipped, "03_back.ipynb", "# Backward, explained better")
    copied = copy_lessons(mine, shipped=shipped)
    assert copied.kept == ("03_back.ipynb",)
    assert (mine / "03_back.ipynb").read_text() == "my own work"
    assert "Kept as you left them: 03_back.ipynb. To get a fresh copy" in copied.summary()


def test_a_changed_lesson_without_a_newer_version_is_nothing_to_talk_about(shipped, mine):
    copy_lessons(mine, shipped=shipped)
    (mine / "03_back.ipynb").write_text("my own work")
    copied = copy_lessons(mine, shipped=shipped)
    assert copied.kept == ()
    assert (mine / "03_back.ipynb").read_text() == "my own work"


def test_work_that_was_kept_once_stays_kept_ever_after(shipped, mine):
    copy_lessons(mine, shipped=shipped)
    (mine / "03_back.ipynb").write_text("my own work")
    for version in ("second", "third", "fourth"):
        write_lesson(shipped, "03_back.ipynb", f"# The {version} version")
        copy_lessons(mine, shipped=shipped)
        assert (mine / "03_back.ipynb").read_text() == "my own work"


def test_a_file_that_was_there_before_is_never_replaced(shipped, mine):
    mine.mkdir()
    (mine / "02_tape.ipynb").write_text("something else of that name")
    copied = copy_lessons(mine, shipped=shipped)
    assert "02_tape.ipynb" in copied.kept
    assert (mine / "02_tape.ipynb").read_text() == "something else of that name"


def test_a_lesson_the_learner_deleted_comes_back_fresh(shipped, mine):
    copy_lessons(mine, shipped=shipped)
    (mine / "03_back.ipynb").unlink()
    assert copy_lessons(mine, shipped=shipped).added == ("03_back.ipynb",)


@pytest.mark.parametrize("damage", ["", "{", "[]", "\xff"])
def test_without_a_readable_manifest_nothing_is_replaced(shipped, mine, damage):
    copy_lessons(mine, shipped=shipped)
    (mine / ".tapelab-lessons.json").write_text(damage, encoding="latin-1")
    write_lesson(shipped, "03_back.ipynb", "# Newer")
    assert "03_back.ipynb" in copy_lessons(mine, shipped=shipped).kept


def test_a_dead_link_is_kept_and_not_written_through(shipped, mine, tmp_path):
    mine.mkdir()
    (mine / "02_tape.ipynb").symlink_to(tmp_path / "elsewhere")
    assert "02_tape.ipynb" in copy_lessons(mine, shipped=shipped).kept
    assert not (tmp_path / "elsewhere").exists()


@pytest.fixture
def hebrew(shipped):
    (shipped / "he").mkdir()
    write_lesson(shipped / "he", "02_tape.ipynb", "# הסרט הראשון\n\nמה מחזיק סרט?")
    return shipped / "he" / "02_tape.ipynb"


def test_lessons_come_in_the_chosen_language_and_those_it_has_not_in_english(
    shipped, mine, hebrew, monkeypatch
):
    monkeypatch.setenv(locales.ENVIRONMENT, "he-IL")
    copied = copy_lessons(mine, shipped=shipped)
    assert set(copied.added) == {START_PAGE, "02_tape.ipynb", "03_back.ipynb", "data/points.csv"}
    assert (mine / "02_tape.ipynb").read_bytes() == hebrew.read_bytes()
    assert (mine / "03_back.ipynb").read_bytes() == (shipped / "03_back.ipynb").read_bytes()
    assert [lesson.title for lesson in lessons(shipped)] == ["הסרט הראשון", "Backward"]
    page = nbformat.read(mine / START_PAGE, as_version=4).cells[0].source
    assert page.startswith('<div dir="rtl">\n\n# tapelab: השיעורים\n\n')
    assert '[\u2068הסרט הראשון\u2069](02_tape.ipynb)\n\n<span dir="auto">מה' in page


def test_another_language_replaces_what_is_untouched_and_no_work(
    shipped, mine, hebrew, monkeypatch
):
    write_lesson(hebrew.parent, "03_back.ipynb", "# אחורה")
    copy_lessons(mine, shipped=shipped)
    (mine / "03_back.ipynb").write_text("my own work")
    monkeypatch.setenv(locales.ENVIRONMENT, "he")
    copied = copy_lessons(mine, shipped=shipped)
    assert (copied.updated, copied.kept) == ((START_PAGE, "02_tape.ipynb"), ("03_back.ipynb",))
    monkeypatch.setenv(locales.ENVIRONMENT, "")
    copied = copy_lessons(mine, shipped=shipped)
    assert (copied.updated, copied.kept) == ((START_PAGE, "02_tape.ipynb"), ())
    assert (mine / "03_back.ipynb").read_text() == "my own work"


def test_a_folder_that_cannot_be_made_raises_an_error_with_advice(shipped, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LessonsFolderError, match="file/mine: Not a directory") as raised:
        copy_lessons(tmp_path / "file" / "mine", shipped=shipped)
    assert "as in: tapelab lessons --copy ~/tapelab-lessons" in str(raised.value)


def test_a_lesson_has_its_title_and_the_question_it_opens_with(shipped):
    assert [(lesson.title, lesson.question) for lesson in lessons(shipped)] == [
        ("The first tape", "What does a tape hold?"),
        ("Backward", "Where do gradients meet?"),
    ]


def test_the_start_page_is_a_valid_notebook_that_links_every_lesson(shipped, mine):
    copy_lessons(mine, shipped=shipped)
    page = nbformat.read(mine / START_PAGE, as_version=4)
    nbformat.validate(page)
    assert "[The first tape](02_tape.ipynb)" in page.cells[0].source
    assert "[Backward](03_back.ipynb)" in page.cells[0].source
    assert "glossary" not in page.cells[0].source
    (shipped / "glossary.ipynb").write_text("{}")
    copy_lessons(mine, shipped=shipped)
    assert "[glossary](glossary.ipynb)" in (mine / START_PAGE).read_text("utf-8")
    assert (mine / "glossary.ipynb").exists()


def test_every_shipped_lesson_has_a_title_and_an_opening_question():
    listed = lessons(shipped_folder())
    assert listed
    assert [lesson.name for lesson in listed if not (lesson.title and lesson.question)] == []
