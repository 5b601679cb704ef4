"""What a shell offers when the Tab key is pressed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tapelab.lab.lesson_folder import languages, lessons, shipped_folder
from tapelab.locales import ENGLISH
from tapelab.recording.atomic_write import SUFFIX


def tapes(incomplete: str) -> list[str]:
    """The `.tape` files that a beginning fits, and the folders in which there may be more."""
    return list(_files(incomplete, SUFFIX))


def scripts(incomplete: str) -> list[str]:
    """The Python scripts that a beginning fits, and the folders in which there may be more."""
    return list(_files(incomplete, ".py"))


def lesson_names(incomplete: str) -> list[tuple[str, str]]:
    """The lessons that a beginning fits, each with its title."""
    known = lessons(shipped_folder())
    return [(each.stem, each.title) for each in known if each.stem.startswith(incomplete)]


def lesson_numbers(incomplete: str) -> list[tuple[str, str]]:
    """The numbers of the lessons that a beginning fits, each with its title."""
    known = lessons(shipped_folder())
    return [(each.stem[:2], each.title) for each in known if each.stem.startswith(incomplete)]


def lesson_languages(incomplete: str) -> list[str]:
    """The languages of the lessons that a beginning fits."""
    known = (ENGLISH, *languages(shipped_folder()))
    return [each for each in known if each.startswith(incomplete)]


def _files(incomplete: str, suffix: str) -> Iterator[str]:
    place, slash, begun = incomplete.rpartition("/")
    folder = Path(f"{place}{slash}" or ".").expanduser()
    for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
        if entry.name.startswith(begun) and (begun or not entry.name.startswith(".")):
            if entry.is_dir():
                yield f"{place}{slash}{entry.name}/"
            elif entry.suffix.lower() == suffix:
                yield f"{place}{slash}{entry.name}"
