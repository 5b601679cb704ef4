"""Gather the words of the lessons into catalogues, bring those up to date, and check them.

    python -m tools.lesson_words           gather, update, compile
    python -m tools.lesson_words he        the same for one language
    python -m tools.lesson_words --check   say what is missing, stale, or not as in the original

The text of a lesson is translated in notebooks/locales/<language>/<lesson>.po: a message is a whole
Markdown cell, and code is never translated. What its exercises say is translated in
tapelab/locales/<language>/LC_MESSAGES/lessons.po. A message whose English changes keeps its old
translation, marked fuzzy: it is stale until somebody looks at it and takes the mark away.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from tapelab.authoring.lesson_works import lesson_work
from tapelab.authoring.percent_script import notebook
from tapelab.exercises.check import Check
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.registry import LESSONS
from tools.marks import changed
from tools.words import LANGUAGES, LOCALES, as_mo, as_po, blank

NOTEBOOKS: Final = Path(__file__).parents[1] / "notebooks"
TRANSLATED: Final = ("00", "01", "02", "03", "04", "05", "06")
"""The lessons that there are in other languages."""
EXERCISES: Final = "lessons"
"""What the catalogues of the exercises are called."""

Said = Iterable[tuple[str, str]]
"""Messages, each with where it stands."""


def file_of(language: str, part: str) -> Path:
    """Where a lesson, or what all exercises say, is translated into a language."""
    if part == EXERCISES:
        return LOCALES / language / "LC_MESSAGES" / f"{part}.po"
    return NOTEBOOKS / "locales" / language / f"{part}.po"


def parts() -> tuple[str, ...]:
    """Each lesson, and what the exercises of all of them say."""
    return (*TRANSLATED, EXERCISES)


@cache
def template(part: str) -> Catalog:
    """What is to be translated, in the order in which a learner meets it."""
    made = blank()
    for message, place in _of_exercises() if part == EXERCISES else _of_lesson(part):
        made.add(message, locations=[(place, 0)])
    return made


def _of_lesson(number: str) -> Said:
    """The Markdown cells of a lesson as a learner sees them."""
    (source,) = (NOTEBOOKS / "src").glob(f"{number}-*.py")
    for cell in json.loads(notebook(lesson_work(source), solved=False))["cells"]:
        if cell["cell_type"] == "markdown":
            yield "".join(cell["source"]), cell["id"]


def _of_exercises() -> Said:
    for number in TRANSLATED:
        for exercise in LESSONS[number]:
            for text in filter(None, _said_by(exercise)):
                yield text, exercise.id


def _said_by(exercise: Exercise) -> Iterator[str]:
    """What a learner may read of an exercise: its task, verdicts and hints."""
    yield from (exercise.title, exercise.prompt)
    for check in exercise.checks:
        yield from (check.title, *(slip.text for slip in check.slips))
        yield from (*check.advice.values(), _because(check))
    yield from map(str, exercise.hints)


def _because(check: Check) -> str:
    """The reason that a check gives with every wrong answer."""
    return str(inspect.getclosurevars(check.judge).nonlocals.get("because", ""))


def updated(language: str, part: str) -> Catalog:
    """The messages of today, with the translations that there are of them."""
    made, file = blank(language), file_of(language, part)
    if file.exists():
        with file.open("rb") as opened:
            for each in read_po(opened, locale=language):
                if each.id:
                    made[each.id] = each
    made.update(template(part), update_header_comment=False)
    made.obsolete.clear()
    return made


def files(languages: Iterable[str]) -> dict[Path, bytes]:
    """Every file that is made, with what it should hold."""
    made = {}
    for language in languages:
        for part in parts():
            made[file_of(language, part)] = as_po(updated(language, part), width=0)
        exercises = file_of(language, EXERCISES)
        made[exercises.with_suffix(".mo")] = as_mo(made[exercises], language)
    return made


def doubts(language: str, part: str) -> Iterator[str]:
    """What is not as it should be in a catalogue, message by message."""
    for message in updated(language, part):
        if message.id:
            place = message.locations[0][0]
            where = f"{language} {place}, {' '.join(str(message.id).split())[:40]!r}"
            yield from (f"{where}: {each}" for each in _wrong_in(message))


def _wrong_in(message: Message) -> list[str]:
    if not message.string:
        return ["not translated"]
    if message.fuzzy:
        return ["stale, the English has changed"]
    return changed(str(message.id), str(message.string))


def main(arguments: list[str]) -> str | None:
    """Write the catalogues, or with --check complain about them."""
    languages = [each for each in arguments if each != "--check"] or LANGUAGES
    unknown = ", ".join(each for each in languages if each not in LANGUAGES)
    if unknown:
        return f"{unknown} is none of our languages. Name it in LANGUAGES in tools/words.py first."
    made = files(languages)
    stale = [path for path, held in made.items() if _held(path) != held]
    if "--check" in arguments:
        complaints = [f"{path.name} of {path.parent.name} is out of date" for path in stale]
        complaints += [each for one in languages for part in parts() for each in doubts(one, part)]
        return "\n".join(complaints) or None
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made[path])
    return None


def _held(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
