"""Scores are published from the page to a platform on this computer, over real HTTP."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime
from http.client import HTTPConnection

import pytest
from grading.formats.lti_platform import TestPlatform

from tapelab.grading.formats.lti import OwnKey
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.entities import Listed, Part, Student
from tests.fixtures.cheap_grading import result
from tests.fixtures.taught_course import serving
from tests.grading.server.conftest import Client

FORM = {"name": "sums", "platform": "lms.json", "key": "lti.pem", "column": ""}


@pytest.fixture(scope="module")
def key():
    return OwnKey.generate()


@pytest.fixture
def platform(key):
    with TestPlatform(key, key) as running:
        yield running


@pytest.fixture
def course(tmp_path):
    """A gradebook in which two of three students have a result."""
    with Gradebook.open(tmp_path / "course.db") as book:
        book.put_assignment(Listed("sums", "Sums", "v1", (Part("sums.1", "One", 2),)))
        book.add_students([Student("ada", ids={"lti": "user-7"}), Student("bob"), Student("cy")])
        for student, points in (("ada", 2.0), ("bob", 0.5)):
            book.hand_in(student, "sums", student, datetime(2026, 3, 2, tzinfo=UTC))
            book.record(result(student, student, points))
        yield book


@pytest.fixture
def teacher(course, tmp_path):
    with serving(course, folder=tmp_path) as at:
        yield Client(at).come_in()


def describe(folder, platform, key):
    """Write the files that a teacher puts beside the gradebook."""
    described = {"client_id": "tool-1", "token_url": f"{platform.url}/token",
                 "lineitems": f"{platform.url}/items"}  # fmt: skip
    (folder / "lms.json").write_text(json.dumps(described))
    (folder / "lti.pem").write_text(key.pem)


def form_of(teacher):
    page = teacher.get("/rules?name=sums&counts=best").text
    return {"form": page.partition('name="form" value="')[2].partition('"')[0]}


def test_the_page_says_what_is_missing_and_nothing_below_the_folder_counts(
    teacher, tmp_path, platform, key
):
    (tmp_path / "handed-in").mkdir()
    describe(tmp_path / "handed-in", platform, key)
    (tmp_path / "other.json").write_text("[]")
    page = teacher.get("/publish?name=sums").text
    assert "tapelab gradebook lti-key lti.pem" in page
    assert "lineitems" in page
    assert '<form method="post" action="/publish"' not in page
    for wrong in ("lms.json", "handed-in/lms.json", "../lms.json", "other.json"):
        said = teacher.post("/publish", **form_of(teacher), **(FORM | {"platform": wrong}))
        assert (said.status, "no file of those listed" in said.text) == (400, True)
    assert platform.requests == []


def test_scores_arrive_once_however_often_they_are_sent(teacher, tmp_path, platform, key):
    describe(tmp_path, platform, key)
    page = teacher.get("/publish?name=sums").text
    assert "2 scores go to the gradebook" in page
    assert "1 student has no id of the platform" in page
    assert f"lms.json ({platform.url.removeprefix('http://')})" in page
    assert teacher.post("/publish", **FORM).status == 403
    for _ in range(2):
        sent = teacher.post("/publish", **form_of(teacher), **FORM)
        assert (sent.status, sent.headers["Location"]) == (303, "/published")
        page = teacher.get("/published").text
        assert '<progress max="2" value="2"' in page
        assert "2 of 2 scores arrived." in page
    assert [item["label"] for item in platform.items] == ["Sums"]
    newest = {score["userId"]: score["scoreGiven"] for _, score in platform.scores}
    assert newest == {"user-7": 2, "bob": 0.5}


def test_each_refused_score_is_listed_first_and_the_others_arrive(teacher, tmp_path, platform, key):
    describe(tmp_path, platform, key)
    platform.refused = {"bob"}
    teacher.post("/publish", **form_of(teacher), **FORM)
    page = teacher.get("/published").text
    assert "1 of 2 scores arrived." in page
    assert "The platform refused with 404" in page
    assert page.index("student=bob") < page.index("student=ada")


def test_a_platform_that_refuses_all_is_one_sentence(teacher, tmp_path, platform, key):
    describe(tmp_path, platform, OwnKey.generate())
    teacher.post("/publish", **form_of(teacher), **FORM)
    page = teacher.get("/published").text
    assert "The platform refused with 400" in page
    assert "0 of 2 scores arrived." in page


def test_it_is_stopped_while_the_platform_asks_for_patience_and_no_second_one_begins(
    teacher, tmp_path, platform, key
):
    describe(tmp_path, platform, key)
    platform.answers.extend([(503, {"Retry-After": "60"})] * 9)
    form = form_of(teacher)
    assert teacher.post("/publish", **form, **FORM).status == 303
    second = teacher.post("/publish", **form, **FORM)
    assert (second.status, "Scores are being sent" in second.text) == (400, True)
    with closing(HTTPConnection("127.0.0.1", teacher.at.port, timeout=20)) as connection:
        connection.request("GET", "/published", headers=teacher.headers)
        live, page = connection.getresponse(), b""
        while b'<progress max="2" value="0"' not in page:
            page += live.read1()
        assert teacher.post("/stop-publishing", **form).status == 303
        assert b"Stopped." in live.read()
    assert platform.scores == []
