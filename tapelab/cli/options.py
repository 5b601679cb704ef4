"""What several commands share: options, opening a gradebook, and printing rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Table

from tapelab.cli.command_errors import needing_extra
from tapelab.cli.terminal_text import table_cell

if TYPE_CHECKING:
    from tapelab.grading.gradebook import Gradebook

DEFAULT_BOOK: Final = "gradebook.db"
Book = Annotated[
    str,
    typer.Option(
        "--gradebook",
        "-g",
        metavar="PLACE",
        envvar="TAPELAB_GRADEBOOK",
        help="A file, or postgresql://user@server/database.",
    ),
]
OfStudent = Annotated[str, typer.Argument(metavar="STUDENT", help="Their login.")]
Assigned = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="As `list` names it.")]
OfExercise = Annotated[str, typer.Option("--exercise", "-e", help="Only this one, such as 03.2.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Submissions = Annotated[
    Path, typer.Argument(help="The folder of submissions.", exists=True, file_okay=False)
]
Port = Annotated[int | None, typer.Option(help="The port; else the first free one.")]
Browser = Annotated[bool, typer.Option(help="Open a browser, where there is one.")]
Rows = list[dict[str, Any]]


@contextmanager
def opened(place: str, *, create: bool = False) -> Iterator[Gradebook]:
    """Open a gradebook for a command; one that is not there is not made."""
    with needing_extra("grading"):
        from tapelab.grading.gradebook import Gradebook

        book = Gradebook.open(place, create=create)
    with book:
        yield book


def print_rows(rows: Rows, columns: tuple[str, ...], *, as_json: bool) -> None:
    """Rows as a table, or as JSON for programs."""
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=2, default=str))
        return
    table = Table(*(name.replace("_", " ") for name in columns), box=None, header_style="dim")
    for row in rows:
        table.add_row(*(table_cell(_brief(row[name])) for name in columns))
    Console().print(table)


def _brief(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
