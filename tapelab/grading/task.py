"""One submission to be graded, wherever that is done: here, in a process, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, Protocol

from tapelab.grading.result import Result
from tapelab.recording import Recording, to_bytes

if TYPE_CHECKING:
    from tapelab.grading.assignment import Assignment
    from tapelab.grading.submission import Submission

LARGEST_TAPE: Final = 1 << 20
"""Bytes; what a larger tape recorded is not kept."""


class Grader(Protocol):
    """A function such as `tapelab.grading.grade.grade`."""

    def __call__(
        self,
        submission: Submission,
        assignment: Assignment,
        *,
        seed: int | None,
        sandbox: str,
        earlier: Result | None,
        keep: Callable[[str, Recording], None] | None,
    ) -> Result:
        """Grade a submission."""
        ...


@dataclass(frozen=True)
class Task:
    """A submission, and the result from which checks that did not change are taken."""

    submission: Submission
    earlier: Result | None = None

    @classmethod
    def of(cls, submission: Submission, earlier: Result | None = None) -> Task:
        """A task that can be sent to another process: a view of a mapping cannot."""
        return cls(replace(submission, files=dict(submission.files)), earlier)


@dataclass(frozen=True)
class Done:
    """A task with its result, or why there is none."""

    task: Task
    result: Result | None
    why: str = ""
    tapes: Mapping[str, bytes] = field(default_factory=dict)
    """By exercise, what its tape recorded."""


@dataclass(frozen=True)
class Work:
    """How every task of a batch is graded; it is sent to processes, the assignment is not.

    Checks are functions, which do not travel: each process loads the assignment by its name, and
    makes sure that it has the same version as everywhere else.
    """

    grade: Grader
    load: Callable[[str], Assignment]
    source: str
    """What `load` is asked for: the number of a lesson, or a folder."""
    assignment: str
    version: str
    seed: int | None = None
    sandbox: str = "auto"

    def __call__(self, task: Task) -> Done:
        """Grade one submission; whatever goes wrong is an outcome of it alone."""
        try:
            tapes: dict[str, bytes] = {}
            result = self._result(task, tapes)
            return Done(task, result, tapes=tapes)
        except Exception as error:  # noqa: BLE001 - it must not end the batch, and is told
            return Done(task, None, f"{type(error).__name__}: {error}")

    def _result(self, task: Task, tapes: dict[str, bytes]) -> Result:
        assignment = _loaded(self.load, self.source)
        if assignment.version != self.version:
            raise RuntimeError(
                f"this process has another version of {self.assignment} ({assignment.version}, "
                f"not {self.version}). Give all of them the same files and the same tapelab."
            )
        result = self.grade(
            task.submission, assignment, seed=self.seed, sandbox=self.sandbox,
            earlier=task.earlier, keep=partial(_keep, tapes),
        )  # fmt: skip
        key = (result.submission, result.version)
        if key != (task.submission.digest, self.version):
            raise RuntimeError(f"the result is of something else: {key}")
        return result


def _keep(tapes: dict[str, bytes], exercise: str, recording: Recording) -> None:
    """Keep the first recording of an exercise, for pictures, unless it is very large."""
    if exercise not in tapes:
        content = to_bytes(recording)
        if len(content) <= LARGEST_TAPE:
            tapes[exercise] = content


@lru_cache(maxsize=8)
def _loaded(load: Callable[[str], Assignment], name: str) -> Assignment:
    return load(name)
