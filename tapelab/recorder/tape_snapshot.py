"""A tape as it is now, to be read after the user's code has released it.

It is a copy that follows nothing, holds no variable and keeps no large value alive for itself, so
that another thread can make a recording of it while the user's code goes on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tapelab.core.backward_report import GradientCall
from tapelab.core.tape import GradientTape
from tapelab.core.taped_records import TapedSteps


def tape_snapshot(tape: GradientTape, answers: list[GradientCall]) -> GradientTape:
    """A copy of a tape with some of the gradient calls that it answered."""
    snapshot = GradientTape.__new__(GradientTape)
    read_until = tape._read_until  # before the ids are copied, so that none is missed
    snapshot.__dict__.update(tape.__dict__)
    snapshot.__dict__.update(
        _windows=[list(window) for window in TapedSteps(tape).windows],
        _gradient_calls=[_copied(answer) for answer in answers],
        _ids=set(tape._ids),
        _read_until=read_until,
        _states=dict(tape._states),
        _stopped_ids=set(tape._stopped_ids),
        _followed=dict.fromkeys(tape._followed),
        _watched={},
        _consumed=tape._consumed or (bool(answers) and not tape._persistent),
        _token=(None, ()),
    )
    return snapshot


def _copied(answer: GradientCall) -> GradientCall:
    return replace(answer, report=answer.report.copy())


def keeps_nothing_alive(tape: GradientTape) -> bool:
    """Whether the log of a tape that was asked is soon without large values, whoever holds it."""
    logs = [log for log, _, _ in tape._windows]
    if not any(log.large_records for log in logs):
        return True
    others: list[Any] = [each() for log in logs for each in log.holders]
    return not tape._persistent and all(each is None or each is tape for each in others)
