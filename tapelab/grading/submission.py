"""What a learner handed in, as data: nothing of it has run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, Final, Self

from tapelab.exercises.keeping import file_name
from tapelab.exercises.predictions import predictions
from tapelab.exercises.values import Prediction
from tapelab.grading.files import Files, UnreadableSubmission, read_files
from tapelab.grading.hints import taken
from tapelab.grading.notebook import Cell, code_cells, notebook_of, script_cells
from tapelab.views.card import DATA

__all__ = ["Cell", "Submission", "UnreadableSubmission"]

_NONE: Final[Mapping[str, bytes]] = MappingProxyType({})


@dataclass(frozen=True)
class Submission:
    """The cells of a notebook and who handed it in; `digest` is the SHA-256 of the files."""

    student: str
    digest: str
    cells: tuple[Cell, ...]
    predictions: tuple[Prediction, ...] = ()
    path: Path = Path()
    files: Mapping[str, bytes] = field(default_factory=lambda: _NONE, repr=False)
    """What was handed in beside the notebook, such as a module of helpers."""
    hints: Mapping[str, int] = field(default_factory=dict)
    """How many hints of an exercise were opened, as far as the notebook and its progress tell."""

    @classmethod
    def read(cls, path: str | PathLike[str], student: str = "") -> Self:
        """A notebook, a .py file, or the folder or zip archive that holds one.

        UnreadableSubmission says why it cannot be read, and what to try.
        """
        path = Path(path)
        files = read_files(path)
        name = _main(path, files)
        beside = {each: content for each, content in files.items() if each != name}
        told: tuple[Mapping[str, Any], ...] = ()
        if name.lower().endswith(".py"):
            cells = script_cells(name, files[name])
        else:
            notebook = notebook_of(name, files[name])
            cells, told = code_cells(name, notebook), tuple(_told(notebook))
        who = student or path.stem
        digest = _digest({**beside, Path(name).suffix: files[name]})
        near = _near(name, beside)
        hints = taken(iter(told), near.get(file_name(PurePosixPath(name)), b""))
        guesses = _predictions(told)
        return cls(who, digest, cells, guesses, path, MappingProxyType(near), hints)


def _main(path: Path, files: Files) -> str:
    """The one notebook among the files, or else the one .py file."""
    for ending in (".ipynb", ".py"):
        found = [name for name in files if name.lower().endswith(ending)]
        if len(found) == 1:
            return found[0]
        if found:
            some = ", ".join(sorted(found)[:5])
            raise UnreadableSubmission(
                f"{path.name} holds more than one {ending} file: {some}. Hand in one of them."
            )
    raise UnreadableSubmission(f"{path.name} holds no notebook. Hand in an .ipynb or a .py file.")


def _near(name: str, files: Files) -> Files:
    """The files as the notebook saw them: named from its own folder."""
    folder = PurePosixPath(name).parent
    return {
        str(PurePosixPath(each).relative_to(folder)): content
        for each, content in files.items()
        if PurePosixPath(each).is_relative_to(folder)
    }


def _digest(files: Files) -> str:
    """The same for the same files, each with its name: lengths keep what is joined apart."""
    told = hashlib.sha256()
    for name, content in sorted(files.items()):
        for part in (name.encode("utf-8", "surrogatepass"), content):
            told.update(len(part).to_bytes(8, "big"))
            told.update(part)
    return told.hexdigest()


def _predictions(told: Iterable[Mapping[str, Any]]) -> tuple[Prediction, ...]:
    """What was predicted in the pictures of a notebook; what is damaged there was not."""
    found: list[Prediction] = []
    for kept in told:
        given = kept.get("predictions")
        for each in given if isinstance(given, list) else ():
            try:
                found += predictions([each])
            except TypeError:
                continue
    return tuple(found)


def _told(notebook: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What the outputs of a notebook hold for programs."""
    for cell in notebook.get("cells", ()):
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        for output in outputs if isinstance(outputs, list) else ():
            data = output.get("data") if isinstance(output, dict) else None
            kept = data.get(DATA) if isinstance(data, dict) else None
            if isinstance(kept, dict):
                yield kept
