"""What `tapelab grade` prints at its end, and writes as CSV: each submission, and what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from tapelab.cli.row_table import print_rows

if TYPE_CHECKING:
    from tapelab.grading.batch import SubmissionReport
    from tapelab.grading.collection import LeftOut

MOST_SHOWN: Final = 40
"""Rows of a table in which a large course could have thousands."""
REPORT_COLUMNS: Final = ("student", "file", "what", "points", "of", "why")


def print_summary(reports: list[SubmissionReport], seconds: float) -> None:
    """Print which submissions have no result, what changed, and how many there were."""
    _print_first("Without a result", [
        {"student": each.student, "what": str(each.ending), "why": each.why}
        for each in reports if each.why
    ])  # fmt: skip
    _print_first("What changed", [
        {"student": each.student, "exercise": each.exercise, "check": each.check,
         "before": _points(each.before), "after": _points(each.after)}
        for report in reports for each in report.changes
    ])  # fmt: skip
    endings = Counter(str(each.ending) for each in reports)
    if endings["stranger"]:
        typer.echo("Add students whom the gradebook does not know with: --add-students\n")
    counts = ", ".join(f"{count} {ending}" for ending, count in endings.items())
    graded = endings["graded"]
    pace = f"; {graded / seconds:.2f} a second" if graded else ""
    typer.echo(f"{len(reports)} submissions: {counts} ({seconds:.0f} s{pace})")


def print_left_out(rest: Iterable[LeftOut]) -> None:
    """List what the folder holds beside submissions: nothing is skipped silently."""
    rows = [{"file or folder": each.path.name, "why": each.why} for each in rest]
    _print_first("Not graded", rows)


def write_report(file: Path, reports: list[SubmissionReport], rest: Iterable[LeftOut]) -> None:
    """Write a row for each submission, and for whatever else the folder holds, as CSV."""
    from tapelab.grading.formats.csv_tables import csv_text, write_csv

    rows = [
        (each.student, Path(each.path).name, str(each.ending),
         *((_points(each.result.points), _points(each.result.of)) if each.result else ("", "")),
         each.why)
        for each in reports
    ]  # fmt: skip
    rows += [("", each.path.name, "not graded", "", "", each.why) for each in rest]
    write_csv(csv_text(REPORT_COLUMNS, rows, bom=True), file)
    typer.echo(f"Wrote {file}.")


def _points(points: float | None) -> str:
    return "–" if points is None else f"{points:g}"


def _print_first(title: str, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    more = len(rows) - MOST_SHOWN
    caption = f"… and {more} more: --report FILE.csv lists all." if more > 0 else ""
    print_rows(rows[:MOST_SHOWN], tuple(rows[0]), title=title, caption=caption)
    typer.echo()
