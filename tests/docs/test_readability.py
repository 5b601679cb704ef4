"""Lessons are easy to read for students whose first language is another.

What findings say is held to the same bounds in tests/pitfalls/test_wording.py.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tapelab.diagnosis.families import declarations
from tests.docs.readability import GRADE, WORDS_OF_A_SENTENCE, readability, sentences, syllables

CHECKOUT = Path(__file__).parents[2]
LESSONS = sorted((CHECKOUT / "notebooks").glob("[0-9]*.ipynb"))


def prose(lesson: Path) -> str:
    """The Markdown of a lesson's cells."""
    cells = json.loads(lesson.read_text("utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_read_with_nine_years_of_school(lesson):
    assert readability(prose(lesson)).grade <= GRADE


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_no_sentence_of_a_lesson_is_long(lesson):
    long = [part for part in sentences(prose(lesson)) if len(part.split()) > WORDS_OF_A_SENTENCE]
    assert long == []


@pytest.mark.parametrize("each", declarations(), ids=lambda each: each.code)
def test_the_summary_of_a_finding_is_short(each):
    assert len(each.what.split()) <= 20


def test_a_heavy_text_would_be_noticed():
    heavy = (
        "Notwithstanding considerable architectural heterogeneity, differentiation implementations "
        "universally necessitate comprehensive intermediate representation materialisation."
    )
    assert readability(heavy).grade > GRADE
    assert readability("The tape records each op. The backward pass reads it.").grade < 5


@pytest.mark.parametrize(
    ("word", "count"),
    [("tape", 1), ("derivative", 4), ("Hessian", 2), ("subgradient", 3), ("9", 1)],
)
def test_syllables_are_counted(word, count):
    assert syllables(word) == count


def test_code_tables_and_headings_are_left_out():
    text = "# A heading\n\nRun `f(x)` once.\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n"
    assert sentences(text + "\n- One.\n- Two.") == ["Run x once.", "One.", "Two."]
