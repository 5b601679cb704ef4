"""Every link in a lesson leads to a file that is there, and to a heading in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from tools.build_lessons import NOTEBOOKS
from tools.words import LANGUAGES

CHECKOUT = NOTEBOOKS.parent
TEXTS = [
    *sorted(NOTEBOOKS.rglob("*.ipynb")),
    *(CHECKOUT / name for name in ("README.md", "CHANGELOG.md", "notebooks/README.md")),
]
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


@cache
def text_of(path: Path) -> str:
    """The Markdown of a file, without code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = [each for each in json.loads(text)["cells"] if each["cell_type"] == "markdown"]
        text = "\n\n".join("".join(each["source"]) for each in cells)
    return CODE.sub("", text)


@cache
def places(path: Path) -> set[str]:
    """The anchors of a file: JupyterLab keeps the capitals of a heading, GitHub does not."""
    headings = re.findall(r"^#+ (.+)$", text_of(path), re.MULTILINE)
    anchors = {heading.strip().replace(" ", "-") for heading in headings}
    return anchors if path.suffix == ".ipynb" else {anchor.lower() for anchor in anchors}


def folder_of(path: Path) -> Path:
    """Where a learner finds a file: a translated lesson in the place of the English one."""
    return NOTEBOOKS if path.parent.name in LANGUAGES else path.parent


def broken(path: Path) -> Iterator[str]:
    for link in LINK.findall(text_of(path)):
        file, _, place = link.partition("#")
        if re.match(r"\w+:", link):
            continue
        target = folder_of(path) / unquote(file) if file else path
        if not target.exists() or (place and unquote(place) not in places(target)):
            yield link


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(CHECKOUT).as_posix())
def test_every_link_leads_somewhere(path):
    assert list(broken(path)) == []


def test_a_link_that_leads_nowhere_would_be_noticed(tmp_path):
    here = tmp_path / "here.md"
    here.write_text("# A b\n\n[a](#a-b) [b](#b) [c](gone.md) [d](here.md) `[e](code)`", "utf-8")
    assert list(broken(here)) == ["#b", "gone.md"]
