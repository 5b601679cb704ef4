"""`tapelab gradebook publish` puts scores into a platform on this computer, by LTI 1.3."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from grading.formats.lti_platform import TestPlatform

from tapelab.grading.formats.lti import OwnKey
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.entities import Listed, Part, Student
from tests.fixtures.cheap_grading import result

PUBLISH = ("gradebook", "publish", "sums", "--platform", "lms.json", "--key", "key.pem")


@pytest.fixture
def platform(main, tmp_path):
    """A platform that was given our public key, and a course of which two handed something in."""
    output = main("gradebook", "lti-key", "key.pem").stdout
    assert "PRIVATE" not in output
    assert main("gradebook", "lti-key", "key.pem").stdout == output
    assert (tmp_path / "key.pem").stat().st_mode & 0o077 == 0
    with Gradebook.open(tmp_path / "gradebook.db") as book:
        book.put_assignment(Listed("sums", "Sums", "v1", (Part("sums.1", "One", 2),)))
        book.add_students([Student("ada", ids={"lti": "user-7"}), Student("bob"), Student("cy")])
        for student, points in (("ada", 2.0), ("bob", 0.5)):
            book.hand_in(student, "sums", student, datetime(2026, 3, 2, tzinfo=UTC))
            book.record(result(student, student, points))
        book.mark("bob", "sums", -1, exercise="sums.1")
    with TestPlatform(OwnKey.generate(), OwnKey((tmp_path / "key.pem").read_text())) as running:
        described = {
            "client_id": "tool-1", "token_url": f"{running.url}/token",
            "lineitems": f"{running.url}/items",
        }  # fmt: skip
        (tmp_path / "lms.json").write_text(json.dumps(described))
        yield running


def test_scores_arrive_in_a_column_that_is_made_once_and_are_replaced_there(main, platform):
    for _ in range(2):
        assert main(*PUBLISH).stdout == "2 of 2 scores arrived.\n"
    (item,) = platform.items
    assert (item["label"], item["scoreMaximum"], item["resourceId"]) == ("Sums", 2, "sums")
    given = [(score["userId"], score["scoreGiven"]) for _, score in platform.scores]
    assert given == [("user-7", 2), ("bob", 0)] * 2
    assert {path for path, _ in platform.scores} == {"/items/1/scores"}


def test_a_score_that_is_refused_is_said_and_the_others_arrive(main, platform):
    main(*PUBLISH)
    platform.refused = {"user-7"}
    output = main(*PUBLISH, "--column", f"{platform.url}/items/1", code=1)
    assert "ada: The platform refused with 404" in output.stderr
    assert output.stdout == "1 of 2 scores arrived.\n"


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"client_id": "x"}'])
def test_a_file_that_describes_no_platform_is_one_sentence(main, platform, tmp_path, content):
    (tmp_path / "lms.json").write_text(content)
    assert "does not describe a platform" in main(*PUBLISH, code=2).stderr


def test_a_platform_without_lineitems_needs_a_column(main, platform, tmp_path):
    output = json.loads((tmp_path / "lms.json").read_text())
    (tmp_path / "lms.json").write_text(json.dumps(output | {"lineitems": ""}))
    assert "Give its lineitems" in main(*PUBLISH, code=2).stderr
