"""The page that tells TensorFlow's namespaces from the machinery names all of `ls tapelab`."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def entries() -> set[str]:
    """The packages, modules and folders of tapelab as one would import them."""
    folder = ROOT / "tapelab"
    names = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    return {name for name in names if not name.startswith("_")}


def named() -> list[str]:
    """The names in the second column of the table."""
    page = (ROOT / "docs/explanation/packages.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| ")]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row[2])]


def test_the_table_names_each_entry_once():
    assert sorted(named()) == sorted(entries())
