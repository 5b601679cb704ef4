"""Errors of the engine: the finding that stands behind `error.finding`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tapelab.core.tape import GradientTape
from tapelab.diagnosis.applying import all_none
from tapelab.diagnosis.case import Account, Case
from tapelab.diagnosis.causes import REFUSALS
from tapelab.diagnosis.explain import explain_call
from tapelab.recorder.introspection import introspect_refusal

if TYPE_CHECKING:
    from tapelab.diagnosis.finding import Explanation, Finding
    from tapelab.errors import Refusal


def finding_of(refusal: Refusal) -> Finding | None:
    """What an error comes from, and what to write instead."""
    tape = refusal.tape if refusal.tape is not None else GradientTape()
    recording, call, _ = introspect_refusal(tape, refusal.origin, refusal.ends)
    case = Case.of_call(Account(recording), call)
    if refusal.code == "SOME_NONE":
        return all_none(case, _before(case, call))
    return REFUSALS[refusal.code](case, refusal.details)


def _before(case: Case, call: int) -> Explanation | None:
    """Why the question before a refusal was answered as it was; None without one."""
    asked = [number for number in case.account.asked if number < call]
    return explain_call(case.recording, max(asked)) if asked else None
