"""A folder is graded, stopped, and exported from the page, and nothing beyond the folder is."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from contextlib import closing
from http.client import HTTPConnection

import pytest

from tapelab.grading.gradebook import Gradebook
from tests.fixtures.taught_course import serving, teach
from tests.grading.server.conftest import Client

pytestmark = pytest.mark.slow

FORM = {"folder": "handed-in", "source": "sums", "jobs": "1", "add_students": "1"}
ENDLESS = "n = 0\nwhile True:\n    n += 1\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    teach(folder)
    with Gradebook.open(folder / "course.db", by="grace") as book:
        yield folder, book


@pytest.fixture(scope="module")
def grader(course):
    folder, book = course
    with serving(book, folder=folder) as at:
        yield Client(at).come_in()


@pytest.fixture
def form(grader):
    page = grader.get("/grading").text
    return {"form": page.partition('name="form" value="')[2].partition('"')[0]}


def test_nothing_beyond_the_folder_is_graded_and_nothing_that_students_wrote_is_imported(
    grader, form, course
):
    for wrong, why in (
        ({"folder": ".."}, "does not lie in"), ({"folder": "/etc"}, "does not lie in"),
        ({"folder": "missing"}, "does not lie in"), ({"source": "handed-in/mallory"}, "listed"),
        ({"source": "/etc"}, "listed"), ({"jobs": "0"}, "processes"), ({"jobs": "²"}, "processes"),
        ({"folder": "."}, "among the submissions"), ({"folder": "course.db"}, "no folder"),
        ({"received": "../x.csv"}, "does not lie in"), ({"regrade": "some"}, "no folder"),
        ({"pattern": "*"}, "pattern"),
    ):  # fmt: skip
        said = grader.post("/grading", **form, **(FORM | wrong))
        assert (said.status, why in said.text) == (400, True), (wrong, said.text)
    _, book = course
    assert book.assignments() == ()


def test_a_folder_is_graded_while_the_page_says_how_far_it_is(grader, form, course):
    _, book = course
    assert grader.post("/grading", **FORM).status == 403
    assert grader.post("/grading", **form, **FORM).headers["Location"] == "/progress"
    page = grader.get("/progress").text
    assert '<progress max="4" value="4"' in page
    assert "4 submissions were looked at." in page
    assert "notes.txt" in page  # which is listed as left out
    assert "eve.ipynb is no notebook" in page
    assert {g.handed.student: g.result.points for g in book.results("sums")} == {
        "ada": 2, "bob": 0, "mallory": 0,
    }  # fmt: skip
    broken = grader.get("/submission?assignment=sums&student=bob").text
    assert "1 cell stopped" in broken
    assert '<a href="#cell-2">Cell 2, line 3</a>' in broken
    feedback = grader.get("/feedback?assignment=sums&student=bob").text
    assert "stopped with an error" in feedback
    assert "Cell 2: line 3: SyntaxError" in feedback


def test_grades_and_feedback_are_exported_as_the_command_writes_them(grader):
    def file(form):
        with closing(HTTPConnection("127.0.0.1", grader.at.port, timeout=20)) as connection:
            connection.request("GET", f"/export?name=sums&as={form}", headers=grader.headers)
            return connection.getresponse().read()

    for form in ("csv", "nbgrader", "canvas", "moodle"):
        assert len(list(csv.reader(io.StringIO(file(form).decode("utf-8-sig"))))) >= 4
    assert {each["final"] for each in json.loads(file("json"))} == {2, 0}
    names = {form: zipfile.ZipFile(io.BytesIO(file(form))).namelist()
             for form in ("gradescope", "feedback")}  # fmt: skip
    assert names["feedback"] == ["ada.html", "bob.html", "mallory.html"]
    assert names["gradescope"] == [f"sums/{name}.json" for name in ("ada", "bob", "mallory")]
    assert grader.get("/export?name=sums&as=exe").status == 400


def test_a_batch_is_stopped_in_the_middle_of_a_submission_and_no_second_one_begins(
    grader, form, course
):
    folder, book = course
    (folder / "handed-in" / "endless.py").write_text(ENDLESS)
    assert grader.post("/grading", **form, **FORM).status == 303
    second = grader.post("/grading", **form, **FORM)
    assert (second.status, "A batch is being graded" in second.text) == (400, True)
    assert grader.post("/stop").status == 403
    with closing(HTTPConnection("127.0.0.1", grader.at.port, timeout=20)) as connection:
        connection.request("GET", "/progress", headers=grader.headers)
        live, page = connection.getresponse(), b""
        while b'<progress max="5"' not in page:
            page += live.read1()
        assert b"Stopped." not in page
        assert grader.post("/stop", **form).status == 303
        assert b"Stopped." in live.read()
    assert "endless" not in {each.handed.student for each in book.results("sums")}
