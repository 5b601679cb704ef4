"""The page on pitfalls names each code once."""

import re
from pathlib import Path

from tapelab.diagnosis.declarations import CODES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "pitfalls.md"


def test_every_code_stands_in_the_table_once():
    rows = [row for row in PAGE.read_text(encoding="utf-8").split("\n") if row.startswith("| `")]
    named = [code for row in rows for code in re.findall(r"`([A-Z_]+)`", row.split("|")[1])]
    assert sorted(named) == sorted(CODES)
