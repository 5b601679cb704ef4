"""The judge: whatever it reads, its limits hold, and the class is graded."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tapelab.grading.assignment import Assignment
from tapelab.grading.batch import Batch
from tapelab.grading.collection import find_submissions
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.entities import Listed
from tapelab.grading.grader import grade
from tapelab.grading.judge import Judge, JudgeEnded, JudgeLimits, trusted_path
from tapelab.grading.reader import Reader
from tapelab.grading.result import Status
from tapelab.grading.runners import GradingPlan, Task, grade_in_judge, grade_in_processes
from tapelab.grading.sandbox import NoSandboxError, choose_sandbox
from tapelab.grading.sandbox.backends import start_sandbox
from tapelab.grading.submission import Submission, UnreadableSubmission
from tests.fixtures import cheap_grading
from tests.fixtures.cheap_grading import NAME, hand_in

CHECKOUT = Path(__file__).parents[2]
LIMITS = JudgeLimits(cpu=2, wall=20.0, memory=128 << 20, output=1 << 20)
ENDINGS = {
    "cpu": "it needed more than 2 s of computing",
    "clock": "it took longer than 20 s",
    "memory": "it needed more than 128 MiB",
    "output": "its reply has over 1048576 bytes",
    "crash": "was ended by SIGSEGV",
}


@pytest.fixture
def judge():
    judge = Judge(LIMITS)
    yield judge
    judge.end()


def reply_to(judge, request):
    judge.send(request)
    return judge.receive()


@pytest.mark.slow
@pytest.mark.parametrize("hog", ENDINGS)
def test_each_limit_ends_the_judge_with_its_name(judge, hog):
    if hog == "clock":
        judge = Judge(JudgeLimits(wall=20.0 / 10))
    with pytest.raises(JudgeEnded) as ended:
        reply_to(judge, partial(cheap_grading.hog, hog))
    assert ended.value.caused
    assert str(ended.value) == ENDINGS[hog].replace("20 s", "2 s")


def test_each_request_has_a_process_and_all_of_its_time(judge):
    numbers = {reply_to(judge, cheap_grading.half_of_the_time) for _ in range(3)}
    assert len(numbers) == 3


def test_nothing_that_a_request_leaves_reaches_the_next():
    judge = Judge(JudgeLimits(cpu=20, wall=60.0, memory=440 << 20))
    try:
        # Otherwise nothing would follow from finding nothing.
        assert all(reply_to(judge, cheap_grading.leave_traces_twice).values())
        for _ in range(3):  # each takes more than a third of the memory
            assert not any(reply_to(judge, cheap_grading.leave_traces).values())
    finally:
        judge.end()


def test_the_sandbox_is_started_once_for_all_judges_and_again_where_it_was_killed():
    try:
        choose_sandbox()
    except NoSandboxError as error:
        pytest.skip(str(error))
    judge = Judge(prepare=start_sandbox)
    try:
        first, second = (reply_to(judge, cheap_grading.sandbox_server) for _ in range(2))
        assert first == second
        server = os.pidfd_open(first)
        signal.pidfd_send_signal(server, signal.SIGKILL)
        assert select.select([server], [], [], 20.0)[0]
        os.close(server)
        # The next judge may have been forked before, and then starts one for itself.
        _, third, fourth = (reply_to(judge, cheap_grading.sandbox_server) for _ in range(3))
        assert third == fourth != first
    finally:
        judge.end()


def test_a_judge_that_is_killed_says_that_nobody_caused_it(judge):
    judge.send(partial(cheap_grading.hog, "killed"))
    with pytest.raises(JudgeEnded, match="was ended by SIGKILL") as ended:
        judge.receive()
    assert not ended.value.caused


def test_no_file_of_a_judge_is_left(judge, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    other = Judge(LIMITS)
    folder = Path(reply_to(other, cheap_grading.scratch_folder))
    assert folder.parents[2] == tmp_path
    other.end()
    assert list(tmp_path.iterdir()) == []


def plan_with(limits):
    return GradingPlan(cheap_grading.grade, cheap_grading.load, NAME, NAME, "v1", limits=limits)


def in_judges_of_a_thread(tasks, plan):
    """Grade as a worker of Dask does."""
    for task in tasks:
        yield grade_in_judge(plan, task)


RUNNERS = {
    "one job": grade_in_processes, "two jobs": partial(grade_in_processes, jobs=2),
    "the worker of a cluster": in_judges_of_a_thread,
}  # fmt: skip


@pytest.mark.parametrize("runner", RUNNERS)
def test_what_a_check_remembers_is_worth_nothing_to_the_next_submission(tmp_path, runner):
    """A check that keeps state would give a copier what somebody else has earned."""
    folder = tmp_path / "submissions"
    for name, points in (("ada", 2), ("bob", 1), ("copier", 0), ("zoe", 0)):
        hand_in(folder, name, points=points, copies=1)
    with Gradebook.open(tmp_path / "course.db") as book:
        book.put_assignment(Listed(NAME, "Sums", "v1"))
        reports = Batch(book, plan_with(LIMITS), find_submissions(folder)).run(RUNNERS[runner])
        points = {each.student: each.result.points for each in reports}
    assert points == {"ada": 2, "bob": 1, "copier": 0, "zoe": 0}


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_class_is_graded_whatever_ends_the_judge(tmp_path, jobs):
    limits = JudgeLimits(cpu=1, wall=12.0, memory=128 << 20, output=1 << 20)
    folder = tmp_path / "submissions"
    for name in ("ada", "zoe"):
        hand_in(folder, name, points=2)
    for hog in ENDINGS:
        hand_in(folder, f"by-{hog}", points=2, hogs=hog)
    with Gradebook.open(tmp_path / "course.db") as book:
        book.put_assignment(Listed(NAME, "Sums", "v1"))
        batch = Batch(book, plan_with(limits), find_submissions(folder))
        reports = {each.student: each.result for each in batch.run(
            partial(grade_in_processes, jobs=jobs))}  # fmt: skip
        assert {each.handed.student for each in book.results(NAME)} == reports.keys()
    assert {name: reports[name].points for name in ("ada", "zoe")} == {"ada": 2, "zoe": 2}
    for hog, why in ENDINGS.items():
        [check] = reports[f"by-{hog}"].exercises[0].checks
        assert (check.points, check.status) == (0, Status.REFUSED)
        assert check.text == why.replace("20 s", "12 s").replace("2 s of", "1 s of")


def test_the_judge_of_a_thread_stays_until_it_ends(tmp_path):
    for name in ("ada", "eve", "zoe"):
        hand_in(tmp_path, name, points=2, **({"hogs": "crash"} if name == "eve" else {}))
    tasks = [Task.of(Submission.read(tmp_path / f"{name}.py")) for name in ("ada", "eve", "zoe")]
    results = [grade_in_judge(plan_with(LIMITS), task).result for task in tasks]
    assert [each.points for each in results] == [2, 0, 2]


EXERCISES = """
from tapelab.exercises import Exercise
from tapelab.exercises.checks import value
EXERCISES = (Exercise("1", "Limit", "", (value("None", 1, -1.0, at=((1.0,),)),), ()),)
"""
ANSWER = """
import resource, tapelab as tf
tf.exercise("1")(lambda x: float(resource.getrlimit(resource.RLIMIT_CPU)[0]))
"""


@pytest.mark.parametrize("sandbox", ["auto", "unsafe"])
def test_the_processor_time_of_a_judge_does_not_limit_the_sandbox(tmp_path, sandbox):
    try:
        choose_sandbox(sandbox)
    except NoSandboxError as error:
        pytest.skip(str(error))
    (tmp_path / "exercises.py").write_text(EXERCISES)
    (tmp_path / "ada.py").write_text(ANSWER)
    assignment = Assignment.load(tmp_path)
    plan = GradingPlan(
        grade, Assignment.load, str(tmp_path), assignment.name, assignment.version, sandbox=sandbox
    )
    done = grade_in_judge(plan, Task.of(Submission.read(tmp_path / "ada.py")))
    [check] = done.result.exercises[0].checks
    assert (check.points, check.text, check.got) == (1, "", "")


def test_reading_ends_at_its_limits_and_the_next_submission_is_read(tmp_path):
    (tmp_path / "eve.ipynb").write_text('{"nbformat": 4, "cells": [' + "[]," * (4 << 20) + "0]}")
    hand_in(tmp_path, "zoe", points=2)
    with closing(Reader(limits=LIMITS)) as reader:
        with pytest.raises(UnreadableSubmission, match=r"eve\.ipynb cannot be read: .*128 MiB"):
            reader.read(tmp_path / "eve.ipynb")
        assert reader.read(tmp_path / "zoe.py").student == "zoe"


def test_reading_in_a_judge_gives_what_reading_gives(tmp_path):
    hand_in(tmp_path, "ada", points=2)
    with closing(Reader()) as reader:
        alone = Submission.read(tmp_path / "ada.py", "Ada")
        assert reader.read(tmp_path / "ada.py", "Ada") == alone
        with pytest.raises(UnreadableSubmission, match="No such file"):
            reader.read(tmp_path / "nobody.py")


def test_nothing_is_imported_from_where_we_are_or_where_submissions_lie(tmp_path, monkeypatch):
    work = tmp_path / "work"
    (work / "ada").mkdir(parents=True)
    (tmp_path / "link").symlink_to(work)
    path = ["", ".", "relative", str(work), str(work / "ada"), str(tmp_path / "link"), "/usr/lib"]
    monkeypatch.setattr(sys, "path", path)
    assert trusted_path(str(work)) == ["/usr/lib", str(CHECKOUT)]


STARTER = """
from functools import partial
from tapelab.grading.judge import Judge
from tests.fixtures import cheap_grading
judge = Judge()
judge.send(cheap_grading.process_number)
print(judge.receive(), flush=True)
judge.send(partial(cheap_grading.hog, "clock"))
judge.receive()
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="Only Linux waits for any process.")
def test_a_judge_ends_with_its_starter_however_that_was_killed():
    with subprocess.Popen(
        [sys.executable, "-c", STARTER], stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
    ) as starter:  # fmt: skip
        judge = os.pidfd_open(int(starter.stdout.readline()))
        starter.kill()
    assert select.select([judge], [], [], 20.0)[0] == [judge]
    os.close(judge)
