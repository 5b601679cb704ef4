"""`tapelab gradebook`: what there is to do, what each student has, and who changed what."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tapelab.cli.command_errors import Exit
from tapelab.cli.lti_commands import lti_key, publish
from tapelab.cli.options import (
    DEFAULT_BOOK,
    Assigned,
    Book,
    OfExercise,
    OfStudent,
    opened,
)
from tapelab.cli.report_commands import report, similarity, stats
from tapelab.cli.row_table import AsJson, Wide, print_rows
from tapelab.cli.serve_command import serve
from tapelab.cli.student_commands import students
from tapelab.errors import Complaint

END_OF_DAY: Final = time(23, 59)

if TYPE_CHECKING:
    from tapelab.grading.gradebook import Gradebook
    from tapelab.grading.gradebook.entities import Grade, Listed

app = typer.Typer(
    help="Keep what a course hands in and earns.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(students, name="students")
app.command()(stats)
app.command()(report)
app.command()(similarity)
app.command()(serve)
app.command()(publish)
app.command("lti-key")(lti_key)


@app.command()
def init(*, gradebook: Book = DEFAULT_BOOK) -> None:
    """Make a gradebook, or bring an older one up to date; a copy of that one is left."""
    with opened(gradebook, create=True) as book:
        count = len(book.students())
        typer.echo(f"{book.place} is ready, with {count} students.")


@app.command("list")
def list_assignments(
    *, gradebook: Book = DEFAULT_BOOK, as_json: AsJson = False, wide: Wide = False
) -> None:
    """List the assignments, and how much of each is handed in and graded."""
    with opened(gradebook) as book:
        rows = [
            {
                "assignment": each.name, "title": each.title, "points": each.of,
                "due": each.due.isoformat(" ", "minutes") if each.due else "",
                "submissions": len(book.submissions(each.name)),
                "graded": len(book.results(each.name)),
                "failed": len(book.failures(each.name)),
            }
            for each in book.assignments()
        ]  # fmt: skip
    print_rows(rows, tuple(rows[0]) if rows else ("assignment",), as_json=as_json, wide=wide)


@app.command()
def show(
    assignment: Assigned,
    *,
    student: Annotated[str, typer.Option(help="Only them, check by check.")] = "",
    gradebook: Book = DEFAULT_BOOK,
    as_json: AsJson = False,
    wide: Wide = False,
) -> None:
    """Show what each student has for an assignment, or what each check found of one student."""
    with opened(gradebook) as book:
        if student:
            book.student(student)
            checks = list(_checks(book, assignment, student))
            print_rows(
                checks,
                ("exercise", "check", "points", "of", "status", "text"),
                as_json=as_json,
                wide=wide,
            )
            return
        rows = [_grade_row(each) for each in book.grades(assignment)]
    print_rows(rows, tuple(rows[0]) if rows else ("student",), as_json=as_json, wide=wide)


def _grade_row(grade: Grade) -> dict[str, Any]:
    return {
        "student": grade.student, "name": grade.name, "points": grade.points, "of": grade.of,
        "penalty": grade.penalty, "extra": grade.extra, "final": grade.final,
        "attempts": grade.attempts, "ungraded": grade.ungraded,
        "days_late": round(grade.days_late, 2), "by_hand": "yes" if grade.by_hand else "",
    }  # fmt: skip


def _checks(book: Gradebook, assignment: str, student: str) -> Iterator[dict[str, Any]]:
    counts = {each.digest for each in book.grades(assignment) if each.student == student}
    for graded in book.results(assignment):
        if graded.handed.student == student and graded.handed.digest in counts:
            for exercise in graded.result.exercises:
                for check in exercise.checks:
                    yield {
                        "exercise": exercise.exercise, "check": check.title,
                        "points": check.points, "of": check.of, "status": check.status.value,
                        "text": check.text, "code": check.code,
                        "visibility": check.visibility.value,
                    }  # fmt: skip


@app.command()
def rules(
    assignment: Annotated[str, typer.Argument(help="Of the gradebook, or one to be added.")],
    *,
    due: Annotated[
        str,
        typer.Option(
            help="When it is due, such as 2026-03-01 (the end of that day) or 2026-03-01T12:00, "
            "in this computer's time zone; +7 for the end of the day in 7 days; or never."
        ),
    ] = "",
    per_day: Annotated[float | None, typer.Option(help="Percent that each day late costs.")] = None,
    grace: Annotated[float | None, typer.Option(help="Minutes that cost nothing.")] = None,
    cutoff: Annotated[float | None, typer.Option(help="Days after which nothing counts.")] = None,
    counts: Annotated[str, typer.Option(help="Which attempt counts: best or last.")] = "",
    yes: Annotated[
        bool, typer.Option("--yes", help="Apply it without a question, such as in a script.")
    ] = False,
    gradebook: Book = DEFAULT_BOOK,
) -> None:
    """Set when an assignment is due and what lateness costs; what is not given stays.

    A rule that takes all points from a submission is only applied if you confirm it, or with --yes.
    """
    from tapelab.grading.gradebook import Counts

    if counts not in ("", *Counts):
        raise Complaint(f"--counts is {' or '.join(Counts)}, not {counts!r}.")
    given: dict[str, Any] = {"per_day": per_day, "grace": grace, "cutoff": cutoff,
                             "counts": Counts(counts) if counts else None}  # fmt: skip
    with opened(gradebook) as book:
        name = _known_or_added(book, assignment)
        before = asdict(book.assignment(name).policy)
        changed = {**before, **{key: value for key, value in given.items() if value is not None}}
        policy = type(book.assignment(name).policy)(**changed)
        moment = _moment(due) if due else None
        effect = book.rule_effect(name, due=moment, policy=policy)
        if effect.changed:
            typer.echo(effect.summary)
        if effect.warning and not yes:
            _confirm(effect.warning)
        now = book.set_rules(name, due=moment, policy=policy)
    typer.echo(f"{now.name}: {_in_words(now)}")


def _moment(text: str) -> datetime:
    """The due date that a text says; a day without a time ends at 23:59."""
    from tapelab.grading.gradebook.entities import NEVER

    if text == "never":
        return NEVER
    try:
        if text.startswith("+"):
            day = date.today() + timedelta(days=int(text[1:]))  # noqa: DTZ011 - of this computer
            return datetime.combine(day, END_OF_DAY).astimezone()
        moment = datetime.fromisoformat(text)
        if re.fullmatch(r"[\d-]+", text):
            moment = datetime.combine(moment, END_OF_DAY)
        return moment.astimezone()
    except (OverflowError, ValueError) as error:
        raise Complaint(
            f"{text!r} is no due date. Try one such as 2026-03-01, 2026-03-01T12:00, +7 or never."
        ) from error


def _confirm(warning: str) -> None:
    """Ask before a rule is applied that is likely a mistake; without a terminal, refuse it."""
    typer.echo(warning, err=True)
    if not sys.stdin.isatty():
        raise Complaint("Nothing was changed. To apply it all the same, add --yes.")
    if not typer.confirm("Apply it all the same?"):
        typer.echo("Nothing was changed.")
        raise typer.Exit(Exit.WRONG)


def _in_words(assignment: Listed) -> str:
    policy = assignment.policy
    due = assignment.due.astimezone().isoformat(" ", "minutes") if assignment.due else "never"
    end = "" if policy.cutoff is None else f", nothing counts after {policy.cutoff:g} days"
    return (
        f"due {due}; each day costs {policy.per_day:g} % after {policy.grace:g} minutes{end}; "
        f"the {policy.counts} attempt counts."
    )


def _known_or_added(book: Gradebook, assignment: str) -> str:
    from tapelab.grading.assignment import Assignment, AssignmentError

    if assignment in {each.name for each in book.assignments()}:
        return assignment
    try:
        return book.put_assignment(Assignment.load(assignment)).name
    except AssignmentError:
        return book.assignment(assignment).name  # which says the names that there are


@app.command()
def mark(
    student: OfStudent,
    assignment: Assigned,
    points: Annotated[float, typer.Argument(help="How many.")],
    *,
    exercise: OfExercise = "",
    extra: Annotated[
        bool, typer.Option("--extra", help="Add them, instead of replacing what was graded.")
    ] = False,
    comment: Annotated[str, typer.Option(help="Why.")] = "",
    gradebook: Book = DEFAULT_BOOK,
) -> None:
    """Give points by hand, which regrading never changes."""
    from tapelab.grading.gradebook.entities import Kind

    kind = Kind.EXTRA if extra else Kind.POINTS
    with opened(gradebook) as book:
        book.mark(student, assignment, points, exercise=exercise, kind=kind, comment=comment)
        final = next(each for each in book.grades(assignment) if each.student == student).final
    typer.echo(f"{student} now has {final:g} points for {assignment}.")


@app.command()
def comment(
    student: OfStudent,
    assignment: Assigned,
    text: Annotated[str, typer.Argument(help="What to write.")],
    *,
    exercise: OfExercise = "",
    gradebook: Book = DEFAULT_BOOK,
) -> None:
    """Write something for a student; it stands on their feedback page."""
    with opened(gradebook) as book:
        book.comment(student, assignment, text, exercise=exercise)
    typer.echo(f"Noted for {student}.")


@app.command()
def totals(
    *,
    drop: Annotated[int, typer.Option(min=0, help="So many weakest do not count.")] = 0,
    gradebook: Book = DEFAULT_BOOK,
    as_json: AsJson = False,
    wide: Wide = False,
) -> None:
    """Show what each student has for the course."""
    with opened(gradebook) as book:
        rows = [
            {"student": each.student, "name": each.name, "final": each.final, "of": each.of,
             "percent": round(100 * each.share, 1), "dropped": " ".join(each.dropped)}
            for each in book.totals(drop=drop)
        ]  # fmt: skip
    print_rows(rows, tuple(rows[0]) if rows else ("student",), as_json=as_json, wide=wide)


def _listed(recorded: str) -> str:
    """What the history recorded as JSON, as a list without what is empty; other text as it is."""
    try:
        values = json.loads(recorded)
    except ValueError:
        return recorded
    if not isinstance(values, dict):
        return recorded
    return ", ".join(f"{name} {value}" for name, value in values.items() if value)


@app.command()
def history(
    about: Annotated[str, typer.Argument(help="What begins with it, such as 03/ada.")] = "",
    *,
    gradebook: Book = DEFAULT_BOOK,
    as_json: AsJson = False,
    wide: Wide = False,
) -> None:
    """Show who changed what and when; nothing of it can be changed."""
    with opened(gradebook) as book:
        rows = [asdict(each) for each in book.history(about)]
    events = [{**row, "at": row["at"].isoformat(" ", "seconds")} for row in rows]
    if not as_json:
        events = [{**row, "before": _listed(row["before"]), "after": _listed(row["after"])}
                  for row in events]  # fmt: skip
    print_rows(
        events, ("at", "who", "what", "about", "before", "after"), as_json=as_json, wide=wide
    )
