"""Reading submissions in a judge, so that none of them ends the process that collects a class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from tapelab.grading.judge import Judge, JudgeEnded, JudgeLimits
from tapelab.grading.submission import Submission, UnreadableSubmission

READING: Final = JudgeLimits(cpu=30, wall=120.0)
"""What reading one submission may take, which is limited to 64 MiB."""


class Reader:
    """Reads submissions one by one; the judge that does it starts with the first one."""

    def __init__(self, untrusted: str = "", limits: JudgeLimits = READING) -> None:
        self._untrusted, self._limits = untrusted, limits
        self._judge: Judge | None = None

    def read(self, path: Path, student: str = "") -> Submission:
        """As Submission.read; a submission that ends the judge is an UnreadableSubmission, too."""
        self._judge = self._judge or Judge(self._limits, self._untrusted, _import_this)
        self._judge.send(partial(_read, path.absolute(), student))
        try:
            reply = self._judge.receive()
        except JudgeEnded as ended:
            self._judge = None
            raise UnreadableSubmission(
                f"{path.name} cannot be read: {ended}. Hand in a smaller, plainer file."
            ) from ended
        if isinstance(reply, Submission):
            return reply
        raise UnreadableSubmission(str(reply))

    def close(self) -> None:
        """End the judge."""
        if self._judge is not None:
            self._judge.end()
            self._judge = None


def _import_this() -> None:
    """Do nothing: whoever is asked for it has imported this module, and what reading needs."""


def _read(path: Path, student: str, _: Callable[[Any], None]) -> Submission | str:
    """The submission, or why there is none."""
    try:
        submission = Submission.read(path, student)
    except UnreadableSubmission as error:
        return str(error)
    except MemoryError:
        raise  # the judge is at its limit
    except Exception as error:  # noqa: BLE001 - one submission must not end the batch
        return f"{type(error).__name__}: {error}"
    return replace(submission, files=dict(submission.files))  # a view of a mapping cannot be sent
