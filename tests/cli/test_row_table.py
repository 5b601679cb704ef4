"""Tables fit 80 columns whatever students are called, and nothing of them is cut off."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len

from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.entities import Listed, Part, Student
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility

WIDTH = 80
NAMES = {
    "latin": "Ŵilhelmîna" * 18,
    "chinese": "叶赫那拉" * 40,
    "hebrew": "מִרְיָם־" * 25,
    "arabic": "عبدالرحمن " * 19 + "ع",
    "[bold red]": "[link=https://x.example]Eve[/link]",
    "x" * 200: "",
}
"""By their logins; each name has letters that nothing else on the page has."""
WHEN = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A gradebook of an assignment with 40 exercises, solved in part by all with odd names."""
    place = tmp_path_factory.mktemp("course") / "course.db"
    title = "A title that goes on, and on, and on, longer than any line of a terminal can be, 題"
    checks = [
        CheckResult(f"check {n}", "h", f"{title} {n}", Visibility.PUBLIC, n / 3, n, Status.PARTIAL,
                    "unbroken" * 30 if n == 1 else "No.", code="NOT_WATCHED")
        for n in range(1, 41)
    ]  # fmt: skip
    exercises = tuple(
        ExerciseResult(f"long-name-of-an-assignment.{n}", title, (check,))
        for n, check in enumerate(checks, 1)
    )
    with Gradebook.open(place, by="grace") as book:
        name = "long-name-of-an-assignment"
        parts = tuple(Part(each.exercise, title, each.of) for each in exercises)
        book.put_assignment(Listed(name, title, "v1", parts))
        book.add_students(Student(*pair) for pair in NAMES.items())
        for number, login in enumerate(NAMES):
            digest = f"{number}" * 64
            book.hand_in(login, name, digest, WHEN, f"{login}.ipynb")
            book.record(Result(digest, login, name, "v1", 1, "bubblewrap", exercises))
            book.mark(login, name, 1e6 / 3, exercise=exercises[0].exercise, comment="x" * 300)
    return place


@pytest.fixture
def at_80(main, place, monkeypatch):
    """Run a command in a terminal of 80 columns, and verify that each line fits."""
    monkeypatch.setenv("COLUMNS", str(WIDTH))

    def run(*arguments, gradebook=True):
        output = main(*arguments, *(["-g", place] if gradebook else [])).stdout
        assert [line for line in output.splitlines() if cell_len(line) > WIDTH] == []
        return output

    return run


def letters_of(text, output):
    """What of the output is written in the letters of a text that only this text has."""
    rare = {each for each in text if ord(each) > 0x17F}
    return "".join(each for each in output if each in rare)


@pytest.mark.parametrize(
    "command",
    [["show", "long-name-of-an-assignment"], ["students", "list"], ["totals"]],
    ids=["show", "students", "totals"],
)
def test_whole_names_stand_in_tables_of_students(at_80, command):
    output = at_80("gradebook", *command)
    for login in ("chinese", "hebrew", "arabic"):
        assert letters_of(NAMES[login], output) == letters_of(NAMES[login], NAMES[login])
    assert output.count("Ŵ") == 18
    assert sum(line.count("x") for line in output.splitlines()) >= 200
    assert "…" not in output


def test_forty_exercises_of_a_student_are_all_there(at_80):
    output = at_80("gradebook", "show", "long-name-of-an-assignment", "--student", "hebrew")
    assert output.count("題") == 40
    assert output.count("unbrok") + output.count("brokenun") > 0
    assert "…" not in output


@pytest.mark.parametrize(
    "command",
    [["list"], ["history"], ["stats", "long-name-of-an-assignment"]],
    ids=["list", "history", "stats"],
)
def test_other_tables_fit(at_80, command):
    output = at_80("gradebook", *command)
    assert "題" in output or "叶" in output
    assert "…" not in output


@pytest.mark.parametrize("language", ["en", "zh-CN", "he"])
def test_the_list_of_lessons_fits_in_every_language(at_80, language, monkeypatch):
    monkeypatch.setenv("TAPELAB_LANGUAGE", language)
    output = at_80("lessons", gradebook=False)
    assert len(output.splitlines()) > 20
    assert "…" not in output


def test_wide_prints_a_row_in_a_line(main, place, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    output = main("gradebook", "show", "long-name-of-an-assignment", "-g", place, "--wide").stdout
    assert len(output.splitlines()) == 1 + len(NAMES)
    assert all(any(name.strip() in line for line in output.splitlines()) for name in NAMES.values())
    assert "days late" in output


def test_numbers_stay_whole_and_a_column_without_anything_is_named(at_80):
    output = at_80("gradebook", "show", "long-name-of-an-assignment")
    assert "Empty or 0: penalty, extra, ungraded, days late." in output
    assert output.count("333") >= len(NAMES)


def test_where_no_table_fits_each_row_is_a_block(at_80, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("tests.cli.test_row_table.WIDTH", 40)
    output = at_80("gradebook", "show", "long-name-of-an-assignment")
    assert output.count("attempts") == len(NAMES)
    assert letters_of(NAMES["chinese"], output) == NAMES["chinese"]


@pytest.mark.slow
def test_grade_lists_what_it_could_not_grade_within_80_columns_and_all_in_a_report(
    tapelab, tmp_path
):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    for number in range(45):
        (folder / f"{'叶赫' * 15}{number:02}.ipynb").write_text("{")
        (folder / f"{'מרים' * 12}{number:02}.pdf").write_text("")
    output = tapelab("grade", folder, "-a", "03", "--unsafe", "--report", "all.csv",
                     code=1, COLUMNS="80").stdout  # fmt: skip
    lines = output.splitlines()
    assert [line for line in lines if cell_len(line) > WIDTH] == []
    assert lines.count("… and 5 more: --report FILE.csv lists all.") == 2
    assert output.count("叶") >= 40 * 15
    report = (tmp_path / "all.csv").read_text("utf-8-sig").splitlines()
    assert report[0] == "student,file,what,points,of,why"
    assert len(report) == 1 + 90
    assert f"{'叶赫' * 15}44.ipynb,unreadable" in report[45]
    assert "not graded" in report[90]


def test_json_is_what_it_was(main, place):
    rows = json.loads(main("gradebook", "show", "long-name-of-an-assignment", "-g", place,
                           "--json").stdout)  # fmt: skip
    assert {row["name"].strip() for row in rows} == {name.strip() for name in NAMES.values()}
