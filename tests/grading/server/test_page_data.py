"""What pages say is of the student they are about, and one that waits keeps no other waiting."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.entities import Student
from tapelab.grading.server.handler import earned_share, points
from tapelab.grading.server.page_data import work
from tests.fixtures.taught_course import fill


def test_the_history_of_a_student_is_not_that_of_one_whose_name_goes_on(tmp_path):
    with Gradebook.open(tmp_path / "course.db") as book:
        fill(book)
        book.add_students([Student("ad")])
        book.mark("ad", "03", 1)
        book.mark("ad", "03", 2, exercise="03.1")
        assert [each.about for each in work(book, "03", "ad").events] == ["03/ad/03.1", "03/ad"]


def test_a_page_that_waits_for_the_database_keeps_no_other_page_waiting(teacher, book, monkeypatch):
    requests, go_on, read = Event(), Event(), book.all_counts

    def wait():
        requests.set()
        assert go_on.wait(60)
        return read()

    monkeypatch.setattr(book, "all_counts", wait)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(teacher.get, "/")
        try:
            assert requests.wait(20)
            assert teacher.get("/submission?assignment=03&student=ada").status == 200
        finally:
            go_on.set()
        assert waiting.result().status == 200


@pytest.mark.parametrize(("value", "data"), [(2.0, "2"), (-0.5, "\u200e−0.5"), (1 / 3, "0.3333"),
                                             (None, "–"), (12345678.0, "12345678")])  # fmt: skip
def test_points_are_written_as_people_write_them(value, data):
    assert points(value) == data


def test_a_sum_of_parts_that_rounding_left_short_is_all():
    assert [earned_share(each, 0.3) for each in (0.1 + 0.1 + 0.1, 0.3, 0.1, 0.0)] == [
        "all", "all", "part", "none",
    ]  # fmt: skip
