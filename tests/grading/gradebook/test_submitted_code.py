"""The code of a submission is kept with it, bounded, whatever text it is."""

from __future__ import annotations

from datetime import UTC, datetime

from tapelab.grading.gradebook.entities import Listed, Student
from tapelab.grading.gradebook.submitted_code import (
    CUT,
    LARGEST_CODE,
    MOST_CELLS,
    decode_cells,
    encode_cells,
)

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def test_a_submission_has_its_code_and_one_collected_without_it_gets_it_the_next_time(book):
    book.add_student(Student("ada"))
    book.put_assignment(Listed("sums", "Sums", "v1"))
    book.hand_in("ada", "sums", "d1", MONDAY)
    assert book.code("sums", "d1") == ()
    book.hand_in("ada", "sums", "d1", MONDAY, cells=["x = 1", "y = 'שלום'"])
    book.hand_in("ada", "sums", "d1", MONDAY, cells=["x = 2"])
    assert book.code("sums", "d1") == ("x = 1", "y = 'שלום'")
    assert len(book.history("sums/ada")) == 1


def test_more_than_the_limit_is_cut_off_visibly():
    kept = decode_cells(encode_cells(["a" * 10, "b" * LARGEST_CODE, "c"]))
    assert kept == ("a" * 10, "b" * (LARGEST_CODE - 10) + CUT)
    assert len(decode_cells(encode_cells(["", *"x" * 2 * MOST_CELLS]))) == MOST_CELLS + 1


def test_text_that_no_page_can_hold_is_escaped():
    assert decode_cells(encode_cells(["\ud800", "a\0b"])) == ("\\ud800", "a\\u0000b")
