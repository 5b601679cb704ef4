"""The pages show a gradebook as it is, whatever students are called, and change it by forms."""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import suppress
from html import escape
from urllib.parse import quote

import pytest
from sqlalchemy import text

from tapelab.grading.gradebook import Gradebook
from tests.fixtures.taught_course import DOTS, SCRIPT

EVERY_PAGE = [
    "/", "/roster", "/assignment?name=03", "/assignment?name=04", "/report?name=03",
    "/rules?name=03",
    f"/submission?assignment=03&student={quote(SCRIPT)}",
    f"/feedback?assignment=03&student={quote(SCRIPT)}",
]  # fmt: skip


LANGUAGES = {
    "he-IL,en;q=0.5": ('<html lang="he" dir="rtl">', "מטלות"),
    "fr, zh-TW;q=0.9": ('<html lang="zh-CN" dir="ltr">', "作业"),
    "fr": ('<html lang="en" dir="ltr">', "Assignments"),
    "he;q=0, *": ('<html lang="en" dir="ltr">', "Assignments"),
    ";;q=x,,": ('<html lang="en" dir="ltr">', "Assignments"),
}
"""By what a browser accepts, how pages begin and what they call assignments."""


def submission(client, student, assignment="03"):
    return client.get(f"/submission?assignment={assignment}&student={quote(student)}").text


@pytest.mark.parametrize("path", EVERY_PAGE)
def test_no_page_holds_a_script_and_each_forbids_them(teacher, path):
    said = teacher.get(path)
    assert said.status == 200
    assert "<script" not in said.text
    assert "default-src 'none'" in said.headers["Content-Security-Policy"]
    assert "script-src" not in said.headers["Content-Security-Policy"]
    assert said.headers["X-Content-Type-Options"] == "nosniff"
    assert said.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("accepted", "data"), LANGUAGES.items())
def test_a_page_speaks_the_language_of_its_browser(teacher, accepted, data):
    page = teacher.get("/", **{"Accept-Language": accepted}).text
    assert all(each in page for each in data)
    assert "<h1>Assignments</h1>" in teacher.get("/").text


@pytest.mark.parametrize("path", EVERY_PAGE)
def test_every_page_can_be_read_in_another_language(teacher, path):
    said = teacher.get(path, **{"Accept-Language": "he"})
    assert said.status == 200
    assert '<html lang="he" dir="rtl">' in said.text
    assert "{" not in re.sub("<style>.*?</style>|<td[^>]*>.*?</td>", "", said.text, flags=re.DOTALL)


def test_only_the_explorer_runs_scripts_in_a_sandbox_that_reaches_nothing(teacher):
    said = teacher.get("/explorer?assignment=03&attempt=digest-0&exercise=03.1")
    policy = said.headers["Content-Security-Policy"]
    assert "sandbox allow-scripts" in policy
    assert "allow-same-origin" not in policy
    assert "connect-src" not in policy
    assert "tapelab-recording" in said.text


def test_the_overview_says_how_far_each_assignment_is(teacher):
    page = teacher.get("/").text
    assert "1 without a result" in page
    assert "nothing handed in" in page
    assert "4 of 5" in page


def test_the_table_of_an_assignment_is_sorted_as_requested(teacher):
    def order(query):
        page = teacher.get(f"/assignment?name=03{query}").text
        return sorted(("ada", "bob", escape(SCRIPT)), key=lambda each: page.index(f"<bdi>{each}"))

    assert order("") == [escape(SCRIPT), "ada", "bob"]
    assert order("&sort=student&order=down") == ["bob", "ada", escape(SCRIPT)]
    assert order("&sort=points&order=down")[0] == "ada"
    assert order("&sort=03.1:1&order=down") == ["ada", escape(SCRIPT), "bob"]
    assert order("&sort=../../etc/passwd") == order("")


def test_a_check_says_what_it_found_and_which_pitfall_the_class_fell_into(teacher):
    assert "outside-tape ×2" in teacher.get("/assignment?name=03").text
    page = submission(teacher, "ada")
    for data in ("The value is right", "hidden", "private", "outside-tape", "Cell 3 printed."):
        assert data in page


def test_a_submission_shows_its_code_and_a_broken_one_the_cell_and_line_where_it_stopped(teacher):
    page = submission(teacher, "ada")
    assert escape('@tf.exercise("03.1")') in page
    assert f"# &lt;/code&gt;{escape(SCRIPT)}" in page
    assert "Handed in on" in page
    assert "cells stopped" not in page
    broken = submission(teacher, SCRIPT)
    assert "2 cells stopped" in broken
    assert '<a href="#cell-3">Cell 3, line 1</a>: <bdi dir="ltr">SyntaxError: ' in broken
    assert '<a href="#cell-4">Cell 4, line 3</a>' in broken
    assert broken.count('<mark class="line">') == 2


def test_a_student_whom_no_path_may_stand_for_has_a_page(teacher):
    assert "The value is right" in submission(teacher, DOTS)


def test_an_attempt_that_could_not_be_graded_says_why(teacher):
    said = teacher.get("/submission?assignment=03&student=ada&attempt=broken")
    assert "cut off at byte 7" in said.text
    assert teacher.get("/feedback?assignment=03&student=ada&attempt=broken").status == 404


@pytest.mark.parametrize("path", [
    "/nowhere", "/assignment?name=zz", "/submission?assignment=03&student=unknown",
    "/submission?assignment=03&student=ada&attempt=other", "/style.css/../pages.py",
    "/%2e%2e/%2e%2e/etc/passwd", "/templates/layout.html", "/feedback?assignment=03&student=bob",
    "/explorer?assignment=03&attempt=digest-0&exercise=03.9",
])  # fmt: skip
def test_what_is_not_there_is_said_and_no_path_reaches_a_file(teacher, path):
    said = teacher.get(path)
    assert said.status == 404
    assert "That did not work" in said.text


def test_tables_are_saved_for_spreadsheets_and_programs(teacher):
    said = teacher.get("/grades?name=03")
    rows = list(csv.DictReader(io.StringIO(said.text.lstrip("\ufeff"))))
    assert {row["student"]: row["03.1 The value is right"] for row in rows}[DOTS] == "4"
    assert said.headers["Content-Disposition"] == 'attachment; filename="03.csv"'
    data = json.loads(teacher.get("/grades?name=03&as=json").text)
    assert {each["student"]: each["final"] for each in data}[DOTS] == 6
    assert len(json.loads(teacher.get("/grades?as=json").text)) == 5


def mark(client, student, points, **more):
    fields = {"form": client.form_token(), "assignment": "03", "student": student, "exercise": "",
              "kind": "points", "points": points, "comment": ""}  # fmt: skip
    return client.post("/mark", **(fields | more))


def test_points_by_hand_are_kept_shown_and_taken_back_with_a_history_of_both(teacher, book):
    said = mark(teacher, "ada", "5,5", exercise="03.1", comment=f"fine 好 {SCRIPT}")
    assert said.status == 303
    page = teacher.get(said.headers["Location"]).text
    assert "The points are noted." in page
    assert f"fine 好 {escape(SCRIPT)}" in page
    assert escape('{"comment": "fine 好') in page  # in the history
    (kept,) = [each for each in book.marks("03") if each.student == "ada"]
    assert (kept.points, kept.exercise, kept.by) == (5.5, "03.1", "grace")
    back = {"form": teacher.form_token(), "assignment": "03", "student": "ada",
            "exercise": "03.1", "kind": "points"}  # fmt: skip
    assert teacher.post("/unmark", **back).status == 303
    assert not book.marks("03")
    assert [each.what for each in book.history("03/ada/03.1")] == ["mark: points", "unmark: points"]
    assert "unmark: points" in submission(teacher, "ada")


def test_a_comment_stands_on_the_page_and_on_what_the_student_reads(teacher):
    form = {"form": teacher.form_token(), "assignment": "03", "student": DOTS, "exercise": ""}
    assert teacher.post("/comment", **form, text="Come <b>and</b> see").status == 303
    for page in ("submission", "feedback"):
        said = teacher.get(f"/{page}?assignment=03&student=..").text
        assert "Come &lt;b&gt;and&lt;/b&gt; see" in said


@pytest.mark.parametrize("token", ["", "x"])
def test_a_form_from_elsewhere_changes_nothing(teacher, book, token):
    said = mark(teacher, "bob", "9", form=token)
    assert said.status == 403
    assert "nothing was changed" in said.text
    assert not [each for each in book.marks("03") if each.student == "bob"]


def test_a_form_with_the_token_is_refused_where_another_site_sends_it(teacher, at):
    ours = {"Origin": f"http://127.0.0.1:{at.port}", "Host": f"127.0.0.1:{at.port}"}
    fields = {"form": teacher.form_token(), "assignment": "03", "student": "bob",
              "exercise": "", "kind": "points"}  # fmt: skip
    for origin in ("http://evil.example", "null"):
        assert teacher.post("/unmark", ours | {"Origin": origin}, **fields).status == 403
    assert teacher.post("/unmark", ours, **fields).status == 303


@pytest.mark.parametrize(("more", "why"), [
    ({"points": "many"}, "no number of points"), ({"points": "nan"}, "no number of points"),
    ({"kind": "more"}, "no kind of mark"),
])  # fmt: skip
def test_what_cannot_be_meant_is_said_and_what_was_typed_is_kept(teacher, more, why):
    said = mark(teacher, "bob", **({"points": "1", "comment": "a long reason"} | more))
    assert said.status == 400
    assert why in said.text
    assert 'value="a long reason"' in said.text


def test_a_mark_for_an_exercise_that_is_not_there_names_those_that_are(teacher):
    said = mark(teacher, "bob", "1", exercise="03.9")
    assert said.status == 404
    assert "03.1" in said.text


def test_while_somebody_else_writes_the_page_says_so_and_what_was_typed_can_be_sent_again(
    teacher, book
):
    assert mark(teacher, "bob", "1").status == 303
    place = book._engine.url.render_as_string(hide_password=False)
    with Gradebook.open(place) as other, other._writing() as session:
        session.execute(text("UPDATE mark SET comment = 'mine'"))
        said = mark(teacher, "bob", "2", comment="kept while waiting")
        assert teacher.get("/roster").status == 200  # reading goes on
    assert said.status == 503
    assert "being written by somebody else" in said.text
    assert "kept while waiting" in said.text
    assert mark(teacher, "bob", "2").status == 303


def test_only_forms_change_and_forms_are_not_read(teacher):
    assert teacher.get("/mark").status == 405
    assert teacher.ask("PUT", "/mark").status == 405
    assert teacher.post("/roster", form=teacher.form_token()).status == 405


def test_a_form_that_is_too_large_is_refused(teacher, book):
    with suppress(ConnectionError):  # we are still sending when it hangs up
        assert mark(teacher, "מרים", "1", comment="x" * 2_000_000).status in (400, 413)
    assert "מרים" not in {each.student for each in book.marks("03")}
