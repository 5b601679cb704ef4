"""Submissions are found in the layouts that course systems leave, whatever students put there."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime

import pytest

from tapelab.grading.collection import PatternError, find_submissions, read_receipt_times
from tapelab.grading.formats.csv_tables import UnreadableFormat
from tapelab.grading.submission import Submission, UnreadableSubmission


@pytest.fixture
def make_files(tmp_path):
    def make(*names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        return tmp_path

    return make


@pytest.mark.parametrize(
    ("pattern", "names", "whose"),
    [
        ("{student}", ["ada.ipynb", "bob/03.ipynb", "eve.py", "zoe.zip"], "ada bob eve zoe"),
        ("{student}", ["Zoë Ångström.ipynb", "j.r.r.ipynb"], "Zoë Ångström|j.r.r"),
        ("{student}", ["ada.txt", ".hidden.ipynb", "__MACOSX/x.ipynb", "grades.csv"], ""),
        ("{student}/03", ["ada/03/x.ipynb", "ada/04/x.ipynb", "bob/04/x.ipynb"], "ada"),
        ("{student}/*.ipynb", ["ada/x.ipynb", "bob/y.ipynb", "bob/notes.txt"], "ada bob"),
        ("{student}_*_assignsubmission_file", ["Ada L_123_assignsubmission_file/x.ipynb"], "Ada L"),
        ("{student}_*", ["lovelaceada_LATE_12_34_03.ipynb"], "lovelaceada"),
        ("hw-{student}.ipynb", ["hw-ada.ipynb", "hw-bob.py", "eve.ipynb"], "ada"),
    ],
)
def test_the_pattern_says_whose_a_submission_is(make_files, pattern, names, whose):
    expected = whose.split("|") if "|" in whose or " L" in whose else whose.split()
    assert sorted(each.student for each in find_submissions(make_files(*names), pattern)) == sorted(
        expected
    )


@pytest.mark.parametrize("pattern", ["*.ipynb", "{student}/{student}", ""])
def test_a_pattern_without_a_student_is_refused(tmp_path, pattern):
    with pytest.raises(PatternError, match=r"name \{student\} once"):
        find_submissions(tmp_path, pattern)


def test_it_came_when_its_newest_file_was_written(make_files):
    place = make_files("ada/x.ipynb", "ada/y.csv")
    os.utime(place / "ada/x.ipynb", (5, 5))
    os.utime(place / "ada/y.csv", (9, 9))
    assert find_submissions(place)[0].received == datetime.fromtimestamp(9, UTC)


@pytest.mark.parametrize("pattern", ["{student}/03", "{student}/03/*.ipynb", "{student}"])
def test_what_a_submission_says_of_its_time_is_not_read(make_files, pattern):
    place = make_files("ada/03/x.ipynb", "ada/03/timestamp.txt", "ada/timestamp.txt")
    for name in ("ada/03", "ada"):
        (place / name / "timestamp.txt").write_text("2001-03-01 12:00:00.5 UTC\n")
    for file in place.rglob("*.*"):
        os.utime(file, (2_000_000_000, 2_000_000_000))
    (one,) = find_submissions(place, pattern)
    assert one.received == datetime.fromtimestamp(2_000_000_000, UTC)


def test_the_learning_system_says_when_work_arrived(make_files, tmp_path):
    place = make_files("in/ada.ipynb", "in/bob.ipynb") / "in"
    os.utime(place / "bob.ipynb", (9, 9))
    table = tmp_path / "times.csv"
    table.write_text("login,received\nada,2026-03-01T12:00\nada,2026-03-02T12:00+02:00\n")
    ada, bob = find_submissions(place, times=read_receipt_times(table))
    assert ada.received == datetime(2026, 3, 2, 10, tzinfo=UTC)
    assert bob.received == datetime.fromtimestamp(9, UTC)


@pytest.mark.parametrize("text", ["login,when\nada,2026-03-01\n", "login,received\nada,soon\n"])
def test_a_table_of_times_that_cannot_be_read_is_refused_with_its_line(tmp_path, text):
    (tmp_path / "times.csv").write_text(text)
    with pytest.raises(UnreadableFormat, match=r"line 2: .*login and received"):
        read_receipt_times(tmp_path / "times.csv")


def collected(place, pattern="{student}"):
    """The submissions that can be read, and why the others cannot."""
    cells, why = {}, {}
    for each in find_submissions(place, pattern):
        try:
            cells[each.student] = Submission.read(each.path).cells[0].source
        except UnreadableSubmission as error:
            why[each.student] = str(error)
    return cells, why


@pytest.fixture
def class_of_two(make_files):
    """Honest work of Ada and Zoe; what a test adds stands between them."""
    place = make_files("ada/x.py", "zoe/x.py")
    for name in ("ada", "zoe"):
        (place / name / "x.py").write_text(f"name = {name!r}")
    return place


HONEST = {"ada": "name = 'ada'", "zoe": "name = 'zoe'"}


@pytest.mark.parametrize("seconds", [-(2**40), 2**40, 2**62])
def test_a_date_out_of_range_ends_nothing(class_of_two, seconds):
    try:
        os.utime(class_of_two / "ada/x.py", (seconds, seconds))
    except OverflowError:
        pytest.skip("This file system has no such dates.")
    assert collected(class_of_two) == (HONEST, {})


@pytest.mark.parametrize("text", ["99999-01-01 00:00:00 UTC", "0001-01-01 00:00:00 +2359", "\0"])
def test_a_timestamp_out_of_range_ends_nothing(class_of_two, text):
    (class_of_two / "ada" / "timestamp.txt").write_text(text)
    assert collected(class_of_two) == (HONEST, {})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
@pytest.mark.parametrize("name", ["timestamp.txt", "x.py", "data.csv"])
def test_nobody_waits_for_a_pipe(class_of_two, name):
    (class_of_two / "eve").mkdir()
    os.mkfifo(class_of_two / "eve" / name)
    cells, why = collected(class_of_two)
    assert cells == HONEST
    assert f"{name} is no file" in why["eve"]


@pytest.mark.parametrize("target", ["/dev/zero", "/etc/passwd", "/", "nowhere", "../ada/x.py"])
@pytest.mark.parametrize("name", ["timestamp.txt", "x.py", "folder"])
def test_a_link_inside_a_submission_is_not_followed(class_of_two, name, target):
    (class_of_two / "eve").mkdir()
    (class_of_two / "eve" / name).symlink_to(target)
    cells, why = collected(class_of_two)
    assert cells == HONEST
    assert f"{name} is a link" in why["eve"]


@pytest.mark.parametrize("pattern", ["{student}/*", "{student}/*.py"])
def test_a_folder_that_is_a_link_is_not_entered(class_of_two, pattern):
    (class_of_two / "eve").symlink_to(class_of_two / "ada")
    assert collected(class_of_two, pattern) == (HONEST, {})


@pytest.fixture(params=[("deep",) * 1000, ("d" * 200,) * 40], ids=["1000 folders", "long names"])
def nested(request, class_of_two):
    """Work of Eve below so many folders; they are taken away, which few programs can do."""
    place = os.open(class_of_two, os.O_RDONLY)
    for name in ("eve", *request.param):
        os.mkdir(name, dir_fd=place)
        inner = os.open(name, os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(os.open("x.py", os.O_CREAT | os.O_WRONLY, dir_fd=place))
    os.close(place)
    yield
    subprocess.run(["rm", "-r", str(class_of_two / "eve")], check=True)


@pytest.mark.usefixtures("nested")
def test_folders_nested_too_deeply_end_nothing(class_of_two):
    cells, why = collected(class_of_two)
    assert cells == HONEST
    assert why.keys() == {"eve"}


def test_a_folder_of_too_many_entries_ends_nothing(class_of_two):
    for number in range(101):
        for nth in range(100):
            (class_of_two / "eve" / str(number) / str(nth)).mkdir(parents=True)
    cells, why = collected(class_of_two)
    assert cells == HONEST
    assert "more than 10000 entries" in why["eve"]
