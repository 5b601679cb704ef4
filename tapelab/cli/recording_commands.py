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

from tapelab.cli.command_errors import complaint
from tapelab.cli.options import Browser
from tapelab.cli.shell_completion import tapes
from tapelab.errors import Complaint
from tapelab.installation import extra_command
from tapelab.lab.launcher import has_browser
from tapelab.locales import language as speak
from tapelab.locales import paragraph, say, sentence, translated
from tapelab.recording.atomic_write import SUFFIX

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
    browser: Browser = True,
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
        typer.echo(say("Opened {page}", page=page))
    else:
        typer.echo(f"{page}\n{say('Open this page in any browser.')}")


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
            raise complaint(
                "{page} does not say a form that is known. Names may end in {forms}.",
                page=page,
                forms=", ".join(FORMS),
            )
        _require_free(page, source=file, force=force)
    picture = picture_of(file, step, language)
    for page in output:
        _save(picture, page)
        typer.echo(say("Wrote {page}", page=page))


def picture_of(file: Path, step: int | None, language: str) -> Picture:
    """The picture in a file, with what is wrong with its last gradient."""
    from tapelab.recording import Recording
    from tapelab.views.timeline import Model
    from tapelab.widgets.show import Picture, why_missing

    if language:
        speak(language)
    recording = Recording.load(require_file(file, SUFFIX, sentence("a .tape file")))
    steps = len(Model.of(recording)) if step is not None else 0
    if step is not None and not 1 <= step <= steps:
        raise complaint(
            "{file} has no step {step}: its steps go from 1 to {steps}.",
            file=file,
            step=step,
            steps=steps,
        )
    return Picture(recording, why_missing(recording), step)


def require_file(file: Path, suffix: str, kind: str) -> Path:
    """The file itself, if it can be read; else what is there in its place."""
    if file.is_dir():
        raise Complaint(_folder(file, suffix, translated(kind)))
    if not file.exists():
        names = [str(each) for each in file.parent.glob(f"*{suffix}")]
        close = get_close_matches(str(file), names, n=1)
        message = say("There is no file {file}.", file=file)
        also = say("Did you mean {name}?", name=close[0]) if close else ""
        raise Complaint(paragraph(message, also))
    try:
        with file.open("rb"):
            return file
    except OSError as error:
        message = say("{file} cannot be read: {error}.", file=file, error=error.strerror)
        raise Complaint(message) from error


def _folder(folder: Path, suffix: str, kind: str) -> str:
    files = sorted(folder.glob(f"*{suffix}"))
    if not files:
        return say("{folder} is a folder. Name {kind}.", folder=folder, kind=kind)
    return say(
        "{folder} is a folder. Name {kind} in it, such as {file}.",
        folder=folder,
        kind=kind,
        file=files[0],
    )


def _require_free(page: Path, *, source: Path, force: bool) -> None:
    """Nothing is lost by a name typed wrongly."""
    if page.exists() and source.exists() and page.samefile(source):
        raise complaint(
            "{page} is the recording itself. Give the output a name of its own.", page=page
        )
    if page.is_dir():
        raise complaint("{page} is a folder. Name a file in it.", page=page)
    if page.is_file() and not force:
        raise complaint("{page} is there already. Add --force to replace it.", page=page)


def _save(picture: Picture, page: Path) -> None:
    try:
        picture.save(page)
    except OSError as error:
        raise complaint(
            "{page} cannot be written: {error}. Name a file in a folder of yours, with --output.",
            page=page,
            error=error.strerror or error,
        ) from error
    except ImportError as error:
        raise complaint(
            "{page} needs {package}, which is not installed. Try: {command}",
            page=page.name,
            package=error.name,
            command=extra_command("lab"),
        ) from error
