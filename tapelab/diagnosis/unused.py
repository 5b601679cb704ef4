"""The source has nothing to do with the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tapelab.diagnosis.finding import Finding
from tapelab.diagnosis.names import argument, name_of
from tapelab.diagnosis.watching import uses_in_block

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case


def unused(case: Case) -> Finding | None:
    """No value of the source went into the target."""
    if case.path:
        return None
    target, source = name_of(case, case.target), name_of(case, case.source)
    used = uses_in_block(case)
    title = f"`{source}` does not lead to `{target}`" if used else f"`{source}` is not used on this tape"
    made = case.recording.tensor(case.target).span
    return Finding(
        code="UNUSED_SOURCE",
        title=title,
        message=f"Nothing that `{target}` was computed from came from `{source}`, so there is no "
        "path to follow back. None means no path; it is not the number 0.",
        where=case.codes.where(made),
        fix=None,
        lesson="05",
        evidence=tuple(used),
    )
