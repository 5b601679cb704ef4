"""Otter's assignments and ours, read and written without Otter."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading.formats.conftest import MASTER, checks_of
from grading.formats.ok_test_files import text_of

from tapelab.authoring.lint import problems
from tapelab.authoring.release import leaks, released, solved
from tapelab.authoring.work import Work
from tapelab.exercises.check import Visibility
from tapelab.exercises.local_answer import LocalAnswer
from tapelab.exercises.verdict import outcome
from tapelab.grading.formats.csv_tables import UnreadableFormat
from tapelab.grading.formats.embedded_checks import earned, passed, use
from tapelab.grading.formats.notebook_format import Cell, code, load, markdown, raw, save
from tapelab.grading.formats.ok_tests import Case, Question
from tapelab.grading.formats.otter_assignment import cells as exported
from tapelab.grading.formats.otter_assignment import (
    exercise_of,
    export,
    question_in,
    read_notebook,
    read_tests,
    with_solution,
    without_solution,
)
from tapelab.grading.formats.otter_cells import Block, blocks_in, unfenced
from tapelab.grading.formats.step_runner import Steps

PROMPTED = """# BEGIN SOLUTION NO PROMPT
x = 3
# END SOLUTION
\"\"\" # BEGIN PROMPT
x = 0
\"\"\"; # END PROMPT"""


@pytest.fixture
def master(tmp_path) -> Path:
    return save(tmp_path / "lab 1.ipynb", MASTER)


def test_every_case_of_a_question_is_a_check(master):
    (cube, power) = read_notebook(master).exercises
    public, private = Visibility.PUBLIC, Visibility.PRIVATE
    assert (cube.id, cube.title) == ("lab-1.cube", "Cube it.")
    assert [(t.title, t.points, t.visibility) for t in cube.tests] == [
        ("cube 1", 1, public), ("cube 2", 2.5, private), ("cube 3", 0.5, private),
    ]  # fmt: skip
    assert [(t.title, t.points, t.visibility) for t in power.tests] == [
        ("power as a whole", 2, private)
    ]


def test_what_a_person_grades_is_listed(master):
    assert [(each.name, each.points) for each in read_notebook(master).manual] == [("why", 3)]


@pytest.mark.parametrize(
    ("answer", "points"),
    [
        ("def cube(x):\n    return x ** 3", [1, 2.5, 0.5]),
        ("def cube(x):\n    return 8", [1, 0, 0]),
        ("def cube(x):\n    return ...", [0, 0, 0]),
    ],
)
def test_the_checks_give_the_points_of_the_cases(master, answer, points):
    names: dict = {}
    exec(answer, names)
    checks = checks_of(read_notebook(master).exercises[0])
    assert [outcome(each, LocalAnswer(Steps(names))).points for each in checks] == points


def test_the_work_can_be_released_and_gives_nothing_away(master, tmp_path):
    read_notebook(master).write(tmp_path / "lab-1")
    work = Work.read(tmp_path / "lab-1")
    assert [*problems(work), *leaks(work)] == []
    assert "return x ** 3" in solved(work)["lab-1.ipynb"].decode()
    for content in released(work).values():
        assert "return x ** 3" not in content.decode()
        assert "-27" not in content.decode()


@pytest.mark.parametrize(
    ("source", "shown", "whole"),
    [
        ("x = 3  # SOLUTION", "x = ...", "x = 3"),
        ("    a, b = 1, 2 # SOLUTION", "    a, b = ...", "    a, b = 1, 2"),
        ("t['k'] = 3  # SOLUTION", "t['k'] = ...", "t['k'] = 3"),
        ("    return x == 3  # SOLUTION", "    ...", "    return x == 3"),
        ("x = 3  # SOLUTION NO PROMPT", "", "x = 3"),
        ("def f():\n    # BEGIN SOLUTION\n    return 3\n    # END SOLUTION",
         "def f():\n    ...", "def f():\n    return 3"),
        ("# BEGIN SOLUTION NO PROMPT\nx = 3\n# END SOLUTION", "", "x = 3"),
        (PROMPTED, "x = 0", "x = 3"),
        ("y = 1", "y = 1", "y = 1"),
    ],
)  # fmt: skip
def test_a_solution_is_taken_out_as_otter_takes_it_out(source, shown, whole):
    assert without_solution(source) == shown
    assert with_solution(source) == whole


def test_a_fenced_block_in_a_text_is_a_cell_of_its_own():
    text = "Before\n\n```otter\n# BEGIN QUESTION\nname: q\n```\n\nafter"
    assert [(c.kind, c.source.strip()) for c in unfenced([markdown(text)])] == [
        ("markdown", "Before"), ("raw", "# BEGIN QUESTION\nname: q"), ("markdown", "after"),
    ]  # fmt: skip


def test_what_a_test_printed_for_the_teacher_is_what_it_should_print():
    block = Block({"name": "q"}, [("tests", Cell("code", "f(3)", shown="9"))])
    assert question_in(block).cases == (Case(">>> f(3)\n9", hidden=False),)


def test_a_test_that_is_a_function_is_called_with_the_names_that_it_asks_for():
    source = "@test_case(points=1)\ndef test_f(f, env):\n    assert f(3) == env['nine']"
    block = Block({"name": "q", "points": 2}, [("tests", code(source))])
    (check,) = checks_of(exercise_of(question_in(block, functions=True), "hw"))
    names = {"f": lambda x: x * x, "nine": 9}
    assert outcome(check, LocalAnswer(Steps(names))).points == 2


def test_a_name_that_a_case_gives_is_known_to_the_next():
    question = Question("q", (Case(">>> y = f(2)", points=1), Case(">>> y\n4", points=1)))
    checks = checks_of(exercise_of(question, "hw"))
    answer = LocalAnswer(Steps({"f": lambda x: x * x}))
    assert [outcome(each, answer).points for each in checks] == [1, 1]


def test_a_folder_of_ok_tests_is_read_in_order(tmp_path):
    for name in ("q1", "q2"):
        (tmp_path / f"{name}.py").write_text(text_of(Question(name, (Case(">>> 1\n1"),))))
    assert [each.title for each in read_tests(tmp_path).exercises] == ["q1", "q2"]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([code("1")], "no # BEGIN QUESTION"),
        ([raw("# BEGIN QUESTION\nname: q")], "'q' has no # END QUESTION"),
        ([raw("# BEGIN QUESTION")], "has no name"),
        ([raw("# END QUESTION")], "no question is open"),
        ([raw("# BEGIN TESTS")], "no question is open"),
        ([raw("# BEGIN QUESTION\nname: q"), raw("# BEGIN QUESTION\nname: r")],
         "the question 'q' is still open"),
        ([raw("# BEGIN QUESTION\nname: q"), raw("# BEGIN TESTS"), raw("# END SOLUTION")],
         "no solution is open"),
        ([raw("# BEGIN QUESTION\nname: q"), raw("# BEGIN TESTS"), raw("# END QUESTION")],
         "the tests above it is still open"),
        ([raw("# BEGIN QUESTION\nname: [")], "no YAML"),
        ([raw("# BEGIN QUESTION\nq")], "a list of `name: value`"),
        ([markdown("```otter\n# BEGIN QUESTION")], "never closed"),
    ],
)  # fmt: skip
def test_a_notebook_that_is_out_of_order_says_where(tmp_path, cells, said):
    with pytest.raises(UnreadableFormat, match=said):
        read_notebook(save(tmp_path / "lab.ipynb", cells))


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (markdown("x"), "not code"),
        (code("f("), "no Python"),
        (code('""" # BEGIN TEST CONFIG\npoints: 1'), "no end of it"),
        (code('""" # BEGIN TEST CONFIG\n[\n""" # END TEST CONFIG\n1'), "no YAML"),
        (code('""" # BEGIN TEST CONFIG\npoints: 9\n""" # END TEST CONFIG\n1'), "9 points"),
    ],
)
def test_a_test_that_cannot_be_read_says_why(cell, said):
    block = Block({"name": "q", "points": 2}, [("tests", cell)])
    with pytest.raises(UnreadableFormat, match=said):
        question_in(block)


def test_two_questions_of_one_name_are_refused(tmp_path):
    with pytest.raises(UnreadableFormat, match="two questions called 'cube'"):
        read_notebook(save(tmp_path / "lab.ipynb", [*MASTER, *MASTER]))


def test_our_work_as_a_master_notebook_is_one_that_we_can_read(work, tmp_path):
    export(Work.read(work), tmp_path / "otter")
    (question,) = read_notebook(tmp_path / "otter" / "work.ipynb").exercises
    message = [(each.points, each.visibility) for each in question.tests]
    public, private = Visibility.PUBLIC, Visibility.PRIVATE
    assert message == [(2, public), (1.5, private), (1, private)]


def test_what_otter_gives_to_learners_has_no_private_checks(work, tmp_path):
    export(Work.read(work), tmp_path / "otter")
    assert "Top secret" not in (tmp_path / "otter" / "exercises.py").read_text()
    assert "Top secret" in (tmp_path / "otter" / "teachers_exercises.py").read_text()
    (config, *_) = load(tmp_path / "otter" / "work.ipynb")
    assert "autograder_files:\n  - teachers_exercises.py" in config.source


def test_a_solution_keeps_what_learners_find_instead(work):
    blocks = [each for each in blocks_in(exported(Work.read(work))) if isinstance(each, Block)]
    ((_, answer), *_) = blocks[0].cells
    assert answer.source.split("\n")[1:] == [
        "def square(x):",
        "    # BEGIN SOLUTION NO PROMPT", "    return x * x", "    # END SOLUTION",
        '    """ # BEGIN PROMPT', "    return ...", '"""; # END PROMPT',
    ]  # fmt: skip


def test_inside_another_grader_a_check_gives_its_points_and_says_nothing(
    work, capsys, monkeypatch
):  # fmt: skip
    monkeypatch.setattr("tapelab.grading.formats.embedded_checks._TEACHERS", {})
    monkeypatch.setattr("tapelab.grading.formats.embedded_checks.SESSION.answers", {})
    from tapelab.grading.formats import embedded_checks

    use((work / "exercises.py").read_text())
    assert earned("squares.1", "At three") == 0

    def twice(x):
        print("!")
        return 2 * x

    embedded_checks.SESSION.answers["squares.1"] = twice
    assert earned("squares.1", "At three") == 1
    assert not passed("squares.1", "At three")
    embedded_checks.SESSION.answers["squares.1"] = lambda x: x * x
    assert passed("squares.1", "Top secret")
    assert capsys.readouterr() == ("", "")


def test_a_check_that_is_not_there_is_no_zero(work):
    use((work / "exercises.py").read_text())
    with pytest.raises(LookupError, match="no check 'Other'"):
        earned("squares.1", "Other")
