"""What is advised can be installed: nothing asks an index for tapelab, and every extra exists."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
].keys()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = [*sorted((ROOT / "tapelab").rglob("*.py")), *sorted((ROOT / "notebooks").glob("*.ipynb"))]
COMMAND = re.compile(r"pip install ([^`\n&|;#]+)")
EXTRA = re.compile(r"tapelab(?:[\w.*-]*\.whl)?\[([\w,]+)\]|path/to/clone\[([\w,]+)\]")


def faults(text: str) -> list[str]:
    """The commands that would ask an index for tapelab, and the extras that do not exist."""
    from_index = [
        command
        for command in COMMAND.findall(text)
        for word in shlex.split(command.replace("'", '"').replace('"', " "))
        if re.fullmatch(r"tapelab(\[[\w,]+\])?(==.*)?", word)
    ]
    named = [name for pair in EXTRA.findall(text) for part in pair for name in part.split(",")]
    return from_index + [name for name in named if name and name not in EXTRAS]


def test_no_command_asks_an_index_for_tapelab():
    found = {
        str(file.relative_to(ROOT)): faults(file.read_text("utf-8")) for file in (*PAGES, *SOURCES)
    }
    assert {name: each for name, each in found.items() if each} == {}


@pytest.mark.parametrize(
    "text",
    [
        'pip install "tapelab[lab]"',
        "pip install -q tapelab",
        "`pip install 'path/to/clone[gradng]'`",
    ],
)
def test_a_fault_is_found(text):
    assert len(faults(text)) == 1
