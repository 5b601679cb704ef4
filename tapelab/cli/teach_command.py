"""`tapelab teach`: a course folder with an example class, graded and open in the browser."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from tapelab.cli.command_errors import needing_extra
from tapelab.cli.grade_command import INTERRUPTED, grade
from tapelab.cli.options import DEFAULT_BOOK, Browser
from tapelab.cli.serve_command import serve
from tapelab.cli.student_commands import import_students
from tapelab.grading.server import DEFAULT_PORT

DEFAULT_FOLDER: Final = Path("~/tapelab-course")


def teach(
    folder: Annotated[
        Path, typer.Argument(help="Where your course is, or will be.", file_okay=False)
    ] = DEFAULT_FOLDER,
    *,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="At which port; 0 is any that is free.")
    ] = DEFAULT_PORT,
    browser: Browser = True,
    pages: Annotated[bool, typer.Option(help="Open the gradebook at the end.")] = True,
) -> None:
    """Create a course in FOLDER with an example class, grade it, and open its gradebook.

    A folder that has a gradebook is only opened: nothing in it is changed.
    """
    place = folder.expanduser().absolute()
    gradebook = place / DEFAULT_BOOK
    if not gradebook.exists():
        _begin(place, gradebook)
    if pages:
        serve(str(gradebook), port=port, browser=browser, submissions=place)


def _begin(place: Path, gradebook: Path) -> None:
    """Write the example and grade it, showing each command that does so."""
    with needing_extra("grading"):
        from tapelab.authoring.course import ASSIGNMENT, HANDED_IN, ROSTER, TIMES, begin_course
        from tapelab.grading.gradebook import Gradebook

        begin_course(place)
    typer.echo(
        f"{place} has an assignment, {ASSIGNMENT}/, and what five students handed in, "
        f"{HANDED_IN}/.\n\n$ cd {place}\n$ tapelab gradebook init"
    )
    Gradebook.open(gradebook).close()
    typer.echo(f"$ tapelab gradebook students import {ROSTER}")
    import_students(place / ROSTER, gradebook=str(gradebook))
    typer.echo(f"$ tapelab grade {HANDED_IN} -a {ASSIGNMENT} --received {TIMES}")
    try:
        grade(
            place / HANDED_IN, str(place / ASSIGNMENT),
            gradebook=str(gradebook), received=place / TIMES,
        )  # fmt: skip
    except typer.Exit as ended:
        if ended.exit_code == INTERRUPTED:
            raise
    typer.echo(activation())


def activation() -> str:
    """How to type the commands above in a terminal; empty where they are found."""
    script = Path(sys.prefix) / "bin" / "activate"
    if shutil.which("tapelab") or not script.is_file():
        return ""
    return f"\nTo type such commands yourself, begin with: . {shlex.quote(str(script))}\n"
