"""A batch grades what has no result, keeps each result at once, and may end at any moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import text

from tapelab.grading.batch import Batch, Ending, Regrade
from tapelab.grading.collection import find_submissions
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.claims import new_holder
from tapelab.grading.gradebook.entities import Listed, Student
from tapelab.grading.runners import GradingPlan, grade_in_processes
from tapelab.grading.submission import Submission
from tests.fixtures import cheap_grading
from tests.fixtures.cheap_grading import NAME, hand_in

TWO = partial(grade_in_processes, jobs=2)
CHECKOUT = Path(__file__).parents[2]
GRADER = """
import sys, functools
from pathlib import Path
from tapelab.grading.batch import Batch
from tapelab.grading.collection import find_submissions
from tapelab.grading.runners import GradingPlan, grade_in_processes
from tapelab.grading.gradebook import Gradebook
from tests.fixtures import cheap_grading as cheap

place, folder, jobs = sys.argv[1:]
runner = functools.partial(grade_in_processes, jobs=int(jobs))
with Gradebook.open(place) as book:
    assignment = cheap.load(cheap.NAME)
    book.put_assignment(assignment)
    work = GradingPlan(cheap.grade, cheap.load, cheap.NAME, assignment.name, assignment.version)
    try:
        for report in Batch(book, work, find_submissions(Path(folder))).run(runner):
            print(report.ending, flush=True)
    except KeyboardInterrupt:
        sys.exit("stopped")
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "submissions"


def run(book, folder, runner=grade_in_processes, *, version="v1", pattern="{student}", **options):
    book.put_assignment(Listed(NAME, "Sums", version))
    load = partial(cheap_grading.versioned, version=version)
    work = GradingPlan(cheap_grading.grade, load, NAME, NAME, version)
    return list(Batch(book, work, find_submissions(folder, pattern), **options).run(runner))


def endings(reports):
    return Counter(str(report.ending) for report in reports)


def points(book):
    return {each.handed.student: each.result.points for each in book.results(NAME)}


@pytest.mark.slow
@pytest.mark.parametrize("runner", [grade_in_processes, TWO])
def test_every_submission_is_graded_and_a_failing_one_is_a_row_of_its_own(book, folder, runner):
    for number in range(4):
        hand_in(folder, f"s{number}", points=number / 2)
    hand_in(folder, "raises", raises="oh")
    (folder / "broken.ipynb").write_text("{")
    reports = run(book, folder, runner)
    assert endings(reports) == {"graded": 4, "failed": 1, "unreadable": 1}
    assert points(book) == {"s0": 0, "s1": 0.5, "s2": 1, "s3": 1.5}
    codes = {each.student: book.code(NAME, each.digest) for each in book.submissions(NAME)}
    assert codes["s2"] == ("student = 's2'\npoints = 1.0",)
    assert codes["broken"] == ()
    why = {each.handed.student: each.why for each in book.failures(NAME)}
    assert why.keys() == {"raises", "broken"}
    assert why["raises"] == "ValueError: oh"


@pytest.mark.slow
def test_what_has_a_result_is_not_graded_again_and_what_failed_is(book, folder):
    hand_in(folder, "ada", points=1)
    hand_in(folder, "bob", raises="oh")
    run(book, folder)
    assert endings(run(book, folder)) == {"known": 1, "failed": 1}
    assert len(book.failures(NAME)) == 1


@pytest.mark.slow
def test_a_new_version_is_graded_again_and_says_what_changed(book, folder):
    hand_in(folder, "ada", points=1)
    run(book, folder)
    (report,) = run(book, folder, version="v2", regrade=Regrade.CHANGED)
    assert [(c.student, c.before, c.after) for c in report.changes] == [("ada", 1.0, 2.0)]
    assert endings(run(book, folder, version="v2", regrade=Regrade.CHANGED)) == {"known": 1}
    assert endings(run(book, folder, version="v2", regrade=Regrade.ALL)) == {"graded": 1}


def test_the_same_files_of_two_students_are_graded_once(book, folder, tmp_path):
    for name in ("ada", "bob"):
        (folder / name).mkdir(parents=True)
        (folder / name / "x.py").write_text("points = 1.5")
    requests = tmp_path / "requests"
    reports = run(book, folder, lambda tasks, work: counted(tasks, work, requests))
    assert endings(reports) in ({"graded": 2}, {"graded": 1, "known": 1})
    assert requests.read_text() == "."
    assert points(book) == {"ada": 1.5, "bob": 1.5}


def counted(tasks, work, requests):
    for task in tasks:
        with requests.open("a") as file:
            file.write(".")
        yield work(task, str)


@pytest.mark.slow
def test_a_stranger_is_reported_and_the_others_are_graded(book, folder):
    book.add_student(Student("ada"))
    hand_in(folder, "ada", points=1)
    hand_in(folder, "eve", points=2)
    reports = {report.student: report for report in run(book, folder)}
    assert reports["eve"].ending is Ending.STRANGER
    assert "no student 'eve'" in reports["eve"].why
    assert endings(run(book, folder, add_students=True)) == {"known": 1, "graded": 1}


def test_a_name_that_is_none_does_not_end_the_batch(book, folder):
    hand_in(folder, "ada", points=1)
    (folder / "a\nb.py").write_text("points = 2")
    assert endings(run(book, folder)) == {"graded": 1, "stranger": 1}


def test_two_attempts_are_two_submissions(book, folder):
    hand_in(folder, "ada_1", points=1)
    hand_in(folder, "ada_2", points=2)
    run(book, folder, pattern="{student}_*")
    (grade,) = book.grades(NAME)
    assert (grade.student, grade.attempts, grade.final) == ("ada", 2, 2)


@pytest.mark.slow
def test_a_process_that_dies_is_replaced_and_its_task_tried_again(book, folder, tmp_path):
    for number in range(3):
        hand_in(folder, f"s{number}", points=1)
    hand_in(folder, "once", points=2, dies_once=tmp_path / "mark")
    hand_in(folder, "always", dies="yes")
    assert endings(run(book, folder, TWO)) == {"graded": 4, "failed": 1}
    assert points(book)["once"] == 2
    (failure,) = book.failures(NAME)
    assert failure.why == "The process that graded it ended with 9, twice."


@pytest.mark.slow
def test_a_process_with_another_version_grades_nothing(book, folder, monkeypatch):
    hand_in(folder, "ada", points=1)
    book.put_assignment(Listed(NAME, "Sums", "v1"))
    monkeypatch.setenv("CHEAP_VERSION", "v7")
    work = GradingPlan(cheap_grading.grade, cheap_grading.load, NAME, NAME, "v1")
    (report,) = Batch(book, work, find_submissions(folder)).run(TWO)
    assert "another version of sums (v7, not v1)" in report.why


@pytest.mark.slow
def test_a_result_of_something_else_is_no_result(book, folder):
    hand_in(folder, "ada", points=1)
    book.put_assignment(Listed(NAME, "Sums", "v1"))
    grade = cheap_grading.grade_something_else
    work = GradingPlan(grade, cheap_grading.load, NAME, NAME, "v1")
    (report,) = Batch(book, work, find_submissions(folder)).run(grade_in_processes)
    assert report.ending is Ending.FAILED
    assert "something else" in report.why


@pytest.mark.slow
def test_a_connection_lost_in_the_middle_of_a_batch_costs_nothing(new_database, folder):
    for number in range(12):
        hand_in(folder, f"s{number:02}", points=1)
    with Gradebook.open(new_database) as book, Gradebook.open(new_database) as other:
        book.put_assignment(Listed(NAME, "Sums", "v1"))
        work = GradingPlan(cheap_grading.grade, cheap_grading.load, NAME, NAME, "v1")
        for number, _report in enumerate(
            Batch(book, work, find_submissions(folder)).run(grade_in_processes)
        ):
            if number % 3 == 0:
                end_all_but(other)
        assert set(points(book).values()) == {1}
        assert lines_of_results(book) == {f"sums/s{number:02}": 1 for number in range(12)}


def end_all_but(book):
    ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    with book._engine.begin() as connection:
        connection.execute(text(f"{ended} AND datname = current_database()"))


def lines_of_results(book):
    return Counter(event.about for event in book.history("sums/") if event.what == "result")


def start(place, folder, jobs):
    return subprocess.Popen(
        [sys.executable, "-c", GRADER, str(place), str(folder), str(jobs)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=CHECKOUT,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_it_and_keeps_what_was_graded(book, place, folder):
    for number in range(30):
        hand_in(folder, f"s{number:02}", points=1, sleep=0.02)
    with start(place, folder, 2) as grader:
        assert grader.stdout.readline() == "graded\n"
        grader.send_signal(signal.SIGINT)
        message, complaints = grader.communicate()
    assert complaints == "stopped\n"
    kept = len(points(book))
    assert 1 + message.count("graded") <= kept < 30
    assert endings(run(book, folder)) == {"known": kept, "graded": 30 - kept}
    assert set(lines_of_results(book).values()) == {1}


@pytest.mark.slow
def test_two_graders_of_one_gradebook_grade_each_submission_once(place, folder, tmp_path):
    log = tmp_path / "log"
    for number in range(24):
        hand_in(folder, f"s{number:02}", points=1, sleep=0.05, log=log)
    Gradebook.open(place).close()
    graders = [start(place, folder, 1) for _ in range(2)]
    said = [grader.communicate(timeout=60) for grader in graders]
    assert [grader.returncode for grader in graders] == [0, 0], said
    assert Counter(log.read_text().split()) == {f"s{number:02}": 1 for number in range(24)}
    assert all(out.count("graded") > 0 for out, _ in said)
    assert sum(out.count("graded") for out, _ in said) == 24
    assert [len(out.splitlines()) for out, _ in said] == [24, 24]


def test_what_another_grader_works_on_is_reported_when_it_is_done(book, folder, monkeypatch):
    """Its result is not computed twice; where its claim ends without one, this grader goes on."""
    for student in ("ada", "bob", "eve"):
        hand_in(folder, student, points=1)
    book.add_students([Student("ada"), Student("bob"), Student("eve")])
    digests = {s: Submission.read(folder / f"{s}.py", s).digest for s in ("ada", "bob", "eve")}
    other, since = new_holder(), datetime.now(UTC)
    book.put_assignment(Listed(NAME, "Sums", "v1"))
    for digest in digests.values():
        book.claim(NAME, digest, "v1", other, since=since)
    work = iter([
        lambda: book.record(cheap_grading.result(digests["ada"], "ada", 2.0)),
        lambda: book.fail(NAME, digests["bob"], "v1", "the other one said so"),
        lambda: book.release_claims(other),
    ])  # fmt: skip
    monkeypatch.setattr("tapelab.grading.batch.time.sleep", lambda seconds: next(work)())
    reports = [(each.student, str(each.ending), each.why) for each in run(book, folder)]
    assert reports == [
        ("ada", "known", ""), ("bob", "failed", "the other one said so"), ("eve", "graded", ""),
    ]  # fmt: skip
    assert points(book) == {"ada": 2.0, "eve": 1.0}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "jobs", "kills"),
    [("sqlite", 1, 8), ("sqlite", 2, 6), ("postgresql", 2, 6)],  # twenty in all
    indirect=["place"],
)
def test_a_grader_killed_at_random_moments_leaves_the_gradebook_of_one_that_was_not(
    place, tmp_path, folder, jobs, kills
):
    random, count = Random(jobs), 60
    for number in range(count):
        hand_in(folder, f"s{number:02}", points=number % 5 / 2, sleep=0.005)
    for _ in range(kills):
        with start(place, folder, jobs) as grader:
            for _ in range(random.randint(1, 4)):
                while grader.stdout.readline() == "known\n":
                    pass
            time.sleep(random.uniform(0, 0.02))
            grader.kill()
            orphans_end(grader)
    with Gradebook.open(place) as book, Gradebook.open(tmp_path / "calm.db") as calm:
        before = len(points(book))
        assert 0 < before < count
        assert endings(run(book, folder)) == {"known": before, "graded": count - before}
        run(calm, folder)
        assert book.results(NAME) != ()
        assert [r.result for r in book.results(NAME)] == [r.result for r in calm.results(NAME)]
        assert book.grades(NAME) == calm.grades(NAME)
        assert lines_of_results(book) == lines_of_results(calm)


def orphans_end(grader):
    """Its processes write nothing, but they must not stay: their end of its pipe is closed."""
    grader.communicate(timeout=20)
