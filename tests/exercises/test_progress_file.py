"""What was found is kept beside the notebook: a new kernel knows it, and nothing is lost."""

from __future__ import annotations

import json

import pytest

from tapelab.exercises.exercise import Exercise, Hint
from tapelab.exercises.progress_file import JUPYTER, Kept, notebook_of_kernel
from tapelab.exercises.registry import find
from tapelab.exercises.session import Session


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    file = tmp_path / "lesson.ipynb"
    file.write_text("{}")
    monkeypatch.setenv(JUPYTER, str(file))
    return file


def answer():
    return {"a": 3, "b": 1, "c": 0}


def solved(session):
    session.answer("02.3")(answer)
    return session.check("02.3")


def test_a_new_kernel_knows_verdicts_and_hints_of_the_one_before(notebook):
    first, second = Session(), Session()
    solved(first)
    first.next_hint("02.3")
    assert second.progress("02").points == 7
    assert second.progress().lesson == "02"
    assert second.hints(find("02.3")).opened == find("02.3").hints[:2]
    grades = [(each.title, each.grade) for each in second.progress("02").verdicts[2][1].judged]
    assert grades[-1] == ("Program c", "none")


def test_the_text_of_an_answer_is_kept_with_it(notebook):
    solved(Session())
    kept = json.loads(notebook.with_name(".lesson.progress.json").read_text())
    assert "def answer():" in kept["exercises"]["02.3"]["answer"]


def test_a_check_before_the_answer_has_run_again_loses_nothing(notebook):
    solved(Session())
    second = Session()
    assert second.check("02.3").points == 0
    assert second.progress("02").points == 7
    assert Session().progress("02").points == 7


def test_a_verdict_of_other_checks_is_not_taken_for_one_of_these(notebook):
    solved(Session())
    file = notebook.with_name(".lesson.progress.json")
    file.write_text(file.read_text().replace("Program c", "Program d"))
    assert Session().progress("02").points == 0


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 99}', '{"format": 1}'])
def test_a_file_that_cannot_be_read_is_no_obstacle(notebook, content):
    notebook.with_name(".lesson.progress.json").write_text(content)
    session = Session()
    assert session.progress("02").points == 0
    assert solved(session).points == 7


def test_a_folder_that_cannot_be_written_is_reported_and_the_kernel_remembers(tmp_path):
    kept = Kept.beside(tmp_path / "gone" / "lesson.ipynb")
    session = Session(_kept=kept)
    solved(session)
    assert kept.trouble.startswith("Your progress lasts only as long as this kernel:")
    assert "Copy the notebook to a folder of your own." in kept.trouble
    assert session.progress("02").points == 7


def test_outside_of_a_notebook_nothing_is_written(monkeypatch, tmp_path):
    monkeypatch.delenv(JUPYTER, raising=False)
    monkeypatch.chdir(tmp_path)
    assert notebook_of_kernel() is None
    solved(Session())
    assert list(tmp_path.iterdir()) == []


def test_hints_take_points_only_where_the_exercise_counts_them(monkeypatch):
    exercise = find("02.3")
    priced = ("first", Hint("second", cost=2))
    for counts, points in ((False, 7), (True, 5)):
        own = Exercise("02.3", "", "", exercise.checks, priced, counts_hints=counts)
        monkeypatch.setattr("tapelab.exercises.session.find", lambda _, own=own: own)
        session = Session(_kept=Kept())
        solved(session)
        session.next_hint("02.3")
        assert solved(session).points == points


def test_the_first_hint_is_free():
    with pytest.raises(ValueError, match=r"first hint of exercise 9\.1 is free"):
        Exercise("9.1", "", "", (), (Hint("a", cost=1),))
