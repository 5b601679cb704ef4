"""Errors of the engine: the finding that stands behind `error.finding`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tapelab.diagnosis.case import Account, Case
from tapelab.diagnosis.causes import REFUSALS
from tapelab.engine.looking import look_at_refusal
from tapelab.engine.tape import GradientTape

if TYPE_CHECKING:
    from tapelab.diagnosis.finding import Finding
    from tapelab.errors import Refusal


def finding_of(refusal: Refusal) -> Finding | None:
    """What an error comes from, and what to write instead."""
    tape = refusal.tape if refusal.tape is not None else GradientTape()
    recording, call, _ = look_at_refusal(tape, refusal.origin, refusal.ends)
    return REFUSALS[refusal.code](Case.of_call(Account(recording), call), refusal.details)
