"""Listing what a folder holds: whose each submission is, and when it arrived.

Students choose what lies in their submissions, so nothing here opens a file or follows a link, and
whatever is wrong with one submission leaves the others as they are. When a submission arrived is
what the learning system says, in a table of the teacher's, or else the modification time that it
gave the files: never what a file inside the submission says.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tapelab.errors import Complaint
from tapelab.grading.formats.csv_tables import UnreadableFormat, read_csv
from tapelab.grading.student_names import canonical_name
from tapelab.grading.submission import MOST_FILES, UnreadableSubmission, ending_of, files_below

ANY_LAYOUT: Final = "{student}"
ReceiptTimes = Mapping[str, datetime]
"""When each student's submission arrived, as the learning system says."""
UNKNOWN_TIMES: Final[ReceiptTimes] = MappingProxyType({})
_EARLIEST: Final = datetime.fromtimestamp(0, UTC)
_LATEST: Final = datetime.max.replace(tzinfo=UTC)


class PatternError(Complaint, ValueError):
    """A pattern of file names does not say where the student's name is."""


@dataclass(frozen=True)
class FoundSubmission:
    """A file or folder that a student handed in, and when."""

    student: str
    path: Path
    received: datetime


def find_submissions(
    folder: Path, pattern: str = ANY_LAYOUT, times: ReceiptTimes = UNKNOWN_TIMES
) -> tuple[FoundSubmission, ...]:
    """The submissions in a folder, by student and time.

    A pattern is a path below the folder in which `{student}` stands for the student and `*` for
    anything: `{student}` takes `ada.ipynb` and the folder `ada/`, `{student}/03` nbgrader's
    folders, `*_{student}_*.ipynb` a part of the name. An ending may be left out.
    """
    pattern_regex = _compile_pattern(pattern)
    depth = pattern.strip("/").count("/") + 1
    submissions = [
        FoundSubmission(student, path, times.get(student) or newest_modification(path))
        for path in _paths_at(folder, depth)
        if (student := _student_of(path, folder, pattern_regex))
    ]
    return tuple(sorted(submissions, key=lambda each: (each.student, each.received)))


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    if pattern.count("{student}") != 1:
        raise PatternError(
            f"The pattern {pattern!r} has to name {{student}} once. Try: '{{student}}' or "
            "'{student}/*.ipynb'"
        )
    parts = re.split(r"(\{student\}|\*)", pattern.strip("/"))
    meant = {"{student}": r"(?P<student>[^/]+?)", "*": "[^/]*"}
    return re.compile("".join(meant.get(part, re.escape(part)) for part in parts))


def _paths_at(folder: Path, depth: int) -> Iterator[Path]:
    """The paths so many levels below a folder, in order; no level is entered through a link."""
    with os.scandir(folder) as scan:
        entries = sorted(scan, key=lambda entry: entry.name)
    for entry in entries:
        if depth == 1:
            yield Path(entry.path)
        elif entry.is_dir(follow_symlinks=False):
            with suppress(OSError):  # a folder that may not be read holds nothing to grade
                yield from _paths_at(Path(entry.path), depth - 1)


def _student_of(path: Path, folder: Path, pattern_regex: re.Pattern[str]) -> str:
    """Whose a path is; empty if it is no submission."""
    ending = ending_of(path.name)
    if _is_of_system(path) or not (ending or _may_be_folder(path)):
        return ""
    name = path.relative_to(folder).as_posix()
    match = pattern_regex.fullmatch(name.removesuffix(ending)) or pattern_regex.fullmatch(name)
    return canonical_name(match["student"]) if match else ""


_OF_SYSTEMS: Final = {"thumbs.db", "desktop.ini"}


def _is_of_system(path: Path) -> bool:
    """Whether a system or a program keeps its own notes in it."""
    return path.name.startswith((".", "__")) or path.name.lower() in _OF_SYSTEMS


@dataclass(frozen=True)
class LeftOut:
    """A file or folder beside the submissions that is not graded, and why."""

    path: Path
    why: str


def left_out(
    folder: Path, submissions: Iterable[FoundSubmission], own: Collection[Path] = ()
) -> tuple[LeftOut, ...]:
    """What a folder holds beside submissions; `own` paths are the teacher's and not looked at."""
    graded = {path for each in submissions for path in (each.path, *each.path.parents)}
    kept = {path.resolve() for path in own}
    rest = (path for path in sorted(folder.iterdir()) if path not in graded)
    return tuple(
        LeftOut(path, _why_left_out(path))
        for path in rest
        if not _is_of_system(path) and path.resolve() not in kept
    )


def _why_left_out(path: Path) -> str:
    if path.is_symlink():
        return "It is a link. Hand in the file itself."
    if ending_of(path.name) or path.is_dir():
        return "Its path does not fit the pattern of submissions."
    return "It is no notebook, .py file, archive or folder."


def _may_be_folder(path: Path) -> bool:
    """Whether it is a folder, or a link that stands where one should: reading says why not."""
    return not path.suffix if path.is_symlink() else path.is_dir()


def newest_modification(path: Path) -> datetime:
    """The newest modification time among the files of a submission, as far as there is one."""
    seconds = 0.0
    with suppress(OSError, UnreadableSubmission):  # reading the submission says what is wrong
        is_folder = path.is_dir() and not path.is_symlink()
        for each in islice(files_below(path), MOST_FILES) if is_folder else (path,):
            seconds = max(seconds, each.lstat().st_mtime)
    try:
        return max(datetime.fromtimestamp(seconds, UTC), _EARLIEST)
    except (OSError, OverflowError, ValueError):  # a date that no calendar has
        return _LATEST


def read_receipt_times(file: Path) -> ReceiptTimes:
    """The times in a CSV file with the columns `login` and `received`; UnreadableFormat if none.

    A time is as in `2026-03-01T12:00`, in UTC where it names no zone; of several the latest counts.
    """
    times: dict[str, datetime] = {}
    for line, row in enumerate(read_csv(file), 2):
        try:
            login, received = row["login"].strip(), datetime.fromisoformat(row["received"].strip())
        except (KeyError, ValueError) as error:
            raise UnreadableFormat(
                f"{file}, line {line}: {error}. It needs the columns login and received, with "
                "times such as 2026-03-01T12:00."
            ) from error
        received = received.replace(tzinfo=received.tzinfo or UTC)
        login = canonical_name(login)
        times[login] = max(received, times.get(login, received))
    return times
