"""A release is proved: the learner's notebook earns nothing, the solved one all, nothing leaks."""

from __future__ import annotations

import json

import pytest

from tapelab.authoring.percent_script import chosen, notebook, solution_lines
from tapelab.authoring.release import doubts, leaks, released, solved
from tapelab.authoring.work import Work, WorkError


def texts(notebook):
    return "\n".join("".join(cell["source"]) for cell in json.loads(notebook)["cells"])


def test_learners_get_the_text_without_solutions_and_the_teacher_with_them(folder):
    work = folder.work
    learners, teachers = (texts(notebook(work, solved=each)) for each in (False, True))
    assert "SOLUTION" not in learners + teachers
    for line in solution_lines(work.text):
        assert line in teachers
        assert line not in learners


def test_the_notebook_says_what_its_exercises_are_worth(folder):
    about = json.loads(notebook(folder.work, solved=False))["metadata"]["tapelab"]
    assert about["lesson"] == "cubes"
    assert [each["points"] for each in about["exercises"]] == [10, 6, 4]


def test_files_named_in_the_work_go_along(folder):
    (folder.path / "data.csv").write_text("1,2\n")
    folder.edit("exercises.py", "POINTS = 20", 'POINTS = 20\nFILES = ("data.csv",)')
    assert released(folder.work)["data.csv"] == b"1,2\n"


@pytest.mark.parametrize("name", ["missing.csv", "../secret.txt"])
def test_a_file_that_is_not_in_the_folder_is_refused(folder, name):
    (folder.path.parent / "secret.txt").write_text("key")
    folder.edit("exercises.py", "POINTS = 20", f'FILES = ("{name}",)')
    with pytest.raises(WorkError, match="which is no file in"):
        _ = folder.work


@pytest.mark.parametrize(
    ("file", "before", "after", "said"),
    [
        ("notebook.py", "# *How fast does x³ grow, and who is asked?*",
         "# *In two operations.*", "cubes.ipynb holds a text of a check that is not public"),
        ("exercises.py", "The exercises of this work",
         "cube = x * x * x", "exercises.py holds a line of a solution: 'cube = x * x * x'."),
    ],
)  # fmt: skip
def test_what_leaks_is_reported(folder, file, before, after, said):
    assert list(leaks(folder.work)) == []
    found = list(leaks(folder.edit(file, before, after).work))
    assert any(said in each for each in found), found


def test_a_private_check_that_cannot_be_taken_out_is_reported(folder):
    folder.edit("exercises.py", "EXERCISES = (", "from dataclasses import replace\nEXERCISES = (")
    folder.edit("exercises.py", "(DERIVATIVE, TAPE, GUESS)",
                "(DERIVATIVE, TAPE, replace(GUESS, checks=tuple(map(type(GUESS.checks[0]).private, "
                "GUESS.checks))))")  # fmt: skip
    found = list(doubts(folder.work))
    assert "The private check 'The derivative at 0' of cubes.3 cannot be taken out" in found[0]


def test_a_hidden_check_whose_judge_is_an_object_is_reported_as_well(folder):
    imports = "from dataclasses import replace\nfrom functools import partial\n"
    folder.edit("exercises.py", "EXERCISES = (", f"{imports}EXERCISES = (")
    folder.edit("exercises.py", "(DERIVATIVE, TAPE, GUESS)",
                "(DERIVATIVE, TAPE, replace(GUESS, checks=tuple(map(type(GUESS.checks[0]).hidden, "
                "(replace(each, judge=partial(each.judge)) for each in GUESS.checks)))))"
                )  # fmt: skip
    found = list(doubts(folder.work))
    assert "The hidden check 'The derivative at 0' of cubes.3 cannot be taken out" in found[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("### BEGIN SOLUTION\nx", "never closed"),
        ("### INSTEAD\nx\n### END SOLUTION", "Line 1 .* out of place"),
        ("### BEGIN SOLUTION\n### BEGIN SOLUTION", "Line 2"),
    ],
)
def test_marks_out_of_place_are_reported(text, said):
    with pytest.raises(WorkError, match=said):
        chosen(text, solved=False)


def test_a_folder_that_is_no_work_is_reported_how_to_begin(tmp_path):
    with pytest.raises(WorkError, match=r"no exercises\.py in .* tapelab exercise new"):
        Work.read(tmp_path)
    (tmp_path / "exercises.py").write_text("EXERCISES = 3")
    (tmp_path / "notebook.py").write_text("")
    with pytest.raises(WorkError, match="a tuple of Exercise"):
        Work.read(tmp_path)


@pytest.mark.slow
def test_a_starter_that_earns_points_and_a_solution_that_does_not_are_reported(folder):
    folder.edit("notebook.py", 'return {"derivative": ..., "un', 'return {"derivative": 0.0, "un')
    folder.edit("notebook.py", "return tape.gradient(cube, x)", "return cube")
    found = list(doubts(folder.work))
    given = "The check 'The derivative at 0' of cubes.3 gives 2 of 2 to the learner's notebook"
    assert [each for each in found if "as it is released" in each] == [
        f"{given} as it is released."
    ]
    assert "The check 'The derivative of x³' of cubes.1 gives 1 of 4 to the solution." in found


def test_the_solved_files_are_the_teachers_own(folder):
    assert solved(folder.work)["exercises.py"].decode() == folder.work.script
