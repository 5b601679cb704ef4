"""Whatever students and learning systems make of a notebook is read, or listed with a reason."""

from __future__ import annotations

import io
import json
import tarfile
import unicodedata
from datetime import UTC, datetime
from functools import partial

import pytest

from tapelab.exercises.checks import value
from tapelab.exercises.exercise import Exercise
from tapelab.grading.assignment import Assignment
from tapelab.grading.batch import Batch, Ending
from tapelab.grading.collection import find_submissions, left_out
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.entities import Student
from tapelab.grading.grader import grade
from tapelab.grading.runners import GradingPlan, grade_in_processes
from tapelab.grading.submission import Submission, UnreadableSubmission
from tests.fixtures import cheap_grading
from tests.fixtures.cheap_grading import NAME, hand_in
from tests.grading.corpora import SQUARE, notebook

TEXT = json.dumps(notebook([SQUARE]))


def tarred(path, entries):
    """A tar archive of these names and contents; a link where the content is None."""
    with tarfile.open(path, "w:" + path.suffix[1:].replace("tgz", "gz").replace("tar", "")) as file:
        for name, content in entries:
            entry = tarfile.TarInfo(name)
            if content is None:
                entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
                file.addfile(entry)
            else:
                entry.size = len(content)
                file.addfile(entry, io.BytesIO(content))
    return path


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"])
def test_a_tar_archive_is_read(tmp_path, ending):
    entries = [("./work/ada.ipynb", TEXT.encode()), ("./work/._ada.ipynb", b"fork"),
               ("./data.csv", b"1,2"), (".git/config", b"")]  # fmt: skip
    tarred(tmp_path / f"ada{ending}", entries)
    [found] = find_submissions(tmp_path)
    submission = Submission.read(found.path)
    assert found.student == "ada"
    assert [cell.source for cell in submission.cells] == [SQUARE]
    assert (dict(submission.files), submission.folder) == ({"data.csv": b"1,2"}, "work")


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([("ada.ipynb", None)], "is a link"),
        ([("../ada.ipynb", b"{}")], "leads out"),
        ([("ada.ipynb", bytes((64 << 20) + 1))], "more than 64 MiB"),
    ],
)
def test_a_tar_archive_that_does_harm_is_refused(tmp_path, entries, said):
    with pytest.raises(UnreadableSubmission, match=said):
        Submission.read(tarred(tmp_path / "ada.tar.gz", entries))


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b\x08", b"x" * 1000])
def test_a_damaged_tar_archive_says_what_to_try(tmp_path, content):
    (tmp_path / "ada.tar.gz").write_bytes(content)
    with pytest.raises(UnreadableSubmission, match="as a plain zip"):
        Submission.read(tmp_path / "ada.tar.gz")


@pytest.mark.parametrize(
    ("name", "content", "is_script"),
    [("ada.py.txt", SQUARE, True), ("ada.ipynb.txt", TEXT, False), ("ada.ipynb.json", TEXT, False)],
)
def test_an_ending_that_a_browser_appended_makes_no_difference(tmp_path, name, content, is_script):
    (tmp_path / name).write_text(content)
    [found] = find_submissions(tmp_path)
    submission = Submission.read(found.path)
    assert (found.student, submission.is_script) == ("ada", is_script)
    assert submission.cells[0].source.strip() == SQUARE.strip()


@pytest.mark.parametrize("ending", [".7z", ".rar"])
def test_an_archive_that_is_not_read_is_a_submission_with_a_reason(tmp_path, ending):
    (tmp_path / f"ada{ending}").write_bytes(b"7z")
    [found] = find_submissions(tmp_path)
    with pytest.raises(UnreadableSubmission, match="zip archive"):
        Submission.read(found.path)


def test_two_layouts_of_the_same_files_have_two_digests(tmp_path):
    """Their code finds different files beside it."""
    beside = {"a": ("nb.ipynb", "x/d.csv"), "b": ("x/nb.ipynb", "x/d.csv")}
    digests = set()
    for folder, (name, data) in beside.items():
        for path, content in ((name, TEXT), (data, "1")):
            file = tmp_path / folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        digests.add(Submission.read(tmp_path / folder).digest)
    assert len(digests) == 2


@pytest.mark.slow
def test_data_above_the_folder_of_the_notebook_is_where_it_was(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "data.txt").write_text("2")
    reading = SQUARE.replace("x * x", "x ** int(open('../data.txt').read())")
    (tmp_path / "work" / "nb.ipynb").write_text(json.dumps(notebook([reading])))
    exercise = Exercise("1", "Square", "", (value("Square", 4, 9.0, at=((3.0,),)),))
    assert grade(Submission.read(tmp_path), Assignment.of("layouts", (exercise,))).points == 4


def test_what_is_no_submission_is_listed_with_a_reason(tmp_path):
    (tmp_path / "ada.ipynb").write_text(TEXT)
    for name in ("essay.pdf", "data.csv", "Thumbs.db", ".DS_Store", "course.db"):
        (tmp_path / name).write_text("")
    (tmp_path / "away").symlink_to("/")
    submissions = find_submissions(tmp_path, "{student}.ipynb")
    rest = left_out(tmp_path, submissions, [tmp_path / "course.db"])
    assert {each.path.name: each.why.split()[2] for each in rest} == {
        "essay.pdf": "no", "data.csv": "no", "away": "a",
    }  # fmt: skip
    (tmp_path / "bob").mkdir()
    [other] = [each for each in left_out(tmp_path, submissions) if each.path.name == "bob"]
    assert "does not fit the pattern" in other.why


def test_a_folder_with_a_submission_below_it_is_not_listed(tmp_path):
    (tmp_path / "ada").mkdir()
    hand_in(tmp_path / "ada" / "03", "ada", points=1)
    assert left_out(tmp_path, find_submissions(tmp_path, "{student}/03")) == ()


def test_a_name_in_decomposed_letters_is_the_student_of_the_roster(tmp_path):
    folder = tmp_path / "handed-in"
    hand_in(folder, "zoe", points=1)
    [handed] = folder.iterdir()
    handed.rename(folder / (unicodedata.normalize("NFD", "Zoë\N{NO-BREAK SPACE}Å") + handed.suffix))
    with Gradebook.open(tmp_path / "course.db") as book:
        book.add_students([Student("Zoë Å")])
        book.put_assignment(cheap_grading.load(NAME))
        plan = GradingPlan(cheap_grading.grade, cheap_grading.load, NAME, NAME, "v1")
        runner = partial(grade_in_processes, jobs=1)
        [report] = Batch(book, plan, find_submissions(folder)).run(runner)
        assert (report.student, report.ending) == ("Zoë Å", Ending.GRADED)
        assert [each.login for each in book.students()] == ["Zoë Å"]


def test_a_time_of_receipt_is_found_by_any_spelling_of_a_name(tmp_path):
    (tmp_path / (unicodedata.normalize("NFD", "Zoë") + ".ipynb")).write_text(TEXT)
    when = datetime(2026, 3, 1, tzinfo=UTC)
    [found] = find_submissions(tmp_path, times={"Zoë": when})
    assert found.received == when
