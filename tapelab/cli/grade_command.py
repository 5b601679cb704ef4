"""`tapelab grade`: all submissions of a folder, graded into the gradebook."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tapelab.cli.batch_report import print_left_out, print_summary, write_report
from tapelab.cli.command_errors import Exit, needing_extra
from tapelab.cli.options import DEFAULT_BOOK, Book, Submissions, opened
from tapelab.cli.shell_completion import lesson_numbers
from tapelab.cli.terminal_text import table_cell

if TYPE_CHECKING:
    from tapelab.grading.batch import Batch, Runner, SubmissionReport
    from tapelab.grading.collection import LeftOut
    from tapelab.grading.gradebook import Gradebook

INTERRUPTED: Final = 128 + signal.SIGINT


class RegradeMode(StrEnum):
    """What is graded again though it has a result; a member of batch.Regrade."""

    NOTHING = "nothing"
    CHANGED = "changed"
    ALL = "all"


Named = Annotated[
    str,
    typer.Option(
        "--assignment",
        "-a",
        help="The number of a lesson, such as 03, or a folder with exercises.py.",
        autocompletion=lesson_numbers,
    ),
]


def grade(
    submissions: Submissions,
    assignment: Named,
    *,
    gradebook: Book = DEFAULT_BOOK,
    pattern: Annotated[
        str,
        typer.Option(help="Whose a file or folder is: {student} stands for them, * for anything."),
    ] = "{student}",
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes here.")] = 1,
    cluster: Annotated[
        str, typer.Option(metavar="tcp://HOST:PORT", help="A Dask scheduler to grade on instead.")
    ] = "",
    regrade: Annotated[
        RegradeMode,
        typer.Option(help="Grade again what has a result: its changed checks, or all."),
    ] = RegradeMode.NOTHING,
    seed: Annotated[int | None, typer.Option(help="Which points the checks draw.")] = None,
    add_students: Annotated[
        bool, typer.Option("--add-students", help="Add those whom the gradebook does not know.")
    ] = False,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="Run their code without a sandbox; results say so.")
    ] = False,
    received: Annotated[
        Path | None,
        typer.Option(help="A CSV of when work arrived: login, received.", exists=True),
    ] = None,
    feedback: Annotated[
        Path | None, typer.Option(help="Write a page for each student there.", file_okay=False)
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Write what became of each file there, as CSV.", dir_okay=False),
    ] = None,
) -> None:
    """Grade the SUBMISSIONS that have no result yet. Stop it at any moment: it goes on next time.

    Exit codes: 0 each submission has a result; 1 some have none, and the table says why;
    2 it could not be done; 130 it was interrupted, and what was graded is kept.
    """
    sandbox = "unsafe" if unsafe else "auto"
    runner = _runner(jobs, cluster)
    if not cluster:
        from tapelab.grading.sandbox import choose_sandbox

        choose_sandbox(sandbox)
    with opened(gradebook, create=True) as book:
        from tapelab.grading.batch_setup import prepare_batch

        batch = prepare_batch(
            book, submissions, assignment, pattern=pattern, received=received, seed=seed,
            sandbox=sandbox,
        )  # fmt: skip
        batch.regrade, batch.add_students = type(batch.regrade)(regrade), add_students
        started = time.monotonic()
        reports = _shown(batch, runner)
        print_summary(reports, time.monotonic() - started)
        databases = [Path(gradebook + ending) for ending in ("", "-wal", "-shm")]
        rest = _left_out(submissions, batch, [*databases, Path(assignment), feedback, report])
        print_left_out(rest)
        if any(each.result for each in reports):
            _warn_of_rules(book, batch.plan.assignment)
        if report is not None:
            write_report(report, reports, rest)
        if feedback is not None:
            from tapelab.grading.reports.feedback import write_pages

            typer.echo(write_pages(book, batch.plan.assignment, feedback))
    missing = rest or any(each.why for each in reports)
    raise typer.Exit(Exit.WRONG if missing else Exit.FINE)


def _warn_of_rules(book: Gradebook, assignment: str) -> None:
    """Say so where the rules, which may be older than the submissions, take all their points."""
    rules = book.assignment(assignment)
    if rules.due is None or (rules.policy.cutoff is None and not rules.policy.per_day):
        return
    if warning := book.rule_effect(assignment).warning:
        typer.echo(f"tapelab: {warning}", err=True)


def _runner(jobs: int, cluster: str) -> Runner:
    from tapelab.grading.runners import grade_in_processes

    if cluster:
        with needing_extra("cluster"):
            import distributed  # noqa: F401 - only whether it is there
        from tapelab.grading.runners import grade_on_cluster

        return partial(grade_on_cluster, address=cluster, notify=partial(typer.echo, err=True))
    return partial(grade_in_processes, jobs=jobs)


def _shown(batch: Batch, runner: Runner) -> list[SubmissionReport]:
    """Run a batch under a bar; an interrupt ends it in one sentence."""
    reports: list[SubmissionReport] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    try:
        with (
            _ending_as_by_interrupt(),
            Progress(
                *columns,
                TimeRemainingColumn(),
                console=console,
                transient=True,
                disable=not console.is_terminal,
            ) as bar,
        ):
            task = bar.add_task("Grading", total=len(batch.submissions))
            for report in batch.run(runner):
                reports.append(report)
                bar.update(task, advance=1, description=f"Grading {table_cell(report.student)}")
    except KeyboardInterrupt:
        done = sum(each.result is not None for each in reports)
        typer.echo(
            f"tapelab: Interrupted. {done} results of this run are kept; run the same command "
            "again to go on.",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    return reports


@contextmanager
def _ending_as_by_interrupt() -> Iterator[None]:
    """Let a request to end, such as of a service manager, end the batch as Ctrl+C does."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _left_out(folder: Path, batch: Batch, own: list[Path | None]) -> tuple[LeftOut, ...]:
    from tapelab.grading.collection import left_out

    return left_out(folder, batch.submissions, [path for path in own if path is not None])
