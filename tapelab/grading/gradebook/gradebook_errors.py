"""The errors of a gradebook, each with the built-in type that fits it, and the names it accepts."""

from __future__ import annotations

from typing import Final

from tapelab.errors import Complaint


class GradebookError(Complaint):
    """A gradebook could not do what was asked; the sentence says why, and what to try."""


class UnknownNameError(GradebookError, LookupError):
    """There is no student, assignment or exercise of this name."""


class DuplicateError(GradebookError, ValueError):
    """What has to be there once would be there twice."""


class UnfitError(GradebookError, ValueError):
    """A value that a gradebook cannot keep, such as an empty name."""


class NewerSchemaError(GradebookError):
    """A newer tapelab wrote the gradebook."""


class ForeignError(GradebookError):
    """The database holds something else."""


class DamagedError(GradebookError):
    """The database cannot be read any more."""


class DiskFullError(GradebookError, OSError):
    """There is no room to write to; what was there before is still there."""


class ReadOnlyError(GradebookError, PermissionError):
    """The database may be read, not written."""


class LockedError(GradebookError, TimeoutError):
    """Somebody else is writing, for longer than was waited."""


class ConnectionLostError(GradebookError, ConnectionError):
    """The server of the database does not answer, or no longer."""


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
