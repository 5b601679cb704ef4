"""A course of nbgrader, read and written without nbgrader."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from pathlib import Path

import nbformat
import pytest
from grading.formats.conftest import SOURCE, checks_of, loaded

import tapelab as tf
from tapelab.authoring.lint import problems
from tapelab.authoring.release import leaks, released, solved
from tapelab.authoring.work import Work
from tapelab.exercises.local_answer import LocalAnswer
from tapelab.exercises.verdict import outcome
from tapelab.grading.assignment import Assignment
from tapelab.grading.formats.csv_tables import UnreadableFormat
from tapelab.grading.formats.nbgrader_cells import role_of
from tapelab.grading.formats.nbgrader_course import Course, HandedIn
from tapelab.grading.formats.notebook_format import code, load, save
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.entities import Student
from tapelab.grading.grader import grade
from tapelab.grading.reports.feedback import feedback_page
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility
from tapelab.grading.submission import Submission, UnreadableSubmission

SECRETS = ("return 2 * x", "range(-5, 5)", "HIDDEN", "4 for a curve", "Because")
RIGHT = {"slope": "def slope(x):\n    return 2 * x", "area": "def area(r):\n    return r * r"}


def sent(root: Path, student: str, answers: dict[str, str], *more) -> HandedIn:
    """Hand in the released notebook with answers, at a place as nbgrader keeps them."""
    (released,) = Course(root).release("hw1")
    cells = [
        cell.with_source(answers.get(role.grade_id, cell.source))
        if (role := role_of(cell))
        else cell
        for cell in load(released)
    ]
    place = root / "submitted" / student / "hw1"
    save(place / "slopes.ipynb", [*cells, *more])
    return next(each for each in Course(root).handed_in("hw1") if each.student == student)


@pytest.fixture
def graded(monkeypatch):
    """Grade in this process, which takes no time; `grade` itself is tested once, below."""
    monkeypatch.setenv("NBGRADER_EXECUTION", "")

    def run(root: Path, handed_in: HandedIn) -> list[float]:
        answers: dict = {}
        monkeypatch.setattr(tf, "exercise", lambda number: lambda f: answers.update({number: f}))
        names: dict = {}
        for cell in Course(root).submission(handed_in, "hw1").cells:
            with contextlib.suppress(Exception):
                exec(cell.source, names)
        return [
            outcome(check, LocalAnswer(answers[each.id])).points
            for each in Course(root).read("hw1").exercises
            for check in checks_of(each)
        ]

    return run


def test_tests_become_checks_of_the_answer_above_them(course):
    read = Course(course).read("hw1")
    message = [(each.id, [(t.title, t.points, t.visibility) for t in each.tests])
            for each in read.exercises]  # fmt: skip
    public, private = Visibility.PUBLIC, Visibility.PRIVATE
    assert message == [
        ("hw1.slope", [("The slope at a few points", 1, public),
                       ("slope-hidden", 2.5, private)]),
        ("hw1.area", [("area-parts", 2, public)]),
    ]  # fmt: skip


def test_what_a_person_grades_waits_for_points_by_hand(course, tmp_path):
    read = Course(course).read("hw1")
    assert [(each.name, each.points) for each in read.manual] == [("why", 3), ("draw", 4)]
    read.write(tmp_path / "hw1")
    assignment = Assignment.load(str(tmp_path / "hw1"))
    (tmp_path / "emmy.py").write_text("essay = 'Because it is.'")
    result = grade(Submission.read(tmp_path / "emmy.py", "emmy"), assignment, sandbox="unsafe")
    (check,) = next(each for each in result.exercises if each.exercise == "hw1.why").checks
    assert (check.status, check.points, check.of) == (Status.WAITING, 0, 3)
    assert "A person grades this." in feedback_page(result)
    with Gradebook.open(tmp_path / "course.db") as book:
        book.add_student(Student("emmy"))
        book.put_assignment(assignment)
        book.hand_in("emmy", "hw1", result.submission, datetime(2026, 3, 2, tzinfo=UTC))
        book.record(result)
        book.mark("emmy", "hw1", 2.5, exercise="hw1.why", comment="nearly")
        (message,) = book.grades("hw1")
    assert (message.final, message.of) == (2.5, sum(each.points for each in assignment.exercises))


def test_what_students_of_nbgrader_get_has_neither_solutions_nor_hidden_tests(course):
    text = "\n".join(cell.source for cell in load(Course(course).release("hw1")[0]))
    assert "raise NotImplementedError()" in text
    assert [secret for secret in SECRETS if secret in text] == []


def test_what_learners_get_of_the_work_has_none_of_them_either(course):
    Course(course).read("hw1").write(course / "work")
    files = released(Work.read(course / "work"))
    assert set(files) == {"work.ipynb", "exercises.py"}
    for content in files.values():
        assert [secret for secret in SECRETS if secret in content.decode()] == []
    assert "assert slope(1) == 2" in files["work.ipynb"].decode()


def test_a_work_that_came_from_nbgrader_can_be_released_and_graded(course):
    read = Course(course).read("hw1")
    read.write(course / "work")
    work = Work.read(course / "work")
    assert [*problems(work), *leaks(work)] == []
    (course / "solved.ipynb").write_bytes(solved(work)["work.ipynb"])
    handed_in = Submission.read(course / "solved.ipynb")
    assignment = Assignment.load(course / "work")
    result = grade(handed_in, assignment, sandbox="unsafe")
    assert (result.points, result.of) == (
        3.5,
        12.5,
    )  # the area has no solution, 7 wait for a person
    (course / "starter.ipynb").write_bytes(released(work)["work.ipynb"])
    assert (
        grade(Submission.read(course / "starter.ipynb"), assignment, sandbox="unsafe").points == 0
    )


def test_a_folder_with_work_in_it_is_not_written_over(course):
    Course(course).read("hw1").write(course / "work")
    with pytest.raises(FileExistsError, match=r"exercises\.py in .* already"):
        Course(course).read("hw1").write(course / "work")


def test_the_exercises_of_the_work_are_those_that_were_read(course):
    read = Course(course).read("hw1")
    read.write(course / "work")
    written = [(each.id, each.title, each.prompt,
                [(check.title, check.points, check.visibility) for check in each.checks])
               for each in Assignment.load(course / "work").exercises]  # fmt: skip
    assert written == [
        (each.id, each.title, each.prompt,
         [(test.title, test.points, test.visibility) for test in each.tests])
        for each in (*read.exercises, *(each.exercise("hw1") for each in read.manual))
    ]  # fmt: skip


def test_another_test_is_another_version(course):
    (one, two) = (loaded(Course(course).read("hw1").exercises[0]) for _ in range(2))
    assert Assignment.of("a", (one,)).version == Assignment.of("a", (two,)).version
    save(course / "source/hw1/slopes.ipynb",
         [cell.with_source(cell.source.replace("== 0", "== 1")) for cell in SOURCE])  # fmt: skip
    three = loaded(Course(course).read("hw1").exercises[0])
    assert Assignment.of("a", (one,)).version != Assignment.of("a", (three,)).version


@pytest.mark.parametrize(
    ("answers", "points"),
    [
        (RIGHT, [1, 2.5, 2]),
        ({}, [0, 0, 0]),
        ({"slope": "slope = lambda x: 6 if x == 3 else 0"}, [1, 0, 0]),
        ({**RIGHT, "area": "def area(r):\n    return 1"}, [1, 2.5, 0.5]),
        ({"slope": "import sys\ndef slope(x):\n    print('!', file=sys.stderr)\n    return 2 * x"},
         [1, 2.5, 0]),
    ],
)  # fmt: skip
def test_answers_earn_their_points(course, graded, answers, points):
    assert graded(course, sent(course, "emmy", answers)) == points


def test_a_test_that_was_changed_or_deleted_is_as_the_teacher_wrote_it(course, graded):
    handed_in = sent(course, "mallory", {})
    cells = [each for each in load(handed_in.path) if not _is(each, "slope-hidden")]
    save(handed_in.path, [each.with_source("assert True") if _is(each, "slope-public") else each
                          for each in cells])  # fmt: skip
    assert graded(course, handed_in) == [0, 0, 0]
    written = load(Course(course).write_autograded(handed_in, "hw1"))
    text = "\n".join(each.source for each in written)
    assert "assert slope(3) == 6" in text
    assert "range(-5, 5)" in text


def _is(cell, name: str) -> bool:
    role = role_of(cell)
    return role is not None and role.grade_id == name


def test_cells_of_the_students_own_stay_where_they_are(course):
    handed_in = sent(course, "emmy", RIGHT, code("mine = 1"))
    assert load(Course(course).write_autograded(handed_in, "hw1"))[-1].source == "mine = 1"


def test_a_link_among_the_submissions_is_passed_over(course, tmp_path):
    handed_in = sent(course, "emmy", {})
    place = course / "submitted" / "mallory" / "hw1"
    place.mkdir(parents=True)
    (place / "slopes.ipynb").symlink_to(handed_in.path)
    assert [each.student for each in Course(course).handed_in("hw1")] == ["emmy"]


def test_a_damaged_notebook_says_so(course):
    handed_in = sent(course, "emmy", {})
    handed_in.path.write_text("{")
    with pytest.raises(UnreadableSubmission, match=r"slopes\.ipynb is no notebook"):
        Course(course).submission(handed_in, "hw1")


def test_feedback_lies_in_its_folder_and_says_nothing_of_private_checks(course):
    handed_in = sent(course, "emmy", {})
    shown = CheckResult("a", "v", "Shown", Visibility.PUBLIC, 1, 2, Status.PARTIAL, "So.")
    unseen = CheckResult("c", "v", "Unseen", Visibility.PRIVATE, 0, 1, Status.FAILED, "secret")
    exercise = ExerciseResult("1", "One", (shown, unseen))
    message = feedback_page(Result("0", "emmy", "hw1", "v", 1, "x", (exercise,)))
    path = Course(course).write_feedback(handed_in, "hw1", message)
    assert path == course / "feedback" / "emmy" / "hw1" / "slopes.html"
    page = path.read_text("utf-8")
    assert "So." in page
    assert "Unseen" not in page


def test_what_is_written_is_a_notebook(course):
    handed_in = sent(course, "emmy", RIGHT)
    for path in (handed_in.path, Course(course).write_autograded(handed_in, "hw1")):
        nbformat.validate(nbformat.read(path, as_version=4))


def test_notebooks_of_one_assignment_have_to_be_named(course):
    save(course / "source" / "hw1" / "more.ipynb", SOURCE)
    with pytest.raises(UnreadableFormat, match=r"hw1 has 2 notebooks\. Name one of: more, slopes"):
        Course(course).read("hw1")
    assert Course(course).read("hw1", "more").name == "hw1-more"


@pytest.mark.parametrize("name", ["../hw1", "nothing", "/etc"])
def test_an_assignment_that_is_not_there_says_which_are(course, name):
    with pytest.raises(UnreadableFormat, match=r"no notebooks|no name"):
        Course(course).read(name)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("### BEGIN HIDDEN TESTS\nassert True", "without END HIDDEN TESTS"),
        ("### BEGIN HIDDEN TESTS\n### BEGIN HIDDEN TESTS", "twice"),
        ("### AUTOTEST f(1)", "AUTOTEST"),
        ("assert f(", "no Python"),
    ],
)
def test_a_test_that_cannot_be_read_says_why(course, source, said):
    cells = [cell.with_source(source) if _is(cell, "slope-public") else cell for cell in SOURCE]
    save(course / "source" / "hw1" / "slopes.ipynb", cells)
    with pytest.raises(UnreadableFormat, match=said):
        Course(course).read("hw1")


def test_a_notebook_without_roles_is_no_assignment(course):
    save(course / "source" / "hw1" / "slopes.ipynb", [code("1")])
    with pytest.raises(UnreadableFormat, match="no cells of nbgrader"):
        Course(course).read("hw1")
