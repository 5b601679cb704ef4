"""One result as Gradescope reads it: `results.json`, a test for every check."""

from __future__ import annotations

import json
from typing import Any, Final

from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility

VISIBILITY: Final = {
    Visibility.PUBLIC: "visible",
    Visibility.HIDDEN: "visible",
    Visibility.PRIVATE: "hidden",
}
"""A hidden check may be run by the learner, who sees whether it passed; a private one is not seen.

While anything is hidden, Gradescope shows learners no sum either.
"""
_PASSED: Final = frozenset({Status.PASSED})


def results(result: Result, *, seconds: float | None = None) -> dict[str, Any]:
    """What Gradescope's autograder specification calls results.json.

    Notes are for the teacher: they go to the log of the grading, which stays hidden.
    """
    found: dict[str, Any] = {
        "score": _rounded(result.points),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "output_format": "text",
        "output": "" if result.exercises else "This assignment has no exercises.",
        "extra_data": {
            "tapelab": {
                "submission": result.submission, "version": result.version,
                "sandbox": result.sandbox, "seed": result.seed,
            },
        },
        "tests": [
            _test(at, nth, exercise, check)
            for at, exercise in enumerate(result.exercises, 1)
            for nth, check in enumerate(exercise.checks, 1)
        ],
    }  # fmt: skip
    return found if seconds is None else {**found, "execution_time": round(seconds, 3)}


def failure(what: str) -> dict[str, Any]:
    """What to show where nothing could be graded; the learner reads why, and has 0 points."""
    return {"score": 0, "output": what, "output_format": "text", "stdout_visibility": "hidden"}


def results_text(result: Result, *, seconds: float | None = None) -> str:
    """`results` as the text of the file."""
    return json.dumps(results(result, seconds=seconds), ensure_ascii=False, indent=1)


def _test(at: int, nth: int, exercise: ExerciseResult, check: CheckResult) -> dict[str, Any]:
    return {
        "number": f"{at}.{nth}",
        "name": f"{exercise.exercise} {exercise.title}: {check.title}",
        "name_format": "text",
        "score": _rounded(check.points),
        "max_score": _rounded(check.of),
        "status": "passed" if check.status in _PASSED else "failed",
        "visibility": VISIBILITY[check.visibility],
        "output": _said(check),
        "output_format": "text",
        "tags": [exercise.exercise, *([check.code] if check.code else [])],
    }


def _said(check: CheckResult) -> str:
    """What was found; what a hidden check expected is not told to those who only may run it."""
    lines = [check.text]
    if check.visibility is not Visibility.HIDDEN:
        lines += [f"Expected: {check.expected}" if check.expected else "",
                  f"Yours: {check.got}" if check.got else ""]  # fmt: skip
    return "\n".join(filter(None, lines))


def _rounded(points: float) -> float:
    """Points without what adding up thirds leaves behind; whole ones as whole numbers."""
    short = round(points, 5)
    return int(short) if short == int(short) else short
