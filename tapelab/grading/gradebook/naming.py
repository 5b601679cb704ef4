"""Text that both databases take: names that can be shown, and whatever learners wrote."""

from __future__ import annotations

from typing import Final

from tapelab.grading.gradebook.errors import UnfitError

LONGEST_NAME: Final = 200


def fit_name(name: str, what: str) -> str:
    """A name that can be kept and shown, without spaces around it."""
    tidy = name.strip()
    if not tidy or len(tidy) > LONGEST_NAME or not tidy.isprintable():
        raise UnfitError(
            f"{name!r} is no name of {what}: give 1 to {LONGEST_NAME} printable characters."
        )
    return tidy


def storable(text: str) -> str:
    """The text as both databases take it: half a surrogate pair is written as JSON escapes it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\u0000")
