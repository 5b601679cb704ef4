"""`tapelab show` and `tapelab export`: the picture in a `.tape` file, seen and converted.

What draws is imported when something is drawn: the Tab key waits for this module.
"""

from __future__ import annotations

import tempfile
import webbrowser
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tapelab.cli.complaint import Complaint
from tapelab.cli.completing import tapes
from tapelab.launch import has_browser
from tapelab.recording.files import SUFFIX, load
from tapelab.words import language as speak

if TYPE_CHECKING:
    from tapelab.widgets.show import Picture

Tape = Annotated[
    Path, typer.Argument(metavar="FILE.tape", help="A saved recording.", autocompletion=tapes)
]
Step = Annotated[int | None, typer.Option(help="Begin at this step, counted from 1.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Replace files that are there.")]
Language = Annotated[str, typer.Option(help="Speak it: en, zh-CN or he.")]


def show(
    file: Tape,
    *,
    text: Annotated[bool, typer.Option("--text", "-t", help="Print it here instead.")] = False,
    step: Step = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Keep the page under this name.")
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open a browser, where there is one.")] = True,
    force: Force = False,
    language: Language = "",
) -> None:
    """Show a saved recording in the browser, to be stepped through.

    The page is one file that needs neither a network nor tapelab. Without a browser its place is
    printed.
    """
    picture = picture_of(file, step, language)
    if text:
        typer.echo(str(picture), nl=False)
        return
    if output is None:
        page = Path(tempfile.mkdtemp(prefix="tapelab-")) / f"{file.stem}.html"
    else:
        page = output if output.suffix else output.with_suffix(".html")
        _require_free(page, source=file, force=force)
    _save(picture, page)
    if browser and has_browser() and webbrowser.open(page.absolute().as_uri()):
        typer.echo(f"Opened {page}")
    else:
        typer.echo(f"{page}\nOpen this page in any browser.")


def export(
    file: Tape,
    *,
    output: Annotated[
        list[Path],
        typer.Option("--output", "-o", help="Where to; may be given several times."),
    ],
    step: Step = None,
    force: Force = False,
    language: Language = "",
) -> None:
    """Convert a saved recording: to a page, to pictures, to data.

    The end of a name chooses the form: .html is the Explorer in one offline file, .svg, .png and
    .pdf are the graph, .dot is the graph for Graphviz, .json is everything as plain data.
    """
    from tapelab.recording.drawable import FORMS

    for page in output:
        if page.suffix.lower() not in FORMS:
            raise Complaint(
                f"{page} does not say a form that is known. Names may end in {', '.join(FORMS)}."
            )
        _require_free(page, source=file, force=force)
    picture = picture_of(file, step, language)
    for page in output:
        _save(picture, page)
        typer.echo(f"Wrote {page}")


def picture_of(file: Path, step: int | None, language: str) -> Picture:
    """The picture in a file, with what is wrong with its last gradient."""
    from tapelab.views.frame import Model
    from tapelab.widgets.show import Picture, why_missing

    if language:
        speak(language)
    recording = load(require_file(file, SUFFIX, "a .tape file"))
    steps = len(Model.of(recording)) if step is not None else 0
    if step is not None and not 1 <= step <= steps:
        raise Complaint(f"{file} has no step {step}: its steps go from 1 to {steps}.")
    return Picture(recording, why_missing(recording), step)


def require_file(file: Path, suffix: str, kind: str) -> Path:
    """The file itself, if it can be read; else what is there in its place."""
    if file.is_dir():
        raise Complaint(f"{file} is a folder. Name {kind}{_one_of(file, suffix)}.")
    if not file.exists():
        names = [str(each) for each in file.parent.glob(f"*{suffix}")]
        close = get_close_matches(str(file), names, n=1)
        raise Complaint(f"There is no file {file}." + (f" Did you mean {close[0]}?" * bool(close)))
    try:
        with file.open("rb"):
            return file
    except OSError as error:
        raise Complaint(f"{file} cannot be read: {error.strerror}.") from error


def _one_of(folder: Path, suffix: str) -> str:
    found = sorted(folder.glob(f"*{suffix}"))
    return f" in it, such as {found[0]}" if found else ""


def _require_free(page: Path, *, source: Path, force: bool) -> None:
    """Nothing is lost by a name typed wrongly."""
    if page.exists() and source.exists() and page.samefile(source):
        raise Complaint(f"{page} is the recording itself. Give the output a name of its own.")
    if page.is_dir():
        raise Complaint(f"{page} is a folder. Name a file in it.")
    if page.is_file() and not force:
        raise Complaint(f"{page} is there already. Add --force to replace it.")


def _save(picture: Picture, page: Path) -> None:
    try:
        picture.save(page)
    except OSError as error:
        raise Complaint(
            f"{page} cannot be written: {error.strerror or error}. "
            "Name a file in a folder of yours, with --output."
        ) from error
    except ImportError as error:
        raise Complaint(
            f"{page.name} needs {error.name}, which is not installed. Try: pip install {error.name}"
        ) from error
