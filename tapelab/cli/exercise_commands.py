"""`tapelab exercise`: begin a work of one's own, look at it, prove it, and release it.

What runs notebooks is imported when one is run: the Tab key waits for this module.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.syntax import Syntax

from tapelab.cli.command_errors import Exit
from tapelab.cli.options import Browser, Port
from tapelab.errors import Complaint
from tapelab.lab.launcher import become_jupyterlab

if TYPE_CHECKING:
    from tapelab.authoring.work import Work
    from tapelab.exercises.exercise import Exercise

app = typer.Typer(
    help="Write graded exercises of your own.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
Folder = Annotated[
    Path, typer.Argument(help="The folder with exercises.py and notebook.py.", file_okay=False)
]
HERE = Path()


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(help="The folder to make; its name begins the ids.")],
) -> None:
    """Make FOLDER with an example that works: three exercises and the notebook around them."""
    from tapelab.authoring.work import begin

    for file in begin(folder):
        typer.echo(f"Wrote {file}.")
    typer.echo(f"\nTo see what learners see: tapelab exercise preview {folder}")


@app.command()
def preview(
    folder: Folder = HERE,
    *,
    lab: Annotated[
        bool, typer.Option("--lab", help="Open it in JupyterLab, in a folder of its own.")
    ] = False,
    solved: Annotated[bool, typer.Option("--solved", help="Show the solutions.")] = False,
    port: Port = None,
    browser: Browser = True,
) -> None:
    """Show what learners see: the notebook, and for each exercise its checks and hints."""
    from tapelab.authoring import release

    work = _work(folder)
    files = (release.solved if solved else release.released)(work)
    if not lab:
        _print(work, files[f"{work.name}.ipynb"])
        return
    place = Path(tempfile.mkdtemp(prefix=f"tapelab-{work.name}-"))
    release.write_all(files, place)
    typer.echo(f"Built in {place}. Starting JupyterLab; Ctrl+C ends it.")
    become_jupyterlab(place, f"{work.name}.ipynb", port=port, browser=browser)


@app.command()
def validate(folder: Folder = HERE) -> None:
    """Prove that FOLDER can be released: what learners get earns 0 points, the solution all.

    Exit code 1 and a list of what to mend where it cannot.
    """
    work = _work(folder)
    _prove(work)
    typer.echo(
        f"{work.name} is sound: {len(work.exercises)} exercises, {_points(work)} points. The "
        "learner's notebook earns 0, the solved one all; nothing secret is in the released files."
    )


@app.command()
def release(
    folder: Folder = HERE,
    *,
    to: Annotated[
        Path | None, typer.Option("--to", "-o", help="Where to; by default FOLDER/release.")
    ] = None,
) -> None:
    """Write what learners get, after the proof that it gives nothing away.

    Solutions and private checks are left out, of hidden checks the learner gets title and points.
    """
    from tapelab.authoring.release import released, write_all

    work = _work(folder)
    _prove(work)
    place, files = to or folder / "release", released(work)
    try:
        write_all(files, place)
    except OSError as error:
        raise Complaint(f"{place} cannot be written: {error.strerror or error}.") from error
    typer.echo(f"Released to {place}: {', '.join(files)}. It is proved to give nothing away.")


def _work(folder: Path) -> Work:
    from tapelab.authoring.work import Work

    return Work.read(folder)


def _prove(work: Work) -> None:
    """Run the proof; what speaks against the work is listed, and ends the command."""
    from tapelab.authoring.release import doubts

    console = Console(stderr=True)
    with console.status("Running the notebook as released, and solved …"):
        objections = list(doubts(work))
    if objections:
        for each in objections:
            typer.echo(f"- {each}", err=True)
        typer.echo(f"{work.name} is not to be released yet.", err=True)
        raise typer.Exit(Exit.WRONG)


def _print(work: Work, notebook: bytes) -> None:
    import json

    console = Console()
    for cell in json.loads(notebook)["cells"]:
        text = "".join(cell["source"])
        shown = Markdown(text) if cell["cell_type"] == "markdown" else Syntax(text, "python")
        console.print(shown, "")
    for each in work.exercises:
        console.print(Markdown(_about(each)), "")
    console.print(f"{work.name}: {_points(work)} points")


def _about(exercise: Exercise) -> str:
    """An exercise as Markdown: what is checked and by whom it is seen, and the ladder of hints."""
    from tapelab.exercises.exercise import cost_of
    from tapelab.exercises.verdict_text import short

    checks = [f"- {check.title}: {short(check.points)} ({check.visibility})"
              for check in exercise.checks]  # fmt: skip
    hints = [f"{at}. {each} *({short(cost_of(each))} points)*" if cost_of(each) else f"{at}. {each}"
             for at, each in enumerate(exercise.hints, 1)]  # fmt: skip
    head = f"## {exercise.id} {exercise.title}\n\n{exercise.prompt}"
    return "\n\n".join([head, "\n".join(checks), "\n".join(hints)])


def _points(work: Work) -> str:
    from tapelab.exercises.verdict_text import short

    return short(sum(each.points for each in work.exercises))
