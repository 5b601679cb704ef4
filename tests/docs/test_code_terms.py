"""A reader who searches for a term of the field finds the module that does it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools import glossary

CHECKOUT = Path(__file__).parents[2]
PAGE = CHECKOUT / "docs" / "explanation" / "dispatch.md"
ROWS = re.findall(r"^\| ([\w ]+) \| (`tapelab/.+`) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
TERMS = {term: re.findall(r"`([^`]+)`", modules) for term, modules in ROWS}
SEARCHED = (
    *("backward pass", "VJP", "cotangent", "local derivative"),
    *("fast path", "guard", "dispatch"),
)
"""What newcomers from JAX and PyTorch look for."""


def test_the_terms_that_newcomers_search_for_have_a_module():
    assert set(SEARCHED) <= set(TERMS)


@pytest.mark.parametrize(
    ("term", "module"), [(term, module) for term, modules in TERMS.items() for module in modules]
)
def test_the_module_of_a_term_uses_the_term(term, module):
    source = (CHECKOUT / module).read_text("utf-8")
    assert re.search(rf"\b{term}", source, re.IGNORECASE)


def test_the_terms_that_newcomers_search_for_are_in_the_glossary():
    assert set(SEARCHED) <= set(glossary.terms())
