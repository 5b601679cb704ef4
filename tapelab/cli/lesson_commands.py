"""`tapelab lab` and `tapelab lessons`: the lessons, copied, listed with your points, and opened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table

from tapelab.cli.command_errors import complaint
from tapelab.cli.options import Browser, Port
from tapelab.cli.shell_completion import lesson_languages, lesson_names
from tapelab.lab.launcher import become_jupyterlab
from tapelab.lab.lesson_folder import START_PAGE, Lesson, copy_lessons, languages, shipped_folder
from tapelab.lab.lesson_folder import lessons as listed
from tapelab.locales import ENGLISH, locale_names, say
from tapelab.locales import language as speak
from tapelab.views.card import DATA


@dataclass(frozen=True)
class Points:
    """What a notebook has earned, out of what its lesson is worth."""

    earned: float
    of: float


def points_in(notebook: Path) -> Points | None:
    """The points in a saved notebook, the last verdict of each exercise; None where none is."""
    from tapelab.exercises.registry import lesson  # which knows how exercises are checked

    try:
        verdicts = {each["exercise"]: each for each in _verdicts(notebook)}
        numbers = {each["lesson"] for each in verdicts.values()}
        worth = sum(each.points for number in numbers for each in lesson(number))
        return Points(sum(each["points"] for each in verdicts.values()), worth) if worth else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None  # no copy, or no notebook: the list of lessons is no place to complain


def _verdicts(notebook: Path) -> Iterator[dict[str, Any]]:
    for cell in json.loads(notebook.read_bytes())["cells"]:
        for output in cell.get("outputs", ()):
            record = output.get("data", {}).get(DATA, {})
            if "exercise" in record:
                yield record


DEFAULT_FOLDER = Path("~/tapelab-lessons")
Folder = Annotated[Path, typer.Argument(help="Where your copies are.", file_okay=False)]
Language = Annotated[
    str,
    typer.Option(help="The language, such as zh_CN or he.", autocompletion=lesson_languages),
]


def lab(
    folder: Folder = DEFAULT_FOLDER,
    *,
    lesson: Annotated[
        str,
        typer.Option(help="Open this one, such as 02.", autocompletion=lesson_names),
    ] = "",
    port: Port = None,
    browser: Browser = True,
    language: Language = "",
) -> None:
    """Copy the lessons to FOLDER and open JupyterLab on the list of them.

    What you changed in your copies is kept. Without --language, TAPELAB_LANGUAGE chooses it.
    """
    _speak(language)
    page = _lesson(lesson).name if lesson else START_PAGE
    place = folder.expanduser().absolute()
    typer.echo(copy_lessons(place).summary())
    typer.echo(say("Starting JupyterLab; Ctrl+C ends it."))
    become_jupyterlab(place, page, port=port, browser=browser)


def lessons(
    folder: Folder = DEFAULT_FOLDER,
    *,
    copy: Annotated[
        Path | None,
        typer.Option(help="Copy them there; what you changed there is kept.", file_okay=False),
    ] = None,
    language: Language = "",
) -> None:
    """List the lessons, how long each takes, and your points where FOLDER has copies of yours.

    Points are read from the notebooks as you saved them. Without --language, TAPELAB_LANGUAGE
    chooses it.
    """
    _speak(language)
    if copy is not None:
        typer.echo(copy_lessons(copy.expanduser().absolute()).summary())
        return
    place = folder.expanduser().absolute()
    if folder != DEFAULT_FOLDER and not place.is_dir():
        raise complaint(
            "There is no folder {folder}. To put the lessons there: {command}",
            folder=folder,
            command=f"tapelab lessons --copy {folder}",
        )
    heads = (say("lesson"), say("time"), say("your points"))
    table = Table("", *(Column(head, overflow="fold") for head in heads), box=None,
                  header_style="dim")  # fmt: skip
    for each in listed(shipped_folder()):
        number, _, title = each.title.partition(" · ")
        minutes = say("{minutes} min", minutes=each.minutes) if each.minutes else ""
        table.add_row(
            number, title or each.title, minutes, _points_text(points_in(place / each.name))
        )
    Console().print(table)
    typer.echo("\n" + say("To begin: {command}", command="tapelab lab"))


def _speak(wanted: str) -> None:
    """Choose the language of what is said and of what is copied; empty leaves it as it is."""
    if not wanted:
        return
    spoken = [ENGLISH, *languages(shipped_folder())]
    if not set(locale_names(wanted)).intersection(spoken):
        raise complaint(
            "There are no lessons in {wanted}. There are: {names}.",
            wanted=repr(wanted),
            names=", ".join(spoken),
        )
    speak(wanted)


def _points_text(points: Points | None) -> str:
    return say("{earned} of {of}", earned=points.earned, of=points.of) if points else ""


def _lesson(wanted: str) -> Lesson:
    """The lesson that a name or a number means."""
    known = listed(shipped_folder())
    name = f"{int(wanted):02}" if wanted.isdecimal() else wanted.removesuffix(".ipynb")
    matches = [each for each in known if each.stem == name or each.stem.startswith(f"{name}-")]
    if not matches:
        names = ", ".join(each.stem for each in known)
        raise complaint(
            "There is no lesson {wanted}. There are: {names}.", wanted=repr(wanted), names=names
        )
    return matches[0]
