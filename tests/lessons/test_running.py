"""Every lesson runs in a real kernel, as shipped and solved."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


def texts(finished, mime):
    return [output["data"].get(mime, "") for output in finished.outputs() if "data" in output]


def test_as_shipped_every_exercise_is_checked_and_earns_nothing(shipped):
    assert len(shipped.points) >= 3
    assert {earned for earned, _ in shipped.points.values()} == {0}


def test_as_shipped_nothing_is_red(shipped):
    errors = [output for output in shipped.outputs() if output.output_type == "error"]
    assert errors == []


def test_as_shipped_every_verdict_gives_a_hint(shipped):
    verdicts = [text for text in texts(shipped, "text/plain") if " of " in text and "Hint" in text]
    assert len(verdicts) == len(shipped.points)


def test_solved_every_exercise_earns_all_its_points(solved):
    assert len(solved.points) >= 3
    short = {number: each for number, each in solved.points.items() if each[0] != each[1]}
    assert short == {}


def test_solved_nothing_is_said_on_stderr(solved):
    said = [o for o in solved.outputs() if o.output_type == "stream" and o.name == "stderr"]
    assert said == []


def test_every_lesson_shows_a_picture_that_needs_no_kernel(solved):
    assert any("Recording" in text or "srcdoc" in text for text in texts(solved, "text/html"))
