"""What a command cannot do, in one sentence, and what its exit codes mean."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """How a command ends."""

    FINE = 0
    WRONG = 1
    UNABLE = 2


class Complaint(Exception):  # noqa: N818 - it is said to a person, not caught by a program
    """What was asked cannot be done; the sentence says why, and what to try."""
