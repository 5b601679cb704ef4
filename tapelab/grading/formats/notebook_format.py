"""Notebooks as other graders keep them: all cells with metadata, read, written and classified."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self

from tapelab.authoring.percent_script import KERNEL
from tapelab.authoring.work import Work
from tapelab.grading.formats.csv_tables import UnreadableFormat
from tapelab.grading.submission import UnreadableSubmission, parse_notebook
from tapelab.recording.atomic_write import write

CODE, MARKDOWN, RAW = "code", "markdown", "raw"
_ID: Final = re.compile(r"[^a-zA-Z0-9_-]")
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True)
class Cell:
    """A cell of any kind; of its outputs, only the text that was `shown` is read."""

    kind: str
    source: str
    metadata: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    shown: str = field(default="", compare=False)

    def with_metadata(self, **metadata: Any) -> Self:
        """The same cell with more metadata."""
        return replace(self, metadata={**self.metadata, **metadata})

    def with_source(self, source: str) -> Self:
        """The same cell with another text."""
        return replace(self, source=source)


def code(source: str, **metadata: Any) -> Cell:
    """A cell of code."""
    return Cell(CODE, source.strip("\n"), metadata)


def markdown(source: str, **metadata: Any) -> Cell:
    """A cell of text."""
    return Cell(MARKDOWN, source.strip("\n"), metadata)


def raw(source: str, **metadata: Any) -> Cell:
    """A cell that is neither."""
    return Cell(RAW, source.strip("\n"), metadata)


def load(path: Path) -> tuple[Cell, ...]:
    """The cells of a notebook file; UnreadableFormat says why there are none."""
    try:
        notebook = parse_notebook(path.name, path.read_bytes())
        sheets = notebook["worksheets"] if notebook["nbformat"] == 3 else [notebook]
        return tuple(_cell(each) for sheet in sheets for each in sheet["cells"])
    except UnreadableSubmission as error:
        raise UnreadableFormat(str(error)) from None
    except (AttributeError, KeyError, TypeError) as error:
        raise UnreadableFormat(
            f"{path.name} is damaged: its cells cannot be read ({type(error).__name__}: {error})."
        ) from None


def _cell(data: Mapping[str, Any]) -> Cell:
    source = data.get("source", data.get("input", ""))
    text = source if isinstance(source, str) else "".join(source)
    kind = data["cell_type"]
    metadata = dict(data.get("metadata") or {})
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return Cell(kind, plain, metadata, "".join(map(_printed_output, data.get("outputs", ()))))


def _printed_output(output: Mapping[str, Any]) -> str:
    """What Python's prompt would have printed there."""
    text = output.get("text", output.get("data", {}).get("text/plain", ""))
    return text if isinstance(text, str) else "".join(text)


def text_of(cells: Iterable[Cell], *, metadata: Mapping[str, Any] = _NOTHING) -> str:
    """A notebook as the text of its file, the same for the same cells."""
    cells_by_id: dict[str, dict[str, Any]] = {}
    for at, cell in enumerate(cells):
        name = _id(cell, at)
        cells_by_id[name if name not in cells_by_id else f"{name[:50]}-{at}"] = _cell_json(cell)
    notebook = {
        "cells": [{**cell, "id": name} for name, cell in cells_by_id.items()],
        "metadata": {**KERNEL, **metadata},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def save(path: Path, cells: Iterable[Cell], *, metadata: Mapping[str, Any] = _NOTHING) -> Path:
    """Write a notebook, whole or not at all, and the folders it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return write(path, text_of(cells, metadata=metadata).encode("utf-8"))


def _cell_json(cell: Cell) -> dict[str, Any]:
    data: dict[str, Any] = {"cell_type": cell.kind, "metadata": dict(cell.metadata)}
    data["source"] = cell.source.splitlines(keepends=True)
    return {**data, "execution_count": None, "outputs": []} if cell.kind == CODE else data


def _id(cell: Cell, at: int) -> str:
    """A name that a notebook's format allows."""
    data = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    digest = sha256(f"{at} {cell.kind} {cell.source}".encode()).hexdigest()[:12]
    return _ID.sub("-", data)[:64] or f"cell-{digest}"


_ANSWERS: Final = re.compile(r"\btf\.exercise\([\"']([^\"']+)[\"']\)")
_CHECKS: Final = re.compile(r"^\s*tf\.(?:check|hint)\([\"']([^\"']+)[\"']\)\s*$")


@dataclass(frozen=True)
class Place:
    """A cell, and the exercise that it answers or checks."""

    cell: Cell
    answers: str = ""
    checks: str = ""


def places(work: Work) -> Iterator[Place]:
    """The cells of a work in order; a cell that checks has nothing beside."""
    import jupytext  # type: ignore[import-untyped]  # it publishes no types

    for each in jupytext.reads(work.text, fmt="py:percent").cells:
        cell = Cell(each.cell_type, each.source)
        checks = [_CHECKS.match(line) for line in cell.source.split("\n") if line.strip()]
        if cell.kind == CODE and checks and all(checks):
            yield Place(cell, checks=next(match[1] for match in checks if match))
        else:
            answers = _ANSWERS.search(cell.source) if cell.kind == CODE else None
            yield Place(cell, answers=answers[1] if answers else "")
