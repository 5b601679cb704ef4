"""The programs of a guide to ragged tensors print what they print on TensorFlow."""

from __future__ import annotations

from pathlib import Path

import pytest
from tutorials.test_tutorials import run_cell, sections

SECTIONS = sections(Path(__file__).with_name("guide.md"))


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_a_section_of_the_guide_prints_what_it_shows(tf, section, capfd):
    names: dict[str, object] = {"tf": tf}
    for cell in section.cells:
        capfd.readouterr()
        run_cell(cell.code, names)
        out, err = capfd.readouterr()
        assert out == cell.expected.get("text", "")
        if "stderr" in cell.expected:
            assert err == cell.expected["stderr"]


def test_the_guide_has_its_sections():
    assert len(SECTIONS) >= 8
    assert all(section.cells for section in SECTIONS)
