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

from tapelab.errors import Complaint
from tapelab.grading.gradebook.entities import Change, Student, changed
from tapelab.grading.gradebook.gradebook_errors import UnfitError, fit_name, storable
from tapelab.grading.result import Result
from tapelab.grading.runners import GradingPlan, Task, TaskResult
from tapelab.grading.submission import Submission, UnreadableSubmission

if TYPE_CHECKING:
    from tapelab.grading.gradebook.book import Gradebook


KINDS: Final = (".ipynb", ".py", ".zip")
"""What a submission may be, beside a folder."""
ANY_LAYOUT: Final = "{student}"
TIMESTAMP: Final = "timestamp.txt"
"""The file beside a submission in which nbgrader notes when it arrived."""


class PatternError(Complaint, ValueError):
    """A pattern of file names does not say where the student's name is."""


@dataclass(frozen=True)
class FoundSubmission:
    """A file or folder that a student handed in, and when."""

    student: str
    path: Path
    received: datetime


def find_submissions(folder: Path, pattern: str = ANY_LAYOUT) -> tuple[FoundSubmission, ...]:
    """The submissions in a folder, by student and time.

    A pattern is a path below the folder in which `{student}` stands for the student and `*` for
    anything: `{student}` takes `ada.ipynb` and the folder `ada/`, `{student}/03` nbgrader's
    folders, `*_{student}_*.ipynb` a part of the name. An ending may be left out.
    """
    pattern_regex = _compile_pattern(pattern)
    depth = "/".join(["*"] * (pattern.strip("/").count("/") + 1))
    every = (_match_path(path, folder, pattern_regex) for path in sorted(folder.glob(depth)))
    return tuple(sorted(filter(None, every), key=lambda each: (each.student, each.received)))


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    if pattern.count("{student}") != 1:
        raise PatternError(
            f"The pattern {pattern!r} has to name {{student}} once. Try: '{{student}}' or "
            "'{student}/*.ipynb'"
        )
    parts = re.split(r"(\{student\}|\*)", pattern.strip("/"))
    meant = {"{student}": r"(?P<student>[^/]+?)", "*": "[^/]*"}
    return re.compile("".join(meant.get(part, re.escape(part)) for part in parts))


def _match_path(path: Path, folder: Path, pattern_regex: re.Pattern[str]) -> FoundSubmission | None:
    if path.name.startswith(".") or not (path.suffix.lower() in KINDS or _is_folder(path)):
        return None
    name = path.relative_to(folder)
    bare = name.with_suffix("") if path.suffix.lower() in KINDS else name
    match = pattern_regex.fullmatch(bare.as_posix()) or pattern_regex.fullmatch(name.as_posix())
    return FoundSubmission(match["student"].strip(), path, received_time(path)) if match else None


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.name.startswith("__")


def received_time(path: Path) -> datetime:
    """When a submission arrived: nbgrader's timestamp, else the newest modification time."""
    file = (path if path.is_dir() else path.parent) / TIMESTAMP
    try:
        timestamp = datetime.fromisoformat(file.read_text("utf-8").strip().removesuffix(" UTC"))
        return timestamp.replace(tzinfo=timestamp.tzinfo or UTC)
    except (OSError, ValueError):
        return datetime.fromtimestamp(max(modification_times(path), default=0.0), UTC)


def modification_times(path: Path) -> Iterator[float]:
    for each in path.rglob("*") if path.is_dir() and not path.is_symlink() else (path,):
        if not each.is_dir():
            yield each.lstat().st_mtime


Runner = Callable[[Iterable[Task], GradingPlan], Iterator[TaskResult]]
"""Such as crew.one_by_one: grades tasks in any order, and gives each once."""


class Regrade(StrEnum):
    """What is graded again although there is a result."""

    NOTHING = "nothing"
    CHANGED = "changed"
    """Only the checks that differ from those of an earlier version; the others keep theirs."""
    ALL = "all"


class Ending(StrEnum):
    """The outcome of a submission in a batch."""

    GRADED = "graded"
    KNOWN = "known"
    """There was a result already."""
    FAILED = "failed"
    UNREADABLE = "unreadable"
    STRANGER = "stranger"
    """The gradebook has no such student."""


@dataclass(frozen=True)
class SubmissionReport:
    """The outcome of one submission, with the reason where it has no result."""

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
    plan: GradingPlan
    submissions: Sequence[FoundSubmission]
    regrade: Regrade = Regrade.NOTHING
    add_students: bool = False
    read: Callable[..., Submission] = Submission.read
    _by_digest: dict[str, list[FoundSubmission]] = field(default_factory=dict)
    _earlier: dict[str, Result | None] = field(default_factory=dict)
    _outcomes: list[SubmissionReport] = field(default_factory=list)

    def run(self, runner: Runner) -> Iterator[SubmissionReport]:
        """Grade what has no result yet. Each result is kept before its report is given."""
        self._enrol_students()
        for done in runner(self._tasks(), self.plan):
            yield from self._pending_reports()
            yield from self._record(done)
        yield from self._pending_reports()

    def _enrol_students(self) -> None:
        """Add students in one transaction; an empty gradebook takes all of them."""
        known = {student.login for student in self.book.students()}
        if self.add_students or not known:
            names = {each.student for each in self.submissions if _fits(each.student)} - known
            self.book.add_students(Student(name) for name in sorted(names))
            known |= names
        self._known_students = known

    def _tasks(self) -> Iterator[Task]:
        for each in self.submissions:
            if each.student not in self._known_students:
                why = f"The gradebook has no student {each.student!r}. Add them, or --add-students."
                self._report_without_grading(each, Ending.STRANGER, why)
                continue
            try:
                submission = self.read(each.path, each.student)
            except UnreadableSubmission as error:
                self._note_unreadable(each, str(error))
            except Exception as error:  # noqa: BLE001 - one submission must not end the batch
                self._note_unreadable(each, f"{type(error).__name__}: {error}")
            else:
                yield from self._task(each, submission)

    def _task(self, each: FoundSubmission, submission: Submission) -> Iterator[Task]:
        """The task for a submission; none if it has a result, or another one has the same files."""
        plan, digest = self.plan, submission.digest
        self.book.hand_in(each.student, plan.assignment, digest, each.received, each.path.name)
        if digest in self._by_digest:  # the same files from another student
            self._by_digest[digest].append(each)
            return
        known = self.book.has_result(plan.assignment, digest, plan.version)
        if known and self.regrade is not Regrade.ALL:
            self._report_without_grading(each, Ending.KNOWN)
            return
        self._by_digest[digest] = [each]
        self._earlier[digest] = self.book.latest(plan.assignment, digest)
        earlier = self._earlier[digest] if self.regrade is Regrade.CHANGED else None
        yield Task.of(submission, earlier)

    def _record(self, done: TaskResult) -> Iterator[SubmissionReport]:
        digest = done.task.submission.digest
        if done.result is None:
            self.book.fail(self.plan.assignment, digest, self.plan.version, done.why)
        else:
            self.book.record(done.result, done.tapes)
        before = self._earlier.pop(digest)
        changes = changed(before, done.result) if before and done.result else ()
        ending = Ending.GRADED if done.result else Ending.FAILED
        for each in self._by_digest.pop(digest):
            yield SubmissionReport(
                each.student, str(each.path), ending, done.why, done.result, changes
            )

    def _note_unreadable(self, each: FoundSubmission, why: str) -> None:
        """Record a submission that cannot be read, with the reason."""
        digest = hashlib.sha256(storable(f"{each.path.name} {why}").encode()).hexdigest()
        plan = self.plan
        self.book.hand_in(each.student, plan.assignment, digest, each.received, each.path.name)
        self.book.fail(plan.assignment, digest, plan.version, why)
        self._report_without_grading(each, Ending.UNREADABLE, why)

    def _report_without_grading(self, each: FoundSubmission, ending: Ending, why: str = "") -> None:
        self._outcomes.append(SubmissionReport(each.student, str(each.path), ending, why))

    def _pending_reports(self) -> Iterator[SubmissionReport]:
        while self._outcomes:
            yield self._outcomes.pop(0)


def _fits(name: str) -> bool:
    try:
        return bool(fit_name(name, "a student"))
    except UnfitError:
        return False
