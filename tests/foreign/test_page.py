"""The pages about other frameworks print what they say, where the framework is installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.docs.running import Notebook

PAGES = Path(__file__).parents[2] / "docs" / "howto"
BLOCK = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("framework", "page"), [("torch", "pytorch"), ("tensorflow", "tensorflow")]
)
def test_the_page_prints_what_it_says(framework, page):
    pytest.importorskip(framework)
    figure, question, answer = BLOCK.findall((PAGES / f"{page}.md").read_text("utf-8"))[:3]
    with Notebook("page") as notebook:
        assert "backward pass" in notebook.run(figure)
        assert notebook.run(question) == answer
