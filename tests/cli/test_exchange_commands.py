"""`tapelab exercise import/export/collect` and `tapelab gradebook export/import`."""

from __future__ import annotations

import csv
import json
import zipfile
from datetime import UTC, datetime

import pytest
from grading.formats.conftest import SOURCE, WORK

from tapelab.grading.formats.notebook_format import load, save
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.entities import Listed, Part, Student
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility


@pytest.fixture
def work(tmp_path):
    (tmp_path / "squares").mkdir()
    for name, text in WORK.items():
        (tmp_path / "squares" / name).write_text(text)


@pytest.fixture
def book(tmp_path):
    """A gradebook with a result of one of two students."""
    check = CheckResult("k", "v", "One", Visibility.PUBLIC, 1.5, 2, Status.PARTIAL)
    exercises = (ExerciseResult("sums.1", "One", (check,)),)
    with Gradebook.open(tmp_path / "gradebook.db", create=True) as book:
        ids = {"id": "17", "sis_user_id": "s-1"}
        book.add_students([Student("ada", "Ada Lovelace", "ada@x.org", ids), Student("bob")])
        book.put_assignment(Listed("sums", "Sums", "v1", (Part("sums.1", "One", 2),)))
        received = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
        book.hand_in("ada", "sums", "d1", received)
        book.record(Result("d1", "ada", "sums", "v1", 1, "bubblewrap", exercises))


def rows(path):
    return list(csv.reader(path.read_text("utf-8-sig").splitlines()))


def test_a_course_of_nbgrader_becomes_a_folder_of_ours(main, tmp_path):
    save(tmp_path / "course/source/hw1/slopes.ipynb", SOURCE)
    output = main("exercise", "import", "course", "--format", "nbgrader", "--to", "hw1").stdout
    assert "2 exercises with 3 checks came from nbgrader" in output
    assert "By hand: why, 3 points" in output
    assert (tmp_path / "hw1" / "exercises.py").is_file()


def test_what_students_handed_in_is_collected_for_grading(main, tmp_path):
    save(tmp_path / "course/source/hw1/slopes.ipynb", SOURCE)
    save(tmp_path / "course/submitted/emmy/hw1/slopes.ipynb", SOURCE)
    main("exercise", "collect", "course", "--to", "sent")
    cells = "\n".join(cell.source for cell in load(tmp_path / "sent" / "emmy.ipynb"))
    assert "_answer('hw1.slope', globals())" in cells
    assert "range(-5, 5)" not in cells


def test_a_course_of_nbgrader_gets_back_what_was_graded_here(main, tmp_path):
    save(tmp_path / "course/source/hw1/slopes.ipynb", SOURCE)
    for student in ("emmy", "ada"):
        save(tmp_path / f"course/submitted/{student}/hw1/slopes.ipynb", SOURCE)
    check = CheckResult("k", "v", "One", Visibility.PUBLIC, 1.5, 2, Status.PARTIAL)
    with Gradebook.open(tmp_path / "gradebook.db") as book:
        book.add_student(Student("emmy"))
        book.put_assignment(Listed("hw1", "Slopes", "v1", (Part("hw1.slope", "One", 2),)))
        book.hand_in("emmy", "hw1", "d1", datetime(2026, 11, 20, tzinfo=UTC))
        exercises = (ExerciseResult("hw1.slope", "One", (check,)),)
        book.record(Result("d1", "emmy", "hw1", "v1", 1, "bubblewrap", exercises))
        book.comment("emmy", "hw1", "Well drawn.")
    output = main("gradebook", "export", "--format", "nbgrader", "--to", "course").stdout
    assert output == "Wrote 1 notebooks and their feedback to course.\n"
    assert "Well drawn." in (tmp_path / "course/feedback/emmy/hw1/slopes.html").read_text("utf-8")
    assert load(tmp_path / "course/autograded/emmy/hw1/slopes.ipynb")
    assert not (tmp_path / "course/feedback/ada").exists()


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize(
    ("form", "to", "there"),
    [
        ("nbgrader", "course", "course/source/squares/squares.ipynb"),
        ("otter", "master", "master/squares.ipynb"),
        ("gradescope", "squares.zip", "squares.zip"),
    ],
)
def test_a_folder_of_ours_goes_to_another_grader(main, tmp_path, form, to, there):
    main("exercise", "export", "squares", "--format", form, "--to", to)
    assert (tmp_path / there).is_file()


def test_a_shipped_lesson_goes_to_gradescope_by_its_number(main, tmp_path):
    command = ["exercise", "export", "03", "--format", "gradescope", "--to", "03.zip"]
    assert "add --wheel dist/tapelab-*.whl" in main(*command).stdout
    (tmp_path / "tapelab-9-py3-none-any.whl").write_bytes(b"")
    said = main(*command, "--wheel", "tapelab-9-py3-none-any.whl").stdout
    assert said == "Wrote 03.zip.\n"
    assert "run_autograder" in zipfile.ZipFile(tmp_path / "03.zip").namelist()


@pytest.mark.usefixtures("book")
def test_canvas_gets_the_numbers_by_which_it_knows_the_students(main, tmp_path):
    main("gradebook", "export", "--format", "canvas", "--to", "canvas.csv")
    assert rows(tmp_path / "canvas.csv")[1:] == [
        ["Points Possible", "", "", "", "", "2"],
        ["Lovelace, Ada", "17", "s-1", "ada", "", "1.5"],
        ["bob", "", "", "bob", "", ""],
    ]


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize("form", ["csv", "nbgrader", "moodle"])
def test_every_list_has_both_students(main, tmp_path, form):
    main("gradebook", "export", "sums", "--format", form, "--to", "grades.csv")
    assert len(rows(tmp_path / "grades.csv")) == 3


@pytest.mark.usefixtures("book")
def test_results_go_out_as_json_and_for_gradescope(main, tmp_path):
    main("gradebook", "export", "--format", "json", "--to", "all.json")
    (output,) = json.loads((tmp_path / "all.json").read_text())
    assert (output["student"], output["final"]) == ("ada", 1.5)
    assert Result.from_json(json.dumps(output["result"])).points == 1.5
    main("gradebook", "export", "--format", "gradescope", "--to", "gs")
    assert json.loads((tmp_path / "gs" / "sums" / "ada.json").read_text())["score"] == 1.5


@pytest.mark.usefixtures("book")
def test_a_platforms_list_adds_its_students_and_their_numbers(main, tmp_path):
    (tmp_path / "roster.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Sums (5)\nPoints Possible,,,,,2\n"
        '"Lovelace, Ada",18,s-2,ada,A,\n"Noether, Emmy",19,s-3,emmy,A,\n'
    )
    output = main("gradebook", "import", "roster.csv", "--format", "canvas").stdout
    assert output == "1 students added, 1 were there.\n"
    with Gradebook.open(tmp_path / "gradebook.db") as book:
        assert book.student("emmy").name == "Emmy Noether"
        assert book.student("ada").ids["id"] == "18"


@pytest.mark.usefixtures("book", "work")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("gradebook export --format xls --to x", "--format is csv, nbgrader"),
        ("gradebook export nothing --format csv --to x", "nothing"),
        ("gradebook import missing.csv --format canvas", "missing.csv"),
        ("exercise import squares/notebook.py --format nbgrader --to y", "no notebook"),
        ("exercise import squares --format otter --to y", "no `test = "),
        ("exercise import squares --format nbgrader --to y", "0 assignments"),
        ("exercise export nowhere --format otter --to y", "exercises.py"),
        ("exercise collect squares --to y", "0 assignments"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(main, command, said):
    output = main(*command.split(), code=2).stderr
    assert said in output
    assert output.count("\n") <= 2
