"""The hints that a learner took, as far as what was handed in tells, and what they cost.

The notebook keeps what was opened in the outputs of `tf.hint` and `tf.check`, and the file of
progress beside it does; the larger of both counts. Either is the learner's own: who clears both
has taken no hint as far as anybody can know.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tapelab.exercises.exercise import cost_of
from tapelab.exercises.text import short
from tapelab.grading.assignment import fingerprint
from tapelab.grading.result import CheckResult, Status, Visibility

if TYPE_CHECKING:
    from tapelab.exercises.exercise import Exercise

TITLE: Final = "Hints"


def taken(told: Iterator[Mapping[str, Any]], progress: bytes) -> dict[str, int]:
    """By the id of an exercise how many hints were opened, the free ones among them.

    `told` is what outputs hold for programs, `progress` the file beside the notebook.
    """
    found: dict[str, int] = {}
    for number, opened in (*_in_outputs(told), *_in_progress(progress)):
        if type(number) is str and type(opened) is int:
            found[number] = max(opened, found.get(number, 0))
    return found


def _in_outputs(told: Iterator[Mapping[str, Any]]) -> Iterator[tuple[Any, Any]]:
    for each in told:
        yield each.get("exercise", each.get("hinted")), each.get("hints")


def _in_progress(content: bytes) -> Iterator[tuple[Any, Any]]:
    try:
        exercises = json.loads(content)["exercises"].items()
        yield from [(number, each.get("hints")) for number, each in exercises]
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return  # there is none, or it is damaged


def deducted(
    exercise: Exercise, opened: int, checks: Sequence[CheckResult]
) -> tuple[CheckResult, ...]:
    """What hints take off what the checks gave, where the exercise counts them; never more."""
    if not exercise.counts_hints:
        return ()
    opened = min(max(opened, 0), len(exercise.hints))
    cost = sum(map(cost_of, exercise.hints[:opened]))
    cost = min(cost, sum(each.points for each in checks))
    if cost <= 0:
        return ()
    text = f"{opened} of {len(exercise.hints)} hints were opened; they cost {short(cost)}."
    version = fingerprint(TITLE, [cost_of(each) for each in exercise.hints])
    key = f"{exercise.id} {TITLE}"
    return (CheckResult(key, version, TITLE, Visibility.PUBLIC, -cost, 0, Status.PARTIAL, text),)
