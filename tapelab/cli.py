"""The `tapelab` command: copy the lessons out, compile ahead, and open them in JupyterLab."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from tapelab.launch import LaunchError, become_jupyterlab
from tapelab.lessons import START_PAGE, LessonsFolderError, copy_lessons
from tapelab.version import __version__

try:
    import typer
except ModuleNotFoundError:
    sys.exit("The tapelab command needs its lab extra. Try: pip install 'tapelab[lab]'")

DEFAULT_FOLDER = Path("~/tapelab-lessons")

app = typer.Typer(
    help="Automatic differentiation made visible.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command; a mistake in its use ends in one clear sentence, never in a traceback."""
    try:
        app()
    except (LaunchError, LessonsFolderError) as error:
        sys.exit(f"tapelab: {error}")


def _print_version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"tapelab {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_print_version),
    ] = False,
) -> None:
    """Make automatic differentiation visible."""


@app.command()
def lessons(
    folder: Annotated[Path, typer.Argument(help="Where your copies go.")] = DEFAULT_FOLDER,
) -> None:
    """Copy the lessons to FOLDER; what you changed there is kept."""
    typer.echo(copy_lessons(folder.expanduser().absolute()).summary())


@app.command()
def warmup() -> None:
    """Compile ahead what lessons compute with, so that none of them waits for it."""
    from rich.progress import Progress

    from tapelab.compiling.fusing.running import available
    from tapelab.kernels.warmup import compile_all

    with Progress(transient=True) as bar:
        task = bar.add_task("Compiling", total=None)
        try:
            count = compile_all(lambda done, total: bar.update(task, completed=done, total=total))
        except ImportError:
            bar.stop()
            sys.exit("tapelab: numba is missing, and NumPy does its work. Try: pip install numba")
    typer.echo(f"{count} kernels are compiled.")
    if available():
        typer.echo("What tf.function needs is compiled.")


@app.command()
def lab(
    folder: Annotated[Path, typer.Argument(help="Where your copies are.")] = DEFAULT_FOLDER,
    *,
    port: Annotated[int | None, typer.Option(help="The port; else the first free one.")] = None,
    browser: Annotated[bool, typer.Option(help="Open a browser, where there is one.")] = True,
) -> None:
    """Copy the lessons to FOLDER and open JupyterLab on the list of them."""
    place = folder.expanduser().absolute()
    typer.echo(copy_lessons(place).summary())
    typer.echo("Starting JupyterLab; Ctrl+C ends it.")
    become_jupyterlab(place, START_PAGE, port=port, browser=browser)


if __name__ == "__main__":
    main()
