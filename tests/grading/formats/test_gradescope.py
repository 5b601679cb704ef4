"""One result as Gradescope reads it."""

from __future__ import annotations

import json

import pytest

from tapelab.grading.formats.gradescope import failure, results, results_text
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility

CHECKS = (
    CheckResult("03.1/a", "v", "The slope", Visibility.PUBLIC, 1.5, 2, Status.PARTIAL,
                "Close.", "6", "5.9"),
    CheckResult("03.1/b", "v", "At other points", Visibility.HIDDEN, 0, 1, Status.FAILED,
                "Not for negative x.", "secret", "4"),
    CheckResult("03.1/c", "v", "In private", Visibility.PRIVATE, 1 / 3, 1 / 3, Status.PASSED),
    CheckResult("03.1/d", "v", "No pitfall", Visibility.PUBLIC, 0, 1, Status.TIMEOUT,
                code="NOT_WATCHED"),
)  # fmt: skip
RESULT = Result(
    "0" * 64, "emmy", "03", "v1", 7, "bubblewrap",
    (ExerciseResult("03.1", "Slopes", CHECKS),), ("A cell stopped.",),
)  # fmt: skip


def test_every_check_is_a_test_with_its_points():
    message = results(RESULT)
    assert [(t["number"], t["score"], t["max_score"], t["status"]) for t in message["tests"]] == [
        ("1.1", 1.5, 2, "failed"),
        ("1.2", 0, 1, "failed"),
        ("1.3", 0.33333, 0.33333, "passed"),
        ("1.4", 0, 1, "failed"),
    ]
    assert message["score"] == 1.83333


def test_the_visibilities_are_those_of_the_specification():
    message = [t["visibility"] for t in results(RESULT)["tests"]]
    assert message == ["visible", "visible", "hidden", "visible"]
    assert set(message) <= {"visible", "hidden", "after_due_date", "after_published"}


def test_a_hidden_check_says_its_hint_and_not_what_it_expected():
    output = results(RESULT)["tests"][1]["output"]
    assert output == "Not for negative x."


def test_a_public_check_says_both_values():
    assert results(RESULT)["tests"][0]["output"] == "Close.\nExpected: 6\nYours: 5.9"


def test_what_a_teacher_should_know_is_not_shown_to_the_learner():
    assert "A cell stopped." not in results_text(RESULT)
    assert results(RESULT)["stdout_visibility"] == "hidden"


def test_the_pitfall_is_a_tag():
    assert results(RESULT)["tests"][3]["tags"] == ["03.1", "NOT_WATCHED"]


def test_the_text_is_json_in_any_script():
    exercise = ExerciseResult("03.1", "坡度", CHECKS)
    message = json.loads(results_text(Result("0", "emmy", "03", "v", 1, "none", (exercise,))))
    assert message["tests"][0]["name"] == "03.1 坡度: The slope"


def test_the_time_is_reported_where_it_is_known():
    assert results(RESULT, seconds=1.23456)["execution_time"] == 1.235
    assert "execution_time" not in results(RESULT)


def test_what_could_not_be_graded_has_no_points_and_says_why():
    assert failure("The notebook is damaged.")["score"] == 0
    assert failure("The notebook is damaged.")["output"] == "The notebook is damaged."


@pytest.mark.parametrize("points", [0.1 + 0.2, 1e-9])
def test_points_are_rounded_to_what_can_be_earned(points):
    check = CheckResult("k", "v", "t", Visibility.PUBLIC, points, 1, Status.PARTIAL)
    exercise = ExerciseResult("03.1", "Slopes", (check,))
    message = results(Result("0", "emmy", "03", "v", 1, "none", (exercise,)))
    assert message["score"] == round(points, 5)
