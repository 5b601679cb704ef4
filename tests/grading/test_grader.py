"""Grading one submission: statuses, seeds, notes, and what an earlier result is still good for."""

from dataclasses import replace

import pytest

from tapelab.exercises import Check, Exercise, Outcome
from tapelab.exercises.checks import value
from tapelab.exercises.plain import plain
from tapelab.grading import grader
from tapelab.grading.assignment import Assignment, AssignmentError, Limits
from tapelab.grading.grader import grade
from tapelab.grading.result import Status
from tapelab.grading.sandbox import NoSandboxError, backends, choose_sandbox
from tapelab.grading.submission import Submission
from tests.grading.corpora import COURSE, SQUARE, TAPE, Case, course

ANSWERS = """
import os, tapelab as tf
@tf.exercise("1")
def right(x): return x * x
@tf.exercise("2")
def stopped(x): raise ValueError("no idea")
@tf.exercise("3")
def gone(x): os._exit(3)
@tf.exercise("4")
def much(x): return "x" * 20_000_000
@tf.exercise("5")
def placeholder(x): ...
@tf.exercise("6")
def stuffed(x): return bytearray(1 << 40)
"""
DRAWN = []
"""Where a check drew; what a check holds itself would count as a part of it."""


def _of(number, *checks):
    checks = checks or (value("The square", 4, 9.0, at=((3.0,),)),)
    return Exercise(number, f"Exercise {number}", "", checks)


def _handed_in(folder, *cells):
    return Submission.read(Case("ada", cells, 0).written(folder), "ada")


@pytest.fixture
def submission(tmp_path):
    return _handed_in(tmp_path, "undefined", ANSWERS)


@pytest.mark.slow
def test_every_way_to_end_is_the_status_of_its_own_check(submission):
    exercises = tuple(map(_of, "1234567"))
    assignment = Assignment.of("ways", exercises, limits=Limits(seconds=60.0))
    result = grade(submission, assignment)
    found = [exercise.checks[0].status for exercise in result.exercises]
    assert found == [
        Status.PASSED, Status.RAISED, Status.CRASHED, Status.OUTPUT, Status.UNSOLVED,
        Status.MEMORY, Status.UNSOLVED,
    ]  # fmt: skip
    assert (result.points, result.of) == (4, 28)
    assert "ValueError: no idea" in result.exercises[1].checks[0].text
    assert result.notes == ("Cell 1: line 1: NameError: name 'undefined' is not defined",)
    assert result.sandbox == choose_sandbox().name


@pytest.mark.slow
def test_a_loop_without_end_is_a_timeout_of_its_exercise_alone(tmp_path):
    cells = 'import tapelab as tf\n@tf.exercise("2")\ndef loop(x):\n    while True: pass'
    exercises = (replace(_of("2"), seconds=0.5), replace(_of("1"), seconds=60.0))
    assignment = Assignment.of("ways", exercises)
    result = grade(_handed_in(tmp_path, SQUARE, cells), assignment)
    assert [each.checks[0].status for each in result.exercises] == ["timeout", "passed"]


@pytest.mark.slow
def test_a_cell_that_ends_the_process_is_left_out_and_noted(tmp_path):
    assignment = Assignment.of("ways", (_of("1"),))
    result = grade(_handed_in(tmp_path, "import os; os._exit(1)", SQUARE), assignment)
    assert result.points == 4
    assert result.notes == ("Cell 1: Its process ended by itself. It was left out.",)


@pytest.mark.slow
def test_a_check_that_fails_itself_is_broken(tmp_path):
    def judge(answer):
        raise ZeroDivisionError

    assignment = Assignment.of("ways", (_of("1", Check("Odd", 4, judge)),))
    [exercise] = grade(_handed_in(tmp_path, SQUARE), assignment).exercises
    assert exercise.checks[0].status == Status.BROKEN


def test_the_same_submission_gets_the_same_result_and_another_seed_other_points(tmp_path):
    DRAWN.clear()

    def judge(answer):
        x = answer.draws("here").uniform()
        DRAWN.append(x)
        return Outcome(4 if plain(answer.result(x)).ndim == 0 else 0)

    assignment = Assignment.of("ways", (_of("1", Check("Somewhere", 4, judge)),))
    submission = _handed_in(tmp_path, SQUARE)
    results = [grade(submission, assignment, seed=seed) for seed in (None, None, 7)]
    assert results[0] == results[1]
    assert DRAWN[0] == DRAWN[1] != DRAWN[2]


def test_only_changed_checks_run_again(submission, monkeypatch):
    asked = []
    real = grader.result_of

    def noted(check, *rest):
        asked.append(check.title)
        return real(check, *rest)

    monkeypatch.setattr(grader, "result_of", noted)
    first, second = value("First", 4, 9.0, at=((3.0,),)), value("Second", 4, 16.0, at=((4.0,),))
    earlier = grade(submission, Assignment.of("ways", (_of("1", first, second),)))
    changed = value("Second", 4, 17.0, at=((4.0,),))
    asked.clear()
    later = grade(submission, Assignment.of("ways", (_of("1", first, changed),)), earlier=earlier)
    assert asked == ["Second"]
    assert (earlier.points, later.points, later.seed) == (8, 4, earlier.seed)
    assert earlier.version != later.version


@pytest.mark.slow
def test_an_earlier_result_of_other_work_or_without_a_sandbox_is_not_kept(tmp_path):
    assignment = Assignment.of("ways", (_of("1"),))
    earlier = grade(_handed_in(tmp_path, SQUARE), assignment)
    praised = replace(
        earlier.exercises[0], checks=(replace(earlier.exercises[0].checks[0], points=99),)
    )
    other = _handed_in(tmp_path, SQUARE.replace("x * x", "x + x"))
    assert grade(other, assignment, earlier=replace(earlier, exercises=(praised,))).points == 0
    unsafe = replace(earlier, exercises=(praised,), sandbox="unsafe")
    assert grade(_handed_in(tmp_path, SQUARE), assignment, earlier=unsafe).points == 4


@pytest.mark.slow
def test_a_theft_that_the_sandbox_prevents_succeeds_without_one(tmp_path):
    stolen = f"""
import sys, tapelab as tf
sys.path.append({str(COURSE)!r})
tf.exercise("3")(lambda: __import__("exercises").SECRET)
"""
    submission = _handed_in(tmp_path, stolen)
    assert grade(submission, course()).points == 0
    unsafe = grade(submission, course(), sandbox="unsafe")
    assert (unsafe.points, unsafe.sandbox) == (10, "unsafe")


def test_the_honest_answers_of_the_corpus_are_worth_all_but_the_secret(tmp_path):
    assert grade(_handed_in(tmp_path, SQUARE, TAPE), course()).points == 20


def test_an_object_equal_to_everything_is_worth_nothing(tmp_path):
    cells = "class Right:\n    def __eq__(self, other): return True\n    __hash__ = None\n"
    marked = 'import tapelab as tf\ntf.exercise("1")(lambda x: Right())'
    assert grade(_handed_in(tmp_path, cells, marked), course()).points == 0


def test_nothing_runs_where_nothing_can_hold_it(tmp_path, monkeypatch):
    lacking = tuple(
        replace(each, lacks=lambda: "the test took it away") for each in backends.BACKENDS[:-1]
    )
    monkeypatch.setattr(backends, "BACKENDS", (*lacking, backends.BACKENDS[-1]))
    monkeypatch.setattr(grader, "choose", choose_sandbox.__wrapped__)
    with pytest.raises(NoSandboxError, match=r"bubblewrap: the test took it away.*unsafe"):
        grade(_handed_in(tmp_path, SQUARE), course())


def test_an_unknown_sandbox_is_an_error_that_names_those_there_are():
    with pytest.raises(ValueError, match="auto, bubblewrap, landlock, unsafe"):
        choose_sandbox("magic")


def test_an_unknown_assignment_is_an_error_that_names_the_lessons(tmp_path):
    with pytest.raises(AssignmentError, match="02, 03"):
        Assignment.load(tmp_path / "none")


def test_a_version_follows_from_every_constant_of_a_check_and_every_limit():
    def made(expected=9.0, **limits):
        exercise = _of("1", value("The square", 4, lambda x: expected * x, at=((1.0,),)))
        return Assignment.of("ways", (exercise,), limits=Limits(**limits)).version

    assert made() == made()
    assert len({made(), made(9.5), made(seconds=1.0), made(memory=1 << 30)}) == 4
