"""How a command ends: its exit codes, and a missing package or unreadable file in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from tapelab.errors import Complaint
from tapelab.installation import extra_command
from tapelab.locales import say


class Exit(IntEnum):
    """How a command ends."""

    FINE = 0
    WRONG = 1
    UNABLE = 2


def complaint(template: str, /, **values: object) -> Complaint:
    """A complaint in the person's language; `template` is a sentence of the catalogues."""
    return Complaint(say(template, **values))


@contextmanager
def needing_extra(extra: str) -> Iterator[None]:
    """Say which extra to install where a package is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise Complaint(f"This needs {error.name}. Try: {extra_command(extra)}") from error


@contextmanager
def handling_files(extra: str) -> Iterator[None]:
    """Say which file cannot be read or written, or which extra is missing."""
    with needing_extra(extra):
        try:
            yield
        except OSError as error:
            raise Complaint(str(error)) from error
