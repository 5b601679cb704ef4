"""A cluster of Dask grades each submission once, whatever becomes of its workers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random

import pytest

from tapelab.grading import runners
from tapelab.grading.batch import Batch
from tapelab.grading.collection import find_submissions
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.runners import ClusterError, GradingPlan, grade_on_cluster
from tests.fixtures import cheap_grading
from tests.fixtures.cheap_grading import NAME, hand_in

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def cluster(monkeypatch):
    """Run a scheduler and two workers of one thread, each watched over by a nanny."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0",
        silence_logs="CRITICAL",
    ) as running:  # fmt: skip
        yield running


def kill_a_worker(cluster, random):
    """End a worker as the system does when memory runs out; its nanny starts another."""
    alive = [nanny.pid for nanny in cluster.workers.values() if nanny.pid]
    if alive:
        os.kill(random.choice(alive), signal.SIGKILL)
    return bool(alive)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of sockets whose other end was killed
@pytest.mark.parametrize("count", [120, pytest.param(500, marks=pytest.mark.thorough)])
def test_submissions_have_each_one_result_though_workers_are_killed(cluster, tmp_path, count):
    random, killed, folder = Random(8), 0, tmp_path / "submissions"
    for number in range(count):
        hand_in(folder, f"s{number:03}", points=number % 5 / 2, copies=1)
    with Gradebook.open(tmp_path / "course.db") as book:
        assignment = cheap_grading.load(NAME)
        book.put_assignment(assignment)
        work = GradingPlan(cheap_grading.grade, cheap_grading.load, NAME, NAME, assignment.version)
        runner = partial(grade_on_cluster, address=cluster.scheduler_address)
        for number, report in enumerate(Batch(book, work, find_submissions(folder)).run(runner)):
            assert report.result is not None, report.why
            if number % (count // 4) == 15:
                killed += kill_a_worker(cluster, random)
        points = {each.handed.student: each.result.points for each in book.results(NAME)}
        noted = Counter(e.about for e in book.history("sums/") if e.what == "result")
    assert points == {f"s{number:03}": number % 5 / 2 for number in range(count)}
    assert set(noted.values()) == {1}
    assert len(noted) == count
    assert killed >= 3


@pytest.mark.slow
def test_a_result_that_was_lost_on_its_way_is_worked_out_again(cluster, tmp_path, monkeypatch):
    fetched, lost, folder = runners._outcome, set(), tmp_path / "submissions"

    def loses_each_once(future, task, watch):
        if task.submission.digest not in lost:
            lost.add(task.submission.digest)
            raise TimeoutError
        return fetched(future, task, watch)

    monkeypatch.setattr(runners, "_outcome", loses_each_once)
    for number in range(12):
        hand_in(folder, f"s{number:03}", points=1)
    with Gradebook.open(tmp_path / "course.db") as book:
        book.put_assignment(cheap_grading.load(NAME))
        work = GradingPlan(cheap_grading.grade, cheap_grading.load, NAME, NAME, "v1")
        runner = partial(grade_on_cluster, address=cluster.scheduler_address)
        assert len(list(Batch(book, work, find_submissions(folder)).run(runner))) == 12
        assert len(book.results(NAME)) == len(lost) == 12


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of sockets whose other end was killed
def test_a_cluster_without_workers_says_so_and_goes_on_when_one_comes(cluster, tmp_path):
    folder, said = tmp_path / "submissions", []

    def notify(sentence):
        said.append(sentence)
        if "no worker left" in sentence:
            cluster.scale(1)

    for number in range(12):
        hand_in(folder, f"s{number:03}", points=1, sleep=0.1)
    with Gradebook.open(tmp_path / "course.db") as book:
        book.put_assignment(cheap_grading.load(NAME))
        work = GradingPlan(cheap_grading.grade, cheap_grading.load, NAME, NAME, "v1")
        address = cluster.scheduler_address
        runner = partial(grade_on_cluster, address=address, notify=notify)
        for number, report in enumerate(Batch(book, work, find_submissions(folder)).run(runner)):
            assert report.result is not None, report.why
            if number == 0:
                cluster.scale(0)
        assert len(book.results(NAME)) == 12
    assert f"dask worker {address}" in said[0]
    assert said[1:] == ["A worker came; grading goes on."]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_scheduler_that_goes_away_ends_it_and_what_was_graded_is_kept(tmp_path):
    folder, port = tmp_path / "submissions", free_port()
    for number in range(20):
        hand_in(folder, f"s{number:03}", points=1, sleep=0.1)
    with (
        cluster_of_programs(port, tmp_path) as scheduler,
        Gradebook.open(tmp_path / "course.db") as book,
    ):
        book.put_assignment(cheap_grading.load(NAME))
        work = GradingPlan(cheap_grading.grade, cheap_grading.load, NAME, NAME, "v1")
        runner = partial(grade_on_cluster, address=f"tcp://127.0.0.1:{port}")
        reports = Batch(book, work, find_submissions(folder)).run(runner)
        with pytest.raises(ClusterError, match=r"went away.*goes on where it stopped"):
            any(scheduler.kill() for _ in reports)
        assert 1 <= len(book.results(NAME)) < 20


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@contextmanager
def cluster_of_programs(port, folder):
    """Run a scheduler and a worker as people do; give the process of the scheduler."""
    dask = [sys.executable, "-m", "dask"]
    address = ["--host", "127.0.0.1", "--port", str(port), "--dashboard-address", ":0"]
    worker = ["worker", f"tcp://127.0.0.1:{port}", "--nthreads", "1", "--death-timeout", "5",
              "--no-nanny", "--dashboard-address", ":0"]  # fmt: skip
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL,
             "env": os.environ | {"PYTHONPATH": str(CHECKOUT)}}  # fmt: skip
    with (
        subprocess.Popen([*dask, "scheduler", *address], **quiet) as scheduler,
        subprocess.Popen([*dask, *worker], **quiet) as working,
    ):
        try:
            yield scheduler
        finally:
            scheduler.kill()
            working.kill()


def test_where_no_scheduler_is_it_says_how_to_start_one():
    pytest.importorskip("distributed")
    with pytest.raises(ClusterError, match="dask scheduler"):
        list(grade_on_cluster([], None, "tcp://127.0.0.1:9", patience=0.2))
