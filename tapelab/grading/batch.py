"""Grading all submissions of a folder into a gradebook.

A Batch grades the submissions that have no result. Each result is written before it is reported, so
a batch may be interrupted at any moment and continues where it stopped.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from tapelab.grading.check_versions import has_unknown_reach
from tapelab.grading.collection import FoundSubmission
from tapelab.grading.gradebook.claims import Claim
from tapelab.grading.gradebook.entities import Change, Student, changed
from tapelab.grading.gradebook.gradebook_errors import UnfitError, fit_name, storable
from tapelab.grading.gradebook.transactions import now
from tapelab.grading.reader import Reader
from tapelab.grading.result import Result
from tapelab.grading.runners import GradingPlan, Task, TaskResult
from tapelab.grading.student_names import logins_by_name
from tapelab.grading.submission import Submission, UnreadableSubmission

if TYPE_CHECKING:
    from tapelab.grading.gradebook.book import Gradebook


PAUSE: Final = 0.5
"""Seconds after which is looked again for what other graders work on."""
Runner = Callable[[Iterable[Task], GradingPlan], Iterator[TaskResult]]
"""Such as runners.grade_in_processes: grades tasks in any order, and gives each once."""


class Regrade(StrEnum):
    """What is graded again although there is a result."""

    NOTHING = "nothing"
    CHANGED = "changed"
    """Only the checks that differ from those of an earlier version, or whose reach is unknown."""
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
    _by_digest: dict[str, list[FoundSubmission]] = field(default_factory=dict)
    _earlier: dict[str, Result | None] = field(default_factory=dict)
    _outcomes: list[SubmissionReport] = field(default_factory=list)
    _taken: list[FoundSubmission] = field(default_factory=list)
    """What other graders work on."""

    def run(self, runner: Runner) -> Iterator[SubmissionReport]:
        """Grade what has no result yet. Each result is kept before its report is given.

        What another grader works on waits until there is a result of it, or until its claim ends.
        """
        self._enrol_students()
        self._started = now()
        reading = closing(Reader(self.plan.untrusted))
        with reading as reader, self.book.holding_claims() as self._holder:
            remaining = self.submissions
            while remaining:
                self._taken = []
                for done in runner(self._tasks(reader, remaining), self.plan):
                    yield from self._pending_reports()
                    yield from self._record(done)
                yield from self._pending_reports()
                # Not while own tasks are out: two graders would wait for each other.
                if len(self._taken) == len(remaining):
                    time.sleep(PAUSE)
                remaining = self._taken

    def _enrol_students(self) -> None:
        """Add students in one transaction; an empty gradebook takes all of them."""
        known = {student.login for student in self.book.students()}
        self._logins = logins_by_name(known)
        if self.add_students or not known:
            names = {each.student for each in self.submissions if _fits(each.student)}
            names -= self._logins.keys()
            self.book.enrol(Student(name) for name in sorted(names))
            self._logins = logins_by_name(known | names)

    def _tasks(self, reader: Reader, submissions: Iterable[FoundSubmission]) -> Iterator[Task]:
        for handed_in in submissions:
            login = self._logins.get(handed_in.student)
            each = replace(handed_in, student=login or handed_in.student)
            if login is None:
                why = f"The gradebook has no student {each.student!r}."
                self._report_without_grading(each, Ending.STRANGER, why)
                continue
            try:
                submission = reader.read(each.path, each.student)
            except UnreadableSubmission as error:
                self._note_unreadable(each, str(error))
            else:
                yield from self._task(each, submission)

    def _task(self, each: FoundSubmission, submission: Submission) -> Iterator[Task]:
        """The task for a submission; none if it has a result, or another one has the same files."""
        plan, digest = self.plan, submission.digest
        cells = [cell.source for cell in submission.cells]
        name = each.path.name
        self.book.hand_in(each.student, plan.assignment, digest, each.received, name, cells)
        if digest in self._by_digest:  # the same files from another student
            self._by_digest[digest].append(each)
            return
        may_differ = self.regrade is Regrade.CHANGED and has_unknown_reach(plan.version)
        claim = self.book.claim(
            plan.assignment, digest, plan.version, self._holder, since=self._started,
            again=self.regrade is Regrade.ALL or may_differ,
        )  # fmt: skip
        if claim is Claim.TAKEN:
            self._taken.append(each)
        elif claim is Claim.GRADED:
            self._report_without_grading(each, Ending.KNOWN)
        elif claim is Claim.FAILED:
            why = self.book.why_failed(plan.assignment, digest, plan.version)
            self._report_without_grading(each, Ending.FAILED, why)
        if claim is not Claim.GRANTED:
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
