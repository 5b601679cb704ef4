"""Ends of sentences that several findings share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tapelab.diagnosis.names import name_of

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case


def lost(case: Case) -> str:
    """What a cut means for the gradient: there is none, or only part of it."""
    target, source = name_of(case, case.target), name_of(case, case.source)
    if not case.connected:
        return f", so no path leads from `{target}` to `{source}`."
    uses, alive = case.uses()
    return (
        f". Of {uses} uses of `{source}`, {alive} {'leads' if alive == 1 else 'lead'} to "
        f"`{target}` on the tape, so this gradient is only a part."
    )
