"""A submission's code on a page: escaped, bounded, beside its exercise, with where it stopped."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapelab.grading.result import ExerciseResult
from tapelab.grading.server.code_cells import (
    LONGEST_LINE,
    MOST_LINES,
    Stop,
    code_listing,
    highlighted,
    stops_in,
)
from tests.fixtures.taught_course import CELLS, STOPS

ONE, TWO = (ExerciseResult(name, "", ()) for name in ("03.1", "03.2"))
NOTES = (*STOPS, "A grading process ended at value: killed.", "Cell 9: MemoryError")
SPAN = re.compile(r'<span class="[kc]">|</span>')


@pytest.mark.parametrize(("code", "html"), [
    ("if x:  # <if>", '<span class="k">if</span> x:  <span class="c"># &lt;if&gt;</span>'),
    ("a = 'if # no' + \"for\"", "a = &#x27;if # no&#x27; + &quot;for&quot;"),
    ('"""if\n# no\\"""" is', ('&quot;&quot;&quot;if\n# no\\&quot;&quot;&quot;&quot; '
     '<span class="k">is</span>')),
    ("'open if\nif", '&#x27;open if\n<span class="k">if</span>'),
    ("\u202eshown\u2066 backwards\u200b\x1b[2J", r"\u202eshown\u2066 backwards\u200b\u001b[2J"),
])  # fmt: skip
def test_python_is_written_in_ink_and_nothing_of_it_is_markup_or_invisible(code, html):
    assert highlighted(code) == html


@given(st.text(st.sampled_from("\"'\\#\nif x<>&\u202e"), max_size=60))
def test_no_text_is_lost_and_none_becomes_markup(code):
    html = SPAN.sub("", highlighted(code))
    assert "<" not in html
    assert unescape(html).replace("\\u202e", "\u202e") == code


def test_notes_say_which_cells_stopped_at_which_line():
    assert stops_in(NOTES) == (
        Stop(3, 1, STOPS[0].removeprefix("Cell 3: line 1: ")),
        Stop(4, 3, STOPS[1].removeprefix("Cell 4: ")),
        Stop(9, 0, "MemoryError"),
    )


def test_a_cell_stands_beside_the_exercise_that_it_names_and_the_others_apart():
    listing = code_listing((*CELLS, " \n"), NOTES, (ONE, TWO))
    assert [each.number for each in listing.of_exercise["03.1"]] == [2]
    assert listing.of_exercise["03.2"] == ()
    assert [each.number for each in listing.others] == [1, 3, 4]
    assert [each.stop and each.stop.line for each in listing.others] == [None, 1, 3]


def test_long_lines_and_cells_are_cut_off_visibly():
    (cell,) = code_listing(["x" * 9000 + "\n" * (MOST_LINES + 1)], (), ()).others
    assert cell.lines[0] == "x" * LONGEST_LINE + "…"
    assert (len(cell.lines), cell.rest) == (MOST_LINES, "… and 2 lines more")
