"""`tapelab gradebook students`: who takes part in a course."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tapelab.cli.options import DEFAULT_BOOK, Book, OfStudent, opened
from tapelab.cli.row_table import AsJson, Wide, print_rows
from tapelab.errors import Complaint

if TYPE_CHECKING:
    from tapelab.grading.gradebook.entities import Student

LOGINS: Final = ("login", "student", "id")
KNOWN_COLUMNS: Final = (*LOGINS, "name", "email", "first_name", "last_name")

students = typer.Typer(help="Who takes part.", no_args_is_help=True)


@students.command("add")
def add_student(
    login: OfStudent,
    *,
    name: Annotated[str, typer.Option(help="As people call them.")] = "",
    email: Annotated[str, typer.Option(help="Where they are written to.")] = "",
    gradebook: Book = DEFAULT_BOOK,
) -> None:
    """Add a student."""
    from tapelab.grading.gradebook.entities import Student

    with opened(gradebook) as book:
        book.add_student(Student(login, name, email))
        typer.echo(f"Added {login}.")


@students.command("import")
def import_students(
    file: Annotated[Path, typer.Argument(metavar="CSV", exists=True, dir_okay=False)],
    *,
    update: Annotated[
        bool, typer.Option("--update", help="Change what is known of those who are there.")
    ] = False,
    gradebook: Book = DEFAULT_BOOK,
) -> None:
    """Add the students of a CSV file: all of them, or none if it has a mistake.

    The columns are login (or student, or id), and if you like name (or first_name and last_name)
    and email. Further columns are kept as what other systems call them.
    """
    rows = list(_students_in(file))
    with opened(gradebook) as book:
        added = book.add_students(rows, update=update)
        typer.echo(f"{added} students added, {len(rows) - added} were there.")


def _students_in(file: Path) -> Iterator[Student]:
    from tapelab.grading.gradebook.entities import Student

    try:
        text = file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Complaint(f"{file} is not in UTF-8 ({error}). Save it as CSV in UTF-8.") from error
    comma = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.DictReader(text.splitlines(), delimiter=comma)
    names = {name: name.strip().lower().replace(" ", "_") for name in reader.fieldnames or ()}
    if not any(name in LOGINS for name in names.values()):
        columns = ", ".join(names) or "nothing"
        raise Complaint(f"{file} has no column login; its first line has {columns}.")
    for line, row in enumerate(reader, start=2):
        if None in row or None in row.values():
            raise Complaint(f"Line {line} of {file} has {'more' if None in row else 'fewer'} "
                            "fields than the first line.")  # fmt: skip
        fields = {names[key]: value.strip() for key, value in row.items()}
        login = next(fields[key] for key in LOGINS if key in fields)
        full = " ".join(filter(None, (fields.get("first_name"), fields.get("last_name"))))
        ids = {key: value for key, value in fields.items() if key not in KNOWN_COLUMNS and value}
        yield Student(login, fields.get("name") or full, fields.get("email", ""), ids)


@students.command("list")
def list_students(
    *, gradebook: Book = DEFAULT_BOOK, as_json: AsJson = False, wide: Wide = False
) -> None:
    """List the students."""
    with opened(gradebook) as book:
        rows = [asdict(each) for each in book.students()]
    print_rows(rows, ("login", "name", "email"), as_json=as_json, wide=wide)
