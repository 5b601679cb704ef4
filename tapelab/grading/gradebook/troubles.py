"""What a database says when something fails, told as an error of the gradebook."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy.exc import DBAPIError, OperationalError

from tapelab.grading.gradebook.errors import (
    ConnectionLostError,
    DamagedError,
    DiskFullError,
    GradebookError,
    LockedError,
    ReadOnlyError,
)

FULL: Final = (
    DiskFullError,
    (
        "The disk of {place} is full. What was recorded before is kept. Make room, then run the "
        "same command again; it goes on where it stopped."
    ),
)
BUSY: Final = (
    LockedError,
    (
        "{place} is being written by somebody else. Wait until they are done, then run the same "
        "command again; nothing was changed."
    ),
)
DAMAGED: Final = (
    DamagedError,
    (
        "{place} is damaged: {said}. Nothing was written to it. Go back to a copy of it "
        "(an upgrade leaves one beside it, *.before-*), or rescue what is readable: "
        "sqlite3 OLD .recover"
    ),
)
READ_ONLY: Final = (
    ReadOnlyError,
    "{place} cannot be written: {said}. Look at the permissions of it and of its folder.",
)
UNREADABLE: Final = (
    GradebookError,
    (
        "The disk of {place} does not do its work: {said}. What was recorded before is kept, as "
        "far as the disk keeps it. Copy the file elsewhere, then run the same command there."
    ),
)
LOST: Final = (
    ConnectionLostError,
    (
        "{place} does not answer: {said}. Results recorded before are kept. Look whether the "
        "server runs, then run the same command again; it goes on where it stopped."
    ),
)

Trouble = tuple[type[GradebookError], str]

OF_SQLITE: Final[dict[int, Trouble]] = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_IOERR: UNREADABLE,
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: READ_ONLY,
}
# The SQLSTATE of PostgreSQL, or the class of it.
OF_POSTGRES: Final[dict[str, Trouble]] = {
    "53100": FULL,
    "55P03": BUSY,
    "40P01": BUSY,
    "XX001": DAMAGED,
    "XX002": DAMAGED,
    "25006": READ_ONLY,
    "42501": READ_ONLY,
}
_EXTENDED = 0xFF


def told(error: DBAPIError, place: str) -> GradebookError:
    """The error of the gradebook that an error of its database amounts to."""
    said = " ".join(str(error.orig).split())
    kind, sentence = _trouble(error)
    return kind(sentence.format(place=place, said=said))


def _trouble(error: DBAPIError) -> Trouble:
    number = getattr(error.orig, "sqlite_errorcode", None)
    if number is not None and number & _EXTENDED in OF_SQLITE:
        return OF_SQLITE[number & _EXTENDED]
    state = getattr(error.orig, "sqlstate", None) or ""
    if state in OF_POSTGRES:
        return OF_POSTGRES[state]
    if is_lost(error):
        return LOST
    return GradebookError, "{place} refused: {said}"


def is_lost(error: DBAPIError) -> bool:
    """Whether the connection is gone, so that another one may succeed."""
    state = getattr(error.orig, "sqlstate", None) or ""
    of_server = not isinstance(error.orig, sqlite3.Error)
    # The driver's own complaints, such as a server that cannot be reached, have no SQLSTATE.
    unreached = of_server and not state and isinstance(error, OperationalError)
    return error.connection_invalidated or state.startswith(("08", "57P")) or unreached


@contextmanager
def in_words(place: str) -> Iterator[None]:
    """Let errors of the database leave a block as errors of the gradebook."""
    try:
        yield
    except DBAPIError as error:
        raise told(error, place) from error
