"""A cluster of Dask grades each submission once, whatever becomes of its workers."""

from __future__ import annotations

import os
import signal
from collections import Counter
from functools import partial
from pathlib import Path
from random import Random

import pytest

from tapelab.grading.batch import Batch
from tapelab.grading.cluster import ClusterError, on_cluster
from tapelab.grading.collecting import found
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.task import Work
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
def test_500_submissions_have_each_one_result_though_workers_are_killed(cluster, tmp_path):
    random, killed, folder = Random(8), 0, tmp_path / "submissions"
    for number in range(500):
        hand_in(folder, f"s{number:03}", points=number % 5 / 2)
    with Gradebook.open(tmp_path / "course.db") as book:
        assignment = cheap_grading.load(NAME)
        book.put_assignment(assignment)
        work = Work(cheap_grading.grade, cheap_grading.load, NAME, NAME, assignment.version)
        runner = partial(on_cluster, address=cluster.scheduler_address)
        for number, report in enumerate(Batch(book, work, found(folder)).run(runner)):
            assert report.result is not None, report.why
            if number % 80 == 40:
                killed += kill_a_worker(cluster, random)
        points = {each.handed.student: each.result.points for each in book.results(NAME)}
        noted = Counter(e.about for e in book.history("sums/") if e.what == "result")
    assert points == {f"s{number:03}": number % 5 / 2 for number in range(500)}
    assert set(noted.values()) == {1}
    assert len(noted) == 500
    assert killed >= 3


def test_where_no_scheduler_is_it_says_how_to_start_one():
    pytest.importorskip("distributed")
    with pytest.raises(ClusterError, match="dask scheduler"):
        list(on_cluster([], None, "tcp://127.0.0.1:9", patience=0.2))
