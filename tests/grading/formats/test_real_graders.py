"""Against nbgrader and Otter themselves, which stand in an environment of their own.

`python -m tools.graders` sets it up; `make test` does.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest
from grading.formats.conftest import MASTER
from grading.formats.ok_test_files import spec_of, text_of
from grading.formats.test_nbgrader import RIGHT, graded, sent  # noqa: F401 - graded is a fixture

from tapelab.authoring.work import Work
from tapelab.grading.formats import nbgrader_assignment, otter_assignment
from tapelab.grading.formats.grade_lists import READERS
from tapelab.grading.formats.nbgrader_cells import role_of
from tapelab.grading.formats.nbgrader_course import Course, grades
from tapelab.grading.formats.notebook_format import load, save
from tapelab.grading.formats.ok_tests import Case, Question
from tapelab.grading.formats.otter_assignment import question_in
from tapelab.grading.formats.otter_cells import Block, blocks_in
from tools import graders

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path(graders.python()).exists(),
        reason="nbgrader and Otter are not installed; python -m tools.graders does that",
    ),
]
SCORES = """
import json, sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    scores = {s.student.id: {g.name: g.auto_score for n in s.notebooks for g in n.grades}
              for s in book.assignment_submissions(sys.argv[1])}
print(json.dumps(scores))
"""
READ = """
import json, sys
from otter.test_files import OKTestFile
test = OKTestFile.from_file(sys.argv[1])
print(json.dumps([test.name, test.all_or_nothing, [[c.body, c.hidden, c.points, c.name,
      c.success_message, c.failure_message] for c in test.test_cases]]))
"""


def run(folder: Path, *command: str) -> str:
    """Run a program of the other graders' environment in a folder."""
    place = Path(graders.python()).parent
    path = os.pathsep.join([str(place), os.environ["PATH"]])
    message = subprocess.run(
        [place / command[0], *command[1:]], cwd=folder, check=False, capture_output=True,
        text=True, env={**os.environ, "PATH": path, "HOME": str(folder)}, timeout=300,
    )  # fmt: skip
    assert message.returncode == 0, message.stdout[-3000:] + message.stderr[-3000:]
    return message.stdout


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """What nbgrader wants to find in a course."""
    return 'c = get_config()\nc.CourseDirectory.course_id = "c"\n'


def test_nbgrader_releases_what_we_release_and_grades_as_we_do(course, config, graded):  # noqa: F811  a fixture
    (course / "nbgrader_config.py").write_text(config)
    (ours,) = Course(course).release("hw1")
    expected = [(c.kind, c.source, dict(c.metadata)) for c in load(ours)]
    partly = {"slope": "slope = lambda x: 6 if x == 3 else 0", "area": "area = lambda r: 1"}
    handed_in = {
        name: sent(course, name, answers)
        for name, answers in {"right": RIGHT, "partly": partly, "none": {}}.items()
    }
    shutil.rmtree(course / "release")  # nbgrader leaves alone what is there already
    run(course, "nbgrader", "generate_assignment", "hw1")
    theirs = [(c.kind, c.source, dict(c.metadata)) for c in load(ours)]
    assert theirs == expected

    run(course, "nbgrader", "autograde", "hw1")
    message = json.loads(run(course, "python", "-c", SCORES, "hw1"))
    names = ("slope-public", "slope-hidden", "area-parts")
    for student, each in handed_in.items():
        assert [message[student][name] for name in names] == graded(course, each), student

    run(course, "nbgrader", "export")
    listed = READERS["nbgrader"]((course / "grades.csv").read_text())
    kept = grades(course / "gradebook.db")
    assert [(g.learner.id, g.points, g.of, g.handed_in) for g in kept] == [
        (g.learner.id, g.points, g.of, g.handed_in) for g in listed
    ]
    assert {g.learner.id: g.points for g in kept} == {"right": 5.5, "partly": 1.5, "none": 0}
    _same_tests_again(course, handed_in)


def _same_tests_again(course, handed_in):
    """What we write under autograded/ has nbgrader's cells, sources and metadata."""
    place = course / "autograded" / "none" / "hw1" / "slopes.ipynb"
    theirs = _by_name(place)
    place.unlink()
    assert _by_name(Course(course).write_autograded(handed_in["none"], "hw1")) == theirs


def _by_name(path: Path) -> dict[str, str]:
    return {role.grade_id: cell.source for cell in load(path) if (role := role_of(cell))}


def test_nbgrader_gives_our_points_to_a_work_of_ours(work, tmp_path, config):
    course = tmp_path / "course"
    nbgrader_assignment.export(Work.read(work), course, assignment="sq")
    (course / "nbgrader_config.py").write_text(config)
    run(course, "nbgrader", "generate_assignment", "sq")
    released = course / "release" / "sq"
    assert "Top secret" not in "".join(each.read_text() for each in released.iterdir())
    noisy = "import sys\n    print('!', file=sys.stderr)\n    return x * x"
    stub = "# YOUR CODE HERE\n    raise NotImplementedError()"
    for name, body in {"right": noisy, "slip": "return 2 * x", "none": ""}.items():
        cells = [
            c.with_source(c.source.replace(stub, body))
            if body else c
            for c in load(released / "work.ipynb")
        ]  # fmt: skip
        save(course / "submitted" / name / "sq" / "work.ipynb", cells)
    run(course, "nbgrader", "autograde", "sq")
    found = {g.learner.id: (g.points, g.of) for g in grades(course / "gradebook.db")}
    assert found == {"right": (4.5, 4.5), "slip": (1, 4.5), "none": (0, 4.5)}


@pytest.mark.parametrize(
    "question",
    [
        Question("q1", (Case(">>> f(3)\n9", hidden=False), Case(">>> f(0)\n0", name="zero"))),
        Question("q2", (Case(">>> 1\n1", points=1.5), Case(">>> 2\n2")), 4, all_or_nothing=True),
        Question("q3", (Case(">>> 1\n1", success_message="Ja — 好"), Case(">>> 2\n2")), (2, None)),
    ],
    ids=lambda question: question.name,
)
def test_otter_reads_the_tests_that_we_write(tmp_path, question):
    (tmp_path / "q.py").write_text(text_of(question), encoding="utf-8")
    name, as_number, cases = json.loads(run(tmp_path, "python", "-c", READ, "q.py"))
    assert (name, as_number) == (question.name, question.all_or_nothing)
    for number, (message, case) in enumerate(zip(cases, question.resolved(), strict=True), 1):
        assert message == [case.code, case.hidden, case.points, case.name or f"{name} - {number}",
                        case.success_message or None, case.failure_message or None]  # fmt: skip


def test_otter_makes_of_its_cells_the_tests_that_we_make(tmp_path):
    save(tmp_path / "lab.ipynb", MASTER)
    run(tmp_path, "otter", "assign", "lab.ipynb", "dist")
    made = nbformat.read(tmp_path / "dist" / "autograder" / "lab.ipynb", as_version=4)
    theirs = made.metadata["otter"]["tests"]
    blocks = [each for each in blocks_in(MASTER) if isinstance(each, Block)]
    ours = {each.name: spec_of(question_in(each)) for each in blocks if each.cells_of("tests")}
    assert _plain(theirs) == _plain(ours)


def _plain(tests):
    """Tests without the line ends after their code, which mean nothing."""
    message = json.loads(json.dumps(tests))
    for test in message.values():
        for case in test["suites"][0]["cases"]:
            case["code"] = case["code"].rstrip("\n")
    return message


def test_otter_gives_all_points_to_our_solution_and_none_to_what_learners_get(work, tmp_path):
    otter_assignment.export(Work.read(work), tmp_path / "master")
    run(tmp_path / "master", "otter", "assign", "work.ipynb", "dist")  # which grades the solution
    student = tmp_path / "master" / "dist" / "student"
    assert "Top secret" not in "".join(each.read_text() for each in student.iterdir())
    (archive,) = (tmp_path / "master" / "dist" / "autograder").glob("*.zip")
    run(student, "otter", "run", "work.ipynb", "-a", str(archive), "-o", ".")
    message = json.loads((student / "results.json").read_text())["tests"]
    assert [(each["score"], each["max_score"]) for each in message if "max_score" in each] == [
        (0, 4.5)
    ]
