"""A time limit that was exceeded while others had the processor counts only when tried alone."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

import pytest

from tapelab.exercises.exercise import Exercise
from tapelab.exercises.values import Unreadable
from tapelab.grading.assignment import Assignment, Limits
from tapelab.grading.grader import RemoteAnswer
from tapelab.grading.sandbox.backends import BACKENDS
from tapelab.grading.sandbox.process_tree import NO_TIME, ProcessTimes, TimeLimit
from tapelab.grading.submission import Cell, Submission
from tapelab.grading.worker_session import WorkerSession

pytestmark = pytest.mark.slow
ANSWERS = """
import pathlib
import tapelab as tf
runs = pathlib.Path({folder!r}, "runs")

def is_first():
    runs.write_text(runs.read_text() + "x" if runs.exists() else "x")
    return len(runs.read_text()) == 1

def loop(condition):
    while condition:
        pass
    return 1

tf.exercise("first")(lambda: loop(is_first()))
for name in ("endless", "other"):
    tf.exercise(name)(lambda: loop(True))
"""


@contextlib.contextmanager
def neighbours():
    """Keep every processor busy with something else, several times over.

    Each runs in a session of its own: Linux divides processors among sessions first.
    """
    command = [sys.executable, "-c", "while True: pass"]
    count = 3 * (os.cpu_count() or 1)
    loops = [subprocess.Popen(command, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


def session_of(source, folder):
    """A session whose lock is the test's own, in the sandbox that every host has."""
    names = ("first", "endless", "other")
    exercises = tuple(Exercise(each, each, "", ()) for each in names)
    assignment = Assignment.of("contention", exercises, limits=Limits(seconds=0.5))
    submission = Submission("ada", "", (Cell("1", source, {}),))
    session = WorkerSession(submission, assignment, BACKENDS[-1], 0)
    session.locks = folder / "locks"
    return session, [RemoteAnswer(each, session) for each in exercises]


def test_a_timeout_beside_busy_neighbours_is_tried_again_alone(tmp_path):
    session, (first, endless, other) = session_of(ANSWERS.format(folder=str(tmp_path)), tmp_path)
    with contextlib.closing(session), neighbours():
        assert first.result().array.item() == 1
        assert len((tmp_path / "runs").read_text()) == 2
        [note] = session.notes()
        assert note.startswith("Exercise first: It took longer than the time limit of 0.5 s.")
        assert note.endswith("so it was tried again alone, and the limit was kept.")
        with pytest.raises(Unreadable, match="It was tried again alone") as twice:
            endless.result()
        assert twice.value.ending == "timeout"
        assert session.notes()[1].endswith("tried again alone, and the same happened.")
        with pytest.raises(Unreadable, match=r"limit of 0\.5 s\.$"):
            other.result()
        assert len(session.notes()) == 2


def test_a_cell_that_took_too_long_beside_neighbours_runs_again(tmp_path):
    source = ANSWERS.format(folder=str(tmp_path)) + "loop(is_first())\ntf.exercise('other')(int)\n"
    session, (_, _, other) = session_of(source, tmp_path)
    with contextlib.closing(session), neighbours():
        assert other.result().array.item() == 0
        [note] = session.notes()
        assert note.endswith("so it was tried again alone, and the limit was kept.")


def test_only_what_others_have_is_contention():
    limit = TimeLimit(1.0, NO_TIME)
    everything = (os.cpu_count() or 1) * 1e6
    assert limit.is_contended(ProcessTimes(0.0, 1e6))
    assert not limit.is_contended(ProcessTimes(0.0, 0.0))
    assert not limit.is_contended(ProcessTimes(everything, 1e6))
