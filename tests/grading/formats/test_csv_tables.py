"""Tables of text: what a spreadsheet does not compute, and what is no table."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapelab.grading.formats.csv_tables import (
    BOM,
    UnreadableFormat,
    csv_text,
    harmless,
    parse_csv,
    read_csv,
    write_csv,
)

LINES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]), min_size=1)


@pytest.mark.parametrize(
    "text",
    ["=1+1", "=cmd|'/C calc'!A0", '=HYPERLINK("http://x","y")', "+SUM(1)", "-2+3|x", "@SUM(A1)",
     " \t=1+1", "＝1+1", "\r=x()"],
)  # fmt: skip
def test_what_a_spreadsheet_would_compute_gets_a_quote(text):
    assert harmless(text)[0] == "'"


@pytest.mark.parametrize("text", ["-3.5", "+49", "@emmy", "-x1", "emmy@math.example", "a=b", "é"])
def test_numbers_and_names_stay_what_they_are(text):
    assert harmless(text) == text


@given(LINES)
def test_a_cell_comes_back_as_it_was(text):
    assert parse_csv(csv_text(["name", "other"], [[text, "x"]]))[0]["name"] == text


def test_a_cell_is_one_line_and_without_zeros():
    assert harmless("one\r\n two\0") == "one two"


def test_a_comma_and_a_quote_in_a_name_stay_in_their_cell():
    text = csv_text(["name"], [['Noether, "Emmy"']])
    assert next(csv.reader(io.StringIO(text.splitlines()[1]))) == ['Noether, "Emmy"']


def test_names_in_any_script_survive_the_file_with_and_without_a_mark(tmp_path):
    for bom in (True, False):
        text = csv_text(["name", "points"], [["李 明", "1"], ["עדה", "2"]], bom=bom)
        write_csv(text, tmp_path / "a.csv")
        assert (tmp_path / "a.csv").read_bytes().startswith(BOM.encode()) is bom
        assert [row["name"] for row in read_csv(tmp_path / "a.csv")] == ["李 明", "עדה"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_says_by_its_first_row_what_parts_its_cells(delimiter):
    assert parse_csv(f"a{delimiter}b\n1{delimiter}2\n") == [{"a": "1", "b": "2"}]


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "empty"), ("\n \n", "empty"), ("a,a\n1,2", "two columns called 'a'"),
     ("a,b\n1,2,3", "Row 2 of The table has 3 cells"), ('a,b\n"1,2', "no CSV")],
)  # fmt: skip
def test_what_is_no_table_says_why(text, said):
    with pytest.raises(UnreadableFormat, match=said):
        parse_csv(text)


def test_a_file_that_is_not_in_utf_8_says_where(tmp_path):
    (tmp_path / "a.csv").write_bytes("name\nJosé".encode("latin-1"))
    with pytest.raises(UnreadableFormat, match=r"not in UTF-8 \(byte 8"):
        read_csv(tmp_path / "a.csv")
