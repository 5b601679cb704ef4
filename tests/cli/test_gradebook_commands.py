"""`tapelab gradebook` keeps the roster, the rules and the marks of a course."""

from __future__ import annotations

import json
import os
import pty
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.entities import Listed, Part, Student
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility

ROSTER = "login,first_name,last_name,email,SIS User ID\nada,Ada,Lovelace,ada@x.org,4711\nbob,,,,\n"


@pytest.fixture
def course(main, tmp_path):
    """A gradebook in the folder of the test, with two students and an assignment."""
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8-sig")
    main("gradebook", "init")
    main("gradebook", "students", "import", "roster.csv")
    with Gradebook.open(tmp_path / "gradebook.db") as book:
        book.put_assignment(Listed("sums", "Sums", "v1", (Part("sums.1", "One", 2),)))
    return main


def output(command, *arguments):
    return json.loads(command("gradebook", *arguments, "--json").out_text)


@pytest.fixture
def main(main):
    def run(*arguments, code=0):
        ended = main(*arguments, code=code)
        ended.out_text = ended.stdout
        return ended

    return run


def test_a_roster_is_read_with_what_other_systems_call_people(course):
    ada, bob = output(course, "students", "list")
    assert ada == {"login": "ada", "name": "Ada Lovelace", "email": "ada@x.org",
                   "ids": {"sis_user_id": "4711"}}  # fmt: skip
    assert bob["name"] == ""


def test_a_roster_with_a_known_student_adds_nobody_unless_it_updates(course, tmp_path):
    (tmp_path / "more.csv").write_text("student;name\neve;Eve\nada;Augusta Ada\n")
    refused = course("gradebook", "students", "import", "more.csv", code=2)
    assert "has a student ada already" in refused.stderr
    assert len(output(course, "students", "list")) == 2
    course("gradebook", "students", "import", "more.csv", "--update")
    assert [each["name"] for each in output(course, "students", "list")] == [
        "Augusta Ada",
        "",
        "Eve",
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"name,email\nAda,a@x\n", "has no column login; its first line has name, email"),
        (b"", "has no column login; its first line has nothing"),
        (b"login,name\nada\n", "Line 2 of roster.csv has fewer fields"),
        (b"login,name\nada,Ada,x\n", "Line 2 of roster.csv has more fields"),
        (b"login\n\xe9va\n", "is not in UTF-8"),
        (b"login,name\n,Ada\n", "'' is no name of a student"),
        (b"login\neve\neve\n", "eve is listed twice"),
    ],
)
def test_a_roster_that_is_wrong_says_where(main, tmp_path, content, words):
    (tmp_path / "roster.csv").write_bytes(content)
    main("gradebook", "init")
    assert words in main("gradebook", "students", "import", "roster.csv", code=2).stderr
    assert output(main, "students", "list") == []


def test_rules_marks_and_comments_come_to_a_grade(course):
    rules = course("gradebook", "rules", "sums", "--due", "2026-03-01", "--per-day", "10")
    assert "each day costs 10 %" in rules.stdout
    kept = course("gradebook", "rules", "sums", "--counts", "last")
    assert "each day costs 10 % after 0 minutes; the last attempt counts" in kept.stdout
    course("gradebook", "mark", "ada", "sums", "1.5", "-e", "sums.1", "--comment", "on paper")
    extra = course("gradebook", "mark", "ada", "sums", "1", "--extra")
    assert extra.stdout == "ada now has 2.5 points for sums.\n"
    course("gradebook", "comment", "ada", "sums", "Well done.")
    ada, bob = output(course, "show", "sums")
    assert (ada["points"], ada["extra"], ada["final"], ada["by_hand"]) == (1.5, 1, 2.5, "yes")
    assert bob["final"] == 0
    assert [each["percent"] for each in output(course, "totals")] == [125, 0]
    about = [each["what"] for each in output(course, "history", "sums/ada")]
    assert about == ["mark: points", "mark: extra", "comment"]


@pytest.fixture
def five(main, tmp_path):
    """A gradebook with five submissions that arrived today, each with 2 points."""
    main("gradebook", "init")
    with Gradebook.open(tmp_path / "gradebook.db") as book:
        check = CheckResult("one", "h", "One", Visibility.PUBLIC, 2, 2, Status.PASSED)
        book.put_assignment(Listed("03", "Backward", "v1", (Part("03.1", "One", 2),)))
        for login in ("ada", "bob", "eve", "kim", "zoe"):
            book.add_student(Student(login))
            book.hand_in(login, "03", f"digest-{login}", datetime.now(UTC), f"{login}.ipynb")
            exercises = (ExerciseResult("03.1", "One", (check,)),)
            book.record(Result(f"digest-{login}", login, "03", "v1", 1, "bubblewrap", exercises))
    return main


def finals(command):
    return [each["final"] for each in output(command, "show", "03")]


def test_a_rule_that_takes_all_points_is_refused_without_a_terminal(five):
    before = output(five, "history")
    for rule in (["--due", "2026-03-01", "--cutoff", "7"],
                 ["--due", "2026-03-01T23:59", "--per-day", "10"]):  # fmt: skip
        refused = five("gradebook", "rules", "03", *rule, code=2).stderr
        words = "This rule takes all points from 5 of 5 submissions: check the due date."
        assert refused.startswith(f"{words}\n")
        assert "Nothing was changed" in refused
    assert output(five, "history") == before
    assert finals(five) == [2] * 5
    five("gradebook", "rules", "03", "--due", "2026-03-01", "--cutoff", "7", "--yes")
    assert finals(five) == [0] * 5
    # It takes nothing that the rule before it did not take.
    five("gradebook", "rules", "03", "--due", "never")
    assert finals(five) == [2] * 5


@pytest.mark.parametrize(("answer", "code", "points"), [("y", 0, 0), ("n", 1, 2), ("", 1, 2)])
def test_a_rule_that_takes_all_points_is_confirmed_in_a_terminal(
    five, monkeypatch, answer, code, points
):
    terminal, typed = pty.openpty()
    os.write(terminal, f"{answer}\n".encode())
    with os.fdopen(typed) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        five("gradebook", "rules", "03", "--due", "2026-03-01", "--cutoff", "7", code=code)
    os.close(terminal)
    assert finals(five) == [points] * 5


GUIDES = Path(__file__).parents[2] / "docs" / "howto"
EXAMPLES = [
    line.partition("#")[0].split()
    for page in ("grade.md", "first-class.md")
    for line in (GUIDES / page).read_text("utf-8").splitlines()
    if re.search(r"tapelab gradebook rules \w+ .*--due \+", line)
]


def test_the_rules_of_the_guide_take_no_points_from_what_arrived_today(five):
    assert EXAMPLES
    for words in EXAMPLES:
        five(*(word if word != "gradients" else "03" for word in words[1:]))
        assert finals(five) == [2] * 5


def test_a_due_date_without_a_time_is_the_end_of_that_day(five):
    said = five("gradebook", "rules", "03", "--due", "2030-03-01").stdout
    assert "due 2030-03-01 23:59" in said
    said = five("gradebook", "rules", "03", "--due", "2030-03-01T12:30").stdout
    assert "due 2030-03-01 12:30" in said
    today = datetime.now().astimezone().date()
    said = five("gradebook", "rules", "03", "--due", "+3").stdout
    assert any(f"due {today + timedelta(days=days)} 23:59" in said for days in (3, 4))


@pytest.mark.parametrize("text", ["soon", "+", "+99999999999", "2026-13-01", "03/01/2026", ""])
def test_what_is_no_due_date_is_reported(five, text):
    code = 2 if text else 0
    said = five("gradebook", "rules", "03", "--due", text, code=code).stderr
    assert ("is no due date. Try one such as" in said) is bool(text)


def test_a_lesson_can_get_its_rules_before_anything_is_handed_in(main):
    main("gradebook", "init")
    main("gradebook", "rules", "03", "--due", "2026-03-01T23:59:00")
    (lesson,) = output(main, "list")
    assert (lesson["assignment"], lesson["points"], lesson["submissions"]) == ("03", 50, 0)


def test_tables_are_for_people_and_show_markup_as_it_is(course):
    course("gradebook", "students", "add", "eve", "--name", "[bold]Eve")
    assert "[bold]Eve" in course("gradebook", "students", "list").stdout
    assert "Sums" in course("gradebook", "list").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "summs"], "no assignment 'summs'. Did you mean sums?"),
        (["show", "sums", "--student", "eve"], "no student 'eve'"),
        (["mark", "ada", "sums", "1", "-e", "sums.7"], "no exercise 'sums.7'"),
        (["rules", "summs"], "no assignment 'summs'"),
        (["rules", "sums", "--counts", "first"], "--counts is best or last, not 'first'"),
        (["rules", "sums", "--per-day", "200"], "choose 0 to 100"),
        (["report", "sums", "-o", "x.pdf"], "Names may end in .html, .csv, .json"),
        (["list", "-g", "elsewhere.db"], "There is no gradebook"),
        (["list", "-g", "roster.csv"], "file is not a database"),
        (["list", "-g", "mysql://x"], "names no gradebook"),
    ],
)
def test_what_cannot_be_done_is_reported_in_a_sentence(course, arguments, words):
    assert words in course("gradebook", *arguments, code=2).stderr


def test_reports_are_written_in_the_form_that_their_name_says(course, tmp_path):
    course("gradebook", "report", "sums", "-o", "r.html", "-o", "r.csv", "-o", "r.json")
    assert (tmp_path / "r.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "r.csv").read_text("utf-8").startswith("exercise,check")
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))["students"] == 2


def test_the_place_of_the_gradebook_may_stand_in_the_environment(main, tmp_path, monkeypatch):
    monkeypatch.setenv("TAPELAB_GRADEBOOK", str(tmp_path / "other.db"))
    main("gradebook", "init")
    assert (tmp_path / "other.db").exists()
