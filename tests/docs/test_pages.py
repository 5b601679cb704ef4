"""The code of every page runs as printed and prints what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapelab.diagnosis.declarations import own_detectors
from tools.docs.running import Notebook, blocks, differences

DOCS = Path(__file__).parents[2] / "docs"
KINDS = ("tutorial", "howto", "explanation")
PAGES = sorted(page for kind in KINDS for page in (DOCS / kind).glob("*.md"))
WITH_CODE = [page for page in [DOCS / "index.md", *PAGES] if blocks(page.read_text("utf-8"))]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_a_page_prints_what_it_says(page):
    assert differences(page) == []


def test_there_are_pages_of_each_kind_with_code():
    assert {page.parent.name for page in WITH_CODE} == {"docs", *KINDS}


def test_every_page_but_the_first_is_of_a_kind():
    """A tutorial, a how-to guide, reference or explanation."""
    assert [page.name for page in DOCS.glob("*.md")] == ["index.md"]
    kinds = {page.parent.name for page in DOCS.glob("*/*.md")}
    assert kinds == {*KINDS, "reference"}


@pytest.mark.parametrize(
    ("page", "difference"),
    [
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "page.md, line 5: printed\n1\n"),
        ("```python\nprint(1)\n```\n", "page.md: printed at its end\n1\n"),
        ("```python\nx = 1\n```\n\n```{explorer} x\n```\n", "page.md, line 5: nothing to show."),
    ],
)
def test_a_page_that_says_something_else_is_noticed(tmp_path, page, difference):
    file = tmp_path / "page.md"
    file.write_text(page, encoding="utf-8")
    assert differences(file) == [difference]


@pytest.mark.parametrize(
    ("code", "value"), [("3 + 4", 7), ("a = 1\nb = 2", 2), ("a = 1\nprint(a)", None)]
)
def test_the_last_line_is_what_a_notebook_would_show(code, value):
    with Notebook("page") as notebook:
        notebook.run(code)
    assert notebook.value == value


def test_a_finding_that_a_page_declares_is_forgotten_with_it():
    before = own_detectors()
    code = (
        "from tapelab.extend import Rank, finding\n"
        "@finding('OF_A_PAGE', rank=Rank.MISSING)\ndef of_a_page(case):\n    return ()\n"
    )
    with Notebook("page") as notebook:
        notebook.run(code)
        assert own_detectors() == (*before, notebook.space["of_a_page"])
    assert own_detectors() == before
