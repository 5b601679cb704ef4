"""A student reads what public checks found, and nothing of the tests that are hidden or private."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

import tapelab as tf
from tapelab.grading.gradebook import Gradebook, Policy
from tapelab.grading.gradebook.entities import Kind, Listed, Student
from tapelab.grading.reports.feedback import feedback_page, file_name, write_pages
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility
from tapelab.recording import from_bytes, to_bytes
from tapelab.views.svg import svg
from tests.fixtures.cheap_grading import result

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def check(visibility, title, **message):
    return CheckResult(title, "h", title, visibility, 1, 2, Status.PARTIAL, **message)


@pytest.fixture
def tape():
    x = tf.Variable(3.0, name="speed")
    with tf.GradientTape() as tape:
        y = x * x
    return to_bytes(tape.recording(y, x))


@pytest.fixture
def graded():
    checks = (
        check(Visibility.PUBLIC, "open", text="Look <here>", expected="4 & 5", got="6"),
        check(Visibility.HIDDEN, "secret-hidden", text="secret", expected="secret", got="secret"),
        check(Visibility.PRIVATE, "secret-private", text="secret", got="secret", code="secret"),
    )
    return Result("d", "ada", "sums", "v", 1, "s", (ExerciseResult("sums.1", "One", checks),),
                  notes=("Cell 1: line 2: NameError: <x>",))  # fmt: skip


def test_a_public_check_shows_what_it_expected_and_got(graded):
    page = feedback_page(graded)
    assert "Look &lt;here&gt;" in page
    assert "4 &amp; 5" in page


def test_of_a_hidden_check_stands_its_outcome_alone_and_of_a_private_one_nothing(graded):
    page = feedback_page(graded)
    assert page.count("Hidden check 1") == 1
    assert page.count("<li ") == 2
    assert "secret" not in page


def test_open_hints_are_in_it_where_something_is_missing_that_the_student_knows_of(graded):
    [exercise] = graded.exercises
    ladder = {"hints": ("Use `tf.sin`.", "See <b>."), "hint_count": 3}
    page = feedback_page(replace(graded, exercises=(replace(exercise, **ladder),)))
    assert 'Hint 1 of 3: Use <code dir="ltr">tf.sin</code>.' in page
    assert "Hint 2 of 3: See &lt;b&gt;." in page
    private = replace(exercise, checks=exercise.checks[2:], **ladder)
    assert "Hint" not in feedback_page(replace(graded, exercises=(private,)))
    hidden = replace(exercise.checks[1], hint="Look at `x`.")
    advised = replace(exercise, checks=(hidden,))
    page = feedback_page(replace(graded, exercises=(advised,)))
    assert 'Look at <code dir="ltr">x</code>.' in page
    assert "secret" not in page


def test_the_title_names_the_student_as_the_roster_does(graded):
    assert "<title>sums: ada</title>" in feedback_page(graded)
    assert "<title>sums: Ada &lt;3</title>" in feedback_page(graded, name="Ada <3")


def test_a_student_reads_which_cells_stopped_and_why(graded):
    page = feedback_page(graded)
    assert "Cell 1: line 2: NameError: &lt;x&gt;" in page
    assert "stopped with an error" not in feedback_page(replace(graded, notes=()))


def undrawable(tape):
    """A recording whose steps use tensors that it does not have."""
    recording = from_bytes(tape)
    columns = dict(recording.columns)
    columns["event.fields"] = columns["event.fields"] + 1000
    return to_bytes(replace(recording, columns=columns))


def test_a_recording_that_cannot_be_drawn_costs_its_picture_and_nothing_else(graded, tape):
    with pytest.raises(IndexError):
        svg(from_bytes(undrawable(tape)))
    page = feedback_page(graded, {"sums.1": undrawable(tape)})
    assert "The recording cannot be drawn" in page
    assert "Look &lt;here&gt;" in page


def test_the_picture_of_the_recording_is_in_it(graded, tape):
    assert "data:image/svg+xml" in feedback_page(graded, {"sums.1": tape})
    assert "data:image" not in feedback_page(graded, {"sums.2": tape})
    assert "data:image" not in feedback_page(graded, {"sums.1": b"of another kind"})


@pytest.fixture
def book(tmp_path):
    with Gradebook.open(tmp_path / "course.db") as book:
        book.put_assignment(Listed("sums", "Sums", "v1"))
        book.add_students([Student("ada"), Student("../eve"), Student(".._eve")])
        for student in ("ada", "../eve", ".._eve"):
            book.hand_in(student, "sums", student, MONDAY)
            book.record(result(student, student, 2.0))
        yield book


def test_each_student_has_a_page_in_the_folder_and_nowhere_else(book, tmp_path):
    assert write_pages(book, "sums", tmp_path / "pages").startswith("3 pages")
    pages = {path.read_text("utf-8").count("2 of 2") for path in (tmp_path / "pages").iterdir()}
    assert pages == {3}  # of all, of the exercise, of its check
    assert len(list((tmp_path / "pages").glob("*.html"))) == 3
    assert list(tmp_path.glob("*.html")) == []


def test_comments_lateness_and_points_by_hand_are_reported(book, tmp_path):
    book.set_rules("sums", due=MONDAY.replace(day=1), policy=Policy(per_day=25))
    book.mark("ada", "sums", 1, kind=Kind.EXTRA)
    book.comment("ada", "sums", "Well <done>")
    write_pages(book, "sums", tmp_path)
    page = (tmp_path / "ada.html").read_text("utf-8")
    assert "2.5 count · −0.5 for 1.0 days late · 1 extra" in page
    assert "Well &lt;done&gt;" in page


@pytest.mark.parametrize("name", ["ada", "Zoë Å", "a@b.org"])
def test_a_plain_name_names_its_file(name):
    assert file_name(name) == name


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "..", ".", "a\\b", "con:1"])
def test_another_name_leads_nowhere(name):
    assert not set("/\\:") & set(file_name(name))
    assert file_name(name).strip(".")


def test_a_recording_of_hidden_inputs_is_not_kept_for_pictures(monkeypatch):
    from tapelab.grading import grader

    class FakeAnswer:
        def __init__(self):
            self.trials = ()

    def check_result(check, key, version, answer):
        answer.trials += (type("Trial", (), {"recording": check.title})(),)

    monkeypatch.setattr(grader, "check_result", check_result)
    checks = [replace(check(v, v.value), key=v.value) for v in Visibility]
    exercise = type("Exercise", (), {"id": "sums.1", "checks": checks})()
    assignment = type("A", (), {"keys": lambda self, _: [(c.key, "v") for c in checks]})()
    kept = []

    def keep(exercise, recording):
        kept.append(recording)

    list(grader._run_checks(exercise, assignment, {}, FakeAnswer(), keep, {}, None))
    assert kept == ["public"]
