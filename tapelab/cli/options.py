"""What several commands share: options, and opening a gradebook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tapelab.cli.command_errors import needing_extra

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
Submissions = Annotated[
    Path, typer.Argument(help="The folder of submissions.", exists=True, file_okay=False)
]
Port = Annotated[int | None, typer.Option(help="The port; else the first free one.")]
Browser = Annotated[bool, typer.Option(help="Open a browser, where there is one.")]


@contextmanager
def opened(place: str, *, create: bool = False) -> Iterator[Gradebook]:
    """Open a gradebook for a command; one that is not there is not made."""
    with needing_extra("grading"):
        from tapelab.grading.gradebook import Gradebook

        book = Gradebook.open(place, create=create)
    with book:
        yield book
