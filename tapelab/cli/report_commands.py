"""`tapelab gradebook stats`, `report` and `similarity`: what a class did, to be looked at."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tapelab.cli.options import (
    DEFAULT_BOOK,
    Assigned,
    Book,
    Submissions,
    opened,
)
from tapelab.cli.row_table import AsJson, Wide, print_rows
from tapelab.errors import Complaint

if TYPE_CHECKING:
    from tapelab.grading.gradebook import Gradebook
    from tapelab.grading.reports.similarity import Features

FORMS: Final = (".html", ".csv", ".json")
Output = Annotated[
    list[Path] | None,
    typer.Option("--output", "-o", help="Where to, as .html, .csv or .json; several if you like."),
]


def stats(
    assignment: Assigned, *, gradebook: Book = DEFAULT_BOOK, as_json: AsJson = False,
    wide: Wide = False,
) -> None:  # fmt: skip
    """Print how each check went, and into which pitfalls the class fell."""
    from tapelab.grading.reports.statistics import statistics_of

    with opened(gradebook) as book:
        data = statistics_of(book, assignment)
    if as_json:
        typer.echo(data.to_json())
        return
    rows = [
        {"exercise": each.exercise, "check": each.check, "mean": each.mean, "of": each.of,
         "all points": f"{100 * each.passed:.0f} %",
         "pitfalls": ", ".join(f"{code} {count}" for code, count in each.pitfalls.items())}
        for each in data.checks
    ]  # fmt: skip
    print_rows(rows, tuple(rows[0]) if rows else ("check",), wide=wide)
    typer.echo(
        f"\n{data.graded} of {data.students} students; mean {data.mean:.3g}, "
        f"median {data.median:.3g} of {data.of:g} points"
    )


def report(assignment: Assigned, *, output: Output = None, gradebook: Book = DEFAULT_BOOK) -> None:
    """Write the statistics as a page with plots, as CSV or as JSON."""
    from tapelab.grading.reports.statistics import statistics_of, statistics_page

    with opened(gradebook) as book:
        data = statistics_of(book, assignment)
    forms = {".html": lambda: statistics_page(data), ".csv": data.to_csv, ".json": data.to_json}
    _write(output or [Path(f"{assignment}-statistics.html")], forms)


def similarity(
    assignment: Assigned,
    submissions: Submissions,
    *,
    pattern: Annotated[str, typer.Option(help="As of `tapelab grade`.")] = "{student}",
    given: Annotated[
        Path | None,
        typer.Option(help="The notebook all began with; of a lesson it is known.", exists=True),
    ] = None,
    least: Annotated[
        float, typer.Option(min=0, max=100, help="Percent of rare code in common, at least.")
    ] = 20.0,
    output: Output = None,
    gradebook: Book = DEFAULT_BOOK,
    wide: Wide = False,
) -> None:
    """List submissions that have in common what few others have, for a person to read.

    Compared are the shape of the code, where names, comments and layout do not count, and the ops
    of recordings. No code is run, and nothing is concluded.
    """
    from tapelab.grading.reports import similarity as report_on

    with opened(gradebook) as book:
        title = book.assignment(assignment).title
        find_submissions = _features(book, assignment, submissions, pattern)
    pairs = report_on.similar_pairs(find_submissions, _given(assignment, given), least=least / 100)
    if output:
        forms: dict[str, Callable[[], str]] = {
            ".html": lambda: report_on.similarity_page(title, pairs),
            ".csv": lambda: report_on.to_csv(pairs),
            ".json": lambda: report_on.to_json(pairs),
        }
        _write(output, forms)
        return
    rows = [
        {"first": each.first, "second": each.second, "code": f"{100 * each.code:.0f} %",
         "ops": "–" if each.ops is None else f"{100 * each.ops:.0f} %",
         "lines": len(each.places), "look at": report_on.where(each.places[0])}
        for each in pairs
    ]  # fmt: skip
    print_rows(rows, tuple(rows[0]) if rows else ("first", "second"), wide=wide)
    typer.echo(f"\n{report_on.NOTE}")


def _features(
    book: Gradebook, assignment: str, folder: Path, pattern: str
) -> dict[str, Features]:  # fmt: skip
    """Of each student the latest submission that can be read, with what was recorded of it."""
    from tapelab.grading.collection import find_submissions
    from tapelab.grading.reader import Reader
    from tapelab.grading.reports.similarity import features_of
    from tapelab.grading.submission import UnreadableSubmission

    kept = {}
    with closing(Reader(str(folder))) as reader:
        for each in find_submissions(folder, pattern):
            try:
                submission = reader.read(each.path, each.student)
            except UnreadableSubmission as error:
                typer.echo(f"{each.student} is left out: {error}", err=True)
                continue
            tapes = book.tapes(assignment, submission.digest)
            cells = [cell.source for cell in submission.cells]
            kept[each.student] = features_of(cells, tapes.values())
    return kept


def _given(assignment: str, file: Path | None) -> Features | None:
    """What everybody began with: a file, or the shipped notebook of a lesson."""
    from tapelab.grading.reports.similarity import features_of
    from tapelab.grading.submission import Submission
    from tapelab.lab.lesson_folder import lessons, shipped_folder

    shipped = [each for each in lessons(shipped_folder()) if each.stem.startswith(f"{assignment}-")]
    if file is None and shipped:
        file = shipped_folder() / shipped[0].name
    if file is None:
        return None
    return features_of([cell.source for cell in Submission.read(file).cells], ())


def _write(files: list[Path], forms: dict[str, Callable[[], str]]) -> None:
    for file in files:
        if file.suffix.lower() not in forms:
            raise Complaint(f"{file} does not say a form. Names may end in {', '.join(FORMS)}.")
    for file in files:
        file.write_text(forms[file.suffix.lower()](), encoding="utf-8")
        typer.echo(f"Wrote {file}")
