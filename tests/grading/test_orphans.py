"""No process of a worker outlives the grader, nor the limit on their number, in any sandbox."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

import tapelab
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.values import Unreadable
from tapelab.grading.assignment import Assignment, Limits
from tapelab.grading.grader import RemoteAnswer
from tapelab.grading.sandbox.backends import BACKENDS, private_folder_above
from tapelab.grading.sandbox.probe import HAZARDS
from tapelab.grading.submission import Cell, Submission
from tapelab.grading.worker_session import WorkerSession
from tests.grading.corpora_run import TAGGED, new_tag, tagged, why_not

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these sandboxes"),
]
HOST = Path(__file__).parents[1] / "fixtures" / "worker_host.py"
STRANGER = "34567"
"""A user without any right."""
BOMB = """
import os, time
import tapelab as tf
{tagged}

@tf.exercise("1")
def answer():
    for _ in range(60):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(60)
            os._exit(0)
        os.wait()
    time.sleep(60)
"""


def wait_for_end(processes):
    """Wait until they have ended; those that still run after a while."""
    with ExitStack() as opened, selectors.DefaultSelector() as ends:
        for number in processes:
            with suppress(ProcessLookupError):
                process = os.pidfd_open(number)
                opened.callback(os.close, process)
                ends.register(process, selectors.EVENT_READ, number)
        while ends.get_map() and (ready := ends.select(20.0)):
            for key, _ in ready:
                ends.unregister(key.fileobj)
        return [key.data for key in ends.get_map().values()]


def python_for_all(folder):
    """A Python that users may run who own nothing: this one, or that of the system."""
    if private_folder_above(Path(sys.executable).resolve()) is None:
        return sys.executable
    system = shutil.which("python{}.{}".format(*sys.version_info), path="/usr/bin")
    if system is None:
        pytest.skip("no Python lies outside of private homes")
    subprocess.run([system, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    packages = [each for each in sys.path if each.endswith("site-packages")]
    packages.append(str(Path(tapelab.__file__).parents[1]))  # an editable installation
    [site] = (folder / "venv").glob("lib/*/site-packages")
    (site / "packages.pth").write_text("\n".join(packages))
    return str(folder / "venv" / "bin" / "python")


@pytest.mark.parametrize(
    ("sandbox", "options"),
    [
        ("bubblewrap", ()),
        ("landlock", ()),
        ("landlock", ("without-namespaces",)),
        ("landlock", ("without-namespaces", STRANGER)),
        ("unsafe", ()),
    ],
)
def test_a_sandbox_holds_and_no_orphan_survives_a_killed_grader(sandbox, options):
    tag = new_tag()
    if why_not(sandbox):
        pytest.skip(f"This host has no {sandbox}: {why_not(sandbox)}")
    if STRANGER in options and os.geteuid() != 0:
        pytest.skip("only root becomes another user")
    with tempfile.TemporaryDirectory(prefix="orphans") as folder:
        place = Path(folder)
        place.chmod(0o777)  # the grader may be another user
        python = python_for_all(place) if options else sys.executable
        with subprocess.Popen(
            [python, str(HOST), sandbox, TAGGED.format(tag=tag), *options], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": folder},
        ) as grader:  # fmt: skip
            said = json.loads(grader.stdout.readline())
            workers = set(tagged(tag))
            grader.kill()
        assert len(workers) == 4
        assert wait_for_end(workers) == []
    if sandbox != "unsafe":
        assert said["contained"] == dict.fromkeys(HAZARDS, True)
    assert said["isolated"] is (sandbox != "unsafe" and not options)


@pytest.mark.parametrize("sandbox", ["bubblewrap", "landlock", "unsafe"])
def test_the_number_of_processes_is_bounded(sandbox):
    tag = new_tag()
    if why_not(sandbox):
        pytest.skip(f"This host has no {sandbox}: {why_not(sandbox)}")
    exercise = Exercise("1", "Bomb", "", ())
    assignment = Assignment.of("bomb", (exercise,), limits=Limits(seconds=10.0, processes=16))
    bomb = BOMB.format(tagged=TAGGED.format(tag=tag))
    submission = Submission("mallory", "", (Cell("1", bomb, {}),))
    backend = next(each for each in BACKENDS if each.name == sandbox)
    with closing(WorkerSession(submission, assignment, backend, 0)) as session:
        with pytest.raises(Unreadable) as problem:
            RemoteAnswer(exercise, session).result()
        assert problem.value.ending == ("crashed" if sandbox == "unsafe" else "raised")
        workers = set(tagged(tag))
    assert wait_for_end(workers) == []
