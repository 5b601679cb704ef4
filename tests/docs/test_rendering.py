"""A notebook that has run becomes a page: its text, its code, and what came out, for no kernel."""

from __future__ import annotations

import base64

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.docs.rendering import SOLVED, Page, linked

RECORDED = '<iframe title="tapelab" srcdoc="&lt;p id=&quot;tapelab-recording&quot;&gt;"></iframe>'


def shown(**data):
    return new_output(
        "display_data", data={kind.replace("_", "/"): it for kind, it in data.items()}
    )


@pytest.fixture
def written(tmp_path):
    """Write the page of a notebook with one cell of code, and read it."""

    def write(code, *outputs):
        cells = [new_markdown_cell("# Title"), new_code_cell(code, outputs=list(outputs))]
        Page("07-page").write(new_notebook(cells=cells), tmp_path)
        return (tmp_path / "07-page.md").read_text("utf-8")

    return write


def test_text_comes_first_then_that_it_is_solved_then_code_and_what_it_printed(written):
    page = written("print(1)", new_output("stream", text="1\n"))
    places = [page.index(part) for part in ("# Title", SOLVED, "python\nprint(1)", "\n\n1\n")]
    assert places == sorted(places)


def test_a_picture_is_kept_beside_the_page_as_a_document_of_its_own(written, tmp_path):
    page = written("tf.show(tape)", shown(text_html=RECORDED, text_plain="tape: 3 ops\n\nmore"))
    assert "```{picture} tape: 3 ops\n:file: 07-page-1.html\n```" in page
    assert (tmp_path / "07-page-1.html").read_text("utf-8") == '<p id="tapelab-recording">'


def test_a_plot_is_called_by_its_title(written, tmp_path):
    plot = base64.b64encode(b"a plot").decode()
    page = written('plt.title("Two bends")', shown(image_png=plot, text_plain="<Figure>"))
    assert "![Two bends](07-page-1.png)" in page
    assert (tmp_path / "07-page-1.png").read_bytes() == b"a plot"


def test_a_verdict_is_written_in_words(written):
    page = written("tf.check('07.1')", shown(text_html="<section>", text_plain="07.1: 10 of 10"))
    assert "07.1: 10 of 10" in page
    assert "section" not in page


def test_links_between_notebooks_lead_to_pages():
    text = "[tape](glossary.ipynb#None-and-zero), [next](08-loops.ipynb), [x](https://x.org/y.md)"
    assert linked(text) == (
        "[tape](../../reference/glossary.md#none-and-zero), [next](08-loops.md), "
        "[x](https://x.org/y.md)"
    )
