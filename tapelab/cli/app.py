"""The `tapelab` command: its parts put together, its options, and how it complains."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from tapelab.cli.command_errors import Exit
from tapelab.cli.doctor_command import doctor, warmup
from tapelab.cli.exchange_commands import register as register_interchange
from tapelab.cli.exercise_commands import app as exercise
from tapelab.cli.explain_command import SETTINGS, explain
from tapelab.cli.grade_command import grade
from tapelab.cli.gradebook_commands import app as gradebook
from tapelab.cli.lesson_commands import lab, lessons
from tapelab.cli.recording_commands import export, show
from tapelab.cli.teach_command import teach
from tapelab.cli.terminal_text import printable
from tapelab.errors import Complaint
from tapelab.version import __version__

app = typer.Typer(
    help="Automatic differentiation made visible.",
    epilog="Exit codes: 0 all is well; 1 a gradient (explain) or this host (doctor) is not; "
    "2 it could not be done, and the error stream says why.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
LEARN, TEACH, LOOK, HOST = "To learn", "To teach", "To look at gradients", "This computer"
app.command(rich_help_panel=LEARN)(lab)
app.command(rich_help_panel=LEARN)(lessons)
app.command(rich_help_panel=TEACH)(teach)
app.add_typer(exercise, name="exercise", rich_help_panel=TEACH)
app.command(rich_help_panel=LOOK)(show)
app.command(rich_help_panel=LOOK)(export)
app.command(rich_help_panel=LOOK, context_settings=SETTINGS)(explain)
app.command(rich_help_panel=TEACH)(grade)
app.add_typer(gradebook, name="gradebook", rich_help_panel=TEACH)
register_interchange(exercise, gradebook)
app.command(rich_help_panel=HOST)(doctor)
app.command(rich_help_panel=HOST)(warmup)


def main() -> None:
    """Run the command; a mistake in its use ends in one clear sentence."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no × gets ?
    try:
        app(prog_name="tapelab")
    except Complaint as error:
        print(printable(f"tapelab: {error}"), file=sys.stderr)
        sys.exit(Exit.UNABLE)


def _print_version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"tapelab {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", "-V", help="Print the version.", callback=_print_version),
    ] = False,
) -> None:
    """Make automatic differentiation visible."""
