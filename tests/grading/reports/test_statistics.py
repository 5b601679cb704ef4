"""Statistics count students, and say into which pitfalls a class fell."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime

import pytest

from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.entities import Listed, Part, Student
from tapelab.grading.reports.statistics import statistics_of, statistics_page
from tests.fixtures.cheap_grading import result

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def message(tmp_path):
    with Gradebook.open(tmp_path / "course.db") as book:
        book.put_assignment(Listed("sums", "Sums & <shapes>", "v1", (Part("sums.1", "One", 2),)))
        book.add_students(map(Student, ["ada", "bob", "cy", "dora"]))
        for student, points, code in [("ada", 2.0, ""), ("bob", 0.0, "INT_DTYPE")]:
            book.hand_in(student, "sums", student, MONDAY)
            book.record(result(student, student, points, code=code))
        book.hand_in("bob", "sums", "worse", MONDAY)
        book.record(result("worse", "bob", -1.0, code="BEFORE_TAPE"))
        book.hand_in("cy", "sums", "unread", MONDAY)
        return statistics_of(book, "sums")


def test_students_are_counted_not_attempts(message):
    assert (message.students, message.handed_in, message.graded) == (4, 3, 2)
    assert (message.mean, message.median) == (1.0, 1.0)


def test_each_check_says_how_it_ended_and_which_pitfall_was_found(message):
    (check,) = message.checks
    assert check.statuses == {"passed": 1, "failed": 1}
    assert (check.passed, check.mean) == (0.5, 1.0)
    assert check.pitfalls == message.pitfalls == {"INT_DTYPE": 1}


def test_it_is_written_for_programs_and_for_spreadsheets(message):
    assert json.loads(message.to_json())["checks"][0]["pitfalls"] == {"INT_DTYPE": 1}
    (line,) = csv.DictReader(message.to_csv().splitlines())
    assert (line["check"], line["passed"], line["pitfalls"]) == ("The value", "1", "INT_DTYPE 1")


def test_the_page_has_plots_and_takes_no_text_for_markup(message):
    page = statistics_page(message)
    assert page.count("data:image/svg+xml;base64,") == 3
    assert "INT_DTYPE" in page
    assert "<shapes>" not in page
    assert "http" not in page


def test_a_class_without_results_has_a_page_too(tmp_path):
    with Gradebook.open(tmp_path / "course.db") as book:
        book.put_assignment(Listed("sums", "Sums", "v1"))
        page = statistics_page(statistics_of(book, "sums"))
    assert "0 students" in page
    assert "found none" in page
