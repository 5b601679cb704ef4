"""Grading all submissions of a folder into a gradebook.

`find_submissions` lists what a folder holds: whose each submission is, and when it arrived. A Batch
then grades those without a result. Each result is written before it is reported, so a batch may be
interrupted at any moment and continues where it stopped.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tapelab.grading.gradebook.entities import Change, Student, changed
from tapelab.grading.gradebook.gradebook_errors import UnfitError, fit_name, storable
from tapelab.grading.result import Result
from tapelab.grading.runners import Done, Task, Work
from tapelab.grading.submission import Submission, UnreadableSubmission

if TYPE_CHECKING:
    from tapelab.grading.gradebook.book import Gradebook


KINDS: Final = (".ipynb", ".py", ".zip")
"""What a submission may be, beside a folder."""
ANY_LAYOUT: Final = "{student}"
TIMESTAMP: Final = "timestamp.txt"
"""nbgrader writes beside a submission when it came."""


class PatternError(ValueError):
    """A pattern of file names that says nothing of whose they are."""


@dataclass(frozen=True)
class Found:
    """A file or folder that somebody handed in."""

    student: str
    path: Path
    received: datetime


def found(folder: Path, pattern: str = ANY_LAYOUT) -> tuple[Found, ...]:
    """What was handed in below a folder, by student and time.

    A pattern is a path below the folder in which `{student}` stands for the student and `*` for
    anything: `{student}` takes `ada.ipynb` and the folder `ada/`, `{student}/03` nbgrader's
    folders, `*_{student}_*.ipynb` a part of the name. An ending may be left out.
    """
    shape = _shape(pattern)
    depth = "/".join(["*"] * (pattern.strip("/").count("/") + 1))
    every = (_match(path, folder, shape) for path in sorted(folder.glob(depth)))
    return tuple(sorted(filter(None, every), key=lambda each: (each.student, each.received)))


def _shape(pattern: str) -> re.Pattern[str]:
    if pattern.count("{student}") != 1:
        raise PatternError(
            f"The pattern {pattern!r} has to name {{student}} once. Try: '{{student}}' or "
            "'{student}/*.ipynb'"
        )
    pieces = re.split(r"(\{student\}|\*)", pattern.strip("/"))
    meant = {"{student}": r"(?P<student>[^/]+?)", "*": "[^/]*"}
    return re.compile("".join(meant.get(piece, re.escape(piece)) for piece in pieces))


def _match(path: Path, folder: Path, shape: re.Pattern[str]) -> Found | None:
    if path.name.startswith(".") or not (path.suffix.lower() in KINDS or _is_folder(path)):
        return None
    name = path.relative_to(folder)
    bare = name.with_suffix("") if path.suffix.lower() in KINDS else name
    match = shape.fullmatch(bare.as_posix()) or shape.fullmatch(name.as_posix())
    return Found(match["student"].strip(), path, received(path)) if match else None


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.name.startswith("__")


def received(path: Path) -> datetime:
    """When a submission came: as nbgrader noted it, or else its newest file's time."""
    noted = (path if path.is_dir() else path.parent) / TIMESTAMP
    try:
        told = datetime.fromisoformat(noted.read_text("utf-8").strip().removesuffix(" UTC"))
        return told.replace(tzinfo=told.tzinfo or UTC)
    except (OSError, ValueError):
        return datetime.fromtimestamp(max(_times(path), default=0.0), UTC)


def _times(path: Path) -> Iterator[float]:
    for each in path.rglob("*") if path.is_dir() and not path.is_symlink() else (path,):
        if not each.is_dir():
            yield each.lstat().st_mtime


Runner = Callable[[Iterable[Task], Work], Iterator[Done]]
"""Such as crew.one_by_one: grades tasks in any order, and gives each once."""


class Regrade(StrEnum):
    """What is graded again though there is a result."""

    NOTHING = "nothing"
    CHANGED = "changed"
    """Only the checks that differ from those of an earlier version; the others keep theirs."""
    ALL = "all"


class Ending(StrEnum):
    """What came of a submission in a batch."""

    GRADED = "graded"
    KNOWN = "known"
    """There was a result already."""
    FAILED = "failed"
    UNREADABLE = "unreadable"
    STRANGER = "stranger"
    """The gradebook has no such student."""


@dataclass(frozen=True)
class Report:
    """One submission of a batch, and what came of it."""

    student: str
    path: str
    ending: Ending
    why: str = ""
    result: Result | None = None
    changes: tuple[Change, ...] = ()


@dataclass
class Batch:
    """Submissions to be graded into a gradebook; `run` gives a report on each of them."""

    book: Gradebook
    work: Work
    submissions: Sequence[Found]
    regrade: Regrade = Regrade.NOTHING
    add_students: bool = False
    read: Callable[..., Submission] = Submission.read
    _found: dict[str, list[Found]] = field(default_factory=dict)
    _before: dict[str, Result | None] = field(default_factory=dict)
    _aside: list[Report] = field(default_factory=list)

    def run(self, runner: Runner) -> Iterator[Report]:
        """Grade what has no result yet. Each result is kept before its report is given."""
        self._enrol()
        for done in runner(self._tasks(), self.work):
            yield from self._passed()
            yield from self._keep(done)
        yield from self._passed()

    def _enrol(self) -> None:
        """An empty gradebook takes everybody in, all at once: what is stopped may be begun anew."""
        there = {student.login for student in self.book.students()}
        if self.add_students or not there:
            names = {each.student for each in self.submissions if _fits(each.student)} - there
            self.book.add_students(Student(name) for name in sorted(names))
            there |= names
        self._there = there

    def _tasks(self) -> Iterator[Task]:
        for each in self.submissions:
            if each.student not in self._there:
                why = f"The gradebook has no student {each.student!r}. Add them, or --add-students."
                self._put_aside(each, Ending.STRANGER, why)
                continue
            try:
                submission = self.read(each.path, each.student)
            except UnreadableSubmission as error:
                self._note_unreadable(each, str(error))
            except Exception as error:  # noqa: BLE001 - one submission must not end the batch
                self._note_unreadable(each, f"{type(error).__name__}: {error}")
            else:
                yield from self._task(each, submission)

    def _task(self, each: Found, submission: Submission) -> Iterator[Task]:
        """What is to be done for a submission: nothing if there is a result, or soon will be."""
        work, digest = self.work, submission.digest
        self.book.hand_in(each.student, work.assignment, digest, each.received, each.path.name)
        if digest in self._found:  # the same files again, from somebody else
            self._found[digest].append(each)
            return
        known = self.book.has_result(work.assignment, digest, work.version)
        if known and self.regrade is not Regrade.ALL:
            self._put_aside(each, Ending.KNOWN)
            return
        self._found[digest] = [each]
        self._before[digest] = self.book.latest(work.assignment, digest)
        earlier = self._before[digest] if self.regrade is Regrade.CHANGED else None
        yield Task.of(submission, earlier)

    def _keep(self, done: Done) -> Iterator[Report]:
        digest = done.task.submission.digest
        if done.result is None:
            self.book.fail(self.work.assignment, digest, self.work.version, done.why)
        else:
            self.book.record(done.result, done.tapes)
        before = self._before.pop(digest)
        changes = changed(before, done.result) if before and done.result else ()
        ending = Ending.GRADED if done.result else Ending.FAILED
        for each in self._found.pop(digest):
            yield Report(each.student, str(each.path), ending, done.why, done.result, changes)

    def _note_unreadable(self, each: Found, why: str) -> None:
        """It was handed in all the same, and stands in the gradebook with the reason."""
        digest = hashlib.sha256(storable(f"{each.path.name} {why}").encode()).hexdigest()
        work = self.work
        self.book.hand_in(each.student, work.assignment, digest, each.received, each.path.name)
        self.book.fail(work.assignment, digest, work.version, why)
        self._put_aside(each, Ending.UNREADABLE, why)

    def _put_aside(self, each: Found, ending: Ending, why: str = "") -> None:
        self._aside.append(Report(each.student, str(each.path), ending, why))

    def _passed(self) -> Iterator[Report]:
        while self._aside:
            yield self._aside.pop(0)


def _fits(name: str) -> bool:
    try:
        return bool(fit_name(name, "a student"))
    except UnfitError:
        return False
