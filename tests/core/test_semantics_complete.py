"""Every statement of the tape's semantics that the engine promises has a test by its number."""

from __future__ import annotations

import re
from pathlib import Path


def test_statements_1_to_29_have_a_test_each():
    files = Path(__file__).parent.glob("test_semantics_*.py")
    numbers = {
        int(number)
        for file in files
        for number in re.findall(r"^def test_s(\d\d)_", file.read_text("utf-8"), re.MULTILINE)
    }
    assert numbers == set(range(1, 30))
