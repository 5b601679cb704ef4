"""Preparing a batch: a folder of submissions and an assignment, for the command and the page."""

from __future__ import annotations

from pathlib import Path

from tapelab.errors import Complaint
from tapelab.grading.assignment import Assignment
from tapelab.grading.batch import Batch
from tapelab.grading.collection import (
    ANY_LAYOUT,
    UNKNOWN_TIMES,
    find_submissions,
    read_receipt_times,
)
from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.grading_plan import plan_for
from tapelab.grading.sandbox.backends import AUTO


def prepare_batch(
    book: Gradebook, folder: Path, source: str, *, pattern: str = ANY_LAYOUT,
    received: Path | None = None, seed: int | None = None, sandbox: str = AUTO,
) -> Batch:  # fmt: skip
    """The submissions of a folder, to be graded with an assignment that the gradebook then knows.

    Complaint where the folder holds no submission that fits the pattern.
    """
    times = read_receipt_times(received) if received else UNKNOWN_TIMES
    handed_in = find_submissions(folder, pattern, times)
    if not handed_in:
        raise Complaint(
            f"{folder} has no submission that fits {pattern!r}. Submissions are notebooks, .py "
            "files, zip archives, or folders with one of them; --pattern says where they lie."
        )
    source = str(Path(source).absolute()) if Path(source).is_dir() else source
    assignment = Assignment.load(source)
    book.put_assignment(assignment)
    return Batch(book, plan_for(assignment, source, folder, seed, sandbox), handed_in)
