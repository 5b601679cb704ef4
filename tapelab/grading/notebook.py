"""The code cells of a notebook or of a .py file, whoever saved it and wherever."""

from __future__ import annotations

import io
import json
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tapelab.grading.files import UnreadableSubmission

NEWEST: Final = 4
MOST_CELLS: Final = 10_000
_MARKER: Final = re.compile(r"^# ?%%(.*)$", re.MULTILINE)
"""The line above a cell in a .py file."""
_NO_CODE: Final = re.compile(r"\[(markdown|md|raw)\]")


@dataclass(frozen=True)
class Cell:
    """A cell of code as the learner wrote it, line ends aside."""

    id: str
    source: str
    metadata: Mapping[str, Any]


def notebook_of(name: str, content: bytes) -> dict[str, Any]:
    """The notebook in some bytes; UnreadableSubmission says what is wrong with it."""
    cure = "Open it in Jupyter, save it, and hand it in again."
    try:
        notebook: Any = json.loads(_text(content))
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        empty = "it is empty" if not content.strip() else why
        raise UnreadableSubmission(f"{name} is no notebook: {empty}. {cure}") from error
    version = notebook.get("nbformat") if isinstance(notebook, dict) else None
    if type(version) is not int or version < 3:
        raise UnreadableSubmission(
            f"{name} is no notebook that can be read: it has no nbformat from 3 to {NEWEST}. {cure}"
        )
    if version > NEWEST:
        raise UnreadableSubmission(
            f"{name} has the format {version}, newer than {NEWEST}. Save it as format {NEWEST}."
        )
    return dict(notebook)


def code_cells(name: str, notebook: Mapping[str, Any]) -> tuple[Cell, ...]:
    """The cells of code in order; UnreadableSubmission where they are damaged."""
    try:
        cells = tuple(_cells(notebook))
    except (AttributeError, KeyError, TypeError) as error:
        raise UnreadableSubmission(
            f"{name} is damaged: its cells cannot be read ({type(error).__name__}: {error}). "
            "Open it in Jupyter, save it, and hand it in again."
        ) from error
    if len(cells) > MOST_CELLS:
        raise UnreadableSubmission(f"{name} has more than {MOST_CELLS} cells. Leave some out.")
    return cells


def _cells(notebook: Mapping[str, Any]) -> Iterator[Cell]:
    sheets = notebook["worksheets"] if notebook["nbformat"] == 3 else [notebook]
    every = [cell for sheet in sheets for cell in sheet["cells"]]
    for number, cell in enumerate(every, 1):
        if cell["cell_type"] == "code":
            source = cell["input"] if "input" in cell else cell["source"]
            metadata = cell.get("metadata") or {}
            own = cell.get("id")
            named = own if isinstance(own, str) else f"cell-{number}"
            yield Cell(named, _joined(source), dict(metadata))


def _joined(source: str | list[str]) -> str:
    return _lines(source if isinstance(source, str) else "".join(source))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def script_cells(name: str, content: bytes) -> tuple[Cell, ...]:
    """The cells of a .py file, which `# %%` parts; one cell where nothing does."""
    try:
        text = _lines(_script(content))
    except (SyntaxError, ValueError, LookupError) as error:
        raise UnreadableSubmission(
            f"{name} is no text that can be read: {error}. Save it as UTF-8."
        ) from error
    marks = list(_MARKER.finditer(text))
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(text)]
    heads = ["", *(mark[1] for mark in marks)]
    return tuple(
        Cell(f"cell-{number}", text[start:end].strip("\n"), {})
        for number, (start, end, head) in enumerate(zip(starts, ends, heads, strict=True))
        if text[start:end].strip() and not _NO_CODE.search(head)
    )


def _text(content: bytes) -> str:
    """JSON is UTF-8; some editors put a mark before it or save two bytes a letter."""
    wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    return content.decode("utf-16" if wide else "utf-8-sig")


def _script(content: bytes) -> str:
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16")
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    return content.decode(encoding)
