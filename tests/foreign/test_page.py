"""The page about PyTorch prints what it says, where PyTorch is installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.docs.running import Notebook

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "pytorch.md"
BLOCK = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_prints_what_it_says():
    pytest.importorskip("torch")
    figure, question, answer = BLOCK.findall(PAGE.read_text("utf-8"))
    with Notebook("page") as notebook:
        assert "backward pass" in notebook.run(figure)
        assert notebook.run(question) == answer
