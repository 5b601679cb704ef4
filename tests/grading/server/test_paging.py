"""Pages of a large class read what they show, not all that there is."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from sqlalchemy import event

from tapelab.grading.formats.gradebook_export import json_parts
from tapelab.grading.gradebook import Gradebook, grade_tables
from tapelab.grading.gradebook.entities import Listed, Part, Student
from tapelab.grading.gradebook.grade_tables import GradeTables
from tapelab.grading.server import page_data
from tapelab.grading.server.page_data import DOWN, Paging, overview, roster, sheet, work
from tests.fixtures.cheap_grading import EXERCISE, NAME, result
from tests.fixtures.taught_course import serving
from tests.grading.server.conftest import Client

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def fill(place, students):
    with Gradebook.open(place) as book:
        book.put_assignment(Listed(NAME, "Sums", "v1", (Part(EXERCISE, "One", 2),)))
        book.add_students(Student(f"s{number:03}") for number in range(students + 2))
        for number in range(students):
            login = f"s{number:03}"
            book.hand_in(login, NAME, f"d{number}", MONDAY)
            book.record(result(f"d{number}", login, number % 3, code="INT_DTYPE"))
        book.mark("s001", NAME, 1.0)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Enter a class, and one that is three times as large."""
    folder = tmp_path_factory.mktemp("classes")
    sizes = {12: folder / "small.db", 36: folder / "large.db"}
    for students, place in sizes.items():
        fill(place, students)
    return tuple(sizes.values())


@pytest.fixture
def book(places, monkeypatch):
    """Open the large class, of which a page shows five."""
    monkeypatch.setattr(page_data, "PER_PAGE", 5)
    with Gradebook.open(places[1]) as opened:
        yield opened


def cost(place, read):
    """Count the queries that a page takes, and the rows that they give."""
    queries, rows = [], []

    def keep(cursor, row):
        rows.append(row)
        return row

    with Gradebook.open(place) as book:
        read(book)

        def note(connection, cursor, statement, *_):
            cursor.row_factory = keep
            queries.append(statement)

        event.listen(book._engine, "before_cursor_execute", note)
        read(book)
    return len(queries), len(rows)


@pytest.mark.parametrize("read", [
    overview, lambda book: roster(book, "2"), lambda book: work(book, NAME, "s002"),
    lambda book: work(book, NAME, "s002", "d2"),
], ids=["overview", "roster", "submission", "attempt"])  # fmt: skip
def test_a_page_of_a_class_three_times_as_large_reads_no_more(places, read, monkeypatch):
    monkeypatch.setattr(page_data, "PER_PAGE", 5)
    small, large = (cost(place, read) for place in places)
    assert small == large
    assert small[1] > 0


def test_an_export_is_read_part_by_part_and_all_parts_are_the_class(book, monkeypatch):
    whole = json.loads("".join(json_parts(book)))
    monkeypatch.setattr(grade_tables, "STUDENTS_AT_ONCE", 5)
    reads = []
    part = GradeTables._counted_part

    def read(self, assignment, after):
        rows = part(self, assignment, after)
        reads.append(len(rows))
        return rows

    monkeypatch.setattr(GradeTables, "_counted_part", read)
    assert json.loads("".join(json_parts(book))) == whole
    assert reads == [5] * 7 + [1, 0]
    assert [each["student"] for each in whole] == [f"s{number:03}" for number in range(36)]
    for grade, counted in book.counted_results(NAME):
        (graded,) = book.results(NAME, grade.student)
        assert (grade, counted) == (book.grade(NAME, grade.student), graded.result)


def test_an_export_has_the_present_version_and_each_student_of_the_same_files(tmp_path):
    with Gradebook.open(tmp_path / "course.db") as book:
        assert json.loads("".join(json_parts(book))) == []
        book.put_assignment(Listed(NAME, "Sums", "v2", (Part(EXERCISE, "One", 2),)))
        for login in ("ada", 'b"ob'):
            book.add_students([Student(login)])
            book.hand_in(login, NAME, "same", MONDAY)
        for version, points in (("v2", 2.0), ("v1", 1.0)):
            book.record(result("same", "ada", points, version=version))
        exported = json.loads("".join(json_parts(book)))
    assert [(each["student"], each["result"]["student"]) for each in exported] == [
        ("ada", "ada"), ('b"ob', 'b"ob'),
    ]  # fmt: skip
    assert {each["result"]["version"] for each in exported} == {"v2"}


@pytest.mark.parametrize("sort", ["student", "points"])
def test_the_table_reads_two_more_rows_for_a_student_and_sends_no_query_more(
    places, sort, monkeypatch
):
    """That of the points and that of the verdicts, for the statistics."""
    monkeypatch.setattr(page_data, "PER_PAGE", 5)
    small, large = (cost(place, lambda book: sheet(book, NAME, sort, page="2")) for place in places)
    assert small[0] == large[0]
    assert large[1] - small[1] == 2 * (36 - 12)


@pytest.mark.parametrize("sort", ["student", "points", "attempts", f"{EXERCISE}:1"])
@pytest.mark.parametrize("order", ["", DOWN])
def test_all_pages_together_are_the_whole_table(book, sort, order):
    whole = [each.grade for each in sheet(book, NAME, sort, order).lines]
    count = sheet(book, NAME, sort, order, page="1").paging.count
    pages = [sheet(book, NAME, sort, order, page=str(n + 1)) for n in range(count)]
    assert count == 8
    assert [each.grade for page in pages for each in page.lines] == whole
    assert {len(page.lines) for page in pages} == {5, 3}
    assert len({each.student for each in whole}) == 38


def test_students_sort_by_a_check_and_those_without_a_result_come_last(book):
    lines = sheet(book, NAME, f"{EXERCISE}:1", DOWN).lines
    points = [each.cells[0].points if each.cells[0] else None for each in lines]
    assert points == [2.0] * 12 + [1.0] * 12 + [0.0] * 12 + [None] * 2


def test_all_pages_of_the_roster_are_the_roster(book):
    _, everybody, _ = roster(book)
    pages = [roster(book, str(number + 1))[1] for number in range(8)]
    assert [each for page in pages for each in page] == everybody
    assert {each.student.login: each.total.final for each in everybody}["s001"] == 1.0


@pytest.mark.parametrize(("wanted", "number"), [
    ("", 1), ("3", 3), ("0", 1), ("99", 8), ("-1", 1), ("x", 1), ("²", 1), ("9" * 5000, 1),
])  # fmt: skip
def test_an_address_names_a_page_or_the_one_nearest_to_it(monkeypatch, wanted, number):
    monkeypatch.setattr(page_data, "PER_PAGE", 5)
    assert Paging.of(38, wanted) == Paging(number, 8, 38)
    assert Paging.of(0, wanted) == Paging(1, 1, 0)


def test_links_lead_through_the_pages_and_keep_the_order(book):
    with serving(book) as server:
        teacher = Client(server).come_in()
        text = teacher.get(f"/assignment?name={NAME}&sort=points&order=down&number=2").text
        assert "Page 2 of 8" in text
        same = f"/assignment?name={NAME}&amp;sort=points&amp;order=down&amp;number="
        assert [text.count(f'href="{same}{n}"') for n in (1, 2, 3, 8)] == [2, 0, 1, 1]
        roster_page = teacher.get("/roster?number=8").text
        assert "Page 8 of 8" in roster_page
        assert "Next page" not in roster_page
        saved = teacher.get(f"/grades?name={NAME}").text
        assert saved.count("\n") == 39
