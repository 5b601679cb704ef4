from __future__ import annotations

import re
from pathlib import Path

from tests.fixtures.record import run_cell

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "picture.md"


def test_the_page_about_the_picture_shows_what_its_code_prints():
    code, text = re.findall(r"```\w+\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[:2]
    _, printed = run_cell(code)
    assert printed == text
