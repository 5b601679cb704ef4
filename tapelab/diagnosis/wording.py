"""Sentences that several findings share, and the functions that say them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tapelab.diagnosis.names import name_of
from tapelab.locales import paragraph, say, say_many, sentence, translated

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case

__all__ = ["ENDS_AT", "lost", "paragraph", "say", "say_many", "sentence", "translated"]

ENDS_AT: Final = sentence("The path ends at `{text}`")


def lost(case: Case, *, is_known: bool = False) -> str:
    """What a cut means for the gradient: there is none, or only part of it.

    `is_known` where it has been said what the missing part comes to. Elsewhere there is no saying:
    what ran off the tape has left its numbers, and no rules for the way back.
    """
    unknown = say("What the missing part comes to was not recorded.")
    return _lost(case) if is_known or not case.connected else paragraph(_lost(case), unknown)


def _lost(case: Case) -> str:
    target, source = name_of(case, case.target), name_of(case, case.source)
    if not case.connected:
        return say("So no path leads from `{target}` to `{source}`.", target=target, source=source)
    uses, alive = case.uses()
    if alive >= uses:
        return say(
            "Other ways lead from `{source}` to `{target}` on the tape, so this gradient is only a "
            "part.",
            source=source,
            target=target,
        )
    return say_many(
        "Of {uses} uses of `{source}`, {count} leads to `{target}` on the tape, so this gradient "
        "is only a part.",
        "Of {uses} uses of `{source}`, {count} lead to `{target}` on the tape, so this gradient "
        "is only a part.",
        alive,
        uses=uses,
        source=source,
        target=target,
    )
