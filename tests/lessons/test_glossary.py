"""The glossary: a paragraph for each word, the same on the site and beside the lessons."""

from __future__ import annotations

import json
import re

import pytest

from tools import glossary
from tools.build_lessons import NOTEBOOKS

LESSONS = sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))
BESIDE = sorted(path.parent for path in NOTEBOOKS.rglob(glossary.NAME))
LITERATURE = (glossary.CHECKOUT / "docs" / "explanation" / "literature.md").read_text("utf-8")


def markdown(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]


def test_the_words_of_the_field_are_there_in_the_order_of_the_alphabet():
    words = list(glossary.terms())
    assert words == sorted(words, key=str.lower)
    assert {"backward pass", "checkpointing", "fan-out", "forward mode", "Jacobian", "JVP"} <= set(
        words
    )
    assert {"primal", "reverse mode", "seed", "source", "tangent", "tape", "target"} <= set(words)
    assert {"cotangent", "upstream gradient", "VJP", "watch"} <= set(words)


@pytest.mark.parametrize("word", glossary.terms())
def test_a_word_is_defined_in_one_short_paragraph_that_begins_with_what_it_means(word):
    definition = glossary.terms()[word]
    assert 10 <= len(definition.split()) <= 95
    first = re.split(r"[.:](?: |$)", definition)[0]
    assert len(first.split()) <= 35


def test_every_section_of_the_page_is_one_word_with_one_paragraph():
    parts = glossary.PAGE.read_text("utf-8").strip().split("\n\n")[2:]
    assert parts[::2] == [f"## {word}" for word in glossary.terms()]
    assert len(parts) == 2 * len(glossary.terms())


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_lesson_names_at_its_end_the_words_that_it_has_used(path):
    *_, last = markdown(path)
    named = glossary.used(last)
    assert named
    assert set(named) <= {glossary.anchor(word) for word in glossary.terms()}


def test_the_glossary_stands_beside_every_lesson_and_leads_to_those_that_use_a_word():
    assert [NOTEBOOKS, NOTEBOOKS / "solutions"] == BESIDE
    page = "\n".join(markdown(NOTEBOOKS / glossary.NAME))
    assert "\n\nLesson [03](03-backward-one-op-at-a-time.ipynb)" in page
    met = set(re.findall(r"\]\((\d\d-[\w-]+\.ipynb)\)", page))
    assert met == {path.name for path in LESSONS}


def test_who_is_referred_to_stands_in_the_literature():
    page = glossary.PAGE.read_text("utf-8")
    named = {name for names in re.findall(r"\[([^\]]+)\]\(\S+literature\.md\)", page)
             for name in re.findall(r"\b[A-Z]\w+", names)}  # fmt: skip
    assert {"Griewank", "Baydin", "Hückelheim", "Gulrajani"} <= named
    assert {name for name in named if name not in LITERATURE} == set()


def test_the_explorer_says_the_first_sentence_of_each_word_that_a_picture_uses():
    same = glossary.EXPLORER.read_text("utf-8") == glossary.for_explorer()
    assert same, "Run python -m tools.glossary."
    assert all(
        glossary.terms()[word].startswith(glossary.in_short(word)) for word in glossary.SHOWN
    )


def test_a_word_that_is_not_explained_would_be_noticed():
    assert glossary.used("[tape](glossary.ipynb#tape), [x](other.ipynb#x)") == ["tape"]
