"""Hints cost points where an assignment counts them, by what the notebook and its progress tell."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tapelab.exercises.checks import value
from tapelab.exercises.exercise import Exercise, Hint
from tapelab.exercises.keeping import Kept
from tapelab.exercises.session import Session
from tapelab.grading.assignment import Assignment
from tapelab.grading.grader import grade
from tapelab.grading.hints import deducted, taken
from tapelab.grading.result import Result
from tapelab.grading.submission import Submission
from tapelab.widgets import verdict_card
from tests.grading.corpora import SQUARE, notebook

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


def test_a_verdict_tells_of_hints_whose_cards_are_gone(tmp_path, cards):
    assert handed_in(tmp_path, cards[0]).hints == {"1": 1}
    assert handed_in(tmp_path, cards[1]).hints == {"1": 2}


def test_the_file_of_progress_tells_of_hints_whose_outputs_were_cleared(tmp_path):
    kept = {"format": 1, "exercises": {"1": {"hints": 2}, "2": {"checks": []}}}
    assert handed_in(tmp_path, progress=json.dumps(kept)).hints == {"1": 2}


@pytest.mark.parametrize("progress", ["", "[]", "{", '{"exercises": 3}', '{"exercises": {"1": 2}}'])
def test_a_damaged_file_of_progress_tells_nothing(tmp_path, progress):
    assert handed_in(tmp_path, progress=progress).hints == {}


def test_odd_numbers_of_hints_are_no_hints():
    told = [{"exercise": 1, "hints": 3}, {"hinted": "1", "hints": True}, {"hints": 2}, {}]
    assert taken(iter(told), b"") == {}
    assert deducted(COUNTED, -5, ()) == ()


def test_hints_take_no_more_than_was_earned_and_nothing_where_they_are_not_counted(tmp_path):
    assert deducted(COUNTED, 3, ()) == ()
    assert deducted(replace(COUNTED, counts_hints=False), 3, ()) == ()


def test_the_version_of_an_assignment_follows_from_what_hints_cost():
    dearer = replace(COUNTED, hints=("Think.", Hint("Multiply.", cost=3)))
    versions = {Assignment.of("a", (each,)).version for each in (COUNTED, dearer)}
    assert len(versions) == 2
