"""Grading one submission: statuses, seeds, notes, and what an earlier result is still good for.

Hints cost points where an assignment counts them, by what the notebook and its progress tell.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tapelab.exercises import Check, Outcome
from tapelab.exercises.checks import value
from tapelab.exercises.exercise import Exercise, Hint
from tapelab.exercises.plain import plain
from tapelab.exercises.progress_file import Kept
from tapelab.exercises.session import Session
from tapelab.grading import grader, worker_session
from tapelab.grading.assignment import Assignment, AssignmentError, Limits
from tapelab.grading.grader import grade, hint_deductions
from tapelab.grading.result import Result, Status
from tapelab.grading.sandbox import NoSandboxError, backends, choose_sandbox
from tapelab.grading.submission import Submission, opened_hints
from tapelab.widgets import verdict_card
from tests.grading.corpora import COURSE, SQUARE, TAPE, Case, course, notebook

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
def test_a_loop_without_end_is_a_timeout_of_its_exercise_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(worker_session, "LATER_SECONDS", 0.5)
    head = 'import tapelab as tf\n@tf.exercise("2")\ndef loop(x):'
    cells = f"{head}\n    while x > 2: pass\n    return 4.0"
    checks = [value(f"At {x}", 1, 4.0, at=((x,),)) for x in (3.0, 2.0, 4.0, 5.0, 1.0)]
    exercises = (replace(_of("2", *checks), seconds=1.0), replace(_of("1"), seconds=60.0))
    assignment = Assignment.of("ways", exercises)
    endless, square = grade(_handed_in(tmp_path, SQUARE, cells), assignment).exercises
    assert square.checks[0].status == "passed"
    assert [each.status for each in endless.checks] == [
        "timeout", "passed", "timeout", "timeout", "passed",
    ]  # fmt: skip
    # Once a check took too long, the others have one more limit together, then less.
    assert endless.checks[3].text.startswith("It took longer than the time limit of 0.5 s.")


@pytest.mark.slow
def test_an_answer_in_a_cell_that_is_no_python_says_which_line_stopped_it(tmp_path):
    cells = 'import tapelab as tf\n@tf.exercise("1")\ndef square(x)\n    return x * x\n'
    [exercise] = grade(
        _handed_in(tmp_path, "1", cells), Assignment.of("ways", (_of("1"),))
    ).exercises
    [check] = exercise.checks
    assert check.status == Status.RAISED
    assert check.text.startswith("Your answer is in code cell 2, which stopped. line 3: SyntaxErr")


@pytest.mark.slow
def test_an_answer_in_a_cell_without_end_says_which_line_ran(tmp_path):
    cells = 'import tapelab as tf\nwhile True:\n    pass\ntf.exercise("1")(lambda x: x * x)\n'
    assignment = Assignment.of("ways", (_of("1"),), limits=Limits(seconds=1.5))
    result = grade(_handed_in(tmp_path, "1", cells), assignment)
    [check] = result.exercises[0].checks
    assert check.status == Status.TIMEOUT
    assert "code cell 2" in check.text
    assert "longer than the time limit of 1.5 s" in check.text
    assert "line 2 still ran" in check.text or "line 3 still ran" in check.text
    assert result.notes[0].startswith("Cell 2")


@pytest.mark.slow
def test_a_placeholder_in_a_cell_that_stops_later_is_not_begun(tmp_path):
    cells = 'import tapelab as tf\n@tf.exercise("1")\ndef square(x): ...\nassert square(2) == 4\n'
    [exercise] = grade(_handed_in(tmp_path, cells), Assignment.of("ways", (_of("1"),))).exercises
    assert exercise.checks[0].status == Status.UNSOLVED


@pytest.mark.slow
def test_a_script_runs_loops_of_its_own_and_a_notebook_awaits(tmp_path):
    script = "import asyncio\nasync def power(): return 2\npower = asyncio.run(power())\n"
    (tmp_path / "work.py").write_text(script + SQUARE.replace("x * x", "x ** power"))
    assignment = Assignment.of("ways", (_of("1"),))
    assert grade(Submission.read(tmp_path / "work.py"), assignment).points == 4
    awaited = script.replace("asyncio.run(power())", "await asyncio.create_task(power())")
    cells = awaited, SQUARE.replace("x * x", "x ** power")
    assert grade(_handed_in(tmp_path, *cells), assignment).points == 4


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


def test_the_same_seed_gives_the_same_result_and_nobody_can_know_it_beforehand(tmp_path):
    DRAWN.clear()

    def judge(answer):
        x = answer.draws("here").uniform()
        DRAWN.append(x)
        return Outcome(4 if plain(answer.result(x)).ndim == 0 else 0)

    assignment = Assignment.of("ways", (_of("1", Check("Somewhere", 4, judge)),))
    submission = _handed_in(tmp_path, SQUARE)
    results = [grade(submission, assignment, seed=seed) for seed in (7, 7, None, None)]
    assert results[0] == results[1]
    assert DRAWN[0] == DRAWN[1]
    assert len(set(DRAWN)) == len({each.seed for each in results}) == 3
    again = grade(submission, assignment, seed=results[2].seed)
    assert again == results[2]


def test_only_changed_checks_run_again(submission, monkeypatch):
    requests = []
    real = grader.check_result

    def noted(check, *rest):
        requests.append(check.title)
        return real(check, *rest)

    monkeypatch.setattr(grader, "check_result", noted)
    first, second = value("First", 4, 9.0, at=((3.0,),)), value("Second", 4, 16.0, at=((4.0,),))
    earlier = grade(submission, Assignment.of("ways", (_of("1", first, second),)))
    changed = value("Second", 4, 17.0, at=((4.0,),))
    requests.clear()
    later = grade(submission, Assignment.of("ways", (_of("1", first, changed),)), earlier=earlier)
    assert requests == ["Second"]
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
    monkeypatch.setattr(grader, "choose_sandbox", choose_sandbox.__wrapped__)
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


HINTS = ("Think.", Hint("Multiply.", cost=1.5), Hint("x * x", cost=2))
COUNTED = Exercise(
    "1", "Square", "", (value("The square", 4, lambda x: x * x, at=((3.0,),)),), HINTS,
    counts_hints=True,
)  # fmt: skip


def handed_in(folder, *outputs, progress=None):
    made = notebook([SQUARE])
    made["cells"][0]["outputs"] = [
        {"output_type": "display_data", "metadata": {}, "data": each} for each in outputs
    ]
    (folder / "work.ipynb").write_text(json.dumps(made))
    if progress is not None:
        (folder / ".work.progress.json").write_text(progress)
    return Submission.read(folder)


@pytest.fixture
def cards(monkeypatch):
    """Open both further hints of the exercise, as a learner's kernel does; give what it shows."""
    monkeypatch.setattr("tapelab.exercises.session.find", lambda _: COUNTED)
    monkeypatch.setattr(verdict_card, "SESSION", session := Session(_kept=Kept()))
    session.answer("1")(lambda x: x + x)
    shown = verdict_card.check("1"), verdict_card.hint("1"), verdict_card.hint("1")
    return [each._repr_mimebundle_() for each in shown]


def test_hints_that_were_opened_cost_points_in_a_graded_result_too(tmp_path, cards):
    submission = handed_in(tmp_path, *cards)
    assert submission.hints == {"1": 3}
    assignment = Assignment.of("hints", (COUNTED,))
    result = grade(submission, assignment)
    assert (result.points, result.of) == (0.5, 4)
    [*_, hints] = result.exercises[0].checks
    assert (hints.points, hints.of, hints.text) == (
        -3.5, 0, "3 of 3 hints were opened; they cost 3.5.",
    )  # fmt: skip
    assert Result.from_json(result.to_json()) == result
    again = grade(submission, assignment, earlier=result)
    assert again == result


def test_a_result_keeps_the_open_hints_where_points_are_missing(tmp_path):
    def missed(answer):
        return Outcome(0, code="STOPPED")

    hinted = Check("A secret", 1, missed).hidden().advising(STOPPED="Multiply by a variable.")
    exercise = replace(COUNTED, checks=(*COUNTED.checks, hinted))
    submission = replace(handed_in(tmp_path), hints={"1": 2})
    result = grade(submission, Assignment.of("hints", (exercise,)))
    [part] = result.exercises
    assert (part.hints, part.hint_count) == (tuple(COUNTED.hints[:2]), len(COUNTED.hints))
    assert [each.hint for each in part.checks][-2:] == ["Multiply by a variable.", ""]
    assert Result.from_json(result.to_json()) == result
    earlier = json.loads(result.to_json())
    del earlier["exercises"][0]["hints"], earlier["exercises"][0]["hint_count"]
    del earlier["exercises"][0]["checks"][-2]["hint"]
    assert Result.from_json(json.dumps(earlier)).exercises[0].hints == ()


def test_a_verdict_says_of_hints_whose_cards_are_gone(tmp_path, cards):
    assert handed_in(tmp_path, cards[0]).hints == {"1": 1}
    assert handed_in(tmp_path, cards[1]).hints == {"1": 2}


def test_the_file_of_progress_says_of_hints_whose_outputs_were_cleared(tmp_path):
    kept = {"format": 1, "exercises": {"1": {"hints": 2}, "2": {"checks": []}}}
    assert handed_in(tmp_path, progress=json.dumps(kept)).hints == {"1": 2}


@pytest.mark.parametrize("progress", ["", "[]", "{", '{"exercises": 3}', '{"exercises": {"1": 2}}'])
def test_a_damaged_file_of_progress_says_nothing(tmp_path, progress):
    assert handed_in(tmp_path, progress=progress).hints == {}


def test_odd_numbers_of_hints_are_no_hints():
    message = [{"exercise": 1, "hints": 3}, {"hinted": "1", "hints": True}, {"hints": 2}, {}]
    assert opened_hints(iter(message), b"") == {}
    assert hint_deductions(COUNTED, -5, ()) == ()


def test_hints_take_no_more_than_was_earned_and_nothing_where_they_are_not_counted(tmp_path):
    assert hint_deductions(COUNTED, 3, ()) == ()
    assert hint_deductions(replace(COUNTED, counts_hints=False), 3, ()) == ()


def test_the_version_of_an_assignment_follows_from_what_hints_cost():
    dearer = replace(COUNTED, hints=("Think.", Hint("Multiply.", cost=3)))
    versions = {Assignment.of("a", (each,)).version for each in (COUNTED, dearer)}
    assert len(versions) == 2
