"""Copy the lessons to a learner's folder: add what is new, keep what the learner changed."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tapelab.errors import Complaint
from tapelab.locales import CATALOGUES, locale_names, say, sentence
from tapelab.locales import language as spoken
from tapelab.recording.atomic_write import write
from tapelab.views.card import direction

START_PAGE = "Start here.ipynb"
GLOSSARY = "glossary.ipynb"
RIGHT_TO_LEFT = '<div dir="rtl">\n\n{text}\n\n</div>'
"""Markdown of a language that is written from right to left; it is still Markdown inside."""
_TITLE, _QUESTION = "\u2068{}\u2069", '<span dir="auto">{}</span>'
"""English between Hebrew runs from left to right: by Unicode's isolate where HTML would be shown as
it is, such as in an outline, and by HTML where the isolate would part stars from what they mark.
"""
_MANIFEST = ".tapelab-lessons.json"
_NOT_FOR_LEARNERS = {"README.md", "locales", "solutions", "src", "__pycache__"}


class LessonsFolderError(Complaint, OSError):
    """The lessons cannot be copied to the folder asked for."""


@dataclass(frozen=True)
class Lesson:
    """One lesson: its file, its title, the question it opens with and how long it takes."""

    name: str
    title: str
    question: str
    minutes: int = 0

    @property
    def stem(self) -> str:
        """The name without its ending, as one types it."""
        return Path(self.name).stem


@dataclass(frozen=True)
class Copied:
    """What became of every file, each name relative to `folder`."""

    folder: Path
    added: tuple[str, ...]
    updated: tuple[str, ...]
    kept: tuple[str, ...] = field(metadata={"why": "changed by the learner, newer version exists"})

    def summary(self) -> str:
        """Say what was done in a sentence or two a learner can act on."""
        if not (self.added or self.updated or self.kept):
            return say("The lessons in {folder} are up to date.", folder=self.folder)
        sentences = []
        if self.added:
            names = ", ".join(self.added)
            sentences.append(say("Added to {folder}: {names}.", folder=self.folder, names=names))
        if self.updated:
            names = ", ".join(self.updated)
            sentences.append(say("Updated in {folder}: {names}.", folder=self.folder, names=names))
        if self.kept:
            sentences.append(
                say(
                    "Kept as you left them: {names}. "
                    "To get a fresh copy, rename or delete yours and run this again.",
                    names=", ".join(self.kept),
                )
            )
        return "\n".join(sentences)


def shipped_folder() -> Path:
    """Find the lessons: beside the code where tapelab is installed, in notebooks/ in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "_notebooks"
    return installed if installed.is_dir() else package.parent / "notebooks"


def lessons(shipped: Path) -> list[Lesson]:
    """List the lessons of a folder in the order of their numbers, in the chosen language."""
    english = (path.name for path in sorted(shipped.glob("[0-9][0-9]*.ipynb")))
    return [_read_lesson(_spoken(shipped, name)) for name in english]


def languages(shipped: Path) -> list[str]:
    """The languages beside English that there are lessons in, such as `zh_CN`."""
    return sorted(path.name for path in CATALOGUES.iterdir() if (shipped / path.name).is_dir())


def _spoken(shipped: Path, name: str) -> Path:
    """A file of the lessons in the chosen language, or as it is where there is no such thing."""
    wanted = (
        shipped / each / name for each in locale_names(spoken()) if each in languages(shipped)
    )
    return next((path for path in wanted if path.is_file()), shipped / name)


def copy_lessons(folder: Path, *, shipped: Path | None = None) -> Copied:
    """Bring `folder` up to date with the shipped lessons without losing a learner's work.

    The lessons come in the chosen language, those that it has not in English. A file the learner
    has not changed since it was copied is replaced by its newer version; one that was changed, or
    that was there before, is kept.
    """
    shipped = shipped or shipped_folder()
    sources = _files_for_learners(shipped)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _bring_up_to_date(folder, sources)
    except OSError as error:
        raise LessonsFolderError(
            say(
                "The lessons cannot be copied to {folder}: {error}. "
                "Choose a folder of your own that can be written, as in: {command}",
                folder=folder,
                error=error.strerror or error,
                command="tapelab lessons --copy ~/tapelab-lessons",
            )
        ) from error


def _bring_up_to_date(folder: Path, sources: dict[str, bytes]) -> Copied:
    manifest = _read_manifest(folder)
    outcomes: dict[str, list[str]] = {"added": [], "updated": [], "kept": [], "same": []}
    for name, content in sources.items():
        outcome = _place(folder / name, content, copied_before=manifest.get(name))
        outcomes[outcome].append(name)
        if outcome != "kept":
            manifest[name] = _digest(content)
    write(folder / _MANIFEST, json.dumps(manifest, indent=1).encode())
    return Copied(
        folder, tuple(outcomes["added"]), tuple(outcomes["updated"]), tuple(outcomes["kept"])
    )


def _place(target: Path, content: bytes, *, copied_before: str | None) -> str:
    """Write one file where that loses nothing, and say what was done."""
    if not (target.exists() or target.is_symlink()):
        target.parent.mkdir(parents=True, exist_ok=True)
        write(target, content)
        return "added"
    present = _digest(target.read_bytes()) if target.is_file() else "not a file"
    if _digest(content) in (present, copied_before):
        return "same"
    if present != copied_before:
        return "kept"
    write(target, content)
    return "updated"


def _files_for_learners(shipped: Path) -> dict[str, bytes]:
    has_glossary = (shipped / GLOSSARY).exists()
    files = {START_PAGE: _start_page(lessons(shipped), has_glossary=has_glossary)}
    left_out = _NOT_FOR_LEARNERS.union(languages(shipped))
    for path in sorted(shipped.rglob("*")):
        parts = path.relative_to(shipped).parts
        hidden = any(part in left_out or part.startswith(".") for part in parts)
        if path.is_file() and not hidden:
            name = "/".join(parts)
            files[name] = _spoken(shipped, name).read_bytes()
    return files


def _read_lesson(path: Path) -> Lesson:
    """Take the title from the first heading and the question from the paragraph after it."""
    notebook = json.loads(path.read_bytes())
    cells, about = notebook["cells"], notebook["metadata"].get("tapelab", {})
    text = "\n\n".join(_source(cell) for cell in cells if cell["cell_type"] == "markdown")
    heading = re.search(r"^# +(.+)$", text, re.MULTILINE)
    after = text[heading.end() :] if heading else text
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", after))
    question = next((part for part in paragraphs if re.match(r"[\w*`$]", part)), "")
    title = heading[1].strip() if heading else path.stem
    return Lesson(path.name, title, question, about.get("minutes", 0))


def _source(cell: dict[str, Any]) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def _start_page(listed: list[Lesson], *, has_glossary: bool) -> bytes:
    """Build the page JupyterLab opens on: a notebook, because JupyterLab shows one rendered."""
    turned = direction() == "rtl"
    title, question = (_TITLE, _QUESTION) if turned else ("{}", "{}")
    lines = [f"# {say('tapelab: the lessons')}", "", say(_HOW_TO_WORK), ""]
    if has_glossary:
        words = say("The words of the field stand in the [glossary]({file}).", file=GLOSSARY)
        lines += [words, ""]
    for lesson in listed:
        lines += [f"## [{title.format(lesson.title)}]({lesson.name})", ""]
        lines += [question.format(lesson.question), ""]
    text = "\n".join(lines)
    text = RIGHT_TO_LEFT.format(text=text) if turned else text
    cell = {"cell_type": "markdown", "id": "lessons", "metadata": {}, "source": text}
    notebook = {
        "cells": [cell],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1).encode()


_HOW_TO_WORK = sentence(
    "Click a lesson to open it. Run a cell with **Shift+Enter**. These copies are yours: "
    "change what you like, your work is never overwritten."
)


def _read_manifest(folder: Path) -> dict[str, str]:
    """Read which versions were copied; without a readable manifest, nothing is replaced."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
