"""Ends of sentences that several findings share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tapelab.diagnosis.names import name_of

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.flow import Edge


def lost(case: Case, edge: Edge) -> str:
    """What a cut means for the gradient: there is none, or only part of it."""
    target, source = name_of(case, case.target), name_of(case, case.source)
    if not case.connected:
        return f", so no path leads from `{target}` to `{source}`."
    uses, alive = case.uses()
    return (
        f". Only {alive} of {uses} uses of `{source}` {'is' if alive == 1 else 'are'} on the tape "
        f"all the way to `{target}`: the gradient is part of the whole."
    )
